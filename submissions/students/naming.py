"""The names and ids of one student, and taking them out of texts."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from django.db.models import CharField, JSONField, Model, Q, TextField
from django.db.models.functions import Cast
from django.utils.crypto import salted_hmac

from submissions.core.models import RecordField
from submissions.core.redaction import RUN, NameFinder, normalised_spellings
from submissions.intake.entry_names import normalised
from submissions.intake.rosters import name_key

# Stands where the student was named. It is the same for everybody, so that nothing tells two of them apart.
PSEUDONYM = "[erased]"
# A word, and what stands between the words of a name in a text or a path.
WORD = re.compile(r"[^\W_]+")
BETWEEN = re.compile(r"[\s_.-]{1,3}")
# Names of more words are not looked for in a text.
MOST_WORDS = 8
# A shorter part of a name is looked for with the rest of the name only.
SHORTEST_WORD = 2
# A longer text is not itself a name.
LONGEST_NAME = 1_000


def digest(text: str) -> str:
    """Return a digest of a name or id, keyed with SECRET_KEY: it tells whether a student was erased."""
    return salted_hmac("moss.students.erased", name_key(text), algorithm="sha256").hexdigest()


@dataclass(frozen=True)
class Spellings:
    """The names and ids of one student.

    `others` are the names of other students: their words do not mean this student by themselves. With
    `whole_only`, no single word of a name does.
    """

    names: frozenset[str]
    ids: frozenset[str]
    others: tuple[str, ...] = ()
    whole_only: bool = False
    replacement: str = field(default=PSEUDONYM)

    @cached_property
    def _finder(self) -> NameFinder:
        visible = (*self.others, *(self.names if self.whole_only else ()))
        return NameFinder(dict.fromkeys(sorted(self.texts), self.replacement), visible, ids=self.ids)

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(map(name_key, self.texts))

    @property
    def texts(self) -> frozenset[str]:
        return self.names | self.ids

    def taken_out(self, text: str) -> str:
        """Return a text with the pseudonym where it names the student.

        The whole name of another one that has words of it stays: `Kim Lee` where `Kim` is taken out.
        """
        if len(text) <= LONGEST_NAME and name_key(text) in self._keys:
            return self.replacement
        spans = [span[:2] for span in self._finder.label_spans(text) if span[2] == self.replacement]
        kept = [*self._names_of_others(text)] if spans and self._similar else []
        pieces, end = [], 0
        for first, last in _without(text, spans, kept):
            pieces += [text[end:first], self.replacement]
            end = last
        return "".join([*pieces, text[end:]])

    @cached_property
    def _similar(self) -> frozenset[tuple[str, ...]]:
        """The words of the names of others that have words of the student."""
        others = (one for one in self.others if name_key(one) not in self._keys and self.may_be_in(one))
        return frozenset(key for one in others if len(key := tuple(map(name_key, WORD.findall(one)))) <= MOST_WORDS)

    def _names_of_others(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where these names stand, word by word, the longest that begins at a word."""
        words, sizes = [*WORD.finditer(text)], sorted({*map(len, self._similar)}, reverse=True)
        keys, at = [name_key(word[0]) for word in words], 0
        while at < len(words):
            of_names = (size for size in sizes if tuple(keys[at : at + size]) in self._similar)
            after = at + next((size for size in of_names if _are_adjacent(text, words[at : at + size])), 0)
            if after > at:
                yield words[at].start(), words[after - 1].end()
            at = max(after, at + 1)

    def taken_out_of(self, value: Any) -> Any:
        """Return a value of a JSON column with every text in it, keys included, changed by `taken_out`."""
        if isinstance(value, str):
            return self.taken_out(value)
        if isinstance(value, dict):
            return {self.taken_out(key): self.taken_out_of(one) for key, one in value.items()}
        return [self.taken_out_of(one) for one in value] if isinstance(value, list) else value

    @cached_property
    def _normalised(self) -> frozenset[str]:
        return frozenset().union(*map(normalised_spellings, self.words))

    def may_be_in(self, text: str) -> bool:
        """Return whether a text has a word of the student; one without any does not name the student."""
        forms = (text.lower(),) if text.isascii() else normalised_spellings(text)
        return not self.words or any(word in form for form in forms for word in self._normalised)

    def is_in(self, text: str) -> bool:
        return self.taken_out(text) != text

    def changed(self, row: Model, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the new values of those columns of a row that name the student."""
        changes = {}
        for name in names:
            column = row._meta.get_field(name)
            value = getattr(row, name)
            if isinstance(column, RecordField):
                stored = column.write(value)
                new = column.read(self.taken_out_of(stored))
            elif isinstance(column, JSONField):
                new = self.taken_out_of(value)
            else:
                new = self._text(value, getattr(column, "max_length", None))
            if new != value:
                changes[name] = new
        return changes

    def _text(self, value: str, longest: int | None) -> str:
        """Return a text without the student; of JSON in a column of text, the JSON of what it says."""
        parsed = _parsed(value)
        if parsed is None:
            return self.taken_out(value)[:longest]
        new = self.taken_out_of(parsed)
        return value if new == parsed else json.dumps(new)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all spellings in the forms in which a column may have them."""
        words: set[str] = set()
        for text in self.texts:
            for run in RUN.findall(text):
                forms = (normalised(form, run) for form in ("NFC", "NFD"))
                words |= {run, *forms, *normalised_spellings(run)}
            words |= set(WORD.findall(text))
        return frozenset(word for word in words if len(word) >= SHORTEST_WORD or word in self.ids)

    def condition(self, names: tuple[str, ...]) -> tuple[dict[str, Cast], Q]:
        """Return what to annotate rows with, and the condition that all rows naming the student meet."""
        columns = {f"text_of_{name}": Cast(name, TextField()) for name in names}
        condition = Q(pk__in=[])
        for column in columns:
            for word in sorted(self.words | _escaped(self.words)):
                condition |= Q(**{f"{column}__icontains": word})
        return columns, condition


def _are_adjacent(text: str, words: list[re.Match[str]]) -> bool:
    return all(BETWEEN.fullmatch(text, one.end(), other.start()) for one, other in pairwise(words))


def _without(text: str, spans: list[tuple[int, int]], kept: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield ascending spans; of one that overlaps what is kept, what is left from its first to its last word."""
    rest = deque(kept)
    for start, after in spans:
        at = start
        while at < after:
            while rest and rest[0][1] <= at:
                rest.popleft()
            if not (rest and rest[0][0] < after) and at == start:
                yield start, after
                break
            first, last = rest[0] if rest and rest[0][0] < after else (after, after)
            if words := [*WORD.finditer(text, at, max(at, first))]:
                yield words[0].start(), words[-1].end()
            at = last


def _escaped(words: frozenset[str]) -> set[str]:
    """Return the words as a JSON text may have them, with the codes of letters."""
    return {json.dumps(word)[1:-1] for word in words if not word.isascii()}


def _parsed(text: str) -> Any:
    """Return the value of a text that is a JSON object or list, None for any other text."""
    try:
        return json.loads(text) if text.startswith(("{", "[")) else None
    except ValueError:
        return None


def is_text(column: object) -> bool:
    """Return whether a column of a model holds text, or JSON with texts."""
    return isinstance(column, CharField | TextField | JSONField)
