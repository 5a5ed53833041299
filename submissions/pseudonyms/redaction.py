"""Where a text names a student: whole names, parts that only a name would be, ids, addresses, authors.

A text is read as words, as a name is: runs of letters and digits, and what such a run is put together of
(`AdaLovelace2` is ada, lovelace, 2). Words of one name that stand beside each other are one finding.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from submissions.pseudonyms.author_tags import ADDRESS, Remarks
from submissions.pseudonyms.stopwords import COMMON, GENERIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Span = tuple[int, int, str]

SOMEBODY = "[name]"
SHORTEST, SHORTEST_ID, LONGEST_MARKS = 3, 5, 6
_MARK = r"\u0300-\u036f"
RUN = re.compile(rf"[^\W_](?:[^\W_]|[{_MARK}])*")
PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# No name has so many characters: what goes on for longer is data, which could keep a reader waiting.
LONGEST_RUN = 1_000
# What may stand between two words of one name: nothing, a space, a comma and a space, an underscore.
GAP = re.compile(r"[ \t.,_-]{0,2}")
# Letters that do not come apart into a plain one and its accent.
LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def folded(word: str) -> str:
    """Write a word without case and accents."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold().translate(LETTERS))
    return "".join(char for char in apart if not unicodedata.combining(char))


def spellings(word: str) -> set[str]:
    """Give the ways in which a word is folded: `Müller` is muller, and mueller."""
    composed = unicodedata.normalize("NFC", word.casefold())
    return {folded(word), folded(composed.translate(UMLAUTS))}


def tells(word: str) -> bool:
    """Whether a folded word is a name or an id by itself, rather than a word of any program."""
    letters = re.sub(r"\d+", "", word)
    digits = len(word) - len(letters)
    if letters in GENERIC or letters in COMMON:
        return False
    if not digits:
        return len(word) >= SHORTEST
    if not letters:
        return digits >= SHORTEST_ID and not word.endswith("000") and int(word).bit_count() > 1
    return digits > 1 and len(word) > SHORTEST


class Word(NamedTuple):
    """A word of a text that is in some name."""

    start: int
    end: int
    key: str


@dataclass(frozen=True)
class Finder:
    """Finds the names of students in texts; `called` says what to show instead of each.

    Words that are also in one of the names `kept` do not tell anybody by themselves.
    """

    called: Mapping[str, str]
    kept: tuple[str, ...] = ()

    @cached_property
    def _holders(self) -> dict[str, set[str]]:
        """Names that hold a word."""
        holders: dict[str, set[str]] = defaultdict(set)
        for name in self.called:
            for word in _words_of(name):
                holders[word].add(name)
        return holders

    @cached_property
    def _telling(self) -> set[str]:
        shared = {word for name in self.kept for word in _words_of(name)}
        return {word for word in self._holders if tells(word) and word not in shared}

    @cached_property
    def _whole(self) -> dict[str, str]:
        """Names as folded, whole and without a file's ending."""
        stems = {folded(name.rpartition(".")[0]): name for name in self.called if "." in name}
        return stems | {folded(name): name for name in self.called}

    @cached_property
    def _read(self) -> dict[str, tuple[Word, ...]]:
        """Runs that were looked up before, with the words of names in them."""
        return {}

    def in_source(self, text: str) -> list[Span]:
        """Give what to cover in a source or another long text, in its order."""
        remarks = Remarks(text)
        claimed = [*self._authors(text, remarks), *self._addresses(text)]
        return _apart([*claimed, *self._named(text, remarks)])

    def in_label(self, text: str) -> list[Span]:
        """Give what to cover in a path, the name of an upload, or a message that holds one."""
        return _apart([*self._segments(text), *self._addresses(text), *self._named(text)])

    def _authors(self, text: str, remarks: Remarks) -> Iterator[Span]:
        for start, end in remarks.authors():
            named = next(self._named(text[start:end]), None)
            yield start, end, named[2] if named else SOMEBODY

    def _addresses(self, text: str) -> Iterator[Span]:
        for found in ADDRESS.finditer(text) if "@" in text else ():
            named = next(self._named(found[1]), None)
            yield *found.span(), named[2] if named else "[e-mail]"

    def _segments(self, text: str) -> Iterator[Span]:
        """Find whole names at the start of a path's segments, however short and common they are."""
        for segment in re.finditer(r"[^/]+", text):
            for end in _ends(segment[0]):
                if name := self._whole.get(folded(segment[0][:end])):
                    yield segment.start(), segment.start() + end, self.called[name]
                    break

    def _named(self, text: str, remarks: Remarks | None = None) -> Iterator[Span]:
        """Find words of names, those of one name that stand beside each other as one."""
        chain: list[Word] = []
        for word in self._words(text):
            joined = [*chain, word]
            if chain and not (self._beside(text, chain[-1], word) and self._names(joined)):
                yield from self._finding(text, chain, remarks)
                joined = [word]
            chain = joined
        if chain:
            yield from self._finding(text, chain, remarks)

    def _beside(self, text: str, left: Word, right: Word) -> bool:
        return GAP.fullmatch(text, left.end, right.start) is not None

    def _words(self, text: str) -> Iterator[Word]:
        for run in RUN.finditer(text):
            if run.end() - run.start() > LONGEST_RUN:
                continue
            words = self._read.get(run[0])
            if words is None:
                words = self._read[run[0]] = tuple(self._words_in(run[0]))
            for start, end, key in words:
                yield Word(run.start() + start, run.start() + end, key)

    def _words_in(self, run: str) -> Iterator[Word]:
        if (key := folded(run)) in self._holders:
            yield Word(0, len(run), key)
            return
        for piece in PIECE.finditer(run):
            if (key := folded(piece[0])) in self._holders:
                yield Word(*piece.span(), key)

    def _names(self, words: list[Word]) -> set[str]:
        return set.intersection(*(self._holders[word.key] for word in words))

    def _finding(self, text: str, chain: list[Word], remarks: Remarks | None) -> Iterator[Span]:
        """Give a chain's place, if its words are more than words of any program."""
        keys = {word.key for word in chain}
        names = self._names(chain)
        whole = {name for name in names if keys >= _runs_of(name)}
        told = not keys.isdisjoint(self._telling) or (len(keys) > 1 and max(map(len, keys)) >= SHORTEST)
        if not told:
            capital = all(text[word.start].isupper() for word in chain)
            if not (whole and capital and (len(keys) > 1 or (remarks and remarks.hold(chain[0].start)))):
                return
        instead = {self.called[name] for name in whole or names}
        yield chain[0].start, chain[-1].end, instead.pop() if len(instead) == 1 else SOMEBODY


def _words_of(name: str) -> set[str]:
    """Give the folded words of a name, both a run and what it is put together of."""
    words = set()
    for run in RUN.findall(name):
        for word in (run, *PIECE.findall(run)):
            words |= spellings(word)
    return words


def _runs_of(name: str) -> set[str]:
    return {folded(run) for run in RUN.findall(name)}


def _ends(segment: str) -> list[int]:
    """Say where a name at the start of a segment could end: before an ending or a space, or nowhere."""
    return [len(segment), *sorted((m.start() for m in re.finditer(r"[.\s]", segment)), reverse=True)]


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Put spans in order, without those that begin inside an earlier one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
