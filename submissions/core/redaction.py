"""Find names of students in a text: whole names, distinctive parts, ids, e-mail addresses and authors.

Words of names and texts are compared in one form; some of them mean a student.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from submissions.intake.entries import normalised, without_accents

if TYPE_CHECKING:
    Span = tuple[int, int, str]

# The sections of the file: words of submissions, of programs, and other words that logins may look like.
_WORDS = Path(__file__).with_name("redaction_words.txt").read_text(encoding="ascii").split("\n\n")
SUBMISSION_WORDS, PROGRAM_WORDS, _OTHER_WORDS = (frozenset(words.partition("\n")[2].split()) for words in _WORDS)
LOGIN_WORDS = SUBMISSION_WORDS | PROGRAM_WORDS | _OTHER_WORDS
# Lengths of the shortest words and numbers that identify a student by themselves.
MIN_WORD, MIN_ID = 3, 5
# The shortest login that is hidden, and most words of a name that has some.
MIN_LOGIN, MAX_WORDS_OF_LOGIN = 5, 6
# Where systems cut logins; the last one is the most usual.
CUTS = (6, 7, 8)
# Most initials in a login.
MAX_LETTERS = 4
# Initials with three digits or more, as `jld204`; all such logins are compared in one form.
INITIALS_AND_DIGITS = re.compile(r"([^\W\d_]{2,4})\d{3,6}")
ANY_DIGITS = "000"
# Length of the shortest id that names a student in a comment: one character means nobody.
MIN_ID_IN_COMMENT = 2
_MARK = r"\u0300-\u036f"
RUN = re.compile(rf"[^\W_](?:[^\W_]|[{_MARK}])*")
APOSTROPHE = re.compile(r"['\u2019]")
PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# Letters that Unicode does not decompose into a plain letter and an accent.
LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"})
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})

# Not before a parenthesis, because `xs@ws.sum(axis=0)` multiplies matrices. The number of parts of the host
# is bounded, because matching would take too long without a bound.
ADDRESS = re.compile(r"\b([\w.+-]{1,64})@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}+\b(?!\s*\()", re.IGNORECASE)
LABEL = re.compile(
    r"""
    (?P<tag> @author[ \t:]+ | \b(?:written|created|made|coded|programmed)[ ]by[ \t]*:?[ \t]+ )
    | \b(?: (?:full[ ]|student[ ]?)?name | authors? | autor(?:in)? | students?
        | student(?:[\'\u2019]s)?[ ]?(?:\(?id\)?|no\.?|nr\.?|number)
        | matr(?:ikel)?[-. ]?(?:nummer|nr\.?|no\.?) | matriculation(?:[ ](?:no\.?|number))? | e-?mail
      )[ \t]*:[ \t]*
    | \bmatrikelnummer[ \t]+(?=\d)
    | (?P<code> \b__author__[ \t]*=[ \t]*["'] | \\author\{ | <author>[ \t]* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A value ends at the end of its line, or earlier at the end of the comment or element that contains it.
VALUE = re.compile(r"[^\r\n]{0,210}")
VALUE_END = re.compile(r"(?P<marks>\*/|-->)|\*\)|-\}|\"{3}|'{3}|</")
QUOTED = re.compile(r"""[^\r\n"'}<]{0,200}""")
COMMENT_BLOCK = re.compile(
    r"""/\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | \"{3}.*?(?:\"{3}|\Z) | '{3}.*?(?:'{3}|\Z)""", re.DOTALL | re.VERBOSE
)
COMMENT_MARK = re.compile(r"#|//|/\*|--|;|%|<!--|\(\*|\{-|\"{3}|'{3}|^[ \t]*\*|^[ \t]*REM\b", re.IGNORECASE)
# A comment mark between spaces, or an asterisk at the start of the line.
COMMENT_START = re.compile(r"(?:^|\s)(?:#|//|--)\s|^\s*\*\s")
ONLY_MARKS = re.compile(r"[^\w\"']*+(?:(?:\"{3}|'{3})[^\w\"']*+)?(?:REM\b[ \t]*)?", re.IGNORECASE)
PLAIN = re.compile(r"[^;={}()\[\]<>\"'\r\n]{0,200}[^;={}()\[\]<>\"',\\\r\n](?=[\r\n]|\Z)")
# Characters of a value that are read.
MAX_VALUE = 200
# Labels farther from the start of a line are ignored.
MAX_COLUMN = 300

T = TypeVar("T")

# Shown where several students may be meant, or one who is in no list of names.
NAME_PLACEHOLDER = "[name]"
# Longer runs are data, not names, and would take long to search.
MAX_RUN = 1_000
# Allowed between two words of one name: nothing, a space, a comma and a space, an underscore, and the like.
GAP = re.compile(r"[ \t.,_-]{0,2}")
# Segments of a path, and where a name at the start of one may end: at a full stop, a space or its end.
SEGMENT = re.compile(r"[^/]+")
NAME_END = re.compile(r"[.\s]|\Z")
# Initials before or after the words of a name: `q_zabel`, `J.-L. Darras`, `zabel_q`, `Zabel, Q.`, `QZabel`.
_LETTERS = r"[^\W\d_](?:\.?[ -]?[^\W\d_]){0,2}"
INITIALS_BEFORE = re.compile(rf"(?<![^\W_])({_LETTERS})(?:\. ?|[_-]?)\Z")
_NEXT_NAME = r"[^\W\d_](?:\.?-?[^\W\d_]){0,2}(?:\.?[^\W_]|\. ?[A-Z])"
INITIALS_AFTER = re.compile(rf"(?:, ?(?!{_NEXT_NAME})|[._-]?)({_LETTERS})(?![^\W_])")
MAX_INITIALS = 12
# The host of an e-mail address.
HOST = re.compile(r"@[\w.-]+")


def normalise_word(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    return without_accents(word.casefold().translate(LETTERS))


def normalised_spellings(word: str) -> set[str]:
    """Return the normalised spellings of a word: muller and mueller for `Müller`."""
    composed = normalised("NFC", word.casefold())
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


def normalised_words(name: str) -> set[str]:
    """Return the normalised spellings of the words of a name: of its runs and their pieces."""
    words = set()
    for run in RUN.findall(name) + RUN.findall(APOSTROPHE.sub("", name)):
        for word in (run, *PIECE.findall(run)):
            words |= normalised_spellings(word)
    return words


def normalised_runs(name: str) -> set[str]:
    return {normalise_word(run) for run in RUN.findall(name)}


@lru_cache(maxsize=4096)
def logins(name: str) -> frozenset[str]:
    """Return the logins that universities build from a name: normalised, without numbers and common words."""
    forms = set()
    for words in _spelt_words(name):
        for start, end in combinations(range(len(words) + 1), 2) if len(words) <= MAX_WORDS_OF_LOGIN else ():
            surnames = words[start:end]
            if any(map(is_distinctive, surnames)):
                for given in filter(None, (words[:start], words[end:])):
                    forms |= {"".join(surnames), *_login_forms(given, "".join(surnames))}
        if any(map(is_distinctive, words)):
            forms |= {f"{initials}{ANY_DIGITS}" for initials in _initials(words) if len(initials) > 1}
    usual = {form for form in forms if len(form) >= MIN_LOGIN and is_distinctive(form)}
    return frozenset(form for form in usual if form.removesuffix(ANY_DIGITS) not in LOGIN_WORDS)


def _spelt_words(name: str) -> Iterator[list[str]]:
    """Yield the normalised words of each spelling of a name, given names first where a comma says which."""
    for spelling in normalised_spellings(APOSTROPHE.sub("", name)):
        last, comma, first = spelling.partition(",")
        yield RUN.findall(f"{first} {last}" if comma else spelling)


def _login_forms(given: list[str], surname: str) -> set[str]:
    """Return forms such as qzabel, zabelq, quirinz and quizab, of normalised words."""
    initials = "".join(word[0] for word in given)
    starts = {initials, initials[:2], initials[0], given[0], "".join(given)}
    whole = {form for start in starts for form in (start + surname, surname + start)}
    halves = ((given[0], surname), (surname, given[0]))
    cut = {left[:n] + right[: end - n] for left, right in halves for end in CUTS for n in range(1, end)}
    return whole | cut | {form[: CUTS[-1]] for form in whole} | {given[0] + surname[0]}


def _initials(words: list[str]) -> set[str]:
    """Return the first letters of up to MAX_LETTERS words in their order; none for a single word."""
    letters = [word[0] for word in words[:MAX_WORDS_OF_LOGIN]] if len(words) > 1 else []
    return {"".join(chosen) for n in range(1, MAX_LETTERS + 1) for chosen in combinations(letters, n)}


class CommentScanner:
    """Finds comments and the author labels in them, with rules that suit most languages."""

    def __init__(self, text: str) -> None:
        self.text = text

    def author_spans(self) -> Iterator[tuple[int, int]]:
        """Yield the spans [start, end) of label values that name an author, an id or an address."""
        for label in LABEL.finditer(self.text):
            if self._is_author_label(label) and (author := self._value(label)):
                yield label.end(), label.end() + len(author)

    def _value(self, label: re.Match[str]) -> str:
        """Return what a label says, without the end of the comment that it is in."""
        if label["code"]:
            quoted = QUOTED.match(self.text, label.end())
            return quoted[0].rstrip() if quoted else ""
        value = VALUE.match(self.text, label.end())
        line = value[0] if value else ""
        if end := VALUE_END.search(line):
            line = line[: end.start()].rstrip(end["marks"][0] if end["marks"] else None)
        return line[:MAX_VALUE].rstrip()

    def in_comment(self, offset: int) -> bool:
        """Return whether the character at `offset` is in a comment, judged without knowing the language."""
        before = self._line_before(offset)
        return self._in_block(offset) or (before is not None and COMMENT_START.search(before) is not None)

    def _is_author_label(self, label: re.Match[str]) -> bool:
        """Return whether a label names an author.

        Labels of code (`__author__`) always do, tags (`@author`) do in comments, and all others as the first
        words of a comment or of a line of prose.
        """
        before = self._line_before(label.start())
        if label["code"] or before is None:
            return bool(label["code"])
        marks = [mark.start() for mark in COMMENT_MARK.finditer(before)]
        in_comment = bool(marks) or self._in_block(label.start())
        if label["tag"]:
            return in_comment
        first = ONLY_MARKS.fullmatch(before, marks[-1] if marks else 0) is not None
        return first and (in_comment or self._is_prose(label))

    def _is_prose(self, label: re.Match[str]) -> bool:
        """Return whether a label outside comments is capitalised and followed by plain text, not by code."""
        return label[0][0].isupper() and PLAIN.match(self.text, label.end()) is not None

    def _line_before(self, offset: int) -> str | None:
        """Return the part of a line before `offset`; None if it is longer than MAX_COLUMN."""
        start = max(self.text.rfind(end, max(offset - MAX_COLUMN, 0), offset) + 1 for end in "\r\n")
        return self.text[start:offset] if start or offset < MAX_COLUMN else None

    def _in_block(self, offset: int) -> bool:
        """Return whether `offset` is in a comment or string that may span several lines."""
        block = bisect_right(self._blocks, (offset, offset)) - 1
        return block >= 0 and offset < self._blocks[block][1]

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        return [block.span() for block in COMMENT_BLOCK.finditer(self.text)]


class NameWord(NamedTuple):
    """A word of a text, [start, end), that occurs in a name; `key` is the normalised word."""

    start: int
    end: int
    key: str


class Meaning(NamedTuple):
    """Meaning of adjacent words: the names that contain all the words, and the replacement of these names.

    `is_one_spelling`: some spelling of a name has all of the words; `is_whole`: a spelling has no other
    words; `id_length`: the characters of the longest id of which the words have all words, 0 without an id.
    """

    names: AbstractSet[str]
    is_one_spelling: bool
    is_whole: bool
    id_length: int
    replacement: str


@dataclass(frozen=True)
class NameFinder:
    """Finds names of students in texts; `aliases` maps each to its replacement.

    A student is found by the `spellings`: names, ids, logins and e-mail addresses by name; a name without spellings is
    its own spelling. Words that also occur in one of the `visible_names` do not identify a student by themselves. A
    spelling in `ids` always means the student, even if it looks like an ordinary number or word.
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
                for word in normalised_words(text) | logins(text):
                    names[word].add(name)
        return names

    @cached_property
    def _logins(self) -> set[str]:
        return {login for name in self.aliases for text in self._texts(name) for login in logins(text)}

    @cached_property
    def _texts_by_word(self) -> dict[str, set[tuple[str, str]]]:
        texts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name in self.aliases:
            for text in self._texts(name):
                for word in normalised_words(text) | logins(text):
                    texts[word].add((name, text))
        return texts

    def _texts(self, name: str) -> list[str]:
        """Return the spellings of a name without the hosts of addresses, which others share."""
        return [HOST.sub("", text) for text in self.spellings.get(name) or (name,)]

    def _ids(self, name: str) -> list[str]:
        """Return the spellings of a name that are ids, without hosts."""
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
        for segment in SEGMENT.finditer(text):
            end, name = 0, ""
            for prefix_end, prefix in self._name_prefixes(segment[0][:MAX_RUN]):
                if whole := self._names_by_normalised.get(prefix):
                    end, name = prefix_end, whole
            if name:
                yield segment.start(), segment.start() + end, self.aliases[name]

    def _name_prefixes(self, segment: str) -> Iterator[tuple[int, str]]:
        """Yield where a name at the start of a segment may end, and the normalised text before.

        Each character is normalised once, and what is longer than all names is not looked up.
        """
        start, prefix = 0, ""
        for gap in NAME_END.finditer(segment):
            prefix += normalise_word(segment[start : gap.start()])
            start = gap.start()
            if len(prefix) > self._longest_normalised:
                return
            yield start, prefix

    @cached_property
    def _longest_normalised(self) -> int:
        return max(map(len, self._names_by_normalised), default=0)

    def _name_spans(self, text: str, comments: CommentScanner | None = None) -> Iterator[Span]:
        """Yield words of names; adjacent words of one name are one span."""
        chain: list[NameWord] = []
        keys: frozenset[str] = frozenset()
        for word in self._words(text):
            extended = keys | {word.key}
            if chain and not (self._are_adjacent(text, chain[-1], word) and self._meaning(extended).names):
                yield from self._chain_span(text, chain, comments)
                chain, extended = [], frozenset([word.key])
            chain.append(word)
            keys = extended
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
        key = normalise_word(run)
        if key not in self._names_by_word:
            key = self._login_of(key)
        if key in self._names_by_word:
            yield NameWord(0, len(run), key)
            return
        for piece in PIECE.finditer(run):
            if (key := normalise_word(piece[0])) in self._names_by_word:
                yield NameWord(*piece.span(), key)

    def _login_of(self, key: str) -> str:
        """Return the login that a word is but for its number; the word where it is none."""
        initials = INITIALS_AND_DIGITS.fullmatch(key)
        forms = (key.strip("0123456789"), initials[1] + ANY_DIGITS if initials else "")
        return next((form for form in forms if form in self._logins), key)

    def _chain_span(self, text: str, chain: list[NameWord], comments: CommentScanner | None) -> Iterator[Span]:
        """Yield the span of adjacent words, unless they may be ordinary words of a program.

        The words name a student if one of them is distinctive, or if there are several and one has MIN_WORD
        characters, or if they are an id with a digit and MIN_WORD characters. Otherwise they must be a whole,
        capitalised name, which as a single word must be in a comment; or an id in a comment.
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
        yield self._with_initials(text, chain, meaning)

    def _with_initials(self, text: str, chain: list[NameWord], meaning: Meaning) -> Span:
        """Return the span of a name's words and of initials beside them, which may tell whose they are."""
        start, end = chain[0].start, chain[-1].end
        before = INITIALS_BEFORE.search(text, max(start - MAX_INITIALS, 0), start)
        after = INITIALS_AFTER.match(text, end, end + MAX_INITIALS)
        names: AbstractSet[str] = frozenset()
        for found in filter(None, (before, after)):
            letters = normalise_word("".join(RUN.findall(found[1])))
            if owners := {name for name in names or meaning.names if letters in self._initials_of(name)}:
                names, start, end = owners, min(start, found.start()), max(end, found.end())
        return start, end, self._replacement(names) if names else meaning.replacement

    def _replacement(self, names: AbstractSet[str]) -> str:
        """Return what all of these names are replaced by; the placeholder where they differ."""
        replacements = {self.aliases[name] for name in names}
        return replacements.pop() if len(replacements) == 1 else NAME_PLACEHOLDER

    def _initials_of(self, name: str) -> set[str]:
        return {one for text in self._texts(name) for words in _spelt_words(text) for one in _initials(words)}

    def _is_id(self, keys: frozenset[str], meaning: Meaning) -> bool:
        """Return whether words are an id that suffices alone: it has a digit and MIN_WORD characters."""
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
        replacement = self._replacement(whole or owners.keys() or names)
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


def _without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, without spans that begin inside an earlier span."""
    separate: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not separate or span[0] >= separate[-1][1]:
            separate.append(span)
    return separate
