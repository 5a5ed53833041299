"""Lexical terms of a document: names, literals and directives that normalisation drops or replaces by kinds.

Directives are imports, includes and macro definitions. A name also has its uses: where it occurs again, by
the tokens around both places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.distinct import distinct_values
from fingerprint.hashing import BASE, MIXER, SHIFT
from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.kernels.types import Bounds, Classes, Kinds, Offsets, Positions, Terms
from fingerprint.languages.base import LexicalClass, Scan
from fingerprint.languages.vocabulary import MAX_LENGTH, LexicalColumns, lexeme_family
from fingerprint.tokens import Joined, concatenated, count_rows, distinct_by_text, joined, kind_id, order_by_text

# Tokens on each side of a name that tell its uses apart.
REACH = 2

Span = tuple[int, int]

CACHED_DIRECTIVES = 4_096
_DEFINE = re.compile(r"^[ \t]*+#[ \t]*+define\b((?:[^\n\\]++|\\[\s\S])*)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+([<\"][^>\"\n]++[>\"])", re.MULTILINE)
_COMMENT = re.compile(r"/\*|//[^\n]*+")

LENGTH_MASK = np.uint64(MAX_LENGTH)
QUOTES = 2
# Numbers, which NumPy compares with an array in a tenth of the time of members of an enumeration.
IDENTIFIER, STRING, NUMBER, MACRO = (
    int(one) for one in (LexicalClass.IDENTIFIER, LexicalClass.STRING, LexicalClass.NUMBER, LexicalClass.MACRO)
)


NO_TERMS: Terms = np.empty(0, dtype=np.uint64)


@bare_njit
def _surroundings(kinds: Kinds, place: int) -> np.uint64:
    """Return a hash of the kinds around a place; beyond the ends of the file they count as 0."""
    around = np.uint64(0)
    for at in range(place - REACH, place + REACH + 1):
        if at != place:
            around = (around + (kinds[at] if 0 <= at < len(kinds) else np.uint64(0))) * BASE
    return around


@bare_kernel
def find_places(starts: Offsets, ends: Bounds, name_starts: Offsets, name_ends: Bounds, places: Positions) -> None:
    """Fill `places` with the token at which each name is, counted within its text; -1 where none is.

    `starts` are the offsets of the tokens of texts, one text after another, `ends` the number of tokens up to
    the end of each text; the other columns say the same of the names.
    """
    at, name = 0, 0
    for text in range(len(ends)):
        begin = at
        while name < name_ends[text]:
            while at < ends[text] and starts[at] < name_starts[name]:
                at += 1
            is_here = at < ends[text] and starts[at] == name_starts[name]
            places[name] = at - begin if is_here else -1
            name += 1
        at = ends[text]


class PlacedNames(NamedTuple):
    """Names of texts, one text after another, sorted within each by name, then by token.

    `places` are their tokens, counted within the text, -1 where none is; `ends` has the number of names up to
    the end of each text.
    """

    names: Kinds
    places: Positions
    ends: Bounds


@bare_kernel
def fill_uses(kinds: Kinds, ends: Bounds, placed: PlacedNames, uses: Terms, totals: Bounds) -> None:
    """Fill `uses` with the hash of each two neighbouring places of one name in a text.

    `kinds` are those of the tokens of texts, one text after another. `ends` and `totals` have the numbers of
    tokens and uses up to the end of each text.
    """
    names, places = placed.names, placed.places
    count, begin, name = 0, 0, 0
    for text in range(len(ends)):
        of_text, last = kinds[begin : ends[text]], -1
        while name < placed.ends[text]:
            if places[name] >= 0:
                if last >= 0 and names[name] == names[last]:
                    uses[count] = both(of_text, places[last], places[name])
                    count += 1
                last = name
            name += 1
        begin, totals[text] = ends[text], count


@bare_njit
def both(kinds: Kinds, one: int, other: int) -> np.uint64:
    """Return a hash of the kinds around two places."""
    return mixed(mixed(_surroundings(kinds, one)) + _surroundings(kinds, other) * BASE)


@bare_njit
def mixed(value: np.uint64) -> np.uint64:
    """Return a hash with its bits mixed; sums of products alone collide where two kinds change places."""
    product = (value ^ (value >> SHIFT)) * MIXER
    return product ^ (product >> SHIFT)


def name_uses(tokens: Joined, names: Joined) -> tuple[Terms, Bounds]:
    """Return the uses of names of texts, one text after another, and their number up to each text's end.

    They are uint64, those of a text in no order, and some more than once.

    tokens : the tokens of the texts
    names : their names, with the id of each as its kind, in text order
    """
    places = np.empty(len(names.stream), dtype=np.int64)
    find_places(tokens.stream.starts, tokens.ends, names.stream.starts, names.ends, places)
    order = order_by_text(names.stream.kinds, names.ends)
    uses, totals = np.empty(len(order), dtype=np.uint64), np.zeros(len(tokens.ends), dtype=np.int64)
    placed = PlacedNames(names.stream.kinds[order], places[order], names.ends)
    fill_uses(tokens.stream.kinds, tokens.ends, placed, uses, totals)
    return uses, totals


def macros_as_code(source: str) -> str:
    """Return the source with `#define` and the backslashes at its line ends replaced by as many spaces.

    Then a lexer reads a macro's name and its replacement as code, at the same offsets.
    """
    return _DEFINE.sub(_blank_directive, source) if "#" in source else source


def _blank_directive(match: re.Match[str]) -> str:
    before, replacement = match[0][: -len(match[1]) or None], match[1]
    return " " * len(before) + replacement.replace("\\\n", " \n")


def macro_spans(source: str) -> list[Span]:
    """Return the (start, end) of each macro definition, from the macro's name on."""
    return [_stripped(source, *match.span(1)) for match in _DEFINE.finditer(source)]


def include_spans(source: str) -> list[Span]:
    """Return the (start, end) of each included file's name, with its quotes or angle brackets."""
    return [match.span(1) for match in _INCLUDE.finditer(source)]


def _stripped(source: str, start: int, end: int) -> Span:
    text = source[start:end]
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


def directive_columns(source: str, salt: str, imports: Iterable[Span], macros: Iterable[Span]) -> LexicalColumns:
    """Return the directives in text order; white space and comments within them make no difference."""
    spans = [(*span, LexicalClass.IMPORT) for span in imports]
    spans += [(*span, LexicalClass.MACRO) for span in macros]
    rows = sorted((row for row in spans if row[0] < row[1]), key=itemgetter(0))
    ids = [_directive_id(salt, lexical_class, source[start:end]) for start, end, lexical_class in rows]
    starts, ends, classes = np.array(rows, dtype=np.int32).reshape(-1, 3).T.copy()
    return classes.astype(np.uint8), np.array(ids, dtype=np.uint64), starts, ends


@lru_cache(CACHED_DIRECTIVES)
def _directive_id(salt: str, lexical_class: LexicalClass, directive: str) -> int:
    """Return the id of a directive; a class imports the same again and again."""
    return kind_id(lexeme_family(salt, lexical_class), "".join(_without_comments(directive).split()))


def _without_comments(text: str) -> str:
    """Return a text with a space for each comment; `/*` without an end begins none."""
    parts, position, last = [], 0, text.rfind("*/")
    while comment := _COMMENT.search(text, position):
        end = comment.end()
        if comment[0] == "/*":
            end = text.find("*/", end) + 2 if end <= last else -1
        parts += [text[position : comment.start()], " " if end > 0 else "/*"]
        position = end if end > 0 else comment.end()
    return "".join([*parts, text[position:]])


class LexicalTerms(NamedTuple):
    """Distinct terms of one document, ascending uint64.

    `literals`: strings, numbers and macro definitions; `names`; `imports`: import statements and includes;
    `uses`: uses of names, see `name_uses`. The upper 59 bits identify the term; the low five hold its number
    of characters, at most 31; those of directives and uses are always 31.
    """

    literals: Terms
    names: Terms
    imports: Terms
    uses: Terms = NO_TERMS

    @property
    def readable(self) -> tuple[Terms, Terms, Terms]:
        """The terms that a text has as words: literals, names and imports."""
        return self[:3]


def lexeme_terms(ids: Kinds, lengths: Offsets, classes: Classes) -> Terms:
    """Return the term of each name and literal, by its number of characters as a lexer sees it."""
    lengths = np.maximum(lengths - QUOTES * (classes == STRING), 0)
    terms = ids & ~LENGTH_MASK | np.minimum(lengths, MAX_LENGTH).astype(np.uint64)
    # The id of a number has its length already.
    return np.where(classes == NUMBER, ids, terms)


def lexical_terms(scans: Sequence[Scan]) -> list[LexicalTerms]:
    """Return the terms of documents; words of comments are not used (docs/know/score.md)."""
    lexical, classes = joined([scan.lexical for scan in scans]), _column(scans, "lexical_classes")
    terms, is_name = lexical.stream.kinds, classes == IDENTIFIER
    names, literals = count_rows(is_name, lexical.ends), count_rows(~is_name, lexical.ends)
    uses, use_ends = name_uses(joined([scan.tokens for scan in scans]), lexical.take(is_name))
    macros, imports = _directives(scans)
    both = zip(distinct_by_text(terms[~is_name], literals), macros, strict=True)
    columns = (
        [distinct_values(np.concatenate((one, more))) if len(more) else one for one, more in both],
        distinct_by_text(terms[is_name], names),
        imports,
        distinct_by_text(uses[: use_ends[-1]] | LENGTH_MASK, use_ends),
    )
    return [LexicalTerms(*row) for row in zip(*columns, strict=True)]


def _column(scans: Sequence[Scan], name: str) -> Classes:
    return concatenated([getattr(scan, name) for scan in scans])


def _directives(scans: Sequence[Scan]) -> tuple[list[Terms], list[Terms]]:
    """Return the distinct macros and imports of each document."""
    directives = joined([scan.directives for scan in scans])
    is_macro = _column(scans, "directive_classes") == MACRO
    # White space within a directive makes no difference, so its length does not either.
    terms = directives.stream.kinds | LENGTH_MASK
    macros, imports = (
        distinct_by_text(terms[rows], count_rows(rows, directives.ends)) for rows in (is_macro, ~is_macro)
    )
    return macros, imports


def term_lengths(terms: Terms) -> npt.NDArray[np.int64]:
    """Return the number of characters of each term, at most 31."""
    return (terms & np.uint64(MAX_LENGTH)).astype(np.int64)
