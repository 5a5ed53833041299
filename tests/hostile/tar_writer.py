"""Write tars of which every field can be wrong."""

from tests.hostile.case import OTHER_PROGRAM, PROGRAM

BLOCK = 512
END = bytes(2 * BLOCK)
# Where the fields of a header are.
FIELDS = {
    "name": (0, 100), "mode": (100, 8), "uid": (108, 8), "gid": (116, 8), "size": (124, 12),
    "mtime": (136, 12), "checksum": (148, 8), "type": (156, 1), "link": (157, 100), "magic": (257, 8),
    "user": (265, 32), "group": (297, 32), "major": (329, 8), "minor": (337, 8), "prefix": (345, 155),
}  # fmt: skip


def header(name: bytes = b"ada/main.py", length: int = 0, /, **fields: bytes) -> bytes:
    """Return a header block with a right checksum unless `fields` has one."""
    block = bytearray(BLOCK)
    values = {
        "name": name, "mode": b"0000644\0", "uid": b"0000000\0", "gid": b"0000000\0",
        "size": b"%011o\0" % length, "mtime": b"14000000000\0", "type": b"0", "magic": b"ustar\x0000",
        "checksum": b" " * 8,
    }  # fmt: skip
    for field, value in (values | fields).items():
        start, width = FIELDS[field]
        block[start : start + width] = value[:width].ljust(width, b"\0")
    return bytes(block) if "checksum" in fields else checked(block)


def checked(block: bytes | bytearray) -> bytes:
    """Return a header block with the right checksum."""
    data = bytearray(block)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data)
    return bytes(data)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def member(name: bytes, data: bytes = PROGRAM, /, **fields: bytes) -> bytes:
    return header(name, len(data), **fields) + padded(data)


GOOD = member(b"ada/main.py") + member(b"ben/main.py", OTHER_PROGRAM)


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    """Return an extended header with these records, right or wrong."""
    return member(b"pax", records, type=kind)


def pax_record(key: bytes, value: bytes) -> bytes:
    """Return a record, which begins with its own length."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % length + rest
