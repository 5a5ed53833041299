"""Find names of students in a text: whole names, distinctive parts, ids, e-mail addresses and authors.

Names and texts are split into words: runs of letters and digits, and the pieces of such a run (`AdaLovelace2`
has the pieces ada, lovelace and 2). Adjacent words of one name are replaced together.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from submissions.pseudonyms.author_tags import ADDRESS, CommentScanner
from submissions.pseudonyms.stopwords import PROGRAM_WORDS, SUBMISSION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet

    Span = tuple[int, int, str]

T = TypeVar("T")

# Shown where several students may be meant, or one who is in no list of names.
NAME_PLACEHOLDER = "[name]"
# Lengths of the shortest words and numbers that identify a student by themselves.
MIN_WORD, MIN_ID = 3, 5
_MARK = r"\u0300-\u036f"
RUN = re.compile(rf"[^\W_](?:[^\W_]|[{_MARK}])*")
PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# Longer runs are data, not names, and would take long to search.
MAX_RUN = 1_000
# Allowed between two words of one name: nothing, a space, a comma and a space, an underscore, and the like.
GAP = re.compile(r"[ \t.,_-]{0,2}")
# The host of an e-mail address.
HOST = re.compile(r"@[\w.-]+")
# Letters that Unicode does not decompose into a plain letter and an accent.
LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def normalise_word(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(LETTERS))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def normalised_spellings(word: str) -> set[str]:
    """Return the normalised spellings of a word: muller and mueller for `Müller`."""
    composed = unicodedata.normalize("NFC", word.casefold())
    return {normalise_word(word), normalise_word(composed.translate(UMLAUTS))}


def is_distinctive(word: str) -> bool:
    """Return whether a normalised word identifies a student by itself: an unusual word, or an id."""
    letters = re.sub(r"\d+", "", word)
    digits = len(word) - len(letters)
    if letters in SUBMISSION_WORDS or letters in PROGRAM_WORDS:
        return False
    if not digits:
        return len(word) >= MIN_WORD
    if not letters:
        return digits >= MIN_ID and not word.endswith("000") and int(word).bit_count() > 1
    return digits > 1 and len(word) > MIN_WORD


class NameWord(NamedTuple):
    """A word of a text, [start, end), that occurs in a name; `key` is the normalised word."""

    start: int
    end: int
    key: str


class Meaning(NamedTuple):
    """Meaning of adjacent words: the names that contain all of them, and the replacement of these.

    `is_one_spelling`: some spelling of a name has all of the words; `is_whole`: one has no other words.
    """

    names: AbstractSet[str]
    is_one_spelling: bool
    is_whole: bool
    replacement: str


@dataclass(frozen=True)
class NameFinder:
    """Finds names of students in texts; `aliases` maps each to its replacement.

    A student is found by the `spellings`: names, ids, logins and e-mail addresses by name; a name without any
    is its own. Words that also occur in one of the `visible_names` do not identify a student by themselves.
    """

    aliases: Mapping[str, str]
    visible_names: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _names_by_word(self) -> dict[str, set[str]]:
        names: dict[str, set[str]] = defaultdict(set)
        for name in self.aliases:
            for text in self._texts(name):
                for word in _normalised_words(text):
                    names[word].add(name)
        return names

    @cached_property
    def _texts_by_word(self) -> dict[str, set[tuple[str, str]]]:
        """Names and their spellings that contain a word."""
        texts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name in self.aliases:
            for text in self._texts(name):
                for word in _normalised_words(text):
                    texts[word].add((name, text))
        return texts

    def _texts(self, name: str) -> list[str]:
        """Return the spellings of a name without the hosts of addresses, which others share."""
        return [HOST.sub("", text) for text in self.spellings.get(name) or (name,)]

    @cached_property
    def _distinctive_words(self) -> set[str]:
        visible = {word for name in self.visible_names for word in _normalised_words(name)}
        return {word for word in self._names_by_word if is_distinctive(word) and word not in visible}

    @cached_property
    def _names_by_normalised(self) -> dict[str, str]:
        """Names by their normalised form, with and without a suffix of a file."""
        texts = [(text, name) for name in self.aliases for text in self._texts(name)[:1]] + [
            (name, name) for name in self.aliases
        ]
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
        characters. Otherwise they must be a whole name and capitalised, and a single word in a comment.
        """
        keys = frozenset(word.key for word in chain)
        meaning = self._meaning(keys)
        several = len(keys) > 1 and meaning.is_one_spelling
        distinctive = not self._distinctive_words.isdisjoint(keys)
        if not (distinctive or (several and max(map(len, keys)) >= MIN_WORD)):
            capitalised = all(text[word.start].isupper() for word in chain)
            if not (
                meaning.is_whole
                and capitalised
                and (several or (comments and comments.in_comment(chain[0].start)))
            ):
                return
        yield chain[0].start, chain[-1].end, meaning.replacement

    def _meaning(self, keys: frozenset[str]) -> Meaning:
        """Return what adjacent words mean; it is found once for the same words: many names may match."""
        known = self._meanings.get(keys)
        if known is None:
            known = self._meanings[keys] = self._find_meaning(keys)
        return known

    def _find_meaning(self, keys: frozenset[str]) -> Meaning:
        names = _intersection(self._names_by_word[key] for key in keys)
        texts = _intersection(self._texts_by_word[key] for key in keys)
        whole = {name for name, text in texts if keys >= _normalised_runs(text)}
        replacements = {self.aliases[name] for name in whole or names}
        replacement = replacements.pop() if len(replacements) == 1 else NAME_PLACEHOLDER
        return Meaning(names, bool(texts), bool(whole), replacement)

    @cached_property
    def _meanings(self) -> dict[frozenset[str], Meaning]:
        return {}


def _intersection(sets: Iterable[AbstractSet[T]]) -> AbstractSet[T]:
    """Return what is in all sets, in time that depends on the smallest of them."""
    smallest, *others = sorted(sets, key=len)
    return {one for one in smallest if all(one in other for other in others)} if others else smallest


def _normalised_words(name: str) -> set[str]:
    """Return the normalised spellings of the words of a name: of its runs and their pieces."""
    words = set()
    for run in RUN.findall(name):
        for word in (run, *PIECE.findall(run)):
            words |= normalised_spellings(word)
    return words


def _normalised_runs(name: str) -> set[str]:
    return {normalise_word(run) for run in RUN.findall(name)}


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
