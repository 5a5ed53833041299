"""The front-end of every programming language: a Pygments lexer and a row of the language table.

Only this module, `lexer_dispatch`, `literal_lines` and `lexers` import Pygments.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

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
from fingerprint.languages.lexeme_ids import lexeme_family, merge_in_text_order
from fingerprint.languages.lexer_dispatch import DispatchingLexer, dispatching_lexer
from fingerprint.languages.lexers import UNTUNED_MULTILINE, import_mended_lexers, lexer_class
from fingerprint.languages.lexing import LEXER_ERRORS, Lexed, lexed
from fingerprint.languages.newlines import LexerInput
from fingerprint.languages.normalisation import (
    LexedTokens,
    Mark,
    Range,
    dropped_ranges,
    dropped_statements,
    joined,
    locate_tokens,
    normalise,
    split_runs,
    with_joined_literals,
)
from fingerprint.languages.spec import Language
from fingerprint.languages.vocabulary import Vocabulary
from fingerprint.tokens import TokenStream, kind_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pygments.lexer import Lexer

    from fingerprint.languages.base import Span
    from fingerprint.languages.lexeme_ids import LexemeColumns, LexicalColumns
    from fingerprint.types import Kinds, Offsets


# Raise it when a rule for all languages changes their tokens; the version of a row is added to it.
RULES_VERSION = 3

# A vocabulary with more lexemes or characters than this is replaced by an empty one: workers are long-lived.
LEXEMES_LIMIT = 1 << 17
CHARACTERS_LIMIT = 1 << 24


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


class _Joined(NamedTuple):
    """The tokens without white space and comments, the ranges of them to drop, and the tokens of `joined`."""

    significant: LexedTokens
    dropped: list[Range]
    complete: LexedTokens


class CodeFrontEnd:
    """The front-end of one language, lexed by Pygments and normalised by its row of the table."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.name, self.title = language.name, language.title
        self.version = RULES_VERSION + language.version
        self._vocabulary = Vocabulary(language, _css_class)

    def __repr__(self) -> str:
        return f"CodeFrontEnd({self.name!r})"

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        lexer_input = LexerInput(text)
        lexed = self._lexed(self._code(lexer_input.source))
        normalised = normalise(self._joined(lexed).complete)
        kinds = lexed.vocabulary.kinds()[normalised.codes]
        return _stream(lexer_input, kinds, normalised.starts, normalised.ends)

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        lexer_input = LexerInput(text)
        code = self._code(lexer_input.source)
        lexed = self._lexed(code)
        significant, dropped, complete = self._joined(lexed)
        vocabulary = lexed.vocabulary
        normalised = normalise(complete)
        kinds = vocabulary.kinds()[normalised.codes]
        tokens = _stream(lexer_input, kinds, normalised.starts, normalised.ends)
        classes, ids, *offsets = self._lexical(significant, lexer_input.source, vocabulary)
        lexical = _stream(lexer_input, ids, *offsets)
        directive_classes, ids, *offsets = self._directives(significant, dropped, lexer_input.source)
        directives = _stream(lexer_input, ids, *offsets)
        has_coarse = coarse and self.name in COARSE_LANGUAGES
        whole = self._coarse(complete, lexer_input, vocabulary) if has_coarse else None
        # Where macros are lexed as code, pages colour them as a preprocessor's all the same.
        coloured = _highlighted(lexer_input, lexed) if spans and code == lexer_input.source else None
        unclosed = tuple(lexer_input.starts(np.array(lexed.unclosed, dtype=np.int32)).tolist())
        columns = tokens, lexical, classes, directives, directive_classes
        return Scan(*columns, whole, coloured, unclosed, _code_characters(significant, dropped))

    def named_tokens(self, text: str) -> Iterator[Span]:
        lexer_input = LexerInput(text)
        lexed = self._lexed(self._code(lexer_input.source))
        normalised = normalise(self._joined(lexed).complete)
        names = lexed.vocabulary.kind_names
        starts, ends = lexer_input.starts(normalised.starts), lexer_input.ends(normalised.ends)
        for code, start, end in zip(normalised.codes, starts, ends, strict=True):
            yield int(start), int(end), names[code]

    def highlight(self, text: str) -> list[Span]:
        lexer_input = LexerInput(text)
        spans = _highlighted(lexer_input, self._lexed(lexer_input.source))
        columns = (spans.starts.tolist(), spans.ends.tolist(), spans.codes.tolist())
        return [(start, end, spans.classes[code]) for start, end, code in zip(*columns, strict=True)]

    def expect(self, characters: int) -> None:
        """Prepare to read so many characters."""
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

    def _joined(self, lexed: Lexed) -> _Joined:
        codes, starts, vocabulary, _ = lexed
        split = split_runs(codes, starts, vocabulary.lexemes().marks, vocabulary.punctuation_codes)
        tokens = locate_tokens(*split, vocabulary.lexemes())
        significant = tokens.take(~tokens.has_mark(Mark.SPACE))
        dropped = dropped_ranges(significant, by_line=self.language.by_line)
        return _Joined(significant, dropped, joined(significant, dropped, vocabulary.join_operators))

    def _current_vocabulary(self) -> Vocabulary:
        vocabulary = self._vocabulary
        if len(vocabulary) > LEXEMES_LIMIT or vocabulary.characters > CHARACTERS_LIMIT:
            self._vocabulary = Vocabulary(self.language, _css_class)
        return self._vocabulary

    def _coarse(self, tokens: LexedTokens, lexer_input: LexerInput, vocabulary: Vocabulary) -> Coarse:
        """Return the coarse stream of the tokens before any lexeme is dropped."""
        names = vocabulary.kind_names
        columns = zip(tokens.codes.tolist(), tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        source = lexer_input.source
        lexemes = [Lexeme(names[code], source[start:end], start, end) for code, start, end in columns]
        stream, terms = coarse_scan(self.name, lexemes)
        located = _stream(lexer_input, stream.kinds, stream.starts, stream.ends)
        return Coarse(self.language.salt, located, terms)

    def _lexical(self, tokens: LexedTokens, source: str, vocabulary: Vocabulary) -> LexicalColumns:
        """Return the identifiers and literals as written, in text order."""
        tokens = with_joined_literals(tokens)
        identifiers = tokens.take(tokens.has_mark(Mark.IDENTIFIER))
        ids = vocabulary.identifier_ids()[identifiers.codes]
        names = (LexicalClass.IDENTIFIER, ids, identifiers.starts, identifiers.ends)
        salt = self.language.salt
        strings = _literals(tokens.take(tokens.has_mark(Mark.STRING)), source, salt, LexicalClass.STRING)
        numbers = _literals(tokens.take(tokens.has_mark(Mark.NUMBER)), source, salt, LexicalClass.NUMBER)
        return merge_in_text_order([names, strings, numbers])

    def _directives(self, tokens: LexedTokens, dropped: Sequence[Range], source: str) -> LexicalColumns:
        """Return the imports, includes and macro definitions, in text order."""
        imports = dropped_statements(tokens, dropped)
        if not self.language.preprocessor:
            return directive_columns(source, self.language.salt, imports, [])
        imports += include_spans(source)
        return directive_columns(source, self.language.salt, imports, macro_spans(source))


def _literals(tokens: LexedTokens, source: str, salt: str, lexical_class: LexicalClass) -> LexemeColumns:
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    family = lexeme_family(salt, lexical_class)
    ids = [kind_id(family, source[start:end]) for start, end in zip(starts, ends, strict=True)]
    return lexical_class, np.array(ids, dtype=np.uint64), tokens.starts, tokens.ends


def _code_characters(significant: LexedTokens, dropped: list[tuple[int, int]]) -> int:
    """Return how many characters are code; what is dropped, as imports are, does not count."""
    lengths = significant.ends - significant.starts
    counted = int(lengths[~significant.has_mark(Mark.DROPPED)].sum())
    return counted - sum(int(lengths[start:end].sum()) for start, end in dropped)


def _stream(lexer_input: LexerInput, kinds: Kinds, starts: Offsets, ends: Offsets) -> TokenStream:
    return TokenStream(kinds, lexer_input.starts(starts), lexer_input.ends(ends))


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
