"""Files that are no text, or text of a kind that nobody writes."""

import codecs
from collections.abc import Iterator

from tests.hostile.case import PROGRAM, Case
from tests.hostile.names import PAYLOADS

ENCODINGS = (
    "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8", "utf-7", "cp1252", "cp932", "gb18030",
    "big5", "euc-jp", "euc-kr", "iso2022_jp", "hz", "cp037", "koi8-r", "cp1256", "punycode",
)  # fmt: skip
MARKS = {
    "UTF-8": codecs.BOM_UTF8,
    "UTF-16 LE": codecs.BOM_UTF16_LE,
    "UTF-16 BE": codecs.BOM_UTF16_BE,
    "UTF-32 LE": codecs.BOM_UTF32_LE,
    "UTF-32 BE": codecs.BOM_UTF32_BE,
    "UTF-7": b"+/v8",
    "UTF-1": b"\xf7\x64\x4c",
    "SCSU": b"\x0e\xfe\xff",
    "GB 18030": b"\x84\x31\x95\x33",
    "two": codecs.BOM_UTF8 * 2,
}
SUFFIXES = (".py", ".java", ".c", ".html", ".txt", ".ipynb", ".sql", ".m", "")
# What a file repeats until it has a size; some lexers and some pages have trouble with each.
REPEATED = {
    "(": 5_000_000,
    ")": 1_000_000,
    "[": 1_000_000,
    "{": 1_000_000,
    "<": 1_000_000,
    "/*": 1_000_000,
    '"': 1_000_000,
    "'": 1_000_000,
    "\\": 1_000_000,
    "`": 1_000_000,
    "\n": 4_000_000,
    "\r": 1_000_000,
    "\r\n": 1_000_000,
    "\t": 1_000_000,
    " ": 4_000_000,
    "a": 4_900_000,
    "a ": 1_000_000,
    "0": 1_000_000,
    "((a+": 500_000,
    "\x0c": 100,
    "\u00e9": 500_000,
    "\U0001f469": 500_000,
    "\u0301": 500_000,
    "\u5b66": 1_000_000,
    "\u2028": 500_000,
    "\u202e": 500_000,
    "#": 1_000_000,
    "if (a) {\n": 1_000_000,
    " x\n": 1_000_000,
    "<a>": 500_000,
    "$": 1_000_000,
    "${": 300_000,
    "#{": 300_000,
    "<?php ": 300_000,
    "<!--": 300_000,
    'R"(': 300_000,
    "''' ": 300_000,
}


def text_cases() -> Iterator[Case]:
    yield from _encodings()
    yield from _broken()
    for number, (repeated, size) in enumerate(REPEATED.items()):
        data = (repeated * (size // len(repeated))).encode()[:4_999_000]
        suffix = (".py", ".js", ".c")[number % 3]
        yield Case("one thing again and again", f"{size:,} of {repeated!r}", suffix, data, alone=True)
    for suffix in SUFFIXES:
        for detail, text in PAYLOADS.items():
            data = PROGRAM + f"# {text}\n{text}\n'{text}'\n".encode("utf-8", "surrogatepass")
            yield Case("a program with markup or escapes", f"{detail} as {suffix or 'no suffix'}", suffix, data)
    for number, line in enumerate((200_000, 1_000_000, 4_900_000)):
        data = PROGRAM + b"words = '" + b"x y " * (line // 4) + b"'\n"
        yield Case("one endless line", f"{line:,} characters", (".py", ".js", ".sql")[number], data, alone=True)


def _encodings() -> Iterator[Case]:
    text = PROGRAM.decode() + "# größer als früher, 大きい, больше, 크다\n"
    for encoding in ENCODINGS:
        data = text.encode(encoding, "ignore")
        for suffix in SUFFIXES[:5]:
            yield Case("encoded without a mark", f"{encoding} as {suffix}", suffix, data)
        for mark, start in MARKS.items():
            yield Case("encoded with a mark", f"{encoding} marked as {mark}", ".py", start + data)
        yield Case("encoded and cut off", encoding, ".py", data[:-1])
        yield Case("encodings mixed", f"{encoding} and UTF-8", ".py", data + text.encode())
    for mark, start in MARKS.items():
        for suffix in SUFFIXES:
            yield Case("only a mark", f"{mark} as {suffix or 'no suffix'}", suffix, start)
        yield Case("a mark and one byte", mark, ".py", start + b"a")
        yield Case("a mark in the middle", mark, ".py", PROGRAM + start + PROGRAM)


def _broken() -> Iterator[Case]:
    fragments = {
        "lone high surrogate": b"\xed\xa0\x80",
        "lone low surrogate": b"\xed\xbf\xbf",
        "NUL": b"\0",
        "surrogate pair as UTF-8": b"\xed\xa0\x80\xed\xb0\x80",
        "overlong NUL": b"\xc0\x80",
        "continuation": b"\x80",
        "0xff": b"\xff",
        "beyond Unicode": b"\xf5\x80\x80\x80",
        "noncharacter": "\uffff".encode(),
        "escape": b"\x1b[2J",
        "C1": "\x9b31m".encode(),
        "end of file": b"\x1a",
        "bells": b"\x07" * 30,
        "backspaces": b"\b" * 30,
        "form feed": b"\x0c",
        "vertical tab": b"\x0b",
        "delete": b"\x7f",
        "next line": "\x85".encode(),
        "private": "\U0010fffd".encode(),
        "isolates": "\u2066\u2067\u2068".encode(),
        "shift out": b"\x0e\x0f",
    }
    for detail, fragment in fragments.items():
        for suffix in SUFFIXES:
            end = f"{detail} as {suffix or 'no suffix'}"
            yield Case("broken text", f"{end}, once", suffix, PROGRAM + fragment + b"\n" + PROGRAM)
            yield Case("broken text", f"{end}, at the start", suffix, fragment + PROGRAM)
        yield Case("broken text", f"{detail} in a string", ".py", b"s = '" + fragment + b"'\n" + PROGRAM)
        yield Case("broken text", f"{detail} and nothing else", ".py", fragment)
        yield Case("broken text", f"{detail} 100,000 times", ".py", fragment * 100_000, alone=True)
    for unit in ("utf-16-le", "utf-16-be"):
        for code in ("\ud800", "\udc00", "\udc00\ud800"):
            data = f"a = '{code}'\n".encode(unit, "surrogatepass")
            mark = codecs.BOM_UTF16_LE if unit.endswith("le") else codecs.BOM_UTF16_BE
            yield Case("broken text", f"{code!r} in marked {unit}", ".py", mark + data)
            yield Case("broken text", f"{code!r} in {unit}", ".py", data)
