"""Uses of names: where a name occurs again, by the tokens around both places.

Such a pair of places survives renaming, added statements and another order, which change passages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.hashing import BASE, MIXER, SHIFT
from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.languages.joined import order_by_text

if TYPE_CHECKING:
    from fingerprint.languages.joined import Joined
    from fingerprint.types import Bounds, Kinds, Offsets, Positions, Terms

# Tokens on each side of a name that tell its uses apart.
REACH = 2


@bare_njit
def _surroundings(kinds: Kinds, place: int) -> np.uint64:
    """Return a hash of the kinds around a place; beyond the ends of the file they count as 0."""
    around = np.uint64(0)
    for at in range(place - REACH, place + REACH + 1):
        if at != place:
            around = (around + (kinds[at] if 0 <= at < len(kinds) else np.uint64(0))) * BASE
    return around


@bare_kernel
def find_places(
    starts: Offsets, ends: Bounds, name_starts: Offsets, name_ends: Bounds, places: Positions
) -> None:
    """Fill `places` with the token at which each name is, counted within its text; -1 where none is.

    `starts` are the offsets of the tokens of texts, one text after another, `ends` the number of tokens up to
    the end of each text; the other columns say the same of the names.
    """
    at, name = 0, 0
    for text in range(len(ends)):
        begin = at
        while name < name_ends[text]:
            while at < ends[text] and starts[at] < name_starts[name]:
                at += 1
            is_here = at < ends[text] and starts[at] == name_starts[name]
            places[name] = at - begin if is_here else -1
            name += 1
        at = ends[text]


class PlacedNames(NamedTuple):
    """Names of texts, one text after another, sorted within each by name, then by token.

    `places` are their tokens, counted within the text, -1 where none is; `ends` has the number of names up to
    the end of each text.
    """

    names: Kinds
    places: Positions
    ends: Bounds


@bare_kernel
def fill_uses(kinds: Kinds, ends: Bounds, placed: PlacedNames, uses: Terms, totals: Bounds) -> None:
    """Fill `uses` with the hash of each two neighbouring places of one name in a text.

    `kinds` are those of the tokens of texts, one text after another. `ends` and `totals` have the numbers of
    tokens and uses up to the end of each text.
    """
    names, places = placed.names, placed.places
    count, begin, name = 0, 0, 0
    for text in range(len(ends)):
        of_text, last = kinds[begin : ends[text]], -1
        while name < placed.ends[text]:
            if places[name] >= 0:
                if last >= 0 and names[name] == names[last]:
                    uses[count] = both(of_text, places[last], places[name])
                    count += 1
                last = name
            name += 1
        begin, totals[text] = ends[text], count


@bare_njit
def both(kinds: Kinds, one: int, other: int) -> np.uint64:
    """Return a hash of the kinds around two places."""
    return mixed(mixed(_surroundings(kinds, one)) + _surroundings(kinds, other) * BASE)


@bare_njit
def mixed(value: np.uint64) -> np.uint64:
    """Return a hash with its bits mixed; sums of products alone collide where two kinds change places."""
    product = (value ^ (value >> SHIFT)) * MIXER
    return product ^ (product >> SHIFT)


def name_uses(tokens: Joined, names: Joined) -> tuple[Terms, Bounds]:
    """Return the uses of names of texts, one text after another, and their number up to each text's end.

    They are uint64, those of a text in no order, and some more than once.

    Parameters
    ----------
    tokens : the tokens of the texts
    names : their names, with the id of each as its kind, in text order
    """
    places = np.empty(len(names.stream), dtype=np.int64)
    find_places(tokens.stream.starts, tokens.ends, names.stream.starts, names.ends, places)
    order = order_by_text(names.stream.kinds, names.ends)
    uses, totals = np.empty(len(order), dtype=np.uint64), np.zeros(len(tokens.ends), dtype=np.int64)
    placed = PlacedNames(names.stream.kinds[order], places[order], names.ends)
    fill_uses(tokens.stream.kinds, tokens.ends, placed, uses, totals)
    return uses, totals
