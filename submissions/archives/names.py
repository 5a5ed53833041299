"""What an entry is called: legacy encodings read, paths made clean, junk told from work."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from charset_normalizer import from_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

# Encodings that archivers of many scripts still write; short names are told apart best among few.
LEGACY_ENCODINGS = ["cp932", "gbk", "big5", "euc_kr", "cp1251", "cp866"]
# Accented letters are single bytes among ASCII ones in Western names, runs of bytes elsewhere.
WESTERN = re.compile(rb"[\x00-\x7f]*(?:[\x80-\xff](?=[\x00-\x7f]|\Z)[\x00-\x7f]*)*")
NAMES_SAMPLED, BYTES_SAMPLED = 200, 20_000  # detection takes long on more
DOS_LETTERS_END = 0xA8  # cp437 keeps its letters below, cp1252 above

JUNK_FOLDERS = {
    "__macosx": "left by macOS",
    "node_modules": "downloaded packages",
    "site-packages": "downloaded packages",
    "__pycache__": "compiled output",
}
JUNK_FILES = {"thumbs.db": "left by Windows", "desktop.ini": "left by Windows", "icon\ufffd": "left by macOS"}
COMPILED = frozenset({
    ".class", ".jar", ".war", ".ear", ".o", ".obj", ".a", ".lib", ".so", ".dylib", ".dll", ".exe",
    ".pdb", ".ilk", ".pyc", ".pyo", ".hi", ".cmi", ".cmo", ".cmx", ".beam", ".rlib", ".rmeta", ".wasm",
})  # fmt: skip


def decode_names(raw: Iterable[bytes]) -> str:
    """Name the encoding that all `raw` names of one archive are in.

    UTF-8 if every name is; a Western code page if non-ASCII bytes stand alone; else the likeliest of
    the East Asian and Cyrillic ones; `cp437`, the zip format's own, when nothing fits.
    """
    telling = [name for name in raw if not name.isascii()]
    joined = b"\n".join(telling[:NAMES_SAMPLED])[:BYTES_SAMPLED]
    try:
        b"\n".join(telling).decode()
    except UnicodeDecodeError:
        pass  # not UTF-8: the rules below decide
    else:
        return "utf-8"
    if WESTERN.fullmatch(joined):
        return "cp437" if max(joined) < DOS_LETTERS_END else "cp1252"
    best = from_bytes(joined, cp_isolation=LEGACY_ENCODINGS).best()
    return best.encoding if best else "cp437"


def redecoded(name: str) -> str:
    """Name from a tar or a disk, read anew where surrogates stand for bytes that are not UTF-8."""
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name  # other surrogates; they are made visible
    return raw.decode(decode_names([raw]), "replace")


def visible(name: str) -> str:
    """Make control characters, direction overrides and lone surrogates show as U+FFFD; compose (NFC)."""
    shown = "".join(
        "\ufffd" if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else c for c in name
    )
    return unicodedata.normalize("NFC", shown)


def clean(name: str, longest: int) -> tuple[str, str]:
    """Relative POSIX path of an entry, and why it is refused (empty when it is not).

    Back-slashes separate folders, as in zips made by older Windows programs. A refused name is only
    for reading: visible, and cut to `longest` characters.
    """
    path = visible(name).replace("\\", "/")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return path[:longest], "an absolute path; only relative ones are taken"
    if ".." in parts:
        return path[:longest], "its path leads out of the archive (..)"
    if not parts:
        return path[:longest] or "(no name)", "it has no name"
    joined = "/".join(parts)
    if len(joined) > longest:
        return joined[: longest - 1] + "…", f"its path has {len(joined)} characters; the limit is {longest}"
    return joined, ""


def junk(path: str) -> tuple[str, str] | None:
    """Tell the part of a clean path that nobody wrote, and why: (path up to it, reason), or None."""
    parts = path.split("/")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        table = JUNK_FILES if last else JUNK_FOLDERS
        reason = "hidden" if part.startswith(".") else table.get(part.lower(), "")
        if reason:
            return "/".join(parts[: i + 1]) + ("" if last else "/"), reason
    suffix = parts[-1][parts[-1].rfind(".") :].lower()
    return (path, "compiled output") if suffix in COMPILED else None
