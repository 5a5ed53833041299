"""Numbers to and from Postgres's binary COPY format, whole columns at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"


def _row(types: Sequence[str]) -> np.dtype[np.void]:
    """One row: a count of fields, then each as its length and its bytes, all big-endian."""
    fields = [("fields", ">i2")]
    for i, name in enumerate(types):
        fields += [(f"length{i}", ">i4"), (f"value{i}", f">{name}")]
    return np.dtype(fields)


def encode(columns: Sequence[npt.NDArray[np.integer]]) -> bytes:
    """COPY data of equally long int32 or int64 arrays, for columns of type int4 or int8."""
    row = _row([column.dtype.str[1:] for column in columns])
    rows = np.empty(len(columns[0]), dtype=row)
    rows["fields"] = len(columns)
    for i, column in enumerate(columns):
        rows[f"length{i}"] = column.dtype.itemsize
        rows[f"value{i}"] = column
    return HEADER + rows.tobytes() + TRAILER


def decode(data: bytes, types: Sequence[str]) -> list[npt.NDArray[Any]]:
    """Arrays, in native byte order, of COPY data without nulls; `types` are as in `("i8", "i4")`.

    Raises
    ------
    ValueError
        When the data has another number of columns or other types.
    """
    row = _row(types)
    rows = np.frombuffer(data, row, (len(data) - len(HEADER) - len(TRAILER)) // row.itemsize, len(HEADER))
    if len(HEADER) + rows.nbytes + len(TRAILER) != len(data) or (rows["fields"] != len(types)).any():
        raise ValueError(f"{len(data)} bytes are no binary COPY of {types}")
    return [rows[f"value{i}"].astype(name) for i, name in enumerate(types)]
