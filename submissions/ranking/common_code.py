"""Code that more submissions share than the common limit allows: what pages show as left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from submissions.models.records import CommonPassage

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from fingerprint.engine import Cohort
    from fingerprint.types import Flags
    from submissions.ranking.load import LoadedCohort

    Run = tuple[int, int]
    Places = npt.NDArray[np.intp]

# Passages of common code that a report lists.
LISTED = 50


def common_passages(loaded: LoadedCohort) -> list[CommonPassage]:
    """Return passages of common code, those with most code in all first.

    A passage that lies for the larger part in an earlier one is not listed again.
    """
    cohort = loaded.inputs.cohort
    if cohort.limit is None:
        return []
    marked = (cohort.frequency > cohort.limit) & (cohort.side.ids >= 0)
    chosen = _chosen(cohort, _heaviest_first(cohort, _runs(marked)))
    passages = [_passage(loaded, *piece) for piece in chosen]
    return sorted(passages, key=lambda one: -(one.after - one.first - cohort.k + 1) * one.submissions)


def _passage(loaded: LoadedCohort, first: int, after: int, holders: int) -> CommonPassage:
    cohort = loaded.inputs.cohort
    file = int(np.searchsorted(cohort.files, first, side="right")) - 1
    start = first - int(cohort.files[file])
    return CommonPassage(
        document=loaded.files[file].document_id,
        first=start,
        after=start + after - first + cohort.k - 1,
        submissions=holders,
    )


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
