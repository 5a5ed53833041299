"""The part of a program that became tokens; it is small where a lexer or a wrong language reads it badly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fingerprint.languages.base import FrontEnd
    from fingerprint.tokens import TokenStream

# Below this part of all characters it is looked at what comments and imports take.
ENOUGH = 0.5


def read_share(front_end: FrontEnd, text: str, tokens: TokenStream) -> float:
    """Return the part, from 0 to 1, of a program's characters that are in tokens.

    White space, comments, imports and punctuation do not count. 1 for prose and pages, most of which are the
    frame, and for a text without code.
    """
    from fingerprint.languages.code import CodeFrontEnd  # noqa: PLC0415 - NumPy and Pygments are slow to import

    if not isinstance(front_end, CodeFrontEnd):
        return 1.0
    read = int((tokens.ends - tokens.starts).sum())
    if read >= ENOUGH * len("".join(text.split())):
        return 1.0
    code = front_end.code_characters(text)
    return min(1.0, read / code) if code else 1.0
