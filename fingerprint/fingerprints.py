"""Positional fingerprints of one document (winnowing, sections 2.2 and 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.hashing import kgram_hashes
from fingerprint.winnowing import robust_winnow

if TYPE_CHECKING:
    from fingerprint.params import Params
    from fingerprint.types import Hashes, Kinds, Positions


class Fingerprints(NamedTuple):
    """Parallel arrays in order of position.

    `hashes` uint64; `positions` int64, each the index of the first token of its k-gram.
    """

    hashes: Hashes
    positions: Positions


def fingerprint(kinds: Kinds, params: Params) -> Fingerprints:
    """Fingerprint a document by robust winnowing of its k-gram hashes."""
    hashes = kgram_hashes(kinds, params.k)
    positions = robust_winnow(hashes, params.window)
    return Fingerprints(hashes[positions], positions)
