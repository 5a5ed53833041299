"""The order in which people expect names: `HW2` before `HW10`, whatever the case."""

from __future__ import annotations

import re
import unicodedata

NUMBERS = re.compile(r"(\d+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a key to sort names by: numbers in them by value, letters without case and accents.

    Spaces beside a number do not count: `hw 3` is between `HW2` and `HW10`.
    """
    text = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(char for char in text if not unicodedata.combining(char))
    parts = list(map(str.strip, NUMBERS.split(letters)))
    return tuple((int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts)), name
