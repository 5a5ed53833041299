"""The names and ids of one student, and taking them out of texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
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
# What stands between the words of a name in a text or a path.
_BLANKS = r"[\s_.-]+"
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
        pieces, end = [], 0
        for start, after, replacement in self._finder.label_spans(text):
            for first, last in self._own_parts(text, start, after) if replacement == self.replacement else ():
                pieces += [text[end:first], self.replacement]
                end = last
        return "".join([*pieces, text[end:]])

    def _own_parts(self, text: str, start: int, after: int) -> Iterator[tuple[int, int]]:
        """Yield what is left of a span without the whole names of others in it or around it."""
        if self._similar:
            for match in self._similar.finditer(text, max(0, start - LONGEST_NAME), after + LONGEST_NAME):
                if match.end() > start and match.start() < after:
                    yield from _trimmed(text, start, match.start())
                    start = match.end()
        yield from _trimmed(text, start, after)

    @cached_property
    def _similar(self) -> re.Pattern[str] | None:
        """Find the whole names, as they are spelled, of others that have words of the student."""
        spelled = [one for one in self.others if name_key(one) not in self._keys and self.may_be_in(one)]
        names = sorted({_BLANKS.join(map(re.escape, one.split())) for one in spelled}, key=len, reverse=True)
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(names)})(?![^\W_])", re.IGNORECASE) if names else None

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
            words |= set(re.findall(r"[^\W_]+", text))
        return frozenset(word for word in words if len(word) >= SHORTEST_WORD or word in self.ids)

    def condition(self, names: tuple[str, ...]) -> tuple[dict[str, Cast], Q]:
        """Return what to annotate rows with, and the condition that all rows naming the student meet."""
        columns = {f"text_of_{name}": Cast(name, TextField()) for name in names}
        condition = Q(pk__in=[])
        for column in columns:
            for word in sorted(self.words | _escaped(self.words)):
                condition |= Q(**{f"{column}__icontains": word})
        return columns, condition


def _trimmed(text: str, start: int, after: int) -> list[tuple[int, int]]:
    """Return the part of a text from its first to its last word, or nothing."""
    words = [*re.finditer(r"[^\W_]+", text[start:after])] if start < after else []
    return [(start + words[0].start(), start + words[-1].end())] if words else []


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
