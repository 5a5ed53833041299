"""Text as HTML in which nothing can hide: a character that cannot be seen or would mislead is spelt out.

Controls and direction overrides change how a reader sees the text around them.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape

# Controls but tab, zero-width and direction characters, line separators, tags, lone surrogates.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
# This many in a row are written as one: a mark for each would freeze the page.
UNSEEN_RUN = 100
_UNSAFE = re.compile(f"[{_UNSEEN}]{{{UNSEEN_RUN},}}|[&<>\"'\r{_UNSEEN}]")


def visible(text: str) -> str:
    """Escape `text` for HTML, with every character spelt out that a reader could not see or be misled by."""
    return _UNSAFE.sub(_spelt_out, text) if _UNSAFE.search(text) else text


def visible_plainly(text: str) -> str:
    """Escape `text` as `visible` does, for places where no markup may stand."""
    return escape(UNSEEN.sub(lambda char: f"⟨U+{ord(char[0]):04X}⟩", text))


def character_name(char: str) -> str:
    """Return a character's code point and name."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def _spelt_out(match: re.Match[str]) -> str:
    char = match.group()
    if char in "&<>\"'":
        return escape(char)
    shown = (
        f"U+{ord(char[0]):04X}"
        if len(char) == 1
        else f"{len(char):,} characters from U+{ord(char[0]):04X} on"
    )
    return f'<span class="unseen" title="{character_name(char[0])}">⟨{shown}⟩</span>'
