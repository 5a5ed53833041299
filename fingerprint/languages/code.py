"""The front-end of every programming language: a Pygments lexer and a row of the language table.

Only this module, `lexer_dispatch`, `literal_lines` and `lexers` import Pygments.
"""

from __future__ import annotations

from functools import cached_property, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import numpy as np
from pygments import lexers
from pygments.lexers import find_lexer_class_for_filename
from pygments.plugin import find_plugin_lexers
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from fingerprint.languages.base import Coarse, LexerFailed, LexicalClass, Scan, SpanColumns
from fingerprint.languages.coarse import Lexeme, coarse_scan
from fingerprint.languages.coarse_words import COARSE_LANGUAGES
from fingerprint.languages.directives import (
    directive_columns,
    include_spans,
    macro_spans,
    macros_as_code,
)
from fingerprint.languages.lexeme_ids import lexeme_family, number_id
from fingerprint.languages.lexer_dispatch import DispatchingLexer, dispatching_lexer
from fingerprint.languages.lexers import UNTUNED_MULTILINE, import_mended_lexers, lexer_class
from fingerprint.languages.lexing import LEXER_ERRORS, Lexed, lexed
from fingerprint.languages.normalisation import (
    KERNELS,
    Normalised,
    dropped_statements,
    normalise,
    significant_tokens,
    with_joined_literals,
)
from fingerprint.languages.raw_tokens import LexerInput
from fingerprint.languages.spec import Language
from fingerprint.languages.token_rows import CODE, END, START, StreamColumns, collect_lexemes, collect_tokens
from fingerprint.languages.vocabulary import Vocabulary
from fingerprint.tokens import TokenStream, kind_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer

    from fingerprint.languages.base import Span
    from fingerprint.languages.lexeme_ids import LexicalColumns
    from fingerprint.languages.token_rows import TokenRows
    from fingerprint.types import Classes, Kinds

# Raise it when a rule for all languages changes their tokens; the version of a row is added to it.
RULES_VERSION = 4

# A vocabulary with more lexemes or characters than this is replaced by an empty one: workers are long-lived.
LEXEMES_LIMIT = 1 << 17
CHARACTERS_LIMIT = 1 << 24

IDENTIFIER = int(LexicalClass.IDENTIFIER)  # a number, which NumPy compares faster


def untuned_language(alias: str) -> Language | None:
    """Return a default row for a Pygments lexer without a row of its own; None if there is no such lexer."""
    try:
        lexer = lexer_class(alias)
    except ClassNotFound:
        return None
    name = lexer.aliases[0] if lexer.aliases else alias
    return Language(name, lexer.name, alias, multiline=UNTUNED_MULTILINE.get(name))


def import_lexers() -> None:
    """Import every lexer of Pygments and of its plugins, and the tables of words that some import later."""
    for module in iter_modules(lexers.__path__):
        import_module(f"{lexers.__name__}.{module.name}")
    import_mended_lexers()
    list(find_plugin_lexers())


def lexer_for_filename(filename: str) -> str:
    """Return the alias of the Pygments lexer for a file of that name, or an empty string."""
    lexer = find_lexer_class_for_filename(filename)
    return lexer.aliases[0] if lexer is not None and lexer.aliases else ""


class CodeFrontEnd:
    """The front-end of one language, lexed by Pygments and normalised by its row of the table."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.name, self.title = language.name, language.title
        self.version = RULES_VERSION + language.version
        self._vocabulary = Vocabulary(language, _css_class)
        string, number = LexicalClass.STRING, LexicalClass.NUMBER
        self._literals = {
            int(string): partial(kind_id, lexeme_family(language.salt, string)),
            int(number): partial(number_id, lexeme_family(language.salt, number)),
        }

    def __repr__(self) -> str:
        return f"CodeFrontEnd({self.name!r})"

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        lexer_input = LexerInput(text)
        lexed = self._lexed(self._code(lexer_input.source))
        return _stream(lexer_input, _collected(self._normalised(lexed).complete, lexed.vocabulary.kinds()))

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        lexer_input = LexerInput(text)
        code = self._code(lexer_input.source)
        lexed = self._lexed(code)
        normalised, vocabulary = self._normalised(lexed), lexed.vocabulary
        tokens = _stream(lexer_input, _collected(normalised.complete, vocabulary.kinds()))
        classes, lexemes = self._lexical(normalised.significant, lexer_input.source, vocabulary)
        lexical = _stream(lexer_input, lexemes)
        directive_classes, ids, starts, ends = self._directives(normalised, lexer_input.source)
        directives = _stream(lexer_input, StreamColumns(ids, starts, ends))
        has_coarse = coarse and self.name in COARSE_LANGUAGES
        whole = self._coarse(normalised.complete, lexer_input, vocabulary) if has_coarse else None
        # Where macros are lexed as code, pages colour them as a preprocessor's all the same.
        coloured = _highlighted(lexer_input, lexed) if spans and code == lexer_input.source else None
        unclosed = tuple(lexer_input.starts(np.array(lexed.unclosed, dtype=np.int32)).tolist())
        streams = tokens, lexical, classes, directives, directive_classes
        return Scan(*streams, whole, coloured, unclosed, normalised.characters)

    def named_tokens(self, text: str) -> Iterator[Span]:
        lexer_input = LexerInput(text)
        lexed = self._lexed(self._code(lexer_input.source))
        complete, names = self._normalised(lexed).complete, lexed.vocabulary.kind_names
        codes = np.arange(len(names), dtype=np.uint64)
        tokens = _stream(lexer_input, _collected(complete, codes))
        for code, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
            yield int(start), int(end), names[code]

    def highlight(self, text: str) -> list[Span]:
        lexer_input = LexerInput(text)
        spans = _highlighted(lexer_input, self._lexed(lexer_input.source))
        columns = (spans.starts.tolist(), spans.ends.tolist(), spans.codes.tolist())
        return [(start, end, spans.classes[code]) for start, end, code in zip(*columns, strict=True)]

    def expect(self, characters: int) -> None:
        """Prepare to read so many characters, for this process and those that are forked then."""
        for kernel in KERNELS:
            kernel.load()
        if isinstance(self._lexer, DispatchingLexer):
            self._lexer.tables.expect(self._lexer, characters)

    @cached_property
    def _lexer(self) -> Lexer:
        return dispatching_lexer(lexer_class(self.language.lexer))

    def _lexed(self, source: str) -> Lexed:
        vocabulary = self._current_vocabulary()
        try:
            return lexed(self._lexer, self.language, source, vocabulary)
        except LEXER_ERRORS as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise LexerFailed(f"the {self.title} lexer failed ({reason})") from error

    def _code(self, source: str) -> str:
        """Return the source as it is lexed to be compared."""
        return macros_as_code(source) if self.language.preprocessor else source

    def _normalised(self, lexed: Lexed) -> Normalised:
        codes, starts, vocabulary, _ = lexed
        columns = significant_tokens(codes, starts, vocabulary.lexemes, vocabulary.punctuation_codes)
        return normalise(*columns, vocabulary.join_operators, by_line=self.language.by_line)

    def _current_vocabulary(self) -> Vocabulary:
        vocabulary = self._vocabulary
        if len(vocabulary) > LEXEMES_LIMIT or vocabulary.characters > CHARACTERS_LIMIT:
            self._vocabulary = Vocabulary(self.language, _css_class)
        return self._vocabulary

    def _coarse(self, tokens: TokenRows, lexer_input: LexerInput, vocabulary: Vocabulary) -> Coarse:
        """Return the coarse stream of the tokens before any lexeme is dropped."""
        names = vocabulary.kind_names
        rows = tokens[:, [CODE, START, END]].tolist()
        source = lexer_input.source
        lexemes = [Lexeme(names[code], source[start:end], start, end) for code, start, end in rows]
        stream, terms = coarse_scan(self.name, lexemes)
        located = _stream(lexer_input, StreamColumns(stream.kinds, stream.starts, stream.ends))
        return Coarse(self.language.salt, located, terms)

    def _lexical(
        self, tokens: TokenRows, source: str, vocabulary: Vocabulary
    ) -> tuple[Classes, StreamColumns]:
        """Return the identifiers and literals, in text order."""
        rows = with_joined_literals(tokens)
        classes, columns = np.empty(len(rows), dtype=np.uint8), StreamColumns.of(len(rows))
        count, disorder = collect_lexemes(rows, vocabulary.identifier_ids(), classes, columns)
        classes, columns = classes[:count], columns.first(count)
        literals = np.flatnonzero(classes != IDENTIFIER)
        of_literals = (column[literals].tolist() for column in (classes, columns.starts, columns.ends))
        columns.ids[literals] = [
            self._literals[number](source[start:end]) for number, start, end in zip(*of_literals, strict=True)
        ]
        if not disorder:
            return classes, columns
        order = np.lexsort((classes, columns.starts))
        return classes[order], columns.in_order(order)

    def _directives(self, tokens: Normalised, source: str) -> LexicalColumns:
        """Return the imports, includes and macro definitions, in text order."""
        imports = dropped_statements(tokens)
        if not self.language.preprocessor:
            return directive_columns(source, self.language.salt, imports, [])
        imports += include_spans(source)
        return directive_columns(source, self.language.salt, imports, macro_spans(source))


def _collected(tokens: TokenRows, kinds: Kinds) -> StreamColumns:
    """Return the tokens to compare, with the kinds of their codes."""
    columns = StreamColumns.of(len(tokens))
    return columns.first(collect_tokens(tokens, kinds, columns))


def _stream(lexer_input: LexerInput, tokens: StreamColumns) -> TokenStream:
    return TokenStream(tokens.ids, lexer_input.starts(tokens.starts), lexer_input.ends(tokens.ends))


def _css_class(ttype: object) -> str:
    """Return Pygments' short CSS class of a token type, or of its nearest parent type that has one."""
    while isinstance(ttype, _TokenType) and ttype not in STANDARD_TYPES:
        ttype = ttype.parent
    return STANDARD_TYPES[ttype] if isinstance(ttype, _TokenType) else ""


def _highlighted(lexer_input: LexerInput, lexed: Lexed) -> SpanColumns:
    """Return the lexemes that have a CSS class, but are not white space."""
    codes, starts, vocabulary, _ = lexed
    css_codes, lengths, classes = vocabulary.highlighting()
    kept = css_codes[codes] >= 0
    codes, starts = codes[kept], starts[kept]
    ends = lexer_input.ends(starts + lengths[codes])
    starts = lexer_input.starts(starts)
    visible = starts < ends
    return SpanColumns(starts[visible], ends[visible], css_codes[codes[visible]], classes)
