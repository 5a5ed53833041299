"""Places of terms in a text, found without lexing it: in its tokens, words, macros and lines.

A document stores only the ids of its terms. The ids of all that could be a term are compared with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.front_ends import term_families
from fingerprint.languages.lexical_terms import LexicalTerms, directive_columns, include_spans, macro_spans
from fingerprint.languages.look_alikes import plain, without_unseen
from fingerprint.languages.prose import FAMILY as PROSE, normalise_word
from fingerprint.languages.vocabulary import LENGTH_BITS, lexeme_id
from fingerprint.tokens import TokenStream, kind_id

Span = tuple[int, int]

# What may be a name or a literal, in code that is compared by no token: annotations, and names of imports.
PIECES = (
    re.compile(r"""[@`:]?[^\W\d]\w*|"[^"\n]*"|'[^'\n]*'|\d[\w.]*"""),
    re.compile(r"[^\W\d][\w.\\]*|[\[<][\w()\"]*[\]>]|[\w./]+|:\w[\w #:]*"),
)
# What may be an import: part of a line up to a semicolon, a comment or a bracket, or lines in brackets.
STATEMENTS = (
    re.compile(r"[^\s;][^\n;]*;?"),
    re.compile(r"[^\s#()][^\n#()]*[^\s#()]"),
    re.compile(r"(?<![^\n;()])[^\S\n]*+([^\s;()][^\n;()]*\([^()]*\);?)"),
)
# Longer names and messages are not looked for.
MAX_CHARACTERS = 2_000
CLASSES = {LexicalClass.STRING: "literals", LexicalClass.NUMBER: "literals", LexicalClass.IDENTIFIER: "names"}


class TermPlace(NamedTuple):
    """One occurrence of a term, `text[start:end]`, of the field `kind` of `LexicalTerms`; or a word of prose."""

    kind: str
    term: int
    start: int
    end: int
    is_word: bool = False


def common_terms(left: Iterable[LexicalTerms], right: Iterable[LexicalTerms]) -> LexicalTerms:
    """Return the terms that occur in documents of both sides."""
    sides = zip(_joined(left).readable, _joined(right).readable, strict=True)
    return LexicalTerms(*(np.intersect1d(one, other) for one, other in sides))


def without_terms(terms: LexicalTerms, excluded: Iterable[LexicalTerms]) -> LexicalTerms:
    """Return the terms that are in none of the excluded documents."""
    sides = zip(terms.readable, _joined(excluded).readable, strict=True)
    return LexicalTerms(*(np.setdiff1d(column, excluded_column) for column, excluded_column in sides))


def _joined(documents: Iterable[LexicalTerms]) -> LexicalTerms:
    none = np.empty(0, np.uint64)
    columns = zip((none, none, none), *(document.readable for document in documents), strict=True)
    return LexicalTerms(*(distinct_values(np.concatenate(column)) for column in columns))


def term_places(language: str, text: str, tokens: TokenStream, wanted: LexicalTerms) -> list[TermPlace]:
    """Return where the wanted terms occur in a text, in text order.

    A term that is no token, such as the name of an annotation, is looked for in the whole text, comments
    included. A few are not found: unusual imports on several lines, and names with unusual characters.
    """
    families, text = term_families(language, text), plain(text).text
    words: set[Span] = {*prose_words(text, tokens)} if PROSE in families else set()
    spans = [span for span in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True) if span not in words]
    places: list[TermPlace] = [*_lexeme_places(PROSE, text, sorted(words), wanted)]
    for family in sorted(families - {PROSE}):
        in_family = [*_lexeme_places(family, text, spans, wanted), *_directive_places(family, text, wanted)]
        present = np.array([place.term for place in in_family], dtype=np.uint64)
        missing = LexicalTerms(*(np.setdiff1d(column, present) for column in wanted.readable))
        if len(missing.literals) + len(missing.names):
            pieces = [match.span() for pattern in PIECES for match in pattern.finditer(text)]
            in_family += _lexeme_places(family, text, [span for span in pieces if span not in words], missing)
        places += in_family
    return sorted(set(places), key=lambda place: (place.start, place.end, place.kind))


def prose_words(text: str, tokens: TokenStream) -> Iterator[Span]:
    """Yield the places of the tokens that are words of prose."""
    kinds, text = dict[str, int](), plain(text).text
    for kind, start, end in zip(tokens.kinds.tolist(), tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        word = text[start:end]
        if word not in kinds:
            kinds[word] = kind_id(PROSE, normalise_word(word))
        if kind == kinds[word]:
            yield start, end


def _lexeme_places(family: str, text: str, spans: Iterable[Span], wanted: LexicalTerms) -> Iterator[TermPlace]:
    terms = {
        (kind, term >> LENGTH_BITS): term for kind in ("literals", "names") for term in getattr(wanted, kind).tolist()
    }
    known: dict[str, list[tuple[str, int]]] = {}
    for start, end in spans if terms else ():
        lexeme = without_unseen(text[start : min(end, start + MAX_CHARACTERS)])
        if lexeme not in known:
            # Languages that ignore case have names in small letters.
            ids = [
                (kind, lexeme_id(family, one, spelling) >> LENGTH_BITS)
                for spelling in {lexeme: 0, lexeme.lower(): 0}
                for one, kind in CLASSES.items()
            ]
            known[lexeme] = [(kind, terms[kind, one]) for kind, one in ids if (kind, one) in terms]
        for kind, term in known[lexeme]:
            yield TermPlace(kind, term, start, end, kind == "names" and family == PROSE)


def _directive_places(family: str, text: str, wanted: LexicalTerms) -> Iterator[TermPlace]:
    """Yield the macros among the wanted literals, and the wanted imports."""
    imports, macros = include_spans(text), macro_spans(text)
    if len(wanted.imports):
        imports += [match.span(match.lastindex or 0) for pattern in STATEMENTS for match in pattern.finditer(text)]
    short = [span for span in imports if span[1] - span[0] <= MAX_CHARACTERS]
    # Languages that ignore case have imports in small letters.
    small = text.lower()
    spellings = dict.fromkeys((text, small if len(small) == len(text) else text))
    rows = [
        row
        for spelling in spellings
        for row in zip(*(one.tolist() for one in directive_columns(spelling, family, short, macros)), strict=True)
    ]
    terms = {
        LexicalClass.IMPORT: ("imports", {term >> LENGTH_BITS: term for term in wanted.imports.tolist()}),
        LexicalClass.MACRO: ("literals", {term >> LENGTH_BITS: term for term in wanted.literals.tolist()}),
    }
    for one, term_id, start, end in rows:
        kind, by_id = terms[LexicalClass(one)]
        if term_id >> LENGTH_BITS in by_id:
            yield TermPlace(kind, by_id[term_id >> LENGTH_BITS], start, end)
