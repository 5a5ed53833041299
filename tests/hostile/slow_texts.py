"""The slowest texts that were found for front-ends, their slow rules, and patterns of language detection.

`python -m tests.hostile.search` and `python -m tests.hostile.rules` search again and write `slow_texts.json`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.hostile.case import Case

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
