"""Code that more submissions share than the common limit allows, so that it can be shown what was ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from fingerprint.ranking.cohort import Cohort
    from submissions.ranking.rank import Loaded

    Run = tuple[int, int]
    Flags = npt.NDArray[np.bool_]
    Places = npt.NDArray[np.intp]

# As many passages of common code as a report lists.
LISTED = 50


def common(loaded: Loaded) -> list[list[int]]:
    """Give [document id, first token, token after the last, how many submissions hold it], most code first.

    What is for the larger part in a passage before is not listed again.
    """
    cohort = loaded.cohort
    if cohort.limit is None:
        return []
    marked = (cohort.frequency > cohort.limit) & (cohort.side.ids >= 0)
    listed = []
    for first, after, holders in _chosen(cohort, _heaviest_first(cohort, _runs(marked))):
        file = int(np.searchsorted(cohort.files, first, side="right")) - 1
        start = first - int(cohort.files[file])
        listed.append([loaded.files[file].document_id, start, start + after - first + cohort.k - 1, holders])
    return sorted(listed, key=lambda row: -(row[2] - row[1] - cohort.k + 1) * row[3])


def _runs(marked: Flags) -> list[Run]:
    edges = np.diff(marked.astype(np.int8), prepend=0, append=0)
    return list(zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist(), strict=True))


def _heaviest_first(cohort: Cohort, runs: list[Run]) -> list[Run]:
    """Order runs of k-grams by how much there is of them in all; of equal runs the first stands for all."""
    ids, sums = cohort.side.ids, np.concatenate(([0], np.cumsum(cohort.frequency, dtype=np.int64)))
    distinct: dict[bytes, Run] = {}
    for first, after in runs:
        distinct.setdefault(ids[first:after].tobytes(), (first, after))
    return sorted(distinct.values(), key=lambda run: int(sums[run[0]] - sums[run[1]]))


def _chosen(cohort: Cohort, runs: list[Run]) -> Iterator[tuple[int, int, int]]:
    """Choose runs (first, after, holders) of which most is new; as many as are listed."""
    ids = cohort.side.ids
    order = np.argsort(ids, kind="stable")
    seen = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.bool_)
    left = LISTED
    for run in runs:
        if 2 * int(seen[ids[slice(*run)]].sum()) > run[1] - run[0]:
            continue
        for first, after, holders in _pieces(cohort, order, *run):
            if left and 2 * int(seen[ids[first:after]].sum()) <= after - first:
                left -= 1
                yield first, after, holders
            seen[ids[first:after]] = True
        if not left:
            return


def _pieces(cohort: Cohort, order: Places, first: int, after: int) -> Iterator[tuple[int, int, int]]:
    """Split a run into pieces, each as long as pays: a longer one is in fewer submissions."""
    while first < after:
        held = _holders(cohort, order, first, after)
        size = max(range(1, len(held) + 1), key=lambda n: n * held[n - 1])
        yield first, first + size, held[size - 1]
        first += size + cohort.k - 1


def _holders(cohort: Cohort, order: Places, first: int, after: int) -> list[int]:
    """Count who holds the first k-gram of a run, the first two, and so on, as long as that is common."""
    ids, held = cohort.side.ids, []
    low, high = (np.searchsorted(ids, ids[first], side, sorter=order) for side in ("left", "right"))
    at = order[low:high]
    for step in range(after - first):
        at = at[at + step < len(ids)]
        at = at[ids[at + step] == ids[first + step]]
        owners = len(np.unique(np.searchsorted(cohort.bounds, at, side="right")))
        if owners <= (cohort.limit or 0):
            break
        held.append(owners)
    return held
