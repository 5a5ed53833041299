"""The protocol of MOSS clients: its lines, the names of files and of languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from submissions.intake.entries import UniqueNames, replace_invisible

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


# Clients send these words; most are the names of our front-ends, too.
LANGUAGES = {
    "c": "c", "cc": "cpp", "java": "java", "ml": "ocaml", "pascal": "pascal", "ada": "ada",
    "lisp": "common-lisp", "scheme": "scheme", "haskell": "haskell", "fortran": "fortran", "ascii": "text",
    "vhdl": "vhdl", "perl": "perl", "matlab": "matlab", "python": "python", "mips": "mips",
    "prolog": "prolog", "spice": "text", "vb": "vb", "csharp": "csharp", "modula2": "modula2", "a8086": "x86",
    "javascript": "javascript", "plsql": "plsql", "verilog": "verilog",
}  # fmt: skip


def front_end_name(word: str) -> str | None:
    """Return the name of the front-end for the word of a client, or None where the language is not known."""
    return LANGUAGES.get(word)


# Characters that a path may have in an upload.
PATH_CHARACTERS = 400
# A folder of directory mode holds the name of a file, too.
FOLDER_CHARACTERS = 200
NO_NAME = "file"


def sent_text(raw: bytes) -> str:
    """Return text that a client sends in UTF-8 or in the encoding of an old Windows machine."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def shown_name(raw: bytes) -> str:
    """Return a name as text without white space and invisible characters, as pages show it."""
    text = sent_text(raw)
    return replace_invisible("_".join(text.split())).replace("\\", "/")


def relative_path(name: str) -> str:
    """Return a name as a relative path without `.` and `..`, which clients send for files elsewhere."""
    parts = [part for part in name.split("/") if part not in {"", ".", ".."}]
    return "/".join(parts)[-PATH_CHARACTERS:].strip("/") or NO_NAME


@dataclass
class SentNames:
    """The paths of one upload in its archive, and the names that the client knows them by.

    In directory mode, each directory is one folder at the top of the archive. `sent` has the client's name of
    each file or folder at the top that has another one here.
    """

    directory: bool
    sent: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    _paths: UniqueNames = field(default_factory=lambda: UniqueNames(PATH_CHARACTERS))
    _tops: UniqueNames = field(default_factory=lambda: UniqueNames(FOLDER_CHARACTERS))

    def path(self, raw: bytes) -> str:
        """Return the path for the next file of the client in the archive."""
        name = shown_name(raw)
        return self._in_folder(name) if self.directory else self._single(name)

    def _single(self, name: str) -> str:
        path = self._paths.unique(relative_path(name))
        if path != name:
            self.sent[path] = name[:PATH_CHARACTERS]
        return path

    def _in_folder(self, name: str) -> str:
        directory, _, base = name.rpartition("/")
        if directory not in self.folders:
            plain = relative_path(directory).replace("/", "-")[-FOLDER_CHARACTERS:]
            self.folders[directory] = self._tops.unique(plain)
            self.sent[self.folders[directory]] = f"{directory or '.'}/"[-PATH_CHARACTERS:]
        room = PATH_CHARACTERS - FOLDER_CHARACTERS - 1
        return self._paths.unique(f"{self.folders[directory]}/{relative_path(base)[-room:]}")
