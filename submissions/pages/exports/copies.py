"""Copies of a document for different readers: with real names, for one student, or with aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.pseudonyms.aliases import ensure_aliases
from submissions.pseudonyms.names import Names, anonymous_names, redacted_names
from submissions.pseudonyms.redaction import NAME_PLACEHOLDER
from submissions.pseudonyms.students import known_spellings, others_in_roster, roster_labels
from submissions.queries import displayed_pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Pair, Report, Submission

# Readers of a copy, besides the ids of students.
REAL_NAMES, ALIASES = "open", "made-up"


class DocumentOptions(NamedTuple):
    """Content of a document besides the passages of its pairs."""

    decision: bool
    sources: bool


class Subject(NamedTuple):
    """Pairs of a report to write about; a `single` pair gives the document its title."""

    report: Report
    pairs: list[Pair]
    single: bool = False


class Copy(NamedTuple):
    """A document for one reader: its pairs, the names in it, the parts of its title, a remark on names."""

    pairs: list[Pair]
    names: Names
    title_parts: list[str]
    single: bool
    remark: str = ""

    @property
    def title(self) -> str:
        return " and ".join(self.title_parts)


def students(pairs: Iterable[Pair]) -> list[Submission]:
    """Return the submissions of the pairs, each once, by name."""
    by_id = {submission.pk: submission for pair in pairs for submission in (pair.left, pair.right)}
    return sorted(by_id.values(), key=lambda submission: submission.name)


def copy_for(subject: Subject, names: Names, reader: str) -> Copy:
    """Return the copy for a reader: REAL_NAMES for `names`, ALIASES, or the id of a student's submission.

    A student's copy has only the pairs of that student, and all other names of the cohort are hidden.
    """
    report, pairs, remark = subject.report, subject.pairs, ""
    if reader == ALIASES:
        names, remark = anonymous_names(report.assignment), "The names of all students are made up."
    elif reader != REAL_NAMES:
        pairs = [pair for pair in pairs if int(reader) in (pair.left_id, pair.right_id)]
        name = next(student.name for student in students(pairs) if student.pk == int(reader))
        names = _names_for_student(report, pairs, name)
        remark = f"Copy for {names.display_name(name)}. Everybody else's name is hidden."
    pairs = _displayed_pairs(pairs, names)
    pair_names = _displayed_names(pairs[0], names)
    return Copy(
        pairs, names, [*pair_names] if subject.single else ["Confirmed pairs"], subject.single, remark
    )


def _displayed_pairs(pairs: Iterable[Pair], names: Names) -> list[Pair]:
    """Return pairs as the reader sees them; where names are hidden, equal ones by the displayed names."""
    displayed = [displayed_pair(pair, names) for pair in pairs]
    if names.hidden:
        displayed.sort(key=lambda pair: (-pair.similarity, -pair.tokens, *_displayed_names(pair, names)))
    return displayed


def _displayed_names(pair: Pair, names: Names) -> tuple[str, str]:
    return names.display_name(pair.left.name), names.display_name(pair.right.name)


def _names_for_student(report: Report, pairs: list[Pair], reader: str) -> Names:
    """Hide all names but the reader's; the other students of the pairs get distinct aliases."""
    made_up, absent = ensure_aliases(report.assignment), others_in_roster(report.assignment)
    spellings = absent | known_spellings(report.assignment)
    own = [reader, *spellings.get(reader, ())]
    others = {student.name for student in students(pairs)} - {reader}
    # Their letters follow the aliases: the order of the real names would reveal who is behind a letter.
    hidden = redacted_names(sorted(others, key=made_up.__getitem__), own)
    aliases = dict.fromkeys([*made_up, *absent], NAME_PLACEHOLDER) | dict(hidden.aliases)
    hidden_aliases = {
        name: alias
        for name, alias in aliases.items()
        if name in others or not {name, *spellings.get(name, ())} & {*own}
    }
    labels = roster_labels(report.assignment)
    return Names(hidden_aliases, "", hidden.visible_names, spellings, labels)
