"""Find names of students in a text: whole names, distinctive parts, ids, e-mail addresses and authors.

Names and texts are split into words: runs of letters and digits, and the pieces of such a run (`AdaLovelace2`
has the pieces ada, lovelace and 2). Adjacent words of one name are replaced together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from submissions.pseudonyms.words import (
    ADDRESS,
    MIN_ID,
    MIN_ID_IN_COMMENT,
    MIN_WORD,
    PIECE,
    RUN,
    CommentScanner,
    is_distinctive,
    normalise_word,
    normalised_runs,
    normalised_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet

    Span = tuple[int, int, str]

T = TypeVar("T")

# Shown where several students may be meant, or one who is in no list of names.
NAME_PLACEHOLDER = "[name]"
# Longer runs are data, not names, and would take long to search.
MAX_RUN = 1_000
# Allowed between two words of one name: nothing, a space, a comma and a space, an underscore, and the like.
GAP = re.compile(r"[ \t.,_-]{0,2}")
# The host of an e-mail address.
HOST = re.compile(r"@[\w.-]+")


class NameWord(NamedTuple):
    """A word of a text, [start, end), that occurs in a name; `key` is the normalised word."""

    start: int
    end: int
    key: str


class Meaning(NamedTuple):
    """Meaning of adjacent words: the names that contain all of them, and the replacement of these.

    `is_one_spelling`: some spelling of a name has all of the words; `is_whole`: one has no other words;
    `id_length`: the characters of the longest id that they have all words of, 0 without one.
    """

    names: AbstractSet[str]
    is_one_spelling: bool
    is_whole: bool
    id_length: int
    replacement: str


@dataclass(frozen=True)
class NameFinder:
    """Finds names of students in texts; `aliases` maps each to its replacement.

    A student is found by the `spellings`: names, ids, logins and e-mail addresses by name; a name without any
    is its own. Words that also occur in one of the `visible_names` do not identify a student by themselves.
    Spellings that are `ids` always mean the student, also those that look like an ordinary number or word.
    """

    aliases: Mapping[str, str]
    visible_names: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()

    @cached_property
    def _names_by_word(self) -> dict[str, set[str]]:
        names: dict[str, set[str]] = defaultdict(set)
        for name in self.aliases:
            for text in self._texts(name):
                for word in normalised_words(text):
                    names[word].add(name)
        return names

    @cached_property
    def _texts_by_word(self) -> dict[str, set[tuple[str, str]]]:
        """Names and their spellings that contain a word."""
        texts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name in self.aliases:
            for text in self._texts(name):
                for word in normalised_words(text):
                    texts[word].add((name, text))
        return texts

    def _texts(self, name: str) -> list[str]:
        """Return the spellings of a name without the hosts of addresses, which others share."""
        return [HOST.sub("", text) for text in self.spellings.get(name) or (name,)]

    def _ids(self, name: str) -> list[str]:
        """Return those of the spellings of a name that are ids, without hosts."""
        return [HOST.sub("", text) for text in self.spellings.get(name) or (name,) if text in self.ids]

    @cached_property
    def _distinctive_words(self) -> set[str]:
        visible = {word for name in self.visible_names for word in normalised_words(name)}
        distinctive = {word for word in self._names_by_word if is_distinctive(word)}
        return (distinctive | self._numbers_of_ids) - visible

    @cached_property
    def _numbers_of_ids(self) -> set[str]:
        """Numbers in ids that are as long as an id, whatever they look like: 12000 of `u12000`."""
        ids = [text for name in self.aliases for text in self._ids(name)]
        return {number for text in ids for number in re.findall(rf"\d{{{MIN_ID},}}", text)}

    @cached_property
    def _names_by_normalised(self) -> dict[str, str]:
        """Names by their normalised form, with and without a suffix of a file."""
        texts = [(text, name) for name in self.aliases for text in (*self._ids(name), *self._texts(name)[:1])]
        texts += [(name, name) for name in self.aliases]
        stems = {normalise_word(text.rpartition(".")[0]): name for text, name in texts if "." in text}
        return stems | {normalise_word(text): name for text, name in texts}

    @cached_property
    def _run_cache(self) -> dict[str, tuple[NameWord, ...]]:
        """Words of names in each run that was searched before."""
        return {}

    def source_spans(self, text: str) -> list[Span]:
        """Return the spans to replace in a source or another long text, in order."""
        comments = CommentScanner(text)
        spans = [*self._author_spans(text, comments), *self._address_spans(text)]
        return _without_overlaps([*spans, *self._name_spans(text, comments)])

    def label_spans(self, text: str) -> list[Span]:
        """Return the spans to replace in a path, the name of an upload, or a message with such a name."""
        spans = [*self._segment_spans(text), *self._address_spans(text)]
        return _without_overlaps([*spans, *self._name_spans(text)])

    def _author_spans(self, text: str, comments: CommentScanner) -> Iterator[Span]:
        for start, end in comments.author_spans():
            name_span = next(self._name_spans(text[start:end]), None)
            yield start, end, name_span[2] if name_span else NAME_PLACEHOLDER

    def _address_spans(self, text: str) -> Iterator[Span]:
        for address in ADDRESS.finditer(text) if "@" in text else ():
            name_span = next(self._name_spans(address[1]), None)
            yield *address.span(), name_span[2] if name_span else "[e-mail]"

    def _segment_spans(self, text: str) -> Iterator[Span]:
        """Yield whole names at the start of a path's segments, however short and common they are."""
        for segment in re.finditer(r"[^/]+", text):
            for end in _possible_name_ends(segment[0]):
                if name := self._names_by_normalised.get(normalise_word(segment[0][:end])):
                    yield segment.start(), segment.start() + end, self.aliases[name]
                    break

    def _name_spans(self, text: str, comments: CommentScanner | None = None) -> Iterator[Span]:
        """Yield words of names; adjacent words of one name are one span."""
        chain: list[NameWord] = []
        for word in self._words(text):
            extended = [*chain, word]
            if chain and not (self._are_adjacent(text, chain[-1], word) and self._have_common_name(extended)):
                yield from self._chain_span(text, chain, comments)
                extended = [word]
            chain = extended
        if chain:
            yield from self._chain_span(text, chain, comments)

    def _are_adjacent(self, text: str, left: NameWord, right: NameWord) -> bool:
        return GAP.fullmatch(text, left.end, right.start) is not None

    def _words(self, text: str) -> Iterator[NameWord]:
        for run in RUN.finditer(text):
            if run.end() - run.start() > MAX_RUN:
                continue
            words = self._run_cache.get(run[0])
            if words is None:
                words = self._run_cache[run[0]] = tuple(self._words_in_run(run[0]))
            for start, end, key in words:
                yield NameWord(run.start() + start, run.start() + end, key)

    def _words_in_run(self, run: str) -> Iterator[NameWord]:
        if (key := normalise_word(run)) in self._names_by_word:
            yield NameWord(0, len(run), key)
            return
        for piece in PIECE.finditer(run):
            if (key := normalise_word(piece[0])) in self._names_by_word:
                yield NameWord(*piece.span(), key)

    def _have_common_name(self, words: list[NameWord]) -> bool:
        """Return whether one name contains all of the words."""
        return bool(self._meaning(frozenset(word.key for word in words)).names)

    def _chain_span(
        self, text: str, chain: list[NameWord], comments: CommentScanner | None
    ) -> Iterator[Span]:
        """Yield the span of adjacent words, unless they may be ordinary words of a program.

        The words name a student if one of them is distinctive, or if there are several and one has MIN_WORD
        characters, or if they are an id with a digit of that length. Otherwise they must be a whole name and
        capitalised, and a single word in a comment; or an id, in a comment.
        """
        keys = frozenset(word.key for word in chain)
        meaning = self._meaning(keys)
        several = len(keys) > 1 and meaning.is_one_spelling
        distinctive = not self._distinctive_words.isdisjoint(keys)
        in_comment = comments is not None and comments.in_comment(chain[0].start)
        if not (distinctive or (several and max(map(len, keys)) >= MIN_WORD) or self._is_id(keys, meaning)):
            capitalised = all(text[word.start].isupper() for word in chain)
            is_name = meaning.is_whole and capitalised and (several or in_comment)
            if not (is_name or (in_comment and meaning.id_length >= MIN_ID_IN_COMMENT)):
                return
        yield chain[0].start, chain[-1].end, meaning.replacement

    def _is_id(self, keys: frozenset[str], meaning: Meaning) -> bool:
        """Return whether words are an id that stands for itself: one with a digit, and not very short."""
        return meaning.id_length >= MIN_WORD and any(char.isdigit() for key in keys for char in key)

    def _meaning(self, keys: frozenset[str]) -> Meaning:
        """Return what adjacent words mean; it is found once for the same words: many names may match."""
        known = self._meanings.get(keys)
        if known is None:
            known = self._meanings[keys] = self._find_meaning(keys)
        return known

    def _find_meaning(self, keys: frozenset[str]) -> Meaning:
        names = _intersection(self._names_by_word[key] for key in keys)
        texts = _intersection(self._texts_by_word[key] for key in keys)
        whole = {name for name, text in texts if keys >= normalised_runs(text)}
        owners = {name: max(map(len, ids), default=0) for name in names if (ids := self._ids_of(name, keys))}
        replacements = {self.aliases[name] for name in whole or owners or names}
        replacement = replacements.pop() if len(replacements) == 1 else NAME_PLACEHOLDER
        return Meaning(names, bool(texts), bool(whole), max(owners.values(), default=0), replacement)

    def _ids_of(self, name: str, keys: frozenset[str]) -> list[str]:
        """Return the ids of a name of which all words are among those."""
        return [text for text in self._ids(name) if (runs := normalised_runs(text)) and runs <= keys]

    @cached_property
    def _meanings(self) -> dict[frozenset[str], Meaning]:
        return {}


def _intersection(sets: Iterable[AbstractSet[T]]) -> AbstractSet[T]:
    """Return what is in all sets, in time that depends on the smallest of them."""
    smallest, *others = sorted(sets, key=len)
    return {one for one in smallest if all(one in other for other in others)} if others else smallest


def _possible_name_ends(segment: str) -> list[int]:
    """Return offsets at which a name at the start of a segment may end: its end, full stops, spaces."""
    return [len(segment), *sorted((gap.start() for gap in re.finditer(r"[.\s]", segment)), reverse=True)]


def _without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, without those that begin inside an earlier one."""
    separate: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not separate or span[0] >= separate[-1][1]:
            separate.append(span)
    return separate
