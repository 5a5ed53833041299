"""Programs that were pasted into the text box of a platform, which hands them out as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from itertools import compress
from pathlib import PurePath
from typing import TYPE_CHECKING

from fingerprint.languages.decoding import Decoded, decode
from fingerprint.languages.detection import HEAD_CHARACTERS, MARKUP, detect, is_program
from fingerprint.languages.front_ends import front_end

if TYPE_CHECKING:
    from fingerprint.languages.base import FrontEnd

# In these languages a page with a program in it is read as a page.
KEEPING_PAGES = MARKUP | {"scratch"}

# What an editor of texts writes; a page that a student made has other tags, too.
_TAGS = (
    "a|article|b|blockquote|body|br|button|code|div|em|figure|font|head|hr|html|i|li|main|meta|ol|p|pre|s|samp|section"
    "|small|span|strong|style|svg|title|tt|u|ul|wbr|o:p"
)
_TABLE = "table|tbody|thead|tr|td|th|col|colgroup"
_PAGE = re.compile(rf"\s*+<(?:!doctype html|!--|(?:{_TAGS}|{_TABLE}|ac:[a-z-]+|h[1-6]|header)[\s/>])", re.IGNORECASE)
# Canvas writes the title of a page above what was typed into it.
_TITLE = re.compile(
    r"\s*+<html>\s*+<head>\s*+(?:<meta\b[^<>]*+>\s*+)?<title>([^<:]*+: [^<]*+)</title>\s*+</head>\s*+<body>\s*+"
    r"<h1>([^<]*+)</h1>"
)
_PART = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<verbatim>.*?)(?:\]\]>|\Z)|<(?:!|\?xml\b)[^<>]*+>"
    r"|(?P<script><script\b(?![^<>]*json).*?(?:</script\b|\Z)|<[?%])"
    r"|<(?P<end>/?)(?P<name>[a-z][\w:.-]*+)(?>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*)[^<>]*+>",
    re.IGNORECASE | re.DOTALL,
)
# Elements of the kinds below. CODE: the lines of CodeMirror, Ace, Monaco, GitHub, GitLab, Confluence, Jupyter, Notion.
_ELEMENTS = (
    re.compile(
        r"<(?:ac:plain-text-body\b|[a-z][^<>]*?(?<![\w-])(?:cm-(?:content|line)|CodeMirror-line|ace_line|view-lines?"
        r"|blob-code|(?:js|react)-file-line|index\d+|id=[\"']?LC\d+|data-ds--code--code-block|input_area"
        r"|jp-InputArea-editor|code-wrap)(?![\w-]))"
    ),
    re.compile(
        r"(?i)<(?:address|article|blockquote|body|d[dtl]|div|figure|h[1-6]|header|html|li|main|[ou]l|p|pre|section"
        r"|t(?:able|body|head|r))\b(?![:-])|[\"' -]line[\"' ]"
    ),
    re.compile(
        r"(?i)<(?:button|head|script|select|style|svg|template|textarea|title)\b(?![:-])"
        r"|display:\s*+none|visibility:\s*+hidden"
    ),
    re.compile(rf"(?i)<(?:{_TABLE})\b"),
    re.compile(rf"(?i)<(?!(?:{_TAGS}|{_TABLE})[\s/>])|\son[a-z]++\s*+="),
    re.compile(r"(?i)<(?:area|base|br|col|hr|img|input|link|meta|source|wbr)\b|/>$"),
)
KINDS = ("CODE", "LINE", "HIDDEN", "TABLE", "OTHER", "EMPTY")
# Word breaks its lines where it likes.
_OF_WORD = re.compile(r"class=.?Mso|urn:schemas-microsoft-com:office")
_ALONE = re.compile(r"\s*+(\d{1,6})[\s.:|]*+")
# What stands before a line: its number, behind a sign or the name of the file; or who wrote it.
_NUMBER = re.compile(
    r"[^\S\n]*+(?:#|L|[Ll]ine |LINE |(?!\d++:)[\w./\\-]++:)?[^\S\n]*+"
    r"(?P<number>\d{1,6})(?:[:.|)]|(?=[ \t])|$)"
)
_AUTHOR = re.compile(r"\^?[0-9a-f]{7,40} [^()\n]*+\([^()\n]*+(?<=\d)\) ?")
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}m")
_ENTITY = re.compile("&(?:lt|gt|quot|amp|#39|#x27|apos);")
# What an interpreter shows before the lines that are typed into it.
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)(.*\n?)", re.MULTILINE)
# How a comparison of two versions begins, and the names of files that may be one.
_COMPARISON = re.compile(r"(?:diff |Index: |--- |@@ -\d|From [0-9a-f]{1,40} )")
COMPARISON_NAMES, LONGEST_PATH = (".diff", ".patch"), 400
FEWEST_MARKED, FEWEST_NUMBERED, MOST_QUOTATIONS = 3, 6, 5
# Most lines of a page are to have a number, or none.
NUMBERED_SHARE = 0.75
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
    titled = _TITLE.match(decoded)
    begin = titled.end() if titled and titled[1] == titled[2] else 0
    page = _Page(decoded[begin:].replace("\r\n", "\n"))
    rows = _without_number_texts(page.rows)
    text = _without_numbers("\n".join(map("".join, rows)).strip("\n") + "\n")
    # What stands beside the lines of an editor is not compared: it may not be the larger part.
    is_own = page.others or "OTHER" in page.kinds or ("TABLE" in page.kinds and rows == page.rows)
    is_page = page.others > len(text) if page.is_of_editor else is_own
    return text if not is_page and is_program(text[:HEAD_CHARACTERS]) else ""


class _Page:
    """Walks through a page: its lines, each as the texts of its elements, and the kinds of all that is seen.

    Of the page of an editor they are the lines of code; `others` are the characters of the rest and of scripts.
    """

    def __init__(self, page: str) -> None:
        self.rows: list[list[str]] = [[]]
        self.others, self.kinds = 0, set[str]()
        self.is_of_editor = _ELEMENTS[0].search(page) is not None
        self._is_of_word = _OF_WORD.search(page) is not None
        self._open = [[""]]
        self._inside = Counter([""])
        at = 0
        for part in _PART.finditer(page):
            self._text(page[at : part.start()])
            at = part.end()
            self.others += len(part["script"] or "")
            if part["end"]:
                self._end(part["name"].lower())
            elif part["name"]:
                self._begin(part["name"].lower(), part[0])
            self._add(part["verbatim"] or "")
        self._text(page[at:])
        self._end("")

    def _begin(self, name: str, tag: str) -> None:
        kinds = [name, *compress(KINDS, [one.search(tag) for one in _ELEMENTS])]
        self.kinds.update(() if self._inside["HIDDEN"] else kinds)
        if name == "body":
            self._end("head")
        self._end_line(kinds)
        if name in ("br", "hr"):
            self._add("\n")
        if "EMPTY" not in kinds:
            self._open.append(kinds)
            self._inside.update(kinds)

    def _end(self, name: str) -> None:
        while self._inside[name]:
            kinds = self._open.pop()
            self._inside.subtract(kinds)
            self._end_line(kinds)
            if kinds[0] == name:
                break
            if kinds[0] in ("a", "b", "i", "s", "u"):  # Without an end it may be an operator and a name.
                self.kinds.add("OTHER")

    def _end_line(self, kinds: list[str]) -> None:
        if self.rows[-1] and ("LINE" in kinds or "CODE" in kinds):
            self.rows.append([])

    def _text(self, text: str) -> None:
        """Add a text between two tags, without the line ends and blanks that lay out the page."""
        if not self._inside["pre"]:
            is_between_cells = self._inside["tr"] and self._open[-1][0] == "tr"
            if text.isspace() and (is_between_cells or ("\n" in text and not self.rows[-1])):
                return
            text = text if self.rows[-1] else text.removeprefix("\n")
        text = text.replace("\n", " ") if self._is_of_word else text
        self._add(unescape(text).replace("\xa0", " "))

    def _add(self, text: str) -> None:
        if not text or self._inside["HIDDEN"]:
            return
        if self.is_of_editor and not self._inside["CODE"]:
            self.others += len(text)
            return
        first, *others = text.split("\n")
        self.rows[-1].append(first)
        self.rows += [[other] if other else [] for other in others]


def _without_number_texts(rows: list[list[str]]) -> list[list[str]]:
    """Return lines without their numbers: each is the next one, in an element or on a line of its own."""
    marks = [_ALONE.fullmatch(row[0]) if row else None for row in rows]
    is_led = _counted(marks)
    if sum(is_led) > NUMBERED_SHARE * sum(any(map(str.strip, row)) for row in rows):
        return [row[led:] for row, led in zip(rows, is_led, strict=True)]
    is_alone = _counted(mark if not "".join(row[1:]).strip() else None for mark, row in zip(marks, rows, strict=True))
    has_column = sum(is_alone) >= FEWEST_MARKED
    return [row for row, alone in zip(rows, is_alone, strict=True) if not (alone and has_column)]


def _counted(marks: Iterable[re.Match[str] | None]) -> list[bool]:
    """Return whether each number is the next one, or the first of a program."""
    flags, last = list[bool](), -1
    for mark in marks:
        flags.append(mark is not None and (last < 0 or int(mark[1]) in (last + 1, 1)))
        last = int(mark[1]) if mark and flags[-1] else last
    return flags


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
