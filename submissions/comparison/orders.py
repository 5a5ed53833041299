"""Orders in which people expect names, `HW2` before `HW10`, and of submissions by their content.

An alignment may depend on which of two submissions comes first, and the order of equal pairs shows it: it
must not reveal the order of the names.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

NUMBERS = re.compile(r"(\d+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a key to sort names by: numbers in them by value, letters without case and accents.

    Spaces beside a number do not count: `hw 3` is between `HW2` and `HW10`.
    """
    text = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(char for char in text if not unicodedata.combining(char))
    parts = list(map(str.strip, NUMBERS.split(letters)))
    return tuple((int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts)), name


class HashedFile(NamedTuple):
    """A file: the number of its submission, the SHA-256 of its bytes as text, and its path."""

    submission: int
    digest: str
    path: str


class ContentOrder(NamedTuple):
    """The former numbers of submissions and of files in their new order; files follow their submissions."""

    submissions: list[int]
    files: list[int]


def content_order(files: Sequence[HashedFile], submissions: int) -> ContentOrder:
    """Order submissions by the digests of their files, ascending, and the files of each by digest and path.

    Submissions of equal content keep their order, and so do equal files of one path.
    """
    by_digest = sorted(range(len(files)), key=lambda number: files[number][1:])
    files_of: list[list[int]] = [[] for _ in range(submissions)]
    for number in by_digest:
        files_of[files[number].submission].append(number)
    digests = [[files[number].digest for number in numbers] for numbers in files_of]
    order = sorted(range(submissions), key=digests.__getitem__)
    return ContentOrder(order, [number for submission in order for number in files_of[submission]])
