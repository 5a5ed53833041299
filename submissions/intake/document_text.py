"""The texts of documents that are no text files: what people wrote in them, line by line.

Only a confined child reads them (`load`). To add a kind of document, add an entry to FORMATS.
"""

from __future__ import annotations

import codecs
import io
import logging
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple

from fingerprint.engine import TooSlow, time_limit
from submissions.intake import sentences as reasons
from submissions.intake.limits import Budget, RefusalError, format_size

# Yields the text of a document in pieces; the budget limits what is unpacked.
Reader = Callable[[bytes, Budget], Iterable[str]]

DOCUMENT_SECONDS = 20.0
ZIP, PDF, RICH_TEXT = b"PK\x03\x04", b"%PDF-", b"{\\rtf"
# Between the XML of an office document and its text is markup.
MARKUP_FACTOR = 10
# What word processors and fonts make of what was typed: ligatures, quotation marks, dashes, blanks.
_AS_TYPED = str.maketrans({
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\u2026": "...",
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2013": "-", "\u2212": "-", "\xa0": " ", "\0": "",
})  # fmt: skip
# The parts of a model of Simulink that hold its blocks, and the line before each in a package of texts.
_MODEL_PART = re.compile(r"simulink/(?:blockdiagram|systems/\w+)\.xml")
_MODEL_LINE = "__MWOPC_PART_BEGIN__ /{name}\n{text}\n"
_BLANKS = re.compile(r"\s+")
# A PDF with an empty page; reading it loads what pypdf imports later.
_EMPTY_PDF = (
    b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>"
    b"\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 "
    b"0 R>>>>>>\nendobj\n4 0 obj\n<</Length 21>>\nstream\nBT /F 9 Tf (a) Tj ET\n\nendstream\nendobj\n"
    b"5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\ntrailer\n<</Root 1 0 R>>\n"
    b"startxref\n0\n%%EOF\n"
)

# Rich text: a word and its number, a byte in hexadecimal digits, another sign, a brace, or text.
_RICH_TEXT = re.compile(r"\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|[\r\n]++|([^\\{}\r\n]++)")
_RICH_SIGNS = {
    "par": "\n", "line": "\n", "row": "\n", "tab": "\t", "cell": "\t", "lquote": "'", "rquote": "'", "~": " ",
    "ldblquote": '"', "rdblquote": '"', "endash": "-", "_": "-", "\r": "\n", **{sign: sign for sign in "\n{}\\"},
}  # fmt: skip
_RICH_SETTINGS = frozenset({"*", "fonttbl", "colortbl", "stylesheet", "info", "pict", "header", "footer"})

_loaded = False


class Words(NamedTuple):
    """The elements of a kind of XML that hold text, by their names without namespaces.

    text : elements that hold text; paragraphs : elements that end a line
    spaced : text is as it is written; otherwise blanks and line ends in it are one blank
    code : the style of paragraphs with code, where others are comments
    """

    text: frozenset[str]
    paragraphs: frozenset[str]
    skipped: frozenset[str]
    spaced: bool = True
    code: str = ""


OFFICE = Words(frozenset({"t"}), frozenset({"p"}), frozenset({"Fallback", "del", "moveFrom", "tabs"}))
LIVE_SCRIPT = OFFICE._replace(code="code")
OPEN = Words(frozenset({"p", "h"}), frozenset({"p", "h"}), frozenset({"tracked-changes", "annotation"}), spaced=False)
_BREAKS = {"br": "\n", "cr": "\n", "line-break": "\n", "tab": "\t"}


class Lines:
    """Collects the lines of a document as the target of an XML parser, which keeps no tree."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._line: list[str] = []
        self._lines: list[str] = []
        self._style, self._inside, self._skipped = "", 0, 0
        self._blank = True  # whether a blank would follow one, or the beginning of the line

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        """Refuse declarations, which may be of entities: these can make a short text a long one."""
        raise RefusalError(reasons.DOCUMENT_ENTITIES)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        self._inside += name in self._words.text
        self._skipped += name in self._words.skipped
        if name in self._words.paragraphs:
            self._end_line(only_text=True)
        elif name == "pStyle":
            self._style = next(iter(attributes.values()), "")
        elif name == "s":
            blanks = next((value for key, value in attributes.items() if _local(key) == "c"), "1")
            self._add(" " * min(int(blanks), MOST_BLANKS) if blanks.isdecimal() else " ")
        elif name in _BREAKS:
            self._add(_BREAKS[name])

    def data(self, data: str) -> None:
        if self._inside and not self._words.spaced:
            data = _BLANKS.sub(" ", data)
            data = data.lstrip(" ") if self._blank else data
        if self._inside and data:
            self._add(data)
            self._blank = data.endswith(" ")

    def end(self, tag: str) -> None:
        name = _local(tag)
        if name in self._words.paragraphs:
            self._end_line()
        self._inside -= name in self._words.text
        self._skipped -= name in self._words.skipped

    def close(self) -> str:
        return "".join(self._lines)

    def _add(self, text: str) -> None:
        if not self._skipped:
            self._line.append(text)
            self._blank = False

    def _end_line(self, *, only_text: bool = False) -> None:
        if only_text and not self._line:
            return
        line = "".join(self._line)
        if self._blank and not self._words.spaced:
            line = line[:-1]
        if self._words.code and self._style != self._words.code and line:
            line = "% " + line.replace("\n", "\n% ")
        self._lines.append(f"{line}\n")
        self._line, self._style, self._blank = [], "", True


# Blanks that one element stands for; a longer run says nothing.
MOST_BLANKS = 200


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _office(part: str, words: Words) -> Reader:
    """Return the reader of documents that are a zip with their text in one part."""

    def read(data: bytes, budget: Budget) -> Iterator[str]:
        from xml.etree.ElementTree import XMLParser  # noqa: PLC0415 - as in `load`

        for _, xml in _members(data, budget, part.__eq__):
            lines = Lines(words)
            parser = XMLParser(target=lines)  # noqa: S314 - it refuses declarations
            parser.feed(xml)
            parser.close()
            yield lines.close()

    return read


def _model(data: bytes, budget: Budget) -> Iterator[str]:
    """Yield the parts of a model as MATLAB saves them as text."""
    for name, xml in _members(data, budget, lambda part: _MODEL_PART.fullmatch(part) is not None):
        yield _MODEL_LINE.format(name=name, text=xml.decode("utf-8", "replace"))


def _members(data: bytes, budget: Budget, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the bytes of parts of a zip, within the budget; declared sizes are not trusted."""
    most = budget.limits.file_bytes * MARKUP_FACTOR
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if is_wanted(info.filename):
                with archive.open(info) as member:
                    xml = member.read(most + 1)
                budget.check_ratio(len(xml), info.compress_size)
                most -= len(xml)
                if most < 0:
                    raise RefusalError(reasons.FILE_SIZE.format(size=format_size(budget.limits.file_bytes)))
                yield info.filename, xml


def _pdf(data: bytes, _budget: Budget) -> Iterator[str]:
    from pypdf import PdfReader  # noqa: PLC0415 - only a confined child loads it

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        raise RefusalError(reasons.ENCRYPTED)
    for page in reader.pages:
        yield f"{page.extract_text()}\n"


def _rich_text(data: bytes, _budget: Budget) -> Iterator[str]:
    decoder, outer = codecs.getincrementaldecoder("cp1252")("replace"), list[tuple[bool, int]]()
    is_setting, fallback, left_out = False, 1, 0
    for match in _RICH_TEXT.finditer(data.decode("latin-1")):
        word, number, byte, sign, brace, text = match.groups("")
        piece = _RICH_SIGNS.get(word or sign, "")
        if brace == "{":
            outer.append((is_setting, fallback))
        elif brace:
            is_setting, fallback = outer.pop() if outer else (False, 1)
        elif word in _RICH_SETTINGS or sign == "*":
            is_setting = True
        elif word == "ansicpg":
            with suppress(LookupError):  # Word for Mac writes numbers of its own.
                decoder = codecs.getincrementaldecoder(f"cp{number}")("replace")
        elif word == "uc":
            fallback = int(number or 1)
        elif word == "u":  # A character by its number, before others for readers that do not know it
            piece, left_out = chr(int(number or 0) % 0x10000), fallback
        elif byte or text:
            plain = decoder.decode(bytes.fromhex(byte) or text.encode("latin-1"))
            piece, left_out = plain[left_out:], max(0, left_out - len(plain))
        if not is_setting:
            yield piece


def _mail(data: bytes, _budget: Budget) -> Iterator[str]:
    """Yield the texts of a mail and of the programs that it brings; pages only where no part is plain text."""
    mail = import_module("email").message_from_bytes(data)  # slow to import: only where mails are read
    parts = [part for part in mail.walk() if not part.is_multipart()]
    kinds = {part.get_content_type() for part in parts}
    for part in parts:
        payload = part.get_payload(decode=True)
        is_other_form = part.get_content_type() == "text/html" and "text/plain" in kinds
        if isinstance(payload, bytes) and b"\0" not in payload and not is_other_form:
            try:
                text = payload.decode(part.get_content_charset("utf-8"), "replace")
            except (LookupError, ValueError):  # Mails may name an encoding that nobody knows.
                text = payload.decode("utf-8", "replace")
            yield f"{text}\n"


class DocumentFormat(NamedTuple):
    """A kind of document: its name, the first bytes of its files, and its reader."""

    name: str
    start: bytes
    read: Reader


FORMATS = {
    ".docx": DocumentFormat("Word", ZIP, _office("word/document.xml", OFFICE)),
    ".docm": DocumentFormat("Word", ZIP, _office("word/document.xml", OFFICE)),
    ".odt": DocumentFormat("OpenDocument", ZIP, _office("content.xml", OPEN)),
    ".pdf": DocumentFormat("PDF", PDF, _pdf),
    ".mlx": DocumentFormat("MATLAB", ZIP, _office("matlab/document.xml", LIVE_SCRIPT)),
    ".slx": DocumentFormat("Simulink", ZIP, _model),
    ".rtf": DocumentFormat("rich text", RICH_TEXT, _rich_text),
    **dict.fromkeys((".eml", ".mht", ".mhtml"), DocumentFormat("mail", b"", _mail)),
}


def load(budget: Budget) -> None:
    """Let this process read documents: it is confined before it reads one."""
    global _loaded  # noqa: PLW0603 - what a process has loaded
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # It logs what it finds wrong in each file.
    import_module("xml.etree.ElementTree")
    list(_pdf(_EMPTY_PDF, budget))
    list(_mail(b"Content-Transfer-Encoding: base64\n\nYQ==", budget))
    _loaded = True


def is_loaded() -> bool:
    return _loaded


def document_format(name: str, head: bytes) -> DocumentFormat | None:
    """Return the kind of document that a file is by its name and its first bytes, None if it is none.

    Editors write rich text under any name.
    """
    kind = FORMATS[".rtf"] if head.startswith(RICH_TEXT) else document_kind(name)
    return kind if kind and head.startswith(kind.start) else None


def document_kind(name: str) -> DocumentFormat | None:
    return FORMATS.get(name[name.rfind(".") :].lower())


def document_text(kind: DocumentFormat, data: bytes, budget: Budget) -> bytes:
    """Return the text of a document in UTF-8.

    Raises RefusalError with the reason, when it is broken, has no text, or is over a limit.
    """
    try:
        with time_limit(DOCUMENT_SECONDS):
            text = _within(kind.read(data, budget), budget.limits.file_bytes)
    except TooSlow:
        raise RefusalError(reasons.METADATA_TOO_SLOW.format(n=f"{DOCUMENT_SECONDS:g}")) from None
    except (RefusalError, MemoryError):
        raise
    except Exception as error:  # any error of a library is one file's failure
        reason = reasons.DOCUMENT_BROKEN.format(kind=kind.name, error=type(error).__name__)
        raise RefusalError(reason) from error
    if not text.strip():
        raise RefusalError(reasons.DOCUMENT_EMPTY)
    return text


def _within(pieces: Iterable[str], most: int) -> bytes:
    parts, size = list[str](), 0
    for piece in pieces:
        parts.append(piece.translate(_AS_TYPED))
        size += len(parts[-1].encode("utf-8", "replace"))
        if size > most:
            raise RefusalError(reasons.FILE_SIZE.format(size=format_size(most)))
    # The two halves of a character may be in two pieces.
    text = "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    if len(text) > most:
        raise RefusalError(reasons.FILE_SIZE.format(size=format_size(most)))
    return text
