"""The front-end of every programming language: a Pygments lexer and a row of the table.

Only here and in `quick` is Pygments known.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pygments.lexers import find_lexer_class_by_name, find_lexer_class_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from fingerprint.languages.base import Class, LexerFailed, Scan
from fingerprint.languages.folding import Mark, Tokens, fold, located, split_runs, with_joined_literals
from fingerprint.languages.lexeme_ids import family_of, merged
from fingerprint.languages.lexer_dispatch import quick
from fingerprint.languages.newlines import Lexed
from fingerprint.languages.spec import Language
from fingerprint.languages.vocabulary import Vocabulary
from fingerprint.tokens import TokenStream, kind_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer
    from pygments.token import _TokenType

    from fingerprint.languages.base import Span
    from fingerprint.languages.lexeme_ids import Column, Evidence
    from fingerprint.types import Kinds, Offsets

# Rises when a rule that all languages share changes their tokens; a row's own version is added to it.
RULES_VERSION = 1

# A vocabulary that holds so many lexemes or characters is started afresh: workers live long.
LEXEMES_LIMIT = 1 << 17
CHARACTERS_LIMIT = 1 << 24

# What a broken lexer raises. A caller's time limit is none of these, and passes through.
LEXER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def untuned(alias: str) -> Language | None:
    """Make a plain row for a Pygments lexer that the table does not name; None when there is none."""
    try:
        lexer = find_lexer_class_by_name(alias)
    except ClassNotFound:
        return None
    return Language(lexer.aliases[0] if lexer.aliases else alias, lexer.name, alias)


def lexer_for_filename(filename: str) -> str:
    """Alias of the Pygments lexer for a file of that name, or an empty string."""
    lexer = find_lexer_class_for_filename(filename)
    return lexer.aliases[0] if lexer is not None and lexer.aliases else ""


class CodeFrontEnd:
    """One language, lexed by Pygments and folded by its row of the table."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.name, self.title = language.name, language.title
        self.version = RULES_VERSION + language.version
        self._vocabulary = Vocabulary(language)

    def __repr__(self) -> str:
        return f"CodeFrontEnd({self.name!r})"

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        lexed = Lexed(text)
        _, folded, vocabulary = self._folded(lexed.source)
        return _stream(lexed, vocabulary.kinds()[folded.codes], folded.starts, folded.ends)

    def scan(self, text: str) -> Scan:
        lexed = Lexed(text)
        live, folded, vocabulary = self._folded(lexed.source)
        tokens = _stream(lexed, vocabulary.kinds()[folded.codes], folded.starts, folded.ends)
        classes, kinds, starts, ends = self._evidence(live, lexed.source, vocabulary)
        return Scan(tokens, _stream(lexed, kinds, starts, ends), classes)

    def named(self, text: str) -> Iterator[Span]:
        lexed = Lexed(text)
        _, folded, vocabulary = self._folded(lexed.source)
        starts, ends = lexed.starts(folded.starts), lexed.ends(folded.ends)
        for code, start, end in zip(folded.codes, starts, ends, strict=True):
            yield int(start), int(end), vocabulary.names[code]

    def highlight(self, text: str) -> list[Span]:
        lexed = Lexed(text)
        types, starts, ends = [], array("i"), array("i")
        for start, ttype, value in self._lex(lexed.source):
            css = _css_class(ttype)
            if css and not value.isspace():
                types.append(css)
                starts.append(start)
                ends.append(start + len(value))
        begins, closes = lexed.starts(_int32(starts)), lexed.ends(_int32(ends))
        return [(int(s), int(e), css) for s, e, css in zip(begins, closes, types, strict=True) if s < e]

    @cached_property
    def _lexer(self) -> Lexer:
        return quick(find_lexer_class_by_name(self.language.lexer))

    def _lex(self, source: str) -> Iterator[tuple[int, _TokenType, str]]:
        try:
            yield from self._lexer.get_tokens_unprocessed(source)
        except LEXER_ERRORS as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise LexerFailed(f"the {self.title} lexer failed ({reason})") from error

    def _folded(self, source: str) -> tuple[Tokens, Tokens, Vocabulary]:
        """Tokens that are no space, those of them that are compared, and what their codes mean."""
        vocabulary = self._current_vocabulary()
        codes, starts = array("i"), array("i")
        add_code, add_start = codes.append, starts.append
        for start, ttype, value in self._lex(source):
            add_start(start)
            add_code(vocabulary[ttype, value])
        split = split_runs(_int32(codes), _int32(starts), vocabulary.lexemes().marks, vocabulary.pieces)
        raw = located(*split, vocabulary.lexemes())
        live = raw.take(~raw.having(Mark.SPACE))
        return live, fold(live, vocabulary.join, by_line=self.language.by_line), vocabulary

    def _current_vocabulary(self) -> Vocabulary:
        known = self._vocabulary
        if len(known) > LEXEMES_LIMIT or known.characters > CHARACTERS_LIMIT:
            self._vocabulary = Vocabulary(self.language)
        return self._vocabulary

    def _evidence(self, live: Tokens, source: str, vocabulary: Vocabulary) -> Evidence:
        """Collect what was folded away: identifiers and literals, in text order."""
        live = with_joined_literals(live)
        identifiers = live.take(live.having(Mark.IDENTIFIER))
        written = vocabulary.written()[identifiers.codes]
        salt = self.language.salt
        strings = _lexemes(live.take(live.having(Mark.STRING)), source, salt, Class.STRING)
        numbers = _lexemes(live.take(live.having(Mark.NUMBER)), source, salt, Class.NUMBER)
        return merged([(Class.IDENTIFIER, written, identifiers.starts, identifiers.ends), strings, numbers])


def _lexemes(tokens: Tokens, source: str, salt: str, sort: Class) -> Column:
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    family = family_of(salt, sort)
    kinds = [kind_id(family, source[start:end]) for start, end in zip(starts, ends, strict=True)]
    return sort, np.array(kinds, dtype=np.uint64), tokens.starts, tokens.ends


def _int32(column: array[int]) -> Offsets:
    return np.frombuffer(column, dtype=np.int32)


def _stream(lexed: Lexed, kinds: Kinds, starts: Offsets, ends: Offsets) -> TokenStream:
    return TokenStream(kinds, lexed.starts(starts), lexed.ends(ends))


def _css_class(ttype: _TokenType | None) -> str:
    """Pygments' short CSS class of a token type, or of the nearest type above it that has one."""
    while ttype is not None and ttype not in STANDARD_TYPES:
        ttype = ttype.parent
    return "" if ttype is None else STANDARD_TYPES[ttype]
