"""Messages between a process and its child: a JSON header and raw bytes. Receiving one runs no code."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Header = dict[str, Any]
    Frame = tuple[Header, list[bytes]]
    ReadExactly = Callable[[int], bytes]

LENGTH = struct.Struct("<I")
# Longer headers of a child are wrong: names and reasons are cut before they are sent.
HEADER_BYTES = 1_000_000


class BadFrame(ValueError):
    """The other side sent something that is no message, or one that is longer than allowed."""


class Nonsense(ValueError):
    """An answer that no job gives; the message says what is wrong with it."""


def packed(header: Header, buffers: Sequence[bytes] = ()) -> bytes:
    """Return a message as bytes: the length of the header, the header with all sizes, the buffers."""
    head = json.dumps({**header, "sizes": [len(buffer) for buffer in buffers]}).encode()
    return b"".join((LENGTH.pack(len(head)), head, *buffers))


def receive(read_exactly: ReadExactly, max_bytes: int, max_header: int = HEADER_BYTES) -> Frame:
    """Read one message, with at most `max_bytes` in its buffers.

    Raises
    ------
    BadFrame
        When it is none, or too long.
    """
    (length,) = LENGTH.unpack(read_exactly(LENGTH.size))
    if length > max_header:
        raise BadFrame(f"a header of {length} bytes")
    try:
        header = json.loads(read_exactly(length))
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a header that is not JSON ({type(error).__name__})") from error
    return header, [read_exactly(size) for size in _sizes(header, max_bytes)]


def _sizes(header: object, max_bytes: int) -> list[int]:
    sizes = header.get("sizes") if isinstance(header, dict) else None
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise BadFrame("a header without the sizes of its buffers")
    if sum(sizes) > max_bytes:
        raise BadFrame(f"{sum(sizes)} bytes; at most {max_bytes} are allowed")
    return sizes
