"""Names of archive entries: detect their encoding, clean their paths."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import TYPE_CHECKING

from charset_normalizer import from_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

# Legacy encodings that archivers still write; only a few, because short names cannot distinguish many.
LEGACY_ENCODINGS = ["cp932", "gbk", "big5", "euc_kr", "cp1251", "cp866"]
# In Western names, non-ASCII bytes are single accented letters; in other scripts, several are adjacent.
WESTERN = re.compile(rb"[\x00-\x7f]*(?:[\x80-\xff](?=[\x00-\x7f]|\Z)[\x00-\x7f]*)*")
DRIVE = re.compile(r"[A-Za-z]:")
NAMES_SAMPLED, BYTES_SAMPLED = 200, 20_000  # detection is slow on more
DOS_LETTERS_END = 0xA8  # letters are below it in cp437, above it in cp1252


def detect_encoding(names: Iterable[bytes]) -> str:
    """Return the encoding of the names of one archive.

    UTF-8 if all names are valid UTF-8; a Western code page if no two non-ASCII bytes are adjacent; else the
    likeliest of the East Asian and Cyrillic ones; `cp437`, the zip format's default, if none fits.
    """
    non_ascii = [name for name in names if not name.isascii()]
    sample = b"\n".join(non_ascii[:NAMES_SAMPLED])[:BYTES_SAMPLED]
    try:
        b"\n".join(non_ascii).decode()
    except UnicodeDecodeError:
        pass  # not UTF-8: the rules below decide
    else:
        return "utf-8"
    if WESTERN.fullmatch(sample):
        return "cp437" if max(sample) < DOS_LETTERS_END else "cp1252"
    best = from_bytes(sample, cp_isolation=LEGACY_ENCODINGS).best()
    return best.encoding if best else "cp437"


def import_encodings() -> None:
    """Import every encoding that `detect_encoding` returns, and what guesses one."""
    for encoding in ("cp437", "cp1252", *LEGACY_ENCODINGS):
        codecs.lookup(encoding)
    detect_encoding(["разное".encode("cp1251")])


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
