"""The passages of a stored pair: a pair of projects has hundreds, so they are packed in one column."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import models
from django.utils.crypto import salted_hmac

from fingerprint.engine import Passage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from fingerprint.types import Bounds, PassageRows

    BinaryField = models.BinaryField[Any, Any]
else:
    BinaryField = models.BinaryField  # takes no parameter at run time

# How passages are packed: the columns of both files, and then the others.
KEYS, FIGURES = np.dtype("<i8"), np.dtype("<i4")
FILE_COLUMNS, OTHER_COLUMNS = [0, 2], [1, 3, 4, 5, 6]
ROW_BYTES = len(FILE_COLUMNS) * KEYS.itemsize + len(OTHER_COLUMNS) * FIGURES.itemsize


class PassageRecord(Passage):
    """A passage of a stored pair; `left_file` and `right_file` are primary keys of `SubmissionFile`."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """Identifier of the passage within its report, the same for either order of the sides.

        It does not reveal the primary keys of the files: they are in the order of an upload's entries.
        """
        sides = sorted(((self.left_file, self.left_token), (self.right_file, self.right_token)))
        return salted_hmac("passage", repr((sides, self.tokens))).hexdigest()


def pack_passages(rows: PassageRows, starts: Bounds, files: npt.NDArray[np.int64]) -> list[bytes]:
    """Return the passages of each pair as deflated columns of little-endian numbers; never empty.

    `rows` and `starts` as in `engine.PairPassages`; `files` int64: the primary keys of the files that they
    number.
    """
    keys, figures = files[rows[:, FILE_COLUMNS]].astype(KEYS), rows[:, OTHER_COLUMNS].astype(FIGURES)
    return [
        zlib.compress(keys[first:after].T.tobytes() + figures[first:after].T.tobytes(), level=1)
        for first, after in pairwise(starts.tolist())
    ]


def pack_records(passages: Sequence[PassageRecord]) -> bytes:
    """Return the passages of one pair as `pack_passages` does."""
    table = np.array(passages, dtype=np.int64).reshape(-1, len(Passage._fields))
    keys, places = np.unique(table[:, FILE_COLUMNS], return_inverse=True)
    table[:, FILE_COLUMNS] = places.reshape(-1, len(FILE_COLUMNS))
    return pack_passages(table.astype(np.int32), np.array([0, len(table)]), keys)[0]


def with_other_files(packed: bytes, files: Mapping[int, int], *, exchange: bool) -> bytes:
    """Return packed passages with `files` in place of their files, and with the sides exchanged."""
    keys, figures = _unpacked(packed)
    others = np.array([[files[key] for key in side] for side in keys.tolist()], dtype=KEYS)
    if exchange:
        others, figures = others[::-1], figures[[1, 0, *range(2, len(OTHER_COLUMNS))]]
    return zlib.compress(others.tobytes() + figures.tobytes(), level=1)


def _unpacked(packed: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the columns of the files, and the others; without rows of no bytes."""
    raw = zlib.decompress(packed) if packed else b""
    count = len(raw) // ROW_BYTES
    keys = np.frombuffer(raw, KEYS, len(FILE_COLUMNS) * count).reshape(len(FILE_COLUMNS), count)
    return keys, np.frombuffer(raw, FIGURES, offset=keys.nbytes).reshape(len(OTHER_COLUMNS), count)


def unpack(packed: bytes) -> list[PassageRecord]:
    """Return what was packed; nothing of no bytes."""
    keys, figures = _unpacked(packed)
    columns = dict(zip(FILE_COLUMNS + OTHER_COLUMNS, [*keys.tolist(), *figures.tolist()], strict=True))
    *figures_of, common = (columns[number] for number in range(len(columns)))
    return [PassageRecord(*row) for row in zip(*figures_of, map(bool, common), strict=True)]


class PassagesField(BinaryField):
    """A list of `PassageRecord`; what is packed already is stored as it is. Migrations see a BinaryField."""

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.BinaryField", args, options

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> list[PassageRecord]:
        return unpack(bytes(value))

    def get_prep_value(self, value: Any) -> Any:
        return value if isinstance(value, bytes) else pack_records(value)

    def get_default(self) -> list[PassageRecord]:
        return []

    def to_python(self, value: Any) -> Any:
        packed = super().to_python(value)  # `loaddata` passes the stored form as text
        return unpack(bytes(packed)) if isinstance(packed, bytes | memoryview) else packed

    def value_to_string(self, obj: models.Model) -> Any:
        packed = type(obj)(passages=pack_records(self.value_from_object(obj)))
        return super().value_to_string(packed)
