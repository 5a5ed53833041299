"""Programs that were pasted into the text box of a platform, which hands them out as HTML."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from pathlib import PurePath
from typing import TYPE_CHECKING

from fingerprint.languages.decoding import decode
from fingerprint.languages.detection import HEAD_CHARACTERS, MARKUP, detect, is_program
from fingerprint.languages.front_ends import front_end

if TYPE_CHECKING:
    from fingerprint.languages.base import FrontEnd
    from fingerprint.languages.decoding import Decoded

# In these languages a page with a program in it is read as a page.
KEEPING_PAGES = MARKUP | {"scratch"}

# What an editor of texts writes; a page that a student made has other tags, too.
_TAGS = "p|br|div|span|pre|code|b|i|u|em|strong|font|html|head|title|body|meta|ul|ol|li|hr|blockquote|samp|tt|o:p"
_PAGE = re.compile(rf"\s*<(?:!doctype html|(?:{_TAGS}|table)\b)", re.IGNORECASE)
_OTHER_TAG = re.compile(rf"<(?!/?(?:{_TAGS})\b|!)/?[a-z]|<[?%]", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b|<[?%](?!xml\b)", re.IGNORECASE)
_HEAD_END = re.compile(r"</head[ \t]*>", re.IGNORECASE)
_LINE_END = re.compile(r"<(?:br|hr)\b[^<>]*>\n?|</(?:p|div|li|pre)>\n?", re.IGNORECASE)
# Word writes styles in comments, and breaks its lines where it likes.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<!\[[^<>]*>", re.DOTALL)
_OF_WORD = re.compile(r"class=.?Mso|urn:schemas-microsoft-com:office")
_BROKEN_LINE = re.compile(r"(?<!>)\r?\n")
# The number of a line, in a cell of its own as pages of code have it, and before the line.
_NUMBER_CELL = re.compile(r"<td\b[^<>]*>\s*\d+\s*</td>", re.IGNORECASE)
_CELL = re.compile(r"</?(?:table|tbody|td)\b[^<>]*>\n?|<tr\b[^<>]*>\n?", re.IGNORECASE)
_ROW = re.compile(r"</tr>\n?", re.IGNORECASE)
# What stands before a line: its number, behind a sign or the name of the file; or who wrote it.
_NUMBER = re.compile(
    r"[^\S\n]*+(?:#|L|[Ll]ine |LINE |(?!\d++:)[\w./\\-]++:)?[^\S\n]*+"
    r"(?P<number>\d{1,6})(?:[:.|)]|(?=[ \t])|$)"
)
_AUTHOR = re.compile(r"\^?[0-9a-f]{7,40} [^()\n]*+\([^()\n]*+(?<=\d)\) ?")
_TAG = re.compile(r"<[a-z/!][^<>]*>", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}m")
_ENTITY = re.compile("&(?:lt|gt|quot|amp|#39|#x27|apos);")
# What an interpreter shows before the lines that are typed into it.
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)(.*\n?)", re.MULTILINE)
# How a comparison of two versions begins, and the names of files that may be one.
_COMPARISON = re.compile(r"(?:diff |Index: |--- |@@ -\d|From [0-9a-f]{1,40} )")
COMPARISON_NAMES, LONGEST_PATH = (".diff", ".patch"), 400
FEWEST_MARKED, FEWEST_NUMBERED, MOST_QUOTATIONS = 3, 6, 5
# Lines of these languages begin with numbers of their own.
NUMBERING = KEEPING_PAGES | {"vb", "fortran", "cobol"}


def shown_text(data: bytes, language: str) -> Decoded:
    """Return the text of a file as the front-end of its language shows it, and its encoding.

    Raises ValueError when the file is no text, or the language is unknown.
    """
    decoded = decode(data)
    return decoded._replace(text=text_in(front_end(language), decoded.text))


def text_in(chosen: FrontEnd, decoded: str) -> str:
    """Return what a front-end shows of a decoded file: a program that was pasted without its page."""
    if chosen.name in KEEPING_PAGES:
        return chosen.text(decoded)
    decoded = _as_shown(decoded)
    if chosen.name == "python" and decoded.lstrip().startswith(">>>"):
        decoded = "".join(_PROMPT.findall(decoded))
    elif chosen.name not in NUMBERING:
        decoded = _without_marks(_without_numbers(decoded))
    return pasted_program(decoded) or chosen.text(decoded)


def _as_shown(decoded: str) -> str:
    """Return a text without the colours of a terminal, and with the signs that HTML writes otherwise."""
    if "\x1b[0m" in decoded or "\x1b[m" in decoded:
        decoded = _COLOUR.sub("", decoded)
    if "<" not in decoded and len(_ENTITY.findall(decoded)) >= FEWEST_MARKED:
        decoded = unescape(decoded)
    return decoded


def _without_numbers(decoded: str) -> str:
    """Return a text without numbers of its lines, where each has the next one, and without their authors."""
    first = _NUMBER.match(decoded.lstrip("\n"))
    if not first and not _AUTHOR.match(decoded):
        return decoded
    lines = [line for line in decoded.splitlines() if line.strip()]
    marks = [(_NUMBER if first else _AUTHOR).match(line) for line in lines]
    begin = int(first["number"]) if first else 0
    numbers = [mark and (int(mark["number"]) - at if first else begin) for at, mark in enumerate(marks)]
    if numbers != [begin] * len(lines) or (begin > 1 and len(lines) < FEWEST_NUMBERED):
        return decoded
    without = "\n".join(line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark)
    return _moved_left(without) if first else f"{without}\n"


def _moved_left(text: str) -> str:
    """Return a text without the first blank of its lines, if all begin with one."""
    lines = text.splitlines()
    is_moved = all(line[:1] in ("", " ", "\t") for line in lines)
    return "".join(f"{line[is_moved:]}\n" for line in lines)


def _without_marks(decoded: str) -> str:
    """Return a text without the marks that begin each of its lines, as in an answered mail or a comparison.

    Of a comparison of two versions it has the newer one, and of a mail not the line before what it quotes.
    """
    if newer := newer_version(decoded)[1]:
        return newer
    for _ in range(MOST_QUOTATIONS if "\n>" in decoded else 0):
        lines = [line for line in decoded.splitlines() if line.strip()]
        quoted = lines["".join(lines[:1]).endswith(":") :]
        if len(quoted) < FEWEST_MARKED or not all(line[0] == ">" for line in quoted):
            break
        decoded = _moved_left("\n".join(line[1:] for line in quoted))
    lines = decoded.splitlines() if "\n+" in decoded else []
    marks = Counter(line[0] for line in lines if line.strip())
    if marks["+"] < max(FEWEST_MARKED, marks.total() / 2) or not marks.keys() <= {"+", "-", " "}:
        return decoded
    return _moved_left("\n".join(line[1:] for line in lines if line[:1] != "-"))


def pasted_program(decoded: str) -> str:
    """Return the program in a page that has nothing else, "" for other pages and files."""
    if not _PAGE.match(decoded):
        return ""
    *head, body = _HEAD_END.split(decoded, maxsplit=1)
    if head and _SCRIPT.search(head[0]):
        return ""
    body = _COMMENT.sub("", body)
    body, numbers = _NUMBER_CELL.subn("", body)
    if numbers:
        body = _ROW.sub("<br>", _CELL.sub("", body))
    if _OTHER_TAG.search(body):
        return ""
    if _OF_WORD.search(decoded):
        body = _BROKEN_LINE.sub(" ", body)
    text = _TAG.sub("", _LINE_END.sub("\n", body))
    text = unescape(text).replace("\xa0", " ").strip("\n") + "\n"
    return text if is_program(text[:HEAD_CHARACTERS]) else ""


def newer_version(decoded: str) -> tuple[str, str]:
    """Return the name of the first file in a comparison of versions, and the newer lines of all its files.

    Both are empty for another text; files in another language than the first one are left out.
    """
    first, name, inside, lines = "", "", False, list[str]()
    for line in decoded.splitlines(keepends=True) if _COMPARISON.match(decoded) else ():
        if line.startswith("+++ "):
            name, inside = line[4:].partition("\t")[0].strip()[-LONGEST_PATH:], False
        elif line.startswith("@@ "):
            first = first or name
            inside = PurePath(name).suffix == PurePath(first).suffix
        elif line.startswith("diff "):
            inside = False
        elif inside and line[0] in "+ ":
            lines.append(line[1:])
    return first, "".join(lines)


def language_of_pasted(program: str, likely: str = "") -> str:
    """Return the language of a pasted program; `likely` is that of most other files.

    Few lines may tell only that they are a program, and C is read like most languages with braces.
    """
    language = detect("program.txt", program, likely)
    return language if language not in ("html", "text", "xml") else "c"
