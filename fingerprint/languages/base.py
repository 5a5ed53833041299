"""The contract of a front-end: text in, tokens out (winnowing, section 5.2)."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.tokens import TokenStream
    from fingerprint.types import Classes


Span = tuple[int, int, str]


class LexerFailed(ValueError):
    """A lexer broke on a text; the message says which and why."""


class Class(IntEnum):
    """What a token of `Scan.lexical` was before it was folded away."""

    IDENTIFIER = 1
    STRING = 2
    NUMBER = 3


class Scan(NamedTuple):
    """Both sides of one lexing pass: what the engine compares, and what normalisation folded away.

    `tokens` holds the folded stream; `lexical` the identifiers and literals as they were written (kinds are
    ids of the lexeme, case kept), in text order; `classes` uint8, a `Class` for each of `lexical`.
    """

    tokens: TokenStream
    lexical: TokenStream
    classes: Classes


class FrontEnd(Protocol):
    """One language: what is shown of a file, and the tokens that the engine compares.

    `name` is what a user types and what a profile stores; `title` is what a page shows;
    `version` rises whenever the same text would give other tokens.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> int: ...

    def text(self, decoded: str) -> str:
        """Text to show and to count offsets in: the decoded file, except where that is a container.

        Raises
        ------
        ValueError
            When the container is broken; the message says how.
        """

    def tokens(self, text: str) -> TokenStream:
        """Tokens of `text`, offsets in code points, comments and white space left out.

        Raises
        ------
        LexerFailed
        """

    def scan(self, text: str) -> Scan:
        """Tokens of `text` and what was folded away, from one pass over it; raises as `tokens` does."""

    def named(self, text: str) -> Iterator[Span]:
        """(start, end, kind name) for each token of `tokens(text)`, for people and golden files."""

    def highlight(self, text: str) -> list[Span]:
        """(start, end, CSS class) spans that colour `text` for reading; never overlapping, in order."""
