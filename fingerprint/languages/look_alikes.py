"""Characters that nobody sees, and letters that look like Latin ones (UTS 39).

A reader does not notice them, and a comparison would. Letters are folded where a word mixes scripts, so that
programs and texts in another script, and the Greek names of mathematics, stay as they are.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import NamedTuple
from unicodedata import name, normalize

# Joiners, marks of direction, soft hyphens, fillers, operators without a glyph, selectors of variants, tags.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\u180b-\u180d\u180f\ufe00-\ufe0f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_SOFT_HYPHEN = "\u00ad"  # Text processors write it.
# Scripts with letters like Latin ones, as the names of their characters begin.
_SCRIPTS = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LISU"})
# Latin letters in other forms: of full width, and those of mathematics.
_FORMS = frozenset({*range(0xFF21, 0xFF5B), *range(0x1D400, 0x1D6A4)})
# Small letters that mathematics uses as names; they are disguises between two other letters only.
_SYMBOLS = frozenset("αγικνρστυχωϱ")
_UNSEEN = re.compile(f"[{UNSEEN}]+")
_LATIN = "A-Za-zªºÀ-ɏ"
_LATIN_LETTER = re.compile(f"[{_LATIN}]")
_FOREIGN = re.compile(f"[^{_LATIN}{UNSEEN}]")
_ENCLOSED = re.compile(f"(?<=[{_LATIN}])[{''.join(sorted(_SYMBOLS))}](?=[{_LATIN}])")
# A joiner between letters of later scripts belongs to their spelling.
_NEIGHBOUR, _JOINED_BY_NOTHING = "[\0-\u058f]", "[0-9A-Z_a-zªºÀ-ÖØ-öø-\u02ff\u0370-ԯ]"
_SEPARATING_NOTHING = re.compile(rf"(?<![{UNSEEN}])(?:(?<={_NEIGHBOUR})[{UNSEEN}]++|[{UNSEEN}]++(?={_NEIGHBOUR}))")
_INSIDE_WORD = re.compile(rf"(?<={_JOINED_BY_NOTHING})[{UNSEEN}]++(?={_JOINED_BY_NOTHING})")
_KEPT = "\ufe68\uff02\uff07\uff3c"  # These would end or escape a string that has them.
# Marks that look like those of ASCII, and a blank without a glyph.
_LIKE_MARKS = {
    " ": "\u2800\u3000", "-": "\u2010\u2011\u2012\u2013\u2212\u02d7", "/": "\u2044\u2215", "*": "\u2217\u204e",
    ".": "\u2024", ":": "\u2236\ua789\u02d0\u02f8", "|": "\u2223\u01c0", "<": "\u2039\u276e\u02c2",
    ">": "\u203a\u276f\u02c3", "^": "\u02c4\u02c6", "~": "\u223c\u02dc", "{": "\u2774", "}": "\u2775",
}  # fmt: skip
FILLER = "\u2060"
# Small marks, and those of full width, as keyboards of Chinese and Japanese write them; accents beside a letter.
_OTHER_WIDTHS = [chr(code) for code in (*range(0xFE50, 0xFE6C), *range(0xFF01, 0xFF5F)) if chr(code) not in _KEPT]
_MARKS: dict[int, str] = (
    {ord(wide): normalize("NFKC", wide) for wide in _OTHER_WIDTHS if not wide.isalpha()}
    | {ord(like): mark for mark, others in _LIKE_MARKS.items() for like in others}
    | dict.fromkeys(range(0x300, 0x370), FILLER)
)
_DOUBLE = "\u201c\u201d\u201e\u201f\uff02"
_QUOTES = {'"': _DOUBLE, "'": "\u2018\u2019\u201a\u201b\uff07"}
# A string on one line in other quotes, where only one can stand: behind a mark or a word of a statement.
_BEFORE_STRING = r"(?:[(\[{,=:+<>&|?!]|\b(?:return|print|puts|echo|case|in|and|or|throw|display|write))[ \t]?"
_OTHER_STRING = re.compile(
    rf"(?P<before>{_BEFORE_STRING})(?P<string>[{_DOUBLE}][^{_DOUBLE}\"'`;\r\n]*+[{_DOUBLE}]"
    r"|[\u2018-\u201b][^\u2018-\u201b\"'`;\r\n]*+[\u2018-\u201b])(?=[ \t]*(?:[])},;:+%=!<>?\r\n]|\.\w|\Z))"
)
MOST_ROUNDS = 2  # What follows a string with the sign of a comment is read in the next one.
# A letter or a mark of ASCII by its number; behind two backslashes it is none.
_BEFORE = r"(?<!\\)(?P<before>(?:\\\\)*)\\"
_ANY_ESCAPE = re.compile(_BEFORE + "u++(?P<code>00(?:0[aAdD]|[2-6][0-9a-fA-F]|7[0-9a-eA-E]))")
_LETTER = "(?:24|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])"
_LETTER_ESCAPE = re.compile(_BEFORE + rf"u(?:00(?P<code>{_LETTER})|\{{0{{0,6}}(?P<braced>{_LETTER})\}})")
# The Greek mark that looks like a semicolon, where no Greek word ends.
_QUESTION_MARK = re.compile("(?<![\u0370-\u037d\u037f-\u03ff\u1f00-\u1fff])\u037e")


class Plain(NamedTuple):
    """A text as its readers see it.

    text : of the same length, with Latin letters for those that look like them
    unseen : the offsets of the characters that nobody sees and that separate nothing
    disguised : the number of characters, unseen or of another script, that only a disguise puts into words
    """

    text: str
    unseen: list[int]
    disguised: int


class _Word(NamedTuple):
    """A word of Latin letters and letters that look so, with Latin ones; empty where none is a disguise.

    `script` is that of its first letter which is not Latin; `is_mixed`: others are Latin; `symbols` is the
    number of those of mathematics.
    """

    folded: str
    script: str
    is_mixed: bool
    symbols: int


def plain(text: str) -> Plain:
    """Return a text as its readers see it; one in ASCII is returned at once."""
    if text.isascii() or not any(map(_is_suspect, set(text))):
        return Plain(text, [], 0)
    unseen = [at for match in _SEPARATING_NOTHING.finditer(text) for at in range(*match.span())]
    inside = _INSIDE_WORD.findall(text)
    disguised = sum(len(run) - run.count(_SOFT_HYPHEN) for run in inside)
    text, letters = _with_latin_letters(text)
    text, marks = _QUESTION_MARK.subn(";", text)
    return Plain(text, unseen, disguised + marks + letters)


def without_unseen(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def with_ascii_marks(text: str, barred: str | None, unknown: Callable[[str], bytearray]) -> str:
    """Return a program with the marks of ASCII for those of full width and of text processors.

    Beside plain quotes of a kind others are the program's only around a string on one line that has no sign of
    `barred`, where the language has none: `unknown`. None: they may be names or operators.
    """
    if text.isascii():
        return text
    for quote, others in _QUOTES.items():
        if quote not in text:
            text = text.translate(dict.fromkeys(map(ord, others), quote))
    text = text.translate(_MARKS)
    for _ in range(MOST_ROUNDS if barred is not None and _OTHER_STRING.search(text) else 0):
        text = _OTHER_STRING.sub(partial(_with_plain_quotes, unknown(text), barred or ""), text)
    return text


def _with_plain_quotes(places: bytearray, barred: str, found: re.Match[str]) -> str:
    is_string = places[found.start("string")] and set(barred).isdisjoint(found["string"])
    return f'{found["before"]}"{found["string"][1:-1]}"' if is_string else found[0]


def without_escapes(text: str, *, everywhere: bool) -> str:
    r"""Return a program of the same length in which letters and digits stand for escapes such as `\u0041`.

    Each escape becomes its character and others that nobody sees. `everywhere`: as in Java, where an escape
    may stand for a mark or the end of a line, too.
    """
    if "\\u" not in text:
        return text
    return (_ANY_ESCAPE if everywhere else _LETTER_ESCAPE).sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    letter = chr(int(escape[escape.lastgroup or "code"], 16))
    return escape["before"] + letter + FILLER * (len(escape[0]) - len(escape["before"]) - 1)


def _with_latin_letters(text: str) -> tuple[str, int]:
    """Return a text with Latin letters for those that are a disguise, and the number of those in mixed words.

    Words whose letters all look Latin belong to their script where the text has as many letters of its own.
    """
    words = [match for match in _words().finditer(text) if not match[0].isascii()]
    kinds = {word: _word(word) for word in {match[0] for match in words}}
    alike = Counter(kinds[match[0]].script for match in words if not kinds[match[0]].is_mixed)
    own: Counter[str] = Counter()
    for letter in set(text).difference(_latin_letters().keys() - _SYMBOLS):
        if letter.isalpha() and (script := _script(letter)) in _SCRIPTS:
            own[script] += text.count(letter)
    own["GREEK"] -= sum(kinds[match[0]].symbols for match in words if kinds[match[0]].is_mixed)
    parts, at, count = [], 0, 0
    for match in words:
        word = kinds[match[0]]
        in_script = word.symbols and own["GREEK"] > 0 if word.is_mixed else own[word.script] >= alike[word.script]
        if word.folded and not in_script:
            parts += [text[at : match.start()], word.folded]
            at = match.end()
            count += sum(map(str.__ne__, match[0], word.folded)) if word.is_mixed else 0
    return "".join((*parts, text[at:])), count


@lru_cache(maxsize=65536)
def _is_suspect(letter: str) -> bool:
    """Return whether nobody sees a character, or it may be folded; most classes need no table to know."""
    is_alike = (ord(letter) in _FORMS or _script(letter) in _SCRIPTS) and letter in _latin_letters()
    return is_alike or letter == "\u037e" or bool(_UNSEEN.match(letter))


def _script(letter: str) -> str:
    return name(letter, "").partition(" ")[0]


def _word(word: str) -> _Word:
    is_mixed, foreign = bool(_LATIN_LETTER.search(word)), _FOREIGN.search(word)
    symbols = sum(map(_SYMBOLS.__contains__, word))
    is_alike = foreign and _SYMBOLS.isdisjoint(_ENCLOSED.sub("", word) if is_mixed else word)
    folded = "".join(_latin_letters().get(letter, letter) for letter in word) if is_alike else ""
    return _Word(folded, _script(foreign[0]) if foreign else "", is_mixed, symbols)


@cache
def _words() -> re.Pattern[str]:
    """Return the expression of a word of Latin letters and those that look so."""
    inside = f"[{_LATIN}{UNSEEN}{''.join(sorted(_latin_letters()))}]"
    return re.compile(rf"(?<!{inside})(?<![^\W\d_]){inside}++(?![^\W\d_])")


@cache
def _latin_letters() -> dict[str, str]:
    """Return the Latin letter that each letter of another script looks like."""
    import confusable_homoglyphs  # noqa: PLC0415 - its modules, which read this file, import a client of HTTP

    data = json.loads(Path(confusable_homoglyphs.__file__).with_name("confusables.json").read_text("utf-8"))
    forms = {chr(code): normalize("NFKC", chr(code)) for code in _FORMS}
    rows = {letter: row["c"] for letter, rows in data.items() for row in rows}
    table = {
        letter: "I" if like == "l" and letter.isupper() else like
        for letter, like in rows.items()
        if len(letter) == 1 and len(like) == 1 and _script(letter) in _SCRIPTS
    }
    return {letter: like for letter, like in (table | forms).items() if like.isascii() and like.isalpha()}
