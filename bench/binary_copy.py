"""Convert columns of integers to and from Postgres's binary COPY format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"


def _row_dtype(types: Sequence[str]) -> np.dtype[np.void]:
    """Return the dtype of one row: the number of fields, then length and bytes of each; all big-endian."""
    fields = [("fields", ">i2")]
    for i, name in enumerate(types):
        fields += [(f"length{i}", ">i4"), (f"value{i}", f">{name}")]
    return np.dtype(fields)


def encode(columns: Sequence[npt.NDArray[np.integer]]) -> bytes:
    """Return COPY data of int32 or int64 arrays of one length, for columns of type int4 or int8."""
    row_dtype = _row_dtype([column.dtype.str[1:] for column in columns])
    rows = np.empty(len(columns[0]), dtype=row_dtype)
    rows["fields"] = len(columns)
    for i, column in enumerate(columns):
        rows[f"length{i}"] = column.dtype.itemsize
        rows[f"value{i}"] = column
    return HEADER + rows.tobytes() + TRAILER


def decode(data: bytes, types: Sequence[str]) -> list[npt.NDArray[Any]]:
    """Return the columns of COPY data without nulls as arrays in native byte order.

    `types` are numpy type codes, one for each column, such as `("i8", "i4")`.

    Raises
    ------
    ValueError
        When the data has another number of columns, or columns of other sizes.
    """
    row_dtype = _row_dtype(types)
    count = (len(data) - len(HEADER) - len(TRAILER)) // row_dtype.itemsize
    rows = np.frombuffer(data, row_dtype, count, len(HEADER))
    if len(HEADER) + rows.nbytes + len(TRAILER) != len(data) or (rows["fields"] != len(types)).any():
        raise ValueError(f"{len(data)} bytes are not binary COPY data of {types}")
    return [rows[f"value{i}"].astype(name) for i, name in enumerate(types)]
