"""Decode the bytes of a file, or raise an error with a message that an instructor understands."""

from __future__ import annotations

import codecs
import encodings
import re
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple
from unicodedata import category

from fingerprint import reasons
from fingerprint.languages.look_alikes import FILLER

# Bytes from which an encoding is guessed: enough for a good guess, and few enough to be fast.
SAMPLE = 1 << 16

# Largest share of control characters in a text; old files have form feeds and an end-of-file mark. A NUL
# alone is no sign of another file: one a line is what some editors and students leave.
CONTROLS_ALLOWED, NULS_ALLOWED = 0.02, 0.05

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, since it begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Long enough that no text begins with one by chance.
_SIGNATURES: tuple[tuple[bytes | tuple[bytes, ...], str], ...] = (
    (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), ((b"GIF87a", b"GIF89a"), "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive, or an office document or Java archive, which are zips"),
    (b"PK\x05\x06", "an empty zip archive"), (b"\x1f\x8b", "a gzip archive"),
    (tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)), "a bzip2 archive"), (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"), (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"), (b"\xca\xfe\xba\xbe", "a compiled Java class or a macOS program"),
    (b"\x7fELF", "a compiled program"), (b"MZ\x90", "a compiled Windows program"),
    (b"\xcf\xfa\xed\xfe", "a compiled macOS program"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"SQLite format 3\0", "an SQLite database"), (b"OggS\0", "an Ogg recording"),
    ((b"ID3\x02", b"ID3\x03", b"ID3\x04"), "an MP3 recording"),
    (b"RSRC\r\n", "a LabVIEW program, whose format is not public"),
    (b"{\\rtf", "a rich text document; save it as plain text"),
)  # fmt: skip

_SIGNED = tuple(
    start for signature, _ in _SIGNATURES for start in (signature if isinstance(signature, tuple) else (signature,))
)

# Share of characters with a high byte that is NUL in UTF-16: comments in Chinese leave at least the code.
LATIN_IN_UTF_16 = 0.2
# Controls, lone surrogates, and what is private or unassigned.
_NO_TEXT = frozenset({"Cc", "Cs", "Co", "Cn"})
_USUAL_CONTROLS = "\t\n\r\f"
# Control characters that texts do not contain; tabs, line ends, escapes and the end-of-file mark are usual.
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1a\x1b\b")) + b"\x7f"

# Likely encodings other than Unicode. Only these are guessed: a short file would fit many rare encodings.
_LIKELY = (
    "cp1252 cp1250 cp1251 koi8_r gb18030 big5 cp932 euc_jp euc_kr cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "cp874 mac_roman cp437 cp850"
)
_WINDOWS_ONLY = frozenset({"mbcs", "oem"})
# A NUL, which Postgres does not store, and lone surrogates, which no encoding represents.
_NOT_STORABLE = re.compile(r"[\0\ud800-\udfff]")
_LATIN = frozenset({"cp1250", "cp1254", "cp1257", "cp1258", "mac_roman", "cp437", "cp850"})


class NotText(ValueError):
    """The bytes are not text; the message says what they seem to be."""


class Decoded(NamedTuple):
    """Text of a file, with its own line ends and without byte order mark, and the encoding of the file."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """Decode a file: by its byte order mark, as UTF-8, or in the likeliest other encoding.

    Raises NotText for an image, an archive, a program, or anything else that is not text.
    """
    if data.startswith(_SIGNED):
        kind = next(kind for signature, kind in _SIGNATURES if data.startswith(signature))
        raise NotText(f"it is {kind}, not a text file")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    padded = data.rstrip(b"\0")
    if b"\0" in padded and (wide := _unmarked_utf_16(padded + data[len(padded) :][: len(padded) % 2])):
        return wide
    data = padded or data  # Some editors and systems end a file with one or more of them.
    _refuse_controls(data)
    try:
        decoded = Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        decoded = _decode_legacy(data)
    return decoded._replace(text=decoded.text.replace("\0", FILLER))


def import_encodings() -> None:
    """Import every encoding, and what guesses one. Python imports them at first use, its parsers too."""
    for module in iter_modules(encodings.__path__):
        if module.name not in _WINDOWS_ONLY:
            import_module(f"{encodings.__name__}.{module.name}")
    _guess_encoding("добрый день\n".encode("cp1251"))


def storable(text: str) -> str:
    """Return `text` with U+FFFD for each character that cannot be stored or sent: NUL and lone surrogates."""
    return _NOT_STORABLE.sub("\ufffd", text)


def _decode_as(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    if text.count("\ufffd") > max(1, len(text) * CONTROLS_ALLOWED):
        raise NotText(reasons.BAD_ENCODING.format(encoding=encoding.upper()))
    text = text.rstrip("\0")
    _refuse_controls(text.encode())
    return Decoded(text.replace("\0", FILLER), encoding)


def _unmarked_utf_16(data: bytes) -> Decoded | None:
    """Decode UTF-16 without byte order mark; each Latin letter, space and line end has a byte that is NUL.

    Other characters may have one as their lower byte, so that the likelier byte order is tried first.
    """
    highs = (("utf-16-le", data[1::2]), ("utf-16-be", data[0::2]))
    for encoding, high in sorted(highs, key=lambda order: -order[1].count(0)):
        zeros = high.count(0)
        if len(data) % 2 == 0 and zeros > max(len(high) * LATIN_IN_UTF_16, 2 * (data.count(0) - zeros)):
            text = data.decode(encoding, errors="replace")
            if _is_plausible(text):
                return Decoded(text, encoding)
    return None


def _is_plausible(text: str) -> bool:
    """Return whether a text has the characters of texts; other bytes give many that are unassigned."""
    sample = text[:SAMPLE]
    odd = sum(category(character) in _NO_TEXT for character in sample) + sample.count("\ufffd")
    odd -= sum(map(sample.count, _USUAL_CONTROLS))
    return bool(sample) and "\0" not in text and odd <= len(sample) * CONTROLS_ALLOWED


def _refuse_controls(data: bytes) -> None:
    if data.count(0) > len(data) * NULS_ALLOWED:
        raise NotText(reasons.NUL_BYTE.format(n=f"{data.index(0):,}"))
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > len(data) * CONTROLS_ALLOWED:
        share = controls / len(data)
        raise NotText(reasons.CONTROLS.format(share=f"{share:.0%}"))


def _decode_legacy(data: bytes) -> Decoded:
    damaged = data.decode("utf-8", errors="replace")
    beyond_ascii = len(damaged) - len(damaged.encode("ascii", "ignore"))
    wrong = damaged.count("\ufffd")
    if beyond_ascii > 5 * wrong:  # UTF-8 with a few broken bytes
        return Decoded(damaged, "utf-8")
    for encoding in (_guess_encoding(data), "cp1252"):
        try:
            return Decoded(data.decode(encoding), encoding)
        except UnicodeDecodeError:
            continue
    return Decoded(data.decode("latin-1"), "latin-1")


def _guess_encoding(data: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import and seldom needed

    guess = from_bytes(_non_ascii_lines(data), cp_isolation=_LIKELY.split()).best()
    if guess is None or "cp1252" in guess.could_be_from_charset:
        return "cp1252"
    return "cp1252" if guess.encoding in _LATIN and _looks_western(data) else str(guess.encoding)


def _looks_western(data: bytes) -> bool:
    """Return whether all bytes beyond ASCII are letters in cp1252.

    The guess of another Latin encoding is then not trusted: a few words do not show whether a byte is `ï` or `ď`.
    """
    beyond_ascii = data.translate(None, bytes(range(128)))[:SAMPLE]
    return beyond_ascii.decode("cp1252", errors="replace").isalpha()


def _non_ascii_lines(data: bytes) -> bytes:
    """Return the first lines that are not plain ASCII, since only they depend on the encoding."""
    sample = b"\n".join(line[:400] for line in data[: 16 * SAMPLE].splitlines() if not line.isascii())
    return sample[:SAMPLE] or data[-SAMPLE:]
