"""Positional fingerprints of one document (winnowing, sections 2.2 and 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.hashing import kgram_hashes
from fingerprint.winnowing import robust_winnow

if TYPE_CHECKING:
    from fingerprint.params import Params
    from fingerprint.types import Hashes, Kinds, Positions


class Fingerprints(NamedTuple):
    """Fingerprints of one document as parallel arrays, ordered by position.

    `hashes` uint64: hashes of the selected k-grams; `positions` int64: index of each k-gram's first token.
    """

    hashes: Hashes
    positions: Positions


def fingerprint(kinds: Kinds, params: Params) -> Fingerprints:
    """Return the fingerprints of a document, selected among its k-gram hashes by robust winnowing."""
    hashes = kgram_hashes(kinds, params.k)
    positions = robust_winnow(hashes, params.window)
    return Fingerprints(hashes[positions], positions)
