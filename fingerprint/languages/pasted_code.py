"""Programs that were pasted into the text box of a platform, which hands them out as HTML."""

from __future__ import annotations

import re
from html import unescape

from fingerprint.languages.detection import HEAD_CHARACTERS, PAGE_NAMES, detect, is_program

# What an editor of texts writes; a page that a student made has other tags, too.
_TAGS = "p|br|div|span|pre|code|b|i|u|em|strong|font|html|head|title|body|meta|ul|ol|li|hr|blockquote|samp|tt"
_OTHER_TAG = re.compile(rf"<(?!/?(?:{_TAGS})\b|!)/?[a-z]", re.IGNORECASE)
_HEAD_END = re.compile(r"</head[ \t]*>", re.IGNORECASE)
_LINE_END = re.compile(r"<(?:br|hr)\b[^<>]*>\n?|</(?:p|div|li|pre)>\n?", re.IGNORECASE)
_TAG = re.compile(r"<[a-z/!][^<>]*>", re.IGNORECASE)


def pasted_program(filename: str, decoded: str) -> str:
    """Return the program in a page that has nothing else, "" for other pages and files."""
    if not filename.lower().endswith(PAGE_NAMES) or _OTHER_TAG.search(decoded):
        return ""
    body = _HEAD_END.split(decoded, maxsplit=1)[-1]
    text = _TAG.sub("", _LINE_END.sub("\n", body))
    text = unescape(text).replace("\xa0", " ").strip("\n") + "\n"
    return text if is_program(text[:HEAD_CHARACTERS]) else ""


def language_of_pasted(program: str, likely: str = "") -> str:
    """Return the language of a pasted program; `likely` is that of most other files.

    Few lines may tell only that they are a program, and C is read like most languages with braces.
    """
    language = detect("program.txt", program, likely)
    return language if language not in ("html", "text", "xml") else "c"
