r"""Lexers are written for text with `\n` and a last newline; offsets are wanted in the text as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fingerprint.types import Offsets


# White space at line ends goes too: some lexers take the next line for the same statement after it.
_REMOVED = re.compile(r"\A\ufeff|(?<![ \t\r])[ \t\r]++(?=\n)")


class Lexed:
    r"""A copy of `text` fit for lexers, and the way back to offsets in `text`.

    A byte order mark and white space at line ends, the `\r` of `\r\n` too, are taken out, a lone `\r`
    becomes `\n`, and a last newline is added.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        spare = text.startswith("\ufeff") or any(end in text for end in ("\r", " \n", "\t\n"))
        removed = [i for match in _REMOVED.finditer(text) for i in range(*match.span())] if spare else []
        # In the copy the i-th removed character stood before offset removed[i] - i.
        self._removed = np.array(removed, dtype=np.int32) - np.arange(len(removed), dtype=np.int32)
        plain = _REMOVED.sub("", text) if removed else text
        plain = plain.replace("\r", "\n")
        self.source = plain if plain.endswith("\n") else plain + "\n"

    def starts(self, offsets: Offsets) -> Offsets:
        return self._back(offsets)

    def ends(self, offsets: Offsets) -> Offsets:
        """Map exclusive ends: a token keeps to its last character, so that no line end is added behind it."""
        ends: Offsets = np.minimum(offsets, 1) + self._back(np.maximum(offsets - 1, 0))
        return np.minimum(ends, np.int32(self._length))

    def _back(self, offsets: Offsets) -> Offsets:
        if not len(self._removed):
            return np.minimum(offsets, np.int32(self._length))
        before = np.searchsorted(self._removed, offsets, side="right").astype(np.int32)
        back: Offsets = np.minimum(offsets + before, np.int32(self._length))
        return back
