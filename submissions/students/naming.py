"""The names and ids of one student, and taking them out of texts."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from operator import itemgetter
from typing import Any

from django.db.models import CharField, JSONField, Model, Q, TextField
from django.db.models.functions import Cast
from django.utils.crypto import salted_hmac

from submissions.core.models import RecordField
from submissions.core.redaction import APOSTROPHE, RUN, NameFinder, normalise_word, normalised_spellings
from submissions.intake.entries import normalised
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
# A whole name in a text: of another student, of the student, or all words of it in another spelling or order.
OTHER, OWN, RESPELLED = 1, 2, 3


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
        kept, own = self._whole_names(text)
        pieces, end = [], 0
        for first, last in _without(text, _united(spans + own), kept):
            pieces += [text[end:first], self.replacement]
            end = last
        return "".join([*pieces, text[end:]])

    @cached_property
    def _ranks(self) -> dict[str | tuple[str, ...], int]:
        """OTHER for the names of others that have words of the student, OWN, RESPELLED for all words of one, sorted."""
        similar = (one for one in self.others if name_key(one) not in self._keys and self.may_be_in(one))
        names = {_spaced(one): rank for rank, texts in ((OWN, self.texts), (OTHER, similar)) for one in texts}
        short = {name: rank for name, rank in names.items() if rank == OWN or len(RUN.findall(name)) <= MOST_WORDS}
        return {tuple(sorted(words)): RESPELLED for words in self._spelled} | short

    @cached_property
    def _spelled(self) -> frozenset[tuple[str, ...]]:
        """Each spelling of the student's whole names, word by word."""
        names = [name.split() for name in map(_spaced, self.texts) if len(RUN.findall(name)) <= MOST_WORDS]
        return frozenset(words for name in names for words in product(*map(normalised_spellings, name)))

    def _whole_names(self, text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return where names of others stand, and own ones; the longest come first, so that no part of one counts."""
        words, taken = [*RUN.finditer(text)], set[int]()
        places: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
        named = [at for at, word in enumerate(words) if self.may_be_in(word[0])]
        for size in sorted({len(RUN.findall(one)) for one in self._ranks if isinstance(one, str)}, reverse=True):
            firsts = {at for one in named for at in range(max(0, one - size + 1), min(one, len(words) - size) + 1)}
            spans = {at: (words[at].start(), words[at + size - 1].end()) for at in sorted(firsts)}
            for rank, at in sorted((self._rank(text[slice(*span)]), at) for at, span in spans.items()):
                if rank and taken.isdisjoint(range(at, at + size)):
                    taken.update(range(at, at + size))
                    places[rank != OTHER].append(spans[at])
        # A single word may mean somebody else: the finder knows.
        return sorted(places[0]), [(start, end) for start, end in places[1] if RUN.fullmatch(text, start, end) is None]

    def _rank(self, name: str) -> int:
        """Return of which names a text is one, as in `_ranks`; 0 for another text."""
        if name_key(name) in self._keys:
            return RESPELLED if "," in name else OWN
        if "," in name:
            words = map(normalise_word, name_key(APOSTROPHE.sub("'", name)).split())
            return RESPELLED if tuple(words) in self._spelled else 0
        spaced = _spaced(name)
        return self._ranks.get(spaced) or self._ranks.get(tuple(sorted(map(normalise_word, spaced.split()))), 0)

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
        in_json = {json.dumps(word)[1:-1] for word in self.words if not word.isascii()}
        columns = {f"text_of_{name}": Cast(name, TextField()) for name in names}
        condition = Q(pk__in=[])
        for column in columns:
            for word in sorted(self.words | in_json):
                condition |= Q(**{f"{column}__icontains": word})
        return columns, condition


def _spaced(name: str) -> str:
    return name_key(BETWEEN.sub(" ", APOSTROPHE.sub("'", name)))


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in ascending order, those that overlap as one."""
    united: list[tuple[int, int]] = []
    for start, after in sorted(spans):
        before = united.pop() if united and start < united[-1][1] else (start, start)
        united.append((before[0], max(before[1], after)))
    return united


def _without(text: str, spans: list[tuple[int, int]], kept: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield ascending spans; of one that overlaps what is kept, what is left from its first to its last word."""
    for start, after in spans:
        inside = kept[bisect_right(kept, start, key=itemgetter(1)) : bisect_left(kept, (after,))]
        edges = [start, *chain.from_iterable(inside), after]
        for at, end in zip(edges[::2], edges[1::2], strict=True):
            words = [*WORD.finditer(text, at, max(at, end))] if inside else []
            yield from [(words[0].start(), words[-1].end())] if words else []
        yield from [] if inside else [(start, after)]


def _parsed(text: str) -> Any:
    """Return the value of a text that is a JSON object or list, None for any other text."""
    try:
        return json.loads(text) if text.startswith(("{", "[")) else None
    except ValueError:
        return None


def is_text(column: object) -> bool:
    """Return whether a column of a model holds text, or JSON with texts."""
    return isinstance(column, CharField | TextField | JSONField)
