"""The slowest texts that were found for front-ends, their slow rules, and patterns of language detection.

`python -m tests.hostile.search` and `python -m tests.hostile.rules` search again and write `slow_texts.json`.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.hostile.case import Case
from tests.support.product_regexes import listed
from tests.support.regex_ambiguity import Pumped, pumped_texts

FOUND = Path(__file__).with_name("slow_texts.json")
CHARACTERS = 100_000


class SlowText(NamedTuple):
    """A text: `before`, then `repeated` until the text has its length, then `after`.

    `target` is the front-end, its rule or the pattern that it is slow for, `seconds` what a text of 16,000
    characters took, and `growth` the power of its length with which the time grew.
    """

    target: str
    suffix: str
    before: str
    repeated: str
    after: str
    seconds: float
    growth: float

    def text(self, characters: int) -> str:
        count = (characters - len(self.before) - len(self.after)) // len(self.repeated)
        return self.before + self.repeated * max(1, count) + self.after


def slowest_texts() -> list[SlowText]:
    return [SlowText(**row) for row in json.loads(FOUND.read_text())]


def slow_cases() -> Iterator[Case]:
    for slow in slowest_texts():
        data = slow.text(CHARACTERS).encode("utf-8", "replace")
        detail = f"for {slow.target}: {slow.before!r}, {slow.repeated!r} again and again, {slow.after!r}"
        yield Case("slowest text", detail, slow.suffix, data, alone=True)


# Beginnings and ends of lines, values, lists and comments in the formats of platforms and rosters.
USUAL = (
    "\n", "\r\n", "\r", " ", "\t", "\n ", " \n", "(", ")", "[", "{", "<", '"', "'", '""', "''", "\\", "\\x",
    ",", ";", ":", ": ", "- ", "_", "a_", "a,", '"a",', '"\n', "Name:", "Name: a (", "Name:\n", "\nName: a",
    "Original filename: a\n", "Filename: a\n", "&nbsp;", "\0", "\ufeff", "é", "\u2028",
)  # fmt: skip


@cache
def pumped(folder: str) -> tuple[Pumped, ...]:
    """Return the usual words, and those of each expression in the files of a folder of the product."""
    words = {
        text
        for one in listed().written
        if one.place.file.startswith(folder) and isinstance(one.pattern.pattern, str)
        for method in one.methods
        for text in pumped_texts(one.pattern, method)
    }
    return (*(Pumped("", word) for word in USUAL), *sorted(words))


def repeated(text: Pumped, characters: int, end: str = "\x01") -> str:
    """Return a text of about so many characters, and of its beginning once at least."""
    return text.before + text.word * max(1, (characters - len(text.before)) // len(text.word)) + end
