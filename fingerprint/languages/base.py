"""The contract of a front-end: text in, tokens out (winnowing, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fingerprint.tokens import TokenStream


class FrontEnd(Protocol):
    """One language: what is shown of a file, and the tokens that the engine compares.

    `name` is what a user types and what a profile stores; `title` is what a page shows;
    `version` rises whenever the same text would give other tokens.
    """

    name: str
    title: str
    version: int

    def text(self, decoded: str) -> str:
        """Text to show and to count offsets in: the decoded file, except where that is a container."""

    def tokens(self, text: str) -> TokenStream:
        """Tokens of `text`, offsets in code points, comments and white space left out."""

    def highlight(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, CSS class) spans that colour `text` for reading; never overlapping, in order."""
