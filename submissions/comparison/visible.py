"""Escape text for HTML and spell out characters that are invisible or misleading.

Control characters and direction overrides change how a reader sees the text around them.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape

# Control characters except tab and line ends, zero-width and direction characters, line separators, tags,
# lone surrogates.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
# A run of at least so many is written as one: an element for each would freeze the page.
UNSEEN_RUN = 100
_UNSAFE = re.compile(f"[{_UNSEEN}]{{{UNSEEN_RUN},}}|[&<>\"'\r{_UNSEEN}]")


def visible_html(text: str) -> str:
    """Return `text` escaped, with an element for every invisible or misleading character."""
    return _UNSAFE.sub(_spelt_out, text) if _UNSAFE.search(text) else text


def visible_text(text: str) -> str:
    """Return `text` as `visible_html` does, but without elements: for attributes and titles."""
    return escape(UNSEEN.sub(lambda char: f"‹U+{ord(char[0]):04X}›", text))


def character_name(char: str) -> str:
    """Return a character's code point and name."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def _spelt_out(match: re.Match[str]) -> str:
    characters = match.group()
    if characters in "&<>\"'":
        return escape(characters)
    label = (
        f"U+{ord(characters[0]):04X}"
        if len(characters) == 1
        else f"{len(characters):,} characters from U+{ord(characters[0]):04X} on"
    )
    return f'<span class="unseen" title="{character_name(characters[0])}">‹{label}›</span>'
