"""7z and RAR archives that are damaged, that lie, or that hold what is no file."""

from collections.abc import Iterator

from tests.hostile.case import OTHER_PROGRAM, PROGRAM, Case
from tests.support.archives import HAS_LIBARCHIVE, seven_zipped
from tests.support.rar import (
    HARD,
    RAR_4,
    RAR_5,
    SYMBOLIC,
    block_5,
    link_5,
    rar_4,
    rar_4_entry,
    rar_4_of,
    rar_5,
    rar_5_entry,
    rar_5_of,
    vint,
)

FILES = {"ada/main.py": PROGRAM, "bo/main.py": OTHER_PROGRAM}
GOOD_4, GOOD_5 = rar_4_entry(b"bo/main.py", OTHER_PROGRAM), rar_5_entry(b"bo/main.py", OTHER_PROGRAM)
NAMES = {
    "up": b"../../cleo.py",
    "absolute": b"/etc/cleo.py",
    "drive": b"C:\\cleo.py",
    "NUL": b"cleo\0.py",
    "no UTF-8": b"cl\xe9o\xff.py",
    "right to left": "\u202ecleo.py".encode(),
    "escapes": b"\x1b[31mcleo\x9b2J.py",
    "script": b"<script>alert(1)</script>.py",
    "formula": b"=HYPERLINK(1).py",
    "surrogate": b"\xed\xa0\x80.py",
    "above Unicode": b"\xf7\xbf\xbf\xbf.py",
    "nothing": b"",
    "a slash": b"/",
    "long": b"a" * 5000 + b".py",
    "two dots": b"..",
}
SIZES = (
    0,
    1,
    len(PROGRAM) - 1,
    len(PROGRAM) + 1,
    2**31,
    2**32 - 1,
    2**32,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)


def libarchive_cases() -> Iterator[Case]:
    archives = {"RAR 4": rar_4(FILES), "RAR 5": rar_5(FILES)}
    if HAS_LIBARCHIVE:
        archives["7z"] = seven_zipped(FILES)
    for kind, data in archives.items():
        yield from _cut_and_flipped(kind, data)
    yield from _names_and_sizes()
    yield from _kinds()


def _cut_and_flipped(kind: str, data: bytes) -> Iterator[Case]:
    suffix = ".7z" if kind == "7z" else ".rar"
    for at in range(len(data)):
        yield Case(f"{kind} cut off", f"after byte {at}", suffix, data[:at])
        for mask in (0x01, 0xFF):
            flipped = data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :]
            yield Case(f"flipped in a {kind}", f"byte {at} by {mask:#x}", suffix, flipped)


def _names_and_sizes() -> Iterator[Case]:
    for detail, name in NAMES.items():
        yield Case("name in a RAR 4", detail, ".rar", rar_4_of(rar_4_entry(name, PROGRAM), GOOD_4))
        yield Case("name in a RAR 5", detail, ".rar", rar_5_of(rar_5_entry(name, PROGRAM), GOOD_5))
    for size in SIZES:
        older = rar_4_of(rar_4_entry(b"cleo.py", PROGRAM, size=size), GOOD_4)
        newer = rar_5_of(rar_5_entry(b"cleo.py", PROGRAM, size=size), GOOD_5)
        yield Case("declared size in a RAR 4", str(size), ".rar", older)
        yield Case("declared size in a RAR 5", str(size), ".rar", newer)


def _kinds() -> Iterator[Case]:
    for method in range(0, 208, 3):
        entry = rar_4_entry(b"cleo.py", PROGRAM, method=method)
        yield Case("method of a RAR 4", str(method), ".rar", rar_4_of(entry, GOOD_4))
    for bit in range(16):
        entry = rar_4_entry(b"cleo.py", PROGRAM, flags=1 << bit)
        yield Case("flag of an entry of a RAR 4", str(bit), ".rar", rar_4_of(entry, GOOD_4))
        yield Case("flag of a RAR 4", str(bit), ".rar", rar_4_of(GOOD_4, flags=1 << bit))
    for kind in (SYMBOLIC, 2, 3, HARD, 5, 99):
        link = rar_5_entry(b"cleo.py", b"", extra=link_5(kind, b"../../etc/passwd"))
        through = rar_5_entry(b"cleo.py/main.py", PROGRAM)
        yield Case("link in a RAR 5", str(kind), ".rar", rar_5_of(link, GOOD_5))
        yield Case("through a link in a RAR 5", str(kind), ".rar", rar_5_of(link, through, GOOD_5))
    for mode in (0o120777, 0o020666, 0o060666, 0o010644, 0o140777, 0o040755, 0):
        entry = rar_4_entry(b"cleo.py", b"/etc/passwd", mode=mode)
        yield Case("mode in a RAR 4", oct(mode), ".rar", rar_4_of(entry, GOOD_4))
    for kind in range(8):
        block = block_5(vint(kind) + vint(0) * 3)
        yield Case("block of a RAR 5", str(kind), ".rar", rar_5_of(block, GOOD_5))
        yield Case("block of a RAR 5 of 2^60 bytes", str(kind), ".rar", RAR_5 + bytes(4) + vint(2**60) + block)
    for detail, data in {"RAR 4": RAR_4, "RAR 5": RAR_5, "7z": b"7z\xbc\xaf\x27\x1c"}.items():
        yield Case("signature many times", detail, ".rar", data * 5000)
        yield Case("signature, then zeros", detail, ".rar", data + bytes(100_000))
