"""Names that students give to files, and names that nobody gives without a purpose."""

from collections.abc import Iterator

from tests.hostile.case import Case
from tests.hostile.tar_writer import END, GOOD as GOOD_TAR, member, pax, pax_record
from tests.hostile.zip_writer import GOOD, ZipEntry, write_zip

# A file of this name anywhere after the run was written outside its place.
CANARY = "moss-hostile-canary"

# Markup, formulas and escapes: they must be text on every page, in every table and in every terminal.
PAYLOADS = {
    "closes a script": "</script><script>window.hacked=1</script>",
    "image with a handler": '"><img src=x onerror=window.hacked=1>',
    "attribute with a handler": "' onfocus='window.hacked=1' autofocus='",
    "svg": "<svg onload=window.hacked=1>",
    "frame of a script": "<iframe srcdoc='<script>parent.hacked=1</script>'>",
    "link of a script": "javascript:window.hacked=1",
    "form": "<form action=//example.org><button autofocus>",
    "style": "</style><style>body{display:none}</style>",
    "comment": "<!--",
    "entity": "&lt;script&gt;&#x3c;&amp;amp;",
    "template": "{{ settings.SECRET_KEY }}{% csrf_token %}{#",
    "percent": "%(message)s %s %n {0} $HOME `id` $(id)",
    "query": "'; DROP TABLE submissions_batch; --",
    "like": "%_\\",
    "formula": "=1+1",
    "formula with a link": '=HYPERLINK("http://example.org/"&A1,"ben")',
    "formula with a command": "=cmd|' /C calc'!A0",
    "plus": "+1+1",
    "minus": "-1+1",
    "at": "@SUM(1+1)",
    "tab and a formula": "\t=1+1",
    "return and a formula": "\r=1+1",
    "full-width formula": "\uff1d1+1",
    "quote, comma, line": 'a","b\n=1+1',
    "colours": "\x1b[31mred\x1b[0m",
    "title of the terminal": "\x1b]0;owned\x07",
    "clipboard of the terminal": "\x1b]52;c;aGFja2Vk\x07",
    "clears the screen": "\x9b2J\x1bc",
    "backspaces": "ada\b\b\bben",
    "next line": "two\x85lines",
    "rich markup": "[red]ada[/red][link=http://example.org]",
    "backwards": "\u202efdp.yrots",
    "isolates": "\u2066\u2067ada\u2069",
    "zero width": "a\u200bd\u200da\ufeff",
    "line separators": "a\u2028b\u2029c",
    "tags": "ada\U000e0041\U000e007f",
    "marks": "a" + "\u0301" * 80,
    "ligature": "\ufdfa" * 30,
    "emoji": "\U0001f469\u200d\U0001f4bb" * 20,
    "private": "\ue000\uf8ff",
    "no character": "\ufffe\uffff\U0010ffff",
    "lone surrogates": "\ud800ada\udfff",
    "only spaces": "   ",
    "non-breaking": "\u00a0\u3000\u2003",
}

# Paths that lead somewhere else, or that some system takes for something else.
PATHS = {
    "absolute": f"/{CANARY}.py",
    "absolute twice": f"//{CANARY}.py",
    "temporary": f"/tmp/{CANARY}.py",
    "up": f"../{CANARY}.py",
    "up many times": "../" * 40 + f"tmp/{CANARY}.py",
    "up inside": f"ada/../../{CANARY}.py",
    "up and back": "ada/../ada/main.py",
    "backslashes up": f"..\\..\\{CANARY}.py",
    "mixed slashes": f"ada\\..\\../{CANARY}.py",
    "four dots": f"..../{CANARY}.py",
    "dots with spaces": f".. /. ./{CANARY}.py",
    "drive": f"C:\\{CANARY}.py",
    "drive without a root": f"C:{CANARY}.py",
    "share": f"\\\\server\\share\\{CANARY}.py",
    "device path": f"\\\\?\\C:\\{CANARY}.py",
    "process": "/proc/self/mem",
    "home": f"~/{CANARY}.py",
    "variable": f"$HOME/%TEMP%/{CANARY}.py",
    "address": f"file:///{CANARY}.py",
    "encoded dots": f"%2e%2e/%2e%2e/{CANARY}.py",
    "full-width dots": f"\uff0e\uff0e/{CANARY}.py",
    "overlong solidus": f"..\u2215..\u2044{CANARY}.py",
    "stream": "main.py:Zone.Identifier",
    "con": "CON",
    "nul": "nul.py",
    "aux": "aux.txt",
    "com1": "COM1.c",
    "lpt1": "lpt1/main.py",
    "clock": "CLOCK$",
    "conout": "CONOUT$.py",
    "trailing dot": "main.py.",
    "trailing space": "main.py ",
    "leading space": " main.py",
    "only dots": "...",
    "dot": ".",
    "two dots": "..",
    "slash": "/",
    "backslash": "\\",
    "empty": "",
    "NUL": "main.py\0.exe",
    "NUL first": "\0main.py",
    "newline": "main\n.py",
    "delete": "main\x7f.py",
    "no suffix": "main",
    "only a suffix": ".py",
    "many suffixes": "main" + ".py" * 60,
    "hidden": ".git/config",
    "macos": "__MACOSX/._main.py",
    "modules": "node_modules/a/index.js",
    "junk by case": "Thumbs.DB",
    "compiled": "main.CLASS",
    "document": "essay.docx",
    "399 characters": "a" * 396 + ".py",
    "400 characters": "a" * 397 + ".py",
    "401 characters": "a" * 398 + ".py",
    "5,000 characters": "a" * 4997 + ".py",
    "5,000 letters of three bytes": "\u5b66" * 4997 + ".py",
    "65,000 characters": "a" * 65_000,
    "200 folders": "a/" * 199 + "main.py",
    "2,000 folders": "a/" * 1999 + "main.py",
    "composes to more": "\u0958" * 300 + ".py",
    "400 that compose to more": "\u0958" * 397 + ".py",
    "slashes": "a" + "/" * 300 + "main.py",
    "dots and slashes": "./" * 150 + "main.py",
}

# Names that meet in one archive.
MEETINGS: dict[str, tuple[str, ...]] = {
    "a name twice": ("ada/main.py",) * 2,
    "a name 40 times": ("ada/main.py",) * 40,
    "the numbered name is there too": ("a.py", "a.py", "a (2).py", "a (2).py"),
    "400 characters twice": ("a" * 397 + ".py",) * 2,
    "400 characters 12 times": ("a" * 397 + ".py",) * 12,
    "400 characters without suffix twice": ("a" * 400,) * 2,
    "400 characters of suffix twice": ("a." + "p" * 398,) * 2,
    "400 characters in folders twice": ("a/" * 196 + "main.py!",) * 2,
    "differ in case": ("Ada/main.py", "ada/MAIN.py", "ADA/Main.py", "ada/main.py"),
    "differ in composition": ("ad\u00e9/m.py", "ade\u0301/m.py"),
    "differ in invisible characters": ("ada/m.py", "ada\u200b/m.py", "ada\u202e/m.py", "ada\u2066/m.py"),
    "differ in spaces": ("ada/m.py", "ada /m.py", " ada/m.py", "ada\u00a0/m.py"),
    "differ in slashes": ("ada/m.py", "ada//m.py", "ada/./m.py", "ada\\m.py"),
    "look the same": ("ada/m.py", "\u0430da/m.py", "\u00e0da/m.py", "a\u0301da/m.py"),
    "a file and a folder": ("ada", "ada/main.py", "ben/main.py"),
    "a file and a folder of 400": ("a" * 400, "a" * 390 + "/main.py", "ben/main.py"),
    "a file, a folder, both of 390": ("a" * 395, "a" * 395 + "/m.c", "ben/main.py"),
    "a file, a folder, and the name for the file": ("ada", "ada/x", "ada (file)/ada", "ben/m.py"),
    "that name as a file": ("ada", "ada/x", "ada (file)", "ben/m.py"),
    "that name as both": ("ada", "ada/x", "ada (file)", "ada (file)/ada", "ada (file) (file)", "ben/m.py"),
    "a file inside a file": ("ada", "ada/ada", "ada/ada/ada", "ben/m.py"),
    "an archive's name as a folder": ("ada.zip/main.py", "ada/main.py", "ben/m.py"),
    "the sharp s": ("stra\u00dfe/m.py", "STRASSE/m.py", "strasse/m.py"),
    "dotted i": ("\u0130/m.py", "i\u0307/m.py", "I/m.py", "\u0131/m.py"),
}

# Names as bytes, which are no valid UTF-8 or marked wrongly.
RAW_NAMES = {
    "latin-1": "größe.py".encode("latin-1"),
    "shift-jis": "課題.py".encode("cp932"),
    "gbk": "作业.py".encode("gbk"),
    "every byte": bytes(range(1, 256)),
    "0xff": b"\xff" * 100,
    "overlong solidus": b"..\xc0\xaf..\xc0\xafmain.py",
    "surrogate": b"\xed\xa0\x80.py",
    "cut off": b"main\xe2\x82",
    "utf-16": "main.py".encode("utf-16"),
    "beyond unicode": b"\xf7\xbf\xbf\xbf.py",
    "utf-7": b"+AC4ALgAv-main.py",
    "escapes": b"\x1b[31mmain\x9b2J.py",
}


def name_cases() -> Iterator[Case]:
    for detail, name in {**PATHS, **{key: f"{value}/m.py" for key, value in PAYLOADS.items()}}.items():
        yield Case("name in a zip", detail, ".zip", _zip_of([name]))
        yield Case("name in a tar", detail, ".tar", _tar_of([name]))
        yield Case("name in a PAX header", detail, ".tar.gz", _pax_of(name))
    for detail, names in MEETINGS.items():
        yield Case("names that meet in a zip", detail, ".zip", _zip_of(names, others=False))
        yield Case("names that meet in a tar", detail, ".tar", _tar_of(names, others=False))
        yield Case("names that meet at the top", detail, ".zip", _zip_of(names, others=False), alone=True)
    for detail, raw in RAW_NAMES.items():
        for flags in (0, 0x800):
            marked = "marked as UTF-8" if flags else "unmarked"
            data = write_zip(*GOOD, ZipEntry(raw, flags=flags))
            yield Case("bytes as a name in a zip", f"{detail}, {marked}", ".zip", data)
        yield Case("bytes as a name in a tar", detail, ".tar", member(raw) + GOOD_TAR + END)


def _zip_of(names: list[str] | tuple[str, ...], *, others: bool = True) -> bytes:
    raw = [name.encode("utf-8", "surrogatepass") for name in names]
    entries = [ZipEntry(name, f"x{n} = {n}\n".encode(), flags=0x800) for n, name in enumerate(raw)]
    return write_zip(*entries, *(GOOD if others else ()))


def _tar_of(names: list[str] | tuple[str, ...], *, others: bool = True) -> bytes:
    raw = [name.encode("utf-8", "surrogatepass") for name in names]
    members = (_long_named(name, f"x{n} = {n}\n".encode()) for n, name in enumerate(raw))
    return b"".join(members) + (GOOD_TAR if others else b"") + END


def _long_named(name: bytes, data: bytes) -> bytes:
    return member(b"././@LongLink", name + b"\0", type=b"L") + member(name[:100], data)


def _pax_of(name: str) -> bytes:
    raw = name.encode("utf-8", "surrogatepass")
    return pax(pax_record(b"path", raw)) + member(b"main.py") + GOOD_TAR + END
