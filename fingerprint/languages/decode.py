"""From the bytes of a file to text, or a refusal that a teacher understands."""

from __future__ import annotations

import codecs
from typing import NamedTuple

# Bytes shown to the guesser of encodings: enough to tell, and never slow.
SAMPLE = 1 << 16

# A text may hold this share of control characters; old files have form feeds and an end-of-file mark.
CONTROLS_ALLOWED = 0.02

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SIGNATURES = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive, or an office document or Java archive, which are zips"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\xca\xfe\xba\xbe", "a compiled Java class or a macOS program"),
    (b"\x7fELF", "a compiled program"),
    (b"MZ\x90", "a compiled Windows program"),
    (b"\xcf\xfa\xed\xfe", "a compiled macOS program"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"{\\rtf", "a rich text document; save it as plain text"),
)

# Control characters that no text holds; tabs, line ends, escapes and the end-of-file mark are usual.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\b")) + b"\x7f"

# What files are in when not in Unicode, so that a short one is not taken for something exotic.
_LIKELY = (
    "cp1252 cp1250 cp1251 koi8_r gb18030 big5 cp932 euc_jp euc_kr cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "cp874 mac_roman cp437 cp850"
)
_LATIN = frozenset({"cp1250", "cp1254", "cp1257", "cp1258", "mac_roman", "cp437", "cp850"})


class NotText(ValueError):
    """The bytes are no text; the message says what they seem to be."""


class Decoded(NamedTuple):
    """Text of a file, its line ends as they were and no byte order mark, and the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """Text of a file: UTF-8, else what its byte order mark says, else the likeliest encoding.

    Raises
    ------
    NotText
        For an image, an archive, a program, or anything else that is not text.
    """
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise NotText(f"it is {what}, not a text file")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _as_marked(data[len(mark) :], encoding)
    if b"\0" in data:
        return _wide(data)
    _refuse_controls(data)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _legacy(data)


def _as_marked(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    if text.count("\ufffd") > max(1, len(text) * CONTROLS_ALLOWED):
        raise NotText(f"it is marked as {encoding.upper()}, but cannot be read as that")
    _refuse_nul(text)
    return Decoded(text, encoding)


def _wide(data: bytes) -> Decoded:
    """UTF-16 without its mark: most of its text is Latin, so that every other byte is NUL."""
    half = max(1, len(data) // 2)
    if len(data) % 2 == 0:
        for encoding, high in (("utf-16-le", data[1::2]), ("utf-16-be", data[0::2])):
            if high.count(0) > half * 0.6 and data.count(0) == high.count(0):
                return _as_marked(data, encoding)
    raise NotText(
        f"it holds a NUL byte (at offset {data.index(0):,}), as binary files do and text files do not"
    )


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise NotText(f"it holds a NUL character (at offset {text.index(chr(0)):,}), which text files do not")


def _refuse_controls(data: bytes) -> None:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > len(data) * CONTROLS_ALLOWED:
        share = controls / len(data)
        raise NotText(f"{share:.0%} of it are control characters, as in binary files")


def _legacy(data: bytes) -> Decoded:
    damaged = data.decode("utf-8", errors="replace")
    beyond_ascii = len(damaged) - len(damaged.encode("ascii", "ignore"))
    wrong = damaged.count("\ufffd")
    if beyond_ascii > 5 * wrong:  # a few broken bytes in what is plainly UTF-8
        return Decoded(damaged, "utf-8")
    for encoding in (_guessed(data), "cp1252"):
        try:
            return Decoded(data.decode(encoding), encoding)
        except UnicodeDecodeError:
            continue
    return Decoded(data.decode("latin-1"), "latin-1")


def _guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import and seldom needed

    guess = from_bytes(_telling_lines(data), cp_isolation=_LIKELY.split()).best()
    if guess is None or "cp1252" in guess.could_be_from_charset:
        return "cp1252"
    return "cp1252" if guess.encoding in _LATIN and _reads_as_western(data) else str(guess.encoding)


def _reads_as_western(data: bytes) -> bool:
    """Whether all beyond ASCII would be letters in Western Europe: few words do not tell `ï` from `ď`."""
    beyond = data.translate(None, bytes(range(128)))[:SAMPLE]
    return beyond.decode("cp1252", errors="replace").isalpha()


def _telling_lines(data: bytes) -> bytes:
    """Pick the first lines that are not plain ASCII: the others tell nothing of the encoding."""
    sample = b"\n".join(line[:400] for line in data[: 16 * SAMPLE].splitlines() if not line.isascii())
    return sample[:SAMPLE] or data[-SAMPLE:]
