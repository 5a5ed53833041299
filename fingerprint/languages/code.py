"""The front-end of every programming language: a Pygments lexer and a row of the language table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import numpy as np
from pygments import lexers
from pygments.lexers import find_lexer_class_for_filename
from pygments.plugin import find_plugin_lexers
from pygments.token import STANDARD_TYPES, Error, Text, _TokenType
from pygments.util import ClassNotFound

from fingerprint.kernels.types import PairRows
from fingerprint.languages.base import Coarse, LexerFailed, LexicalClass, Scan, Span, SpanColumns
from fingerprint.languages.coarse import Lexeme, coarse_scan
from fingerprint.languages.language_table import COARSE_LANGUAGES, CURLY_QUOTES, Language
from fingerprint.languages.lexers import UNTUNED_IGNORING_CASE, UNTUNED_MULTILINE, import_mended_lexers, lexer_class
from fingerprint.languages.lexical_terms import (
    directive_columns,
    include_spans,
    lexeme_terms,
    macro_spans,
    macros_as_code,
)
from fingerprint.languages.lexing import LEXER_ERRORS, Lexed, joined_letters, lexings
from fingerprint.languages.look_alikes import plain, with_ascii_marks, without_escapes
from fingerprint.languages.normalisation import LEXEMES, Normalised, NormalisedText, fill_normalised, normalise
from fingerprint.languages.token_rows import CODE, END, MARKS, START, Mark, StreamColumns, TokenRows
from fingerprint.languages.vocabulary import LexicalColumns, Vocabulary
from fingerprint.lextables.dispatch import DispatchingLexer, dispatching_lexer, raw_tokens
from fingerprint.lextables.raw_tokens import LexerInput
from fingerprint.reasons import NAMED_LEXER_FAILED
from fingerprint.tokens import TokenStream

if TYPE_CHECKING:
    from pygments.lexer import Lexer


# Raise it when a rule for all languages changes their tokens; the version of a row is added to it.
RULES_VERSION = 14

# What version control leaves around the versions of lines that it could not merge; the last ones are Jujutsu's.
_MARKER = re.compile(
    r"(?<![^\r\n])[ \t]*+(?:(?:<{7,}|>{7,}|\|{7,})(?: [^\r\n]*+)?|={7,}(?: MERGED IN [^\r\n]*+)?"
    r"|(?:%{7,}|\+{7,}|-{7,}|\\{7,}) ++(?:Contents of|Changes from|diff from|to:|[a-z]{8} [0-9a-f]{8} \")[^\r\n]*+)"
    r"(?![^\r\n])"
)


def untuned_language(alias: str) -> Language | None:
    """Return a default row for a Pygments lexer without a row of its own; None if there is no such lexer."""
    try:
        lexer = lexer_class(alias)
    except ClassNotFound:
        return None
    name = lexer.aliases[0] if lexer.aliases else alias
    ignores = bool(getattr(lexer, "flags", 0) & re.IGNORECASE) or name in UNTUNED_IGNORING_CASE
    multiline = UNTUNED_MULTILINE.get(name)
    return Language(name, lexer.name, alias, ignore_case=ignores, multiline=multiline, letters=True)


def import_lexers() -> None:
    """Import every lexer of Pygments and of its plugins, and the tables of words that some import later."""
    for module in iter_modules(lexers.__path__):
        import_module(f"{lexers.__name__}.{module.name}")
    import_mended_lexers()
    list(find_plugin_lexers())


def lexer_names() -> list[str]:
    """Return the names of the lexers of Pygments, without its plugins."""
    return [aliases[0] for _, aliases, _, _ in lexers.get_all_lexers(plugins=False) if aliases]


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

    def __repr__(self) -> str:
        return f"CodeFrontEnd({self.name!r})"

    def text(self, decoded: str) -> str:
        """Return the code of a file, without the frame that its language says."""
        begin, *ends = self.language.frame.split() or [""]
        _, found, rest = decoded.partition(begin) if begin else ("", "", "")
        code = rest if found else decoded
        for end in ends:
            code = code.partition(end)[0]
        return code

    def tokens(self, text: str) -> TokenStream:
        return self.scan(text).tokens

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        (scan,) = self.scan_all([text], coarse=coarse, spans=spans)
        if isinstance(scan, LexerFailed):
            raise scan
        return scan

    def scan_all(self, texts: Sequence[str], *, coarse: bool = False, spans: bool = False) -> list[Scan | LexerFailed]:
        """Return what `scan` returns for each text, or raises; together they take less time."""
        vocabulary, inputs = self._current_vocabulary(), list(map(self._input, texts))
        codes = [self._code(one.source) for one in inputs]
        results = self._lexed_all(codes, vocabulary)
        lexed = [(number, one) for number, one in enumerate(results) if isinstance(one, Lexed)]
        normalised = normalise([one for _, one in lexed], vocabulary, by_line=self.language.by_line)
        self._fill_ids(normalised, [inputs[number].source for number, _ in lexed], vocabulary)
        scans: list[Scan | LexerFailed] = [one for one in results if not isinstance(one, Lexed)]
        for row, (number, one) in enumerate(lexed):
            tokens, lexer_input = normalised.of(row), inputs[number]
            scan = self._scan(tokens, lexer_input, one)
            if coarse and self.name in COARSE_LANGUAGES:
                scan = scan._replace(coarse=self._coarse(tokens.complete, lexer_input, vocabulary))
            # Where macros are lexed as code, pages colour them as a preprocessor's all the same.
            if spans and codes[number] == self._folded(lexer_input.source):
                scan = scan._replace(spans=_highlighted(lexer_input, one, vocabulary))
            scans.insert(number, scan)
        return scans

    def named_tokens(self, text: str) -> Iterator[Span]:
        lexer_input, vocabulary = self._input(text), self._current_vocabulary()
        lexed = self._lexed(self._code(lexer_input.source), vocabulary)
        rows = normalise([lexed], vocabulary, by_line=self.language.by_line).of(0).complete
        rows = rows[rows[:, MARKS] & Mark.DROPPED == 0]
        starts, ends = lexer_input.starts(rows[:, START]), lexer_input.ends(rows[:, END])
        for code, start, end in zip(rows[:, CODE].tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield start, end, vocabulary.kind_names[code]

    def highlight(self, text: str) -> list[Span]:
        lexer_input, vocabulary = self._input(text), self._current_vocabulary()
        lexed = self._lexed(self._folded(lexer_input.source), vocabulary)
        spans = _highlighted(lexer_input, lexed, vocabulary)
        columns = (spans.starts.tolist(), spans.ends.tolist(), spans.codes.tolist())
        return [(start, end, spans.classes[code]) for start, end, code in zip(*columns, strict=True)]

    def expect(self, characters: int) -> None:
        """Prepare to read so many characters, for this process and those that are forked then."""
        fill_normalised.load()
        if isinstance(self.lexer, DispatchingLexer):
            self.lexer.tables.expect(self.lexer, characters)

    @cached_property
    def lexer(self) -> Lexer:
        return dispatching_lexer(lexer_class(self.language.lexer))

    def _input(self, text: str) -> LexerInput:
        if self.language.escapes:
            text = without_escapes(text, everywhere=self.language.escapes == "everywhere")
        return lexer_input_of(with_ascii_marks(text, CURLY_QUOTES.get(self.name), self._unknown))

    def _unknown(self, text: str) -> bytearray:
        """Return where characters are no code to the lexer."""
        places = bytearray(len(text))
        with suppress(*LEXER_ERRORS):
            for start, kind, value in zip(*raw_tokens(self.lexer, self._folded(text)), strict=True):
                if kind in (Error, Text):
                    places[start : start + len(value)] = b"\1" * len(value)
        return places

    def _lexed(self, source: str, vocabulary: Vocabulary) -> Lexed:
        (result,) = self._lexed_all([source], vocabulary)
        if isinstance(result, LexerFailed):
            raise result
        return result

    def _lexed_all(self, sources: Sequence[str], vocabulary: Vocabulary) -> list[Lexed | LexerFailed]:
        results = [self._attempt(lex) for lex in lexings(self.lexer, self.language, sources, vocabulary)]
        if not self.language.letters:
            return results
        pairs = zip(results, sources, strict=True)
        return [joined_letters(one, source, vocabulary) if isinstance(one, Lexed) else one for one, source in pairs]

    def _attempt(self, lex: Callable[[], Lexed]) -> Lexed | LexerFailed:
        try:
            return lex()
        except LEXER_ERRORS as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return LexerFailed(NAMED_LEXER_FAILED.format(language=self.title, error=reason))

    def _code(self, source: str) -> str:
        """Return the source as it is lexed to be compared."""
        source = self._folded(source)
        return macros_as_code(source) if self.language.preprocessor else source

    def _folded(self, source: str) -> str:
        """Return the source in small letters if the language ignores case: the lexer may know only those."""
        return in_small_letters(source) if self.language.ignore_case else source

    def _current_vocabulary(self) -> Vocabulary:
        if self._vocabulary.is_full:
            self._vocabulary = Vocabulary(self.language, _css_class)
        return self._vocabulary

    def _fill_ids(self, normalised: Normalised, sources: Sequence[str], vocabulary: Vocabulary) -> None:
        ends = normalised.totals[:, LEXEMES]
        classes = normalised.classes[: ends[-1] if len(ends) else 0]
        bounds = np.cumsum([0, *map(len, sources)])
        source, lexemes = "".join(sources), normalised.lexemes
        folded = in_small_letters(source) if self.language.ignore_case else source
        for lexical_class, ids in vocabulary.literal_ids.items():
            at = np.flatnonzero(classes == lexical_class)
            begins = bounds[np.searchsorted(ends, at, side="right")]
            spans = (begins + lexemes.starts[at]).tolist(), (begins + lexemes.ends[at]).tolist()
            text = folded if lexical_class == LexicalClass.NUMBER else source
            lexemes.ids[at] = [ids[text[start:end]] for start, end in zip(*spans, strict=True)]

    def _scan(self, text: NormalisedText, lexer_input: LexerInput, lexed: Lexed) -> Scan:
        classes, lexemes = text.classes, text.lexemes
        if text.disorder:
            order = np.lexsort((classes, lexemes.starts))
            classes, lexemes = classes[order], lexemes.in_order(order)
        terms = lexeme_terms(lexemes.ids, lexemes.ends - lexemes.starts, classes)
        directive_classes, ids, starts, ends = self._directives(text.statements, self._folded(lexer_input.source))
        return Scan(
            _stream(lexer_input, text.tokens),
            _stream(lexer_input, lexemes._replace(ids=terms)),
            classes,
            _stream(lexer_input, StreamColumns(ids, starts, ends)),
            directive_classes,
            unclosed=tuple(lexer_input.starts(np.array(lexed.unclosed, dtype=np.int32)).tolist()),
            code=text.characters,
        )

    def _coarse(self, tokens: TokenRows, lexer_input: LexerInput, vocabulary: Vocabulary) -> Coarse:
        """Return the coarse stream of the tokens before any lexeme is dropped."""
        names = vocabulary.kind_names
        rows = tokens[:, [CODE, START, END]].tolist()
        source = lexer_input.source
        lexemes = [Lexeme(names[code], source[start:end], start, end) for code, start, end in rows]
        stream, terms = coarse_scan(self.name, lexemes)
        located = _stream(lexer_input, StreamColumns(stream.kinds, stream.starts, stream.ends))
        return Coarse(self.language.salt, located, terms)

    def _directives(self, imports: PairRows, source: str) -> LexicalColumns:
        """Return the imports, includes and macro definitions, in text order."""
        spans = [(start, end) for start, end in imports.tolist()]
        if not self.language.preprocessor:
            return directive_columns(source, self.language.salt, spans, [])
        spans += include_spans(source)
        return directive_columns(source, self.language.salt, spans, macro_spans(source))


def lexer_input_of(text: str) -> LexerInput:
    """Return a text for a lexer, as readers see it, without markers of a conflict."""
    seen = plain(text)
    return LexerInput(without_conflict_markers(seen.text), seen.unseen)


def in_small_letters(text: str) -> str:
    """Return a text of the same length in small letters."""
    return text.replace("\u0130", "I").lower()


def without_conflict_markers(text: str) -> str:
    """Return a text with blanks for the lines that version control writes around both sides of a conflict."""
    if "<<<<<<<" not in text:
        return text
    marks = {match[0].lstrip()[0] for match in _MARKER.finditer(text)}
    if not (marks.issuperset("<=>") or marks.issuperset("<+>")):
        return text
    return _MARKER.sub(lambda match: " " * len(match[0]), text)


def _stream(lexer_input: LexerInput, tokens: StreamColumns) -> TokenStream:
    return TokenStream(tokens.ids, lexer_input.starts(tokens.starts), lexer_input.ends(tokens.ends))


def _css_class(ttype: object) -> str:
    """Return Pygments' short CSS class of a token type, or of its nearest parent type that has one."""
    while isinstance(ttype, _TokenType) and ttype not in STANDARD_TYPES:
        ttype = ttype.parent
    return STANDARD_TYPES[ttype] if isinstance(ttype, _TokenType) else ""


def _highlighted(lexer_input: LexerInput, lexed: Lexed, vocabulary: Vocabulary) -> SpanColumns:
    """Return the lexemes that have a CSS class, but are not white space."""
    codes, starts, _ = lexed
    css_codes, lengths, classes = vocabulary.highlighting()
    kept = css_codes[codes] >= 0
    codes, starts = codes[kept], starts[kept]
    ends = lexer_input.ends(starts + lengths[codes])
    starts = lexer_input.starts(starts)
    visible = starts < ends
    return SpanColumns(starts[visible], ends[visible], css_codes[codes[visible]], classes)
