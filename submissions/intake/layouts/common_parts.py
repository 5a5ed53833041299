"""Cut off the words with which all names of a class begin or end, such as the name of the assignment."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# Words end at blanks: what is joined otherwise, as `case-01_L1.java`, a program named, and others know it.
WORD_END = " "
# These are left out beside what was cut off.
JOINING = " _-"
# With fewer names, what they have in common may be a family name.
MIN_NAMES = 3
# What is left of a name has so many letters: numbers alone are no names.
MIN_LETTERS = 2


def without_common_parts(names: Collection[str]) -> dict[str, str]:
    """Return each of the distinct `names` without the words with which all of them begin or end.

    All names stay as they are where fewer than three would remain distinct names with letters.
    """
    if len(names) < MIN_NAMES:
        return {name: name for name in names}
    start = _common_words(names)
    end = _common_words([name[start:][::-1] for name in names])
    short = {name: name[start : len(name) - end].strip(JOINING) for name in names}
    letters = (sum(map(str.isalpha, rest)) for rest in short.values())
    fits = min(letters) >= MIN_LETTERS and len(set(short.values())) == len(short)
    return short if fits else {name: name for name in names}


def _common_words(names: Collection[str]) -> int:
    """Return how many characters all names begin with, up to the last end of a word among these."""
    common = takewhile(lambda characters: len(set(characters)) == 1, zip(*names, strict=False))
    text = "".join(characters[0] for characters in common)
    return text.rfind(WORD_END) + 1
