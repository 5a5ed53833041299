"""Whose copy a document is: of somebody who may know everybody, of one student, or of strangers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.pseudonyms.aliases import aliases
from submissions.pseudonyms.names import Names, anonymous, redacting
from submissions.pseudonyms.redaction import SOMEBODY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Pair, Report, Submission

OPEN, MADE_UP = "open", "made-up"


class Options(NamedTuple):
    """What of a pair to say beside its passages."""

    decision: bool
    sources: bool


class Subject(NamedTuple):
    """Pairs of a report to write about; a `lone` one gives the document its title."""

    report: Report
    pairs: list[Pair]
    lone: bool = False


class Copy(NamedTuple):
    """Pairs of a document, the names in it, what it is called, and what it says of the names."""

    pairs: list[Pair]
    names: Names
    called: list[str]
    lone: bool
    remark: str = ""

    @property
    def title(self) -> str:
        return " and ".join(self.called)


def students(pairs: Iterable[Pair]) -> list[Submission]:
    """Give everybody in some pairs, by name."""
    found = {one.pk: one for pair in pairs for one in (pair.left, pair.right)}
    return sorted(found.values(), key=lambda one: one.name)


def copy_of(subject: Subject, names: Names, whose: str) -> Copy:
    """Give the copy that `whose` asks for: OPEN under `names`, MADE_UP, or the id of a student.

    A student's copy has only that student's pairs, with everybody else in the class hidden.
    """
    report, pairs, remark = subject.report, subject.pairs, ""
    if whose == MADE_UP:
        names, remark = anonymous(report.assignment), "The names of all students are made up."
    elif whose != OPEN:
        pairs = [pair for pair in pairs if int(whose) in (pair.left_id, pair.right_id)]
        reader = next(one.name for one in students(pairs) if one.pk == int(whose))
        names = _hiding(report, pairs, reader)
        remark = f"Copy for {reader}. Everybody else's name is hidden."
    called = [names.of(one.name) for one in (pairs[0].left, pairs[0].right)]
    return Copy(pairs, names, called if subject.lone else ["Confirmed pairs"], subject.lone, remark)


def _hiding(report: Report, pairs: list[Pair], reader: str) -> Names:
    """Hide everybody but the reader: who is in a pair under a name that tells them apart."""
    hidden = redacting({one.name for one in students(pairs)} - {reader}, [reader])
    everybody = dict.fromkeys(aliases(report.assignment), SOMEBODY) | dict(hidden.made_up)
    return Names({name: called for name, called in everybody.items() if name != reader}, kept=hidden.kept)
