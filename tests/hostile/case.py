"""One hostile upload, with a name that says what it is."""

from typing import NamedTuple

# What honest entries hold; each is a file of its own language with tokens to compare.
PROGRAM = b"def spread(values):\n    low, high = min(values), max(values)\n    return high - low\n"
OTHER_PROGRAM = b"class Tally:\n    def __init__(self):\n        self.counts = {}\n"


class Case(NamedTuple):
    """An uploaded file: its `kind`, which of that kind it is, the end of its name, and its bytes.

    `alone`: it is a batch of its own, because it may reach a limit of the whole upload or of its own time.
    `patterns` are those of files that its assignment leaves out; they are taken from a case that is alone.
    """

    kind: str
    detail: str
    suffix: str
    data: bytes
    alone: bool = False
    patterns: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.detail}"
