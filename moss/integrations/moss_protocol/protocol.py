"""Read the lines of the MOSS clients' protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# What a client that states nothing means.
DEFAULT_COMMON_LIMIT, DEFAULT_SHOWN = 10, 250
# The database holds no larger limit; every larger one means the same.
LARGEST_COMMON_LIMIT, LARGEST_SHOWN = 1_000_000, 5_000
DIGITS = 18
PARTS_OF_FILE = 5


class ProtocolError(Exception):
    """A client sent something that the protocol does not have; the message is for its user."""


@dataclass
class Options:
    """The options of one session: -d, -x, -m (`common_limit`), -n (`shown`) and -l of the command line."""

    directory: bool = False
    experimental: bool = False
    common_limit: int = DEFAULT_COMMON_LIMIT
    shown: int = DEFAULT_SHOWN
    language: str = ""

    def set(self, word: str, value: str) -> None:
        """Set the option of one line; the language has a line of its own."""
        if word == "directory":
            self.directory = number(word, value) != 0
        elif word == "X":
            self.experimental = number(word, value) != 0
        elif word == "maxmatches":
            self.common_limit = min(max(number(word, value), 2), LARGEST_COMMON_LIMIT)
        elif word == "show":
            self.shown = min(max(number(word, value), 1), LARGEST_SHOWN)
        else:
            raise ProtocolError(f"{word[:40]!r} is no line of this protocol.")

    def __str__(self) -> str:
        words = [f"-l {self.language}", "-d" if self.directory else "", "-x" if self.experimental else ""]
        return " ".join(word for word in (*words, f"-m {self.common_limit}", f"-n {self.shown}") if word)


class FileLine(NamedTuple):
    """The line before the bytes of a file; base files have the number 0."""

    number: int
    size: int
    name: bytes

    @property
    def is_base(self) -> bool:
        return self.number == 0


def split(line: bytes) -> tuple[str, bytes]:
    """Return the first word of a line, and the rest; LF or CR LF ends a line."""
    word, _, rest = line.rstrip(b"\r\n").partition(b" ")
    return word.decode("ascii", "backslashreplace"), rest


def text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


def file_line(rest: bytes) -> FileLine:
    """Return what stands after `file`: number, language, size and name."""
    parts = b" ".join((b"file", rest)).split(b" ", PARTS_OF_FILE - 1)
    if len(parts) < PARTS_OF_FILE or not parts[-1].strip():
        raise ProtocolError("A file needs a number, a language, a size and a name.")
    return FileLine(number("file", text(parts[1])), number("size", text(parts[3])), parts[4])


def number(word: str, value: str) -> int:
    """Return a number that is not negative."""
    if not (value.isascii() and value.isdigit() and len(value) <= DIGITS):
        raise ProtocolError(f"{value[:40]!r} is no number for {word!r}.")
    return int(value)
