"""The interface of a front-end: text in, tokens out (winnowing, section 5.2)."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.kernels.types import Classes, Ids, Offsets, Terms
    from fingerprint.tokens import TokenStream


Span = tuple[int, int, str]


class LexerFailed(ValueError):
    """A lexer failed on a text; the message names the lexer and the reason."""


class LexicalClass(IntEnum):
    """Class of a token of `Scan.lexical` (the first three) or of `Scan.directives`."""

    IDENTIFIER = 1
    STRING = 2
    NUMBER = 3
    IMPORT = 4
    MACRO = 5


class Coarse(NamedTuple):
    """The coarse stream of a document, and its literals as terms: numbers by value, words of strings.

    `family` is that of its language: documents of one family are not compared by this stream.
    """

    family: str
    tokens: TokenStream
    terms: Terms


class SpanColumns(NamedTuple):
    """Spans with CSS classes as parallel arrays; `codes` are indexes of `classes`."""

    starts: Offsets
    ends: Offsets
    codes: Ids
    classes: list[str]


class Scan(NamedTuple):
    """Result of one lexing pass: the normalised tokens, and the lexemes that normalisation replaced.

    `tokens` is the normalised stream, which the engine compares. `lexical` has the identifiers and literals
    in text order; their kinds are terms: of the lexemes as written, of numbers by value (see `lexeme_terms`).
    `lexical_classes` (uint8) has a `LexicalClass` for each token of `lexical`. `directives` has each import,
    include and macro definition as one token, with its class in `directive_classes`. `coarse` is the stream
    that all languages share; None where it was not asked for or the language has none. `spans` are those of
    `highlight`; None where they were not asked for or need a pass of their own. `unclosed` are the offsets of
    the literals and comments that end only because their line does. `code` is the number of characters of
    code, without white space, comments and imports; None for prose and pages, most of which are the frame.
    """

    tokens: TokenStream
    lexical: TokenStream
    lexical_classes: Classes
    directives: TokenStream
    directive_classes: Classes
    coarse: Coarse | None = None
    spans: SpanColumns | None = None
    unclosed: tuple[int, ...] = ()
    code: int | None = None


class FrontEnd(Protocol):
    """One language: the text that is shown of a file, and the tokens that the engine compares.

    `name` is the identifier that users type and profiles store; `title` is the name on pages; `version` is
    raised whenever the same text would yield other tokens.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> int: ...

    def text(self, decoded: str) -> str:
        """Return the text to show, in which offsets are counted.

        It is the decoded file itself, unless that is a container such as a notebook. Raises ValueError when
        the container is broken; the message gives the reason.
        """

    def tokens(self, text: str) -> TokenStream:
        """Return the tokens of `text` without comments and white space, in code points; raise LexerFailed."""

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        """Return the tokens and the replaced lexemes of `text` from one pass; raises as `tokens` does.

        With `coarse` also the coarse stream, if the language has one; with `spans` also the spans to colour,
        if they come from the same pass.
        """

    def named_tokens(self, text: str) -> Iterator[Span]:
        """Yield (start, end, kind name) for each token of `tokens(text)`, for people and golden files."""

    def highlight(self, text: str) -> list[Span]:
        """Return (start, end, CSS class) spans for syntax colours, in order and without overlaps."""
