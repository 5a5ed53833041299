r"""Line ends: lexers need text with `\n` and a last newline; token offsets refer to the original text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fingerprint.types import Offsets


# White space at line ends is removed too; otherwise some lexers continue the statement on the next line.
_REMOVED = re.compile(r"\A\ufeff|(?<![ \t\r])[ \t\r]++(?=\n)")


class LexerInput:
    r"""A copy of `text` that is suitable for lexers, with a mapping of its offsets to offsets in `text`.

    A byte order mark and white space at line ends (with the `\r` of `\r\n`) are removed, a lone `\r` becomes
    `\n`, and a last newline is added.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        may_remove = text.startswith("\ufeff") or any(end in text for end in ("\r", " \n", "\t\n"))
        removed = [i for match in _REMOVED.finditer(text) for i in range(*match.span())] if may_remove else []
        # In the copy the i-th removed character was before offset removed[i] - i.
        self._removed = np.array(removed, dtype=np.int32) - np.arange(len(removed), dtype=np.int32)
        plain = _REMOVED.sub("", text) if removed else text
        plain = plain.replace("\r", "\n")
        self.source = plain if plain.endswith("\n") else plain + "\n"

    def starts(self, offsets: Offsets) -> Offsets:
        """Map offsets of first characters in the copy to offsets in `text`."""
        return self._original(offsets)

    def ends(self, offsets: Offsets) -> Offsets:
        """Map exclusive ends; each stays behind its token's last character, before any removed characters."""
        if not len(self._removed):
            return self._original(offsets)
        ends: Offsets = np.minimum(offsets, 1) + self._original(np.maximum(offsets - 1, 0))
        return np.minimum(ends, np.int32(self._length))

    def _original(self, offsets: Offsets) -> Offsets:
        if not len(self._removed):
            return np.minimum(offsets, np.int32(self._length))
        removed_before = np.searchsorted(self._removed, offsets, side="right").astype(np.int32)
        original: Offsets = np.minimum(offsets + removed_before, np.int32(self._length))
        return original
