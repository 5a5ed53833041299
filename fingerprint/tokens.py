"""Tokens: the result of a front-end, and all that the engine knows of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.types import Flags, Kinds, Offsets


@lru_cache(maxsize=65536)
def kind_id(family: str, name: str) -> int:
    """Return the 64-bit id of a token kind, the same on every machine and in every version.

    The id depends on the language `family` too, so that languages of different families never share a k-gram.
    """
    digest = blake2b(f"{family}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class Token(NamedTuple):
    """One token: `text[start:end]`, normalised to `kind`."""

    kind: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The tokens of one text as parallel arrays of n tokens, in text order.

    `kinds` uint64: ids of the kinds (see `kind_id`); `starts`, `ends` int32: offsets into the decoded text,
    in code points.
    """

    kinds: Kinds
    starts: Offsets
    ends: Offsets

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: Flags) -> TokenStream:
        """Return the tokens of these rows."""
        return TokenStream(self.kinds[rows], self.starts[rows], self.ends[rows])

    @classmethod
    def from_triples(cls, tokens: Iterable[tuple[int, int, int]]) -> TokenStream:
        """Build a stream from (kind, start, end) triples."""
        columns = list(zip(*tokens, strict=True)) or [(), (), ()]
        return cls(
            np.array(columns[0], dtype=np.uint64),
            np.array(columns[1], dtype=np.int32),
            np.array(columns[2], dtype=np.int32),
        )
