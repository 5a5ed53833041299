"""Tars that are damaged, that lie, or that hold what is no file."""

from collections.abc import Iterator

from tests.hostile.case import PROGRAM, Case
from tests.hostile.tar_writer import (
    BLOCK,
    END,
    FIELDS,
    GOOD,
    checked,
    header,
    member,
    padded,
    pax,
    pax_record,
)

SMALL = member(b"a.py", b"a = 1\n") + END
USED = sorted(at for field in FIELDS.values() for at in range(field[0], field[0] + min(field[1], 12)))
NUMBERS = {
    "empty": b"",
    "spaces": b" " * 12,
    "NULs": bytes(12),
    "letters": b"abcdefghijkl",
    "octal garbage": b"0000999\0",
    "minus one in octal": b"-1",
    "plus": b"+7",
    "underscores": b"1_0",
    "hexadecimal": b"0x10",
    "full-width digits": "\uff11\uff12".encode(),
    "all sevens": b"7" * 12,
    "all sevens and NUL": b"7" * 11 + b"\0",
    "-1": b"\xff" * 12,
    "-2": b"\xff" * 11 + b"\xfe",
    "-2^63": b"\xff\xff\xff\xff\x80" + bytes(7),
    "2^63": b"\x80\0\0\0\x80" + bytes(7),
    "2^63 - 1": b"\x80\0\0\0\x7f" + b"\xff" * 7,
    "2^64": b"\x80\0\0\1" + bytes(8),
    "2^94": b"\x80\x7f" + b"\xff" * 10,
    "high bit alone": b"\x80",
    "0xfe": b"\xfe" * 12,
    "one more than there is": b"%011o\0" % (len(PROGRAM) + 1),
    "512 more": b"%011o\0" % (len(PROGRAM) + 512),
    "2^31": b"%011o\0" % 2**31,
    "NUL inside": b"000\x000007\0",
    "escapes": b"\x1b[31m\x9b2J",
}


def tar_cases() -> Iterator[Case]:
    yield from _cut_and_flipped()
    yield from _lying_headers()
    yield from _kinds()
    for detail, data in _extended_headers().items():
        yield Case("extended header of a tar", detail, ".tar", data + GOOD + END)
        yield Case("extended header at the end of a tar", detail, ".tar", GOOD + data)
    for detail, data in _ends().items():
        yield Case("end of a tar", detail, ".tar", data)


def _cut_and_flipped() -> Iterator[Case]:
    lengths = [*range(530), *range(530, len(SMALL), 32)]
    for length in lengths:
        yield Case("tar cut off", f"after byte {length}", ".tar", SMALL[:length])
    for at in USED:
        for mask in (0xFF, 0x01):
            block = bytearray(SMALL[:BLOCK])
            block[at] ^= mask
            after = SMALL[BLOCK:]
            yield Case("flipped in the header of a tar", f"byte {at} by {mask:#x}", ".tar", bytes(block) + after)
            if at not in range(148, 156):
                wrong = checked(block) + after
                yield Case("changed in the header of a tar", f"byte {at} by {mask:#x}", ".tar", wrong)


def _lying_headers() -> Iterator[Case]:
    for field in ("size", "mode", "mtime", "uid", "checksum", "major"):
        for detail, value in NUMBERS.items():
            data = GOOD + header(b"cleo.py", len(PROGRAM), **{field: value}) + padded(PROGRAM) + END
            yield Case(f"wrong {field} in a tar", detail, ".tar", data)
    for detail, magic in {"gnu": b"ustar  \0", "none": bytes(8), "other": b"hsotr\x0000"}.items():
        yield Case("magic of a tar", detail, ".tar", member(b"a.py", magic=magic) + GOOD + END)


def _kinds() -> Iterator[Case]:
    for kind in range(256):
        data = header(b"cleo.py", 6, type=bytes((kind,)), link=b"../../etc/passwd") + padded(b"c = 3\n")
        yield Case("type of an entry in a tar", f"{kind:#04x}", ".tar", data + GOOD + END)
    for detail, target in {
        "absolute": b"/etc/passwd",
        "up": b"../../../etc/passwd",
        "itself": b"cleo.py",
        "a folder": b".",
        "an earlier entry": b"ada/main.py",
        "nothing": b"",
    }.items():
        for name, number in (("hard", b"1"), ("symbolic", b"2")):
            link = header(b"cleo.py", type=number, link=target)
            through = member(b"cleo.py/main.py")
            yield Case(f"{name} link in a tar", detail, ".tar", GOOD + link + END)
            yield Case(f"through a {name} link in a tar", detail, ".tar", GOOD + link + through + END)
            yield Case(f"only a {name} link in a tar", detail, ".tar", link + END, alone=True)


# The records of extended headers, by what is wrong with them.
RECORDS = {
    "path": pax_record(b"path", b"dora/main.py"),
    "absolute path": pax_record(b"path", b"/etc/passwd"),
    "NUL in a path": pax_record(b"path", b"a\0b.py"),
    "no UTF-8": pax_record(b"path", b"\xff\xfe.py"),
    "empty path": pax_record(b"path", b""),
    "size -1": pax_record(b"size", b"-1"),
    "size 2^63": pax_record(b"size", b"%d" % 2**63),
    "size of words": pax_record(b"size", b"many"),
    "size of 5,000 digits": pax_record(b"size", b"9" * 5000),
    "size 1.5": pax_record(b"size", b"1.5"),
    "time nan": pax_record(b"mtime", b"nan"),
    "time inf": pax_record(b"mtime", b"inf"),
    "time 1e400": pax_record(b"mtime", b"1e400"),
    "time -1e30": pax_record(b"mtime", b"-1e30"),
    "uid": pax_record(b"uid", b"9" * 30),
    "charset": pax_record(b"hdrcharset", b"BINARY"),
    "unknown charset": pax_record(b"hdrcharset", b"\x1b[31m"),
    "sparse": pax_record(b"GNU.sparse.map", b"0,1,x"),
    "sparse size": pax_record(b"GNU.sparse.size", b"%d" % 2**62) + pax_record(b"GNU.sparse.map", b"0,1"),
    "sparse 1.0": pax_record(b"GNU.sparse.major", b"1") + pax_record(b"GNU.sparse.minor", b"0"),
    "sparse name": pax_record(b"GNU.sparse.name", b"../../x.py"),
    "link": pax_record(b"linkpath", b"/etc"),
    "no length": b"path=x\n",
    "length 0": b"0 path=x\n",
    "length 1": b"1 path=x\n",
    "minus": b"-9 path=x\n",
    "longer than it is": b"99999 path=x\n",
    "huge length": b"9" * 5000 + b" path=x\n",
    "no newline": b"9 path=xy",
    "no equals sign": b"9 pathxx\n",
    "NULs": bytes(100),
    "nothing": b"",
    "many": pax_record(b"comment", b"x") * 5000,
}


def _extended_headers() -> dict[str, bytes]:
    entry = member(b"cleo.py")
    headers = {f"{detail}": pax(data) + entry for detail, data in RECORDS.items()}
    headers |= {f"global, {detail}": pax(data, b"g") + entry for detail, data in RECORDS.items()}
    for kind, name in (
        (b"L", "long name"),
        (b"K", "long link"),
        (b"x", "PAX"),
        (b"g", "global PAX"),
        (b"S", "sparse"),
    ):
        headers |= {
            f"{name} of 0 bytes": header(b"n", type=kind) + entry,
            f"{name} of 2 MB": header(b"n", 2_000_000, type=kind) + entry,
            f"{name} of 2^40": header(b"n", type=kind, size=b"\x80\0\0\0\0\0\1" + bytes(5)) + entry,
            f"{name} of -1": header(b"n", type=kind, size=b"\xff" * 12) + entry,
            f"{name} 1,500 times": member(b"n", b"name.py\0", type=kind) * 1500 + entry,
            f"{name} before nothing": member(b"n", b"name.py\0", type=kind),
        }
    return headers


def _ends() -> dict[str, bytes]:
    return {
        "none": GOOD,
        "half": GOOD + bytes(BLOCK),
        "a third block": GOOD + END + bytes(BLOCK),
        "then more": GOOD + END + member(b"after.py"),
        "then garbage": GOOD + END + b"\xff" * 700,
        "in the middle": member(b"a.py") + bytes(BLOCK) + GOOD + END,
        "only": END,
        "1 MB": END * 1000,
        "garbage for a header": GOOD + b"\xff" * BLOCK + END,
        "a zip": GOOD + END + b"PK\x03\x04" * 200,
    }
