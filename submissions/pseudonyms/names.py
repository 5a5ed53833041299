"""Names of submissions as a reader may see them: real names or aliases; search in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import count, product
from string import ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple

from submissions.permissions import Right, may
from submissions.pseudonyms.redaction import NAME_PLACEHOLDER, NameFinder
from submissions.pseudonyms.students import (
    RosterLabel,
    ensure_aliases,
    known_ids,
    known_spellings,
    origin_suffixes,
    others_in_roster,
    roster_labels,
)
from submissions.pseudonyms.words import normalised_spellings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from django.http import HttpRequest

    from submissions.models import Assignment, Course, Submission

# Ids and times in the names that platforms give to what students hand in.
NUMBER = re.compile(r"\d{4,}(?:[-_:.,T ]{0,2}\d+)*")
# Session key: whether names are hidden.
ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class Names:
    """Names as a reader may see them: real names if there are neither `aliases` nor a `fallback`.

    `aliases` maps real names to the names that are shown instead; `fallback` is shown for all other names; if
    it is empty, these are shown as the roster has them (`labels`), or unchanged. `spellings` are all that a
    text may call the students, by names; a name without any is its own. `suffixes`, by names, follow an alias
    where it is shown: they say which assignment old work is from. A word that also occurs in one of the
    `visible_names` is replaced only together with other words of a hidden name. Spellings that are `ids`
    always mean the student.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    fallback: str = ""
    visible_names: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, RosterLabel] = field(default_factory=dict)
    suffixes: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()

    def display_name(self, name: str) -> str:
        """Return the name to show for the submission `name`."""
        hidden = self.aliases.get(name) or self.fallback
        return hidden + self.suffixes.get(name, "") if hidden else self._label(name).name

    def displayed_ids(self, submission: Submission) -> str:
        """Return the ids to show beside the name of a submission; nothing where names are hidden."""
        ids = self._label(submission.name).ids or submission.identifier
        return "" if self.hidden or ids == self.display_name(submission.name) else ids

    def _label(self, name: str) -> RosterLabel:
        return self.labels.get(name) or RosterLabel(name, "")

    def in_order(self, left: str, right: str) -> bool:
        """Return whether the pair (left, right), sorted by real names, is shown in this order.

        Where names are hidden, a pair is in the order of the displayed names: the order of the real names
        would reveal who is behind an alias.
        """
        return not self.hidden or self.display_name(left) <= self.display_name(right)

    def redact_text(self, text: str) -> str:
        """Return a path, the name of an upload or a message with all names in it replaced."""
        return _replace_spans(text, self._finder.label_spans(text)) if self.hidden else text

    def redact_source(self, text: str) -> str:
        """Return a part of a source with the `source_spans` in it replaced."""
        return _replace_spans(text, self.source_spans(text))

    def source_spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return (start, end, replacement) of the spans of a source that name a student, in order."""
        return self._finder.source_spans(text) if self.hidden else []

    def redact_entry(self, path: str) -> str:
        """Return the path of an entry that was not accepted, with names replaced.

        Its folder may name a student without any submission, and numbers in it may be ids or exact times of
        handing in. Where the path contains no known name, only its
        file name is shown, and of a path without folder only the suffix.
        """
        redacted = self.redact_text(path)
        if not self.hidden:
            return path
        if redacted != path:
            return NUMBER.sub("…", redacted)
        *folders, file = path.rstrip("/").split("/")
        stem, dot, suffix = file.rpartition(".")
        return f"…/{file}" if folders and not path.endswith("/") else f"…{dot}{suffix}" if stem else "…"

    @property
    def hidden(self) -> bool:
        """True if names are hidden, even if there are no names yet."""
        return bool(self.aliases or self.fallback)

    @property
    def fingerprint(self) -> str:
        """A checksum of all that decides what the reader sees."""
        content = (
            sorted(self.aliases.items()),
            self.fallback,
            self.visible_names,
            sorted(self.spellings.items()),
            sorted(self.labels.items()),
            sorted(self.suffixes.items()),
            sorted(self.ids),
        )
        return sha256(repr(content).encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def _finder(self) -> NameFinder:
        return NameFinder(self.aliases, self.visible_names, self.spellings, self.ids)


def names_for(request: HttpRequest, assignment: Assignment) -> Names:
    """Return the names of an assignment as the user of this session may and has chosen to see them."""
    return anonymous_names(assignment) if hides_names(request, assignment.course) else real_names(assignment)


def hides_names(request: HttpRequest, course: Course) -> bool:
    """Return whether the user of this session may not see the names of a course, or has hidden them."""
    return bool(request.session.get(ANONYMOUS)) or not may(request.user, Right.SEE_NAMES, course)


def real_names(assignment: Assignment) -> Names:
    """Return the names of an assignment as the roster of its course has them."""
    return Names(labels=roster_labels(assignment))


def anonymous_names(assignment: Assignment) -> Names:
    """Return an alias for every name in an assignment, and hide the other students of the roster."""
    others = others_in_roster(assignment)
    aliases = dict.fromkeys(others, NAME_PLACEHOLDER) | ensure_aliases(assignment)
    return Names(
        aliases,
        fallback=NAME_PLACEHOLDER,
        spellings=others | known_spellings(assignment),
        suffixes=origin_suffixes(assignment),
        ids=known_ids(assignment),
    )


def redacted_names(hidden_names: Iterable[str], visible_names: Iterable[str] = ()) -> Names:
    """Hide some names, in their order: as `Student A`, `Student B`, or a single one as `another student`."""
    names, visible = list(dict.fromkeys(hidden_names)), tuple(visible_names)
    if len(names) == 1:
        return Names({names[0]: "another student"}, visible_names=visible)
    return Names(dict(zip(names, _student_letters(), strict=False)), visible_names=visible)


def _student_letters() -> Iterator[str]:
    """Yield Student A to Student Z, then Student AA and so on."""
    for length in count(1):
        for letters in product(ascii_uppercase, repeat=length):
            yield f"Student {''.join(letters)}"


def _replace_spans(text: str, spans: list[tuple[int, int, str]]) -> str:
    pieces, position = [], 0
    for start, end, replacement in spans:
        pieces += [text[position:start], replacement]
        position = end
    return "".join([*pieces, text[position:]])


TERM = re.compile(r"(?:(?=(?:case|decided|assignee|team):)|(?=similarity[:<>]))([a-z]+)(:|[<>]=?)(\S+)")


class SearchWord(NamedTuple):
    """A word of a search, in its normalised spellings."""

    spellings: frozenset[str]

    def is_in(self, name: str) -> bool:
        """Return whether a name contains the word; Müller is also spelt Mueller."""
        names = normalised_spellings(name)
        return any(word in spelling for word in self.spellings for spelling in names)


class SearchTerm(NamedTuple):
    """A term of a search that is no part of a name, such as `similarity>60`; `operator` is ":" for most."""

    name: str
    operator: str
    value: str


def search_words(text: str) -> list[SearchWord]:
    """Return the words of a search without its terms; a name is found if each of them is in it."""
    return [
        SearchWord(frozenset(normalised_spellings(word))) for word in text.split() if not TERM.fullmatch(word)
    ]


def search_terms(text: str) -> list[SearchTerm]:
    """Return the terms of a search, in its order."""
    return [SearchTerm(*match.groups()) for word in text.split() if (match := TERM.fullmatch(word))]


def follows_decisions(text: str) -> bool:
    """Return whether what a search finds depends on decisions."""
    return any(term.name in {"decided", "assignee"} for term in search_terms(text))


def asks_of_people(text: str) -> bool:
    """Return whether a search asks what was decided, who is to decide, or who is in which team."""
    return any(term.name in {"decided", "assignee", "team"} for term in search_terms(text))
