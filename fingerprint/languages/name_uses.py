"""Uses of names: where a name occurs again, by the tokens around both places.

Such a pair of places survives renaming, added statements and another order, which change passages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.hashing import BASE, MIXER, SHIFT
from fingerprint.kernels.registry import kernel, njit

if TYPE_CHECKING:
    from fingerprint.tokens import TokenStream
    from fingerprint.types import Kinds, Positions, Terms

# Tokens on each side of a name that tell its uses apart.
REACH = 2


@njit
def _surroundings(kinds: Kinds, place: int) -> np.uint64:
    """Return a hash of the kinds around a place; beyond the ends of the file they count as 0."""
    around = np.uint64(0)
    for at in range(place - REACH, place + REACH + 1):
        if at != place:
            around = (around + (kinds[at] if 0 <= at < len(kinds) else np.uint64(0))) * BASE
    return around


@kernel
def fill_uses(kinds: Kinds, names: Kinds, places: Positions, uses: Terms) -> int:
    """Fill `uses` with the hash of each two neighbouring places of one name; return their number.

    `names` and `places` int64 have a name and its token, sorted by name, then by token.
    """
    count = 0
    for at in range(1, len(places)):
        if names[at] == names[at - 1]:
            both = (_surroundings(kinds, places[at - 1]) * BASE + _surroundings(kinds, places[at])) * BASE
            mixed = (both ^ (both >> SHIFT)) * MIXER
            uses[count] = mixed ^ (mixed >> SHIFT)
            count += 1
    return count


def name_uses(tokens: TokenStream, names: TokenStream) -> Terms:
    """Return the uses of names of one file: uint64, in no order, some more than once.

    Parameters
    ----------
    tokens : the tokens of the file
    names : its names, with the id of each as its kind, in text order
    """
    places = np.searchsorted(tokens.starts, names.starts)
    inside = np.flatnonzero(places < len(tokens))
    inside = inside[tokens.starts[places[inside]] == names.starts[inside]]
    order = inside[np.argsort(names.kinds[inside], kind="stable")]
    uses = np.empty(len(order), dtype=np.uint64)
    count = fill_uses(tokens.kinds, names.kinds[order], places[order], uses)
    return uses[:count]
