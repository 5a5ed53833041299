"""Names of archive entries: detect their encoding, clean their paths."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import TYPE_CHECKING

from submissions.intake.code_pages import PRIORS, likeliest_code_page

if TYPE_CHECKING:
    from collections.abc import Iterable

DRIVE = re.compile(r"[A-Za-z]:")


def detect_encoding(names: Iterable[bytes]) -> str:
    """Return the encoding of the names of one archive.

    UTF-8 if all names are valid UTF-8; else the code page in which they are the likeliest.
    """
    non_ascii = [name for name in names if not name.isascii()]
    try:
        b"\n".join(non_ascii).decode()
    except UnicodeDecodeError:
        return likeliest_code_page(non_ascii)
    return "utf-8"


def import_encodings() -> None:
    """Import every encoding that `detect_encoding` returns."""
    for encoding in PRIORS:
        codecs.lookup(encoding)
    likeliest_code_page(["разное".encode("cp1251")])


def redecode(name: str) -> str:
    """Decode a name from a tar or a disk again, where surrogates stand for bytes that are not UTF-8."""
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name  # other surrogates; `replace_invisible` replaces them
    return raw.decode(detect_encoding([raw]), "replace")


def replace_invisible(name: str) -> str:
    """Replace control characters, direction overrides and lone surrogates by U+FFFD; normalise to NFC."""
    if name.isprintable():  # None of these are.
        return unicodedata.normalize("NFC", name)
    visible = "".join(
        "\ufffd" if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else c for c in name
    )
    return unicodedata.normalize("NFC", visible)


def clean_path(name: str, max_length: int) -> tuple[str, str]:
    """Return the relative POSIX path of an entry, and why it is refused (empty when it is not).

    Backslashes separate folders, as in zips from older Windows programs. The path of a refused entry is only
    for display: without invisible characters, and cut to `max_length` characters.
    """
    path = replace_invisible(name).replace("\\", "/")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or DRIVE.match(path):
        return path[:max_length], "an absolute path; only relative ones are taken"
    if ".." in parts:
        return path[:max_length], "its path leads out of the archive (..)"
    if not parts:
        return path[:max_length] or "(no name)", "it has no name"
    joined = "/".join(parts)
    if len(joined) > max_length:
        reason = f"its path has {len(joined)} characters; the limit is {max_length}"
        return shorten(joined, max_length), reason
    return joined, ""


def shorten(path: str, max_length: int) -> str:
    """Return a path for display, cut to `max_length` characters."""
    return path if len(path) <= max_length else path[: max_length - 1] + "…"


def numbered(path: str, number: int, max_length: int) -> str:
    """Return a path with a number before its suffix, `Main (2).java`, cut so that it is not too long."""
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
    end = f" ({number}){dot}{suffix}"
    room = max_length - len(folder + slash) - len(end)
    if room > 0:
        return f"{folder}{slash}{stem[:room]}{end}"
    # No room beside such a suffix, or in such a folder: the path is cut as a whole.
    return f"{path[: max_length - len(f' ({number})')].rstrip('/')} ({number})"


class UniqueNames:
    """The names of one upload, so that later ones of the same name are numbered."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return `name`, numbered if an earlier entry has the same name: `Main (2).java`."""
        unique = name
        while unique in self._used:
            self._counts[name] = self._counts.get(name, 1) + 1
            unique = numbered(name, self._counts[name], self._max_length)
        self._used.add(unique)
        return unique
