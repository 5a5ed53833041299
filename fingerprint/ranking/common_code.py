"""Common code: code that looks like a template, since many submissions that are otherwise unlike have it.

Code that a ring of copiers shares is in many submissions too, but these are alike in everything. So
submissions that are alike count as one program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from fingerprint.kernels.registry import kernel
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.candidates import Postings, add_shared, owner_weights, postings

if TYPE_CHECKING:
    from fingerprint.index import InvertedIndex
    from fingerprint.types import Bounds, Floats, Ids, PartCounts

# Common limit in force: code in more than so many submissions is common code; None for no limit.
CommonLimit = int | Literal["default"] | None
# A sum of the same weights in another order differs by less than this part of it, and decides nothing.
ROUNDING = 1e-9


def default_limit(programs: float) -> int:
    """Return the common limit of a cohort of so many programs, submissions that are alike counted as one."""
    return max(constants.LEAST_COMMON, int(programs * constants.COMMON_PART))


@kernel
def _count_alike(table: Postings, parts: Floats, counts: PartCounts) -> None:
    """Add 1 to the counts of both owners of each pair that shares at least each of the `parts`."""
    weights, owners = owner_weights(table), len(table.value_starts) - 1
    weight = np.zeros(owners)
    shared, partners = np.zeros(owners, dtype=np.int32), np.empty(owners, dtype=np.int32)
    for left in range(owners):
        partner_count = add_shared(table, left, weight, shared, partners)
        for right in partners[:partner_count]:
            heavier = (1 - ROUNDING) * max(weights[left], weights[right])
            for row in range(len(parts)):
                if weight[right] >= parts[row] * heavier:
                    counts[row, left] += 1
                    counts[row, right] += 1
            weight[right], shared[right] = 0.0, 0


def count_alike(
    index: InvertedIndex,
    submissions: int,
    parts: tuple[float, ...] = (constants.ALIKE_PART, constants.RELATED_PART),
) -> PartCounts:
    """Return how many submissions share at least each of the parts with each one, itself included.

    Returns
    -------
    int32 [parts, submissions]
    """
    table, counts = postings(index), np.ones((len(parts), submissions), dtype=np.int32)
    _count_alike(table, np.array(parts), counts)
    return counts


@kernel
def count_programs(ids: Ids, bounds: Bounds, distinct: int, parts: Floats) -> Floats:
    """Return the number of programs that contain each id, as the sum of the `parts` of their submissions.

    The ids of submission d are `ids[bounds[d]:bounds[d + 1]]`.
    """
    programs = np.zeros(distinct)
    last = np.full(distinct, -1, dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for kgram in ids[bounds[owner] : bounds[owner + 1]]:
            if last[kgram] != owner:
                last[kgram] = owner
                programs[kgram] += parts[owner]
    return programs
