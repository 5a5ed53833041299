"""Passages of common code: code in more submissions than the common limit. Pages list them as excluded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from submissions.models.records import CommonPassage

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from fingerprint.engine import Cohort
    from fingerprint.types import Flags, Ids
    from submissions.ranking.load import LoadedCohort

    # [first, after the last) k-gram, by the index of its first token in the cohort.
    Run = tuple[int, int]
    Indexes = npt.NDArray[np.intp]

# Number of passages of common code that a report lists.
MAX_LISTED = 50


def common_passages(loaded: LoadedCohort) -> list[CommonPassage]:
    """Return passages of common code, by decreasing number of k-grams times number of submissions.

    A passage of which more than half was in an earlier one is not listed again.
    """
    cohort = loaded.inputs.cohort
    if cohort.limit is None:
        return []
    # What is common is so in the class, and is shown in its own code.
    own = loaded.own_tokens
    marked = cohort.common & (cohort.tokens.kgrams >= 0) & own
    selected = _select_passages(cohort, own, _sort_runs(cohort, _marked_runs(marked)))
    passages = [_common_passage(loaded, *run) for run in selected]
    return sorted(
        passages, key=lambda passage: -(passage.after - passage.first - cohort.k + 1) * passage.submissions
    )


def _common_passage(loaded: LoadedCohort, first: int, after: int, submissions: int) -> CommonPassage:
    cohort = loaded.inputs.cohort
    file = int(np.searchsorted(cohort.file_starts, first, side="right")) - 1
    start = first - int(cohort.file_starts[file])
    return CommonPassage(
        document=loaded.files[file].document_id,
        first=start,
        after=start + after - first + cohort.k - 1,
        submissions=submissions,
    )


def _marked_runs(marked: Flags) -> list[Run]:
    edges = np.diff(marked.astype(np.int8), prepend=0, append=0)
    return list(zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist(), strict=True))


def _sort_runs(cohort: Cohort, runs: list[Run]) -> list[Run]:
    """Return runs by decreasing sum of their k-grams' frequencies; of runs with equal k-grams, the first."""
    ids, sums = cohort.tokens.kgrams, np.concatenate(([0], np.cumsum(cohort.frequency, dtype=np.int64)))
    distinct: dict[bytes, Run] = {}
    for first, after in runs:
        distinct.setdefault(ids[first:after].tobytes(), (first, after))
    return sorted(distinct.values(), key=lambda run: int(sums[run[0]] - sums[run[1]]))


def _select_passages(cohort: Cohort, own: Flags, runs: list[Run]) -> Iterator[tuple[int, int, int]]:
    """Yield up to MAX_LISTED (first, after, submissions), parts of runs of which at least half is new.

    `own` are the tokens that count.
    """
    ids = np.where(own, cohort.tokens.kgrams, -1)
    order = np.argsort(ids, kind="stable")
    seen = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.bool_)
    remaining = MAX_LISTED
    for run in runs:
        if 2 * int(seen[ids[slice(*run)]].sum()) > run[1] - run[0]:
            continue
        for first, after, submissions in _split_run(cohort, ids, order, *run):
            if remaining and 2 * int(seen[ids[first:after]].sum()) <= after - first:
                remaining -= 1
                yield first, after, submissions
            seen[ids[first:after]] = True
        if not remaining:
            return


def _split_run(
    cohort: Cohort, ids: Ids, order: Indexes, first: int, after: int
) -> Iterator[tuple[int, int, int]]:
    """Split a run into parts (first, after, submissions).

    A longer part is in fewer submissions, so each has the length that maximises length times submissions.
    """
    while first < after:
        counts = _submission_counts(cohort, ids, order, first, after)
        size = max(range(1, len(counts) + 1), key=lambda n: n * counts[n - 1])
        yield first, first + size, counts[size - 1]
        first += size + cohort.k - 1


def _submission_counts(cohort: Cohort, ids: Ids, order: Indexes, first: int, after: int) -> list[int]:
    """Return how many submissions contain the first k-gram of a run, the first two, and so on.

    The list ends before the first count that is not above the common limit. `order` sorts `ids`, of k-grams.
    """
    counts: list[int] = []
    low, high = (np.searchsorted(ids, ids[first], side, sorter=order) for side in ("left", "right"))
    starts = order[low:high]
    for step in range(after - first):
        starts = starts[starts + step < len(ids)]
        starts = starts[ids[starts + step] == ids[first + step]]
        submissions = len(np.unique(np.searchsorted(cohort.submission_starts, starts, side="right")))
        if submissions <= (cohort.limit or 0):
            break
        counts.append(submissions)
    return counts
