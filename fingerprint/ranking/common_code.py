"""Common code as runs of tokens to show, and the lines that most submissions of a class share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Flags, Ids, Kinds
from fingerprint.ranking.cohort import Cohort, whole_lines
from fingerprint.ranking.score_constants import LEAST_EQUAL, LEAST_MARKED
from fingerprint.tokens import CELL

# [first, after the last) k-gram, by the index of its first token in the cohort.
Run = tuple[int, int]
Indexes = npt.NDArray[np.intp]

# Number of runs that are listed.
MAX_LISTED = 50
# Places of one k-gram that are followed in a submission: code that repeats itself has thousands.
MOST_PLACES = 100
# Fewer tokens are an idiom that everybody writes.
LEAST_TOKENS = 30


class CommonRun(NamedTuple):
    """Tokens [`first`, `after`) of a cohort, which are common code, and the submissions that contain them."""

    first: int
    after: int
    submissions: frozenset[int]


class SharedLines(NamedTuple):
    """`lines` lines of common code that so many `submissions` contain; `runs` are in one of these."""

    submissions: int
    lines: int
    runs: list[CommonRun]


class CommonCode(NamedTuple):
    """Runs of common code, and the lines that most of a class share; None where they share no long run."""

    runs: list[CommonRun]
    shared: SharedLines | None


class _ClassKgrams(NamedTuple):
    """The k-grams of the tokens of a class, -1 for the others, and their order."""

    cohort: Cohort
    ids: Ids
    order: Indexes

    def places(self, first: int, after: int) -> Indexes:
        """Return where the k-grams [`first`, `after`) stand in a row, in ascending order."""
        low, high = (np.searchsorted(self.ids, self.ids[first], side, sorter=self.order) for side in ("left", "right"))
        starts = self._first_places(self.order[low:high])
        for step in range(1, after - first):
            starts = self.following(starts, first, step)
        return starts

    def _first_places(self, starts: Indexes) -> Indexes:
        """Return the first MOST_PLACES of the ascending `starts` in each submission.

        In code that repeats itself, the first are followed by the longest equal run.
        """
        owners = self.submissions(starts)
        before = np.searchsorted(owners, owners, side="left")
        first: Indexes = starts[np.arange(len(starts)) - before < MOST_PLACES]
        return first

    def following(self, starts: Indexes, first: int, step: int) -> Indexes:
        """Return those `starts` after which, `step` tokens later, the k-gram of `first + step` stands."""
        starts = starts[(starts + step >= 0) & (starts + step < len(self.ids))]
        following: Indexes = starts[self.ids[starts + step] == self.ids[first + step]]
        return following

    def submissions(self, starts: Indexes) -> Indexes:
        owners: Indexes = np.searchsorted(self.cohort.submission_starts, starts, side="right") - 1
        return owners


def common_code(cohort: Cohort, class_tokens: Flags, size: int) -> CommonCode:
    """Return the common code of a class of `size`, by decreasing number of k-grams times submissions.

    `class_tokens` are the tokens of the class: what is common is so in the class, and is shown in its own
    code. A run of which more than half was in an earlier one is not listed again.
    """
    if cohort.limit is None:
        return CommonCode([], None)
    marked = cohort.common & (cohort.tokens.kgrams >= 0) & class_tokens
    ids = np.where(class_tokens, cohort.tokens.kgrams, -1)
    kgrams = _ClassKgrams(cohort, ids, np.argsort(ids, kind="stable"))
    found = list(_select_runs(kgrams, _sort_runs(cohort, _marked_runs(marked))))
    found.sort(key=lambda run: -(run.after - run.first) * len(run.submissions))
    ends = (whole_lines(cohort, run.first, run.after + cohort.k - 1) for run in found)
    runs = [CommonRun(*whole, run.submissions) for whole, run in zip(ends, found, strict=True)]
    return CommonCode(runs, _shared_lines(kgrams, found, size))


def _shared_lines(kgrams: _ClassKgrams, runs: Sequence[CommonRun], size: int) -> SharedLines | None:
    """Return the lines that more than half of a class share, of runs of k-grams.

    They are those of the heaviest long run that so many share, and of all long parts of others that the same
    submissions contain, in the first of these: what is counted there once is in each of them.
    """
    least = LEAST_TOKENS - kgrams.cohort.k + 1
    most = [run for run in runs if 2 * len(run.submissions) > size and run.after - run.first >= least]
    if not most:
        return None
    k, submissions = kgrams.cohort.k, most[0].submissions
    parts = (part for run in most for part in _parts_in_all(kgrams, run, submissions))
    ends = (_in_submission(kgrams, part, submissions) for part in parts if part[1] - part[0] >= least)
    whole = (_lines_within(kgrams.cohort, *run) for run in ends)
    spans = [(first, after) for first, after in whole if after - first >= k]
    if not spans:
        return None
    # Without the parts of lines at its ends, more submissions may contain a run.
    starts = (kgrams.places(first, after - k + 1) for first, after in spans)
    submissions = frozenset.intersection(*(frozenset(kgrams.submissions(one).tolist()) for one in starts))
    joined = _joined(spans)
    numbers = kgrams.cohort.sums.line_numbers
    lines = sum(int(numbers[after - 1] - numbers[first]) + 1 for first, after in joined)
    shared = [CommonRun(first, after, submissions) for first, after in joined]
    return SharedLines(len(submissions), lines, shared)


def _parts_in_all(kgrams: _ClassKgrams, run: CommonRun, submissions: frozenset[int]) -> Iterator[Run]:
    """Yield the parts of a run that all the submissions contain.

    Where some go on alike by chance, a run is longer than what all of them contain.
    """
    first = run.first
    while first < run.after:
        starts, after = kgrams.places(first, first + 1), first
        while after < run.after:
            starts = kgrams.following(starts, first, after - first)
            if not submissions.issubset(kgrams.submissions(starts).tolist()):
                break
            after += 1
        if after > first:
            yield first, after
        first = max(after, first + 1)


def _in_submission(kgrams: _ClassKgrams, run: Run, submissions: frozenset[int]) -> Run:
    """Return the tokens of a run of k-grams where the first of some submissions has it first.

    The run is as long as all the submissions contain it.
    """
    ids, (first, after) = kgrams.ids, run
    starts = kgrams.places(first, after)
    for step in (-1, 1):
        while True:
            end = first - 1 if step < 0 else after
            if not 0 <= end < len(ids) or ids[end] < 0:
                break
            longer = kgrams.following(starts, first, end - first)
            if not submissions.issubset(kgrams.submissions(longer).tolist()):
                break
            starts, first, after = (longer - 1, end, after) if step < 0 else (longer, first, end + 1)
    start = int(starts[kgrams.submissions(starts) == min(submissions)].min())
    return start, start + after - first + kgrams.cohort.k - 1


def _lines_within(cohort: Cohort, first: int, after: int) -> Run:
    """Return tokens [first, after) of one file without those on lines that are not wholly among them."""
    file = int(np.searchsorted(cohort.file_starts, first, side="right")) - 1
    start, end = cohort.file_starts[file : file + 2].tolist()
    numbers = cohort.sums.line_numbers[start : end - 1]
    first, after = first - start, after - start
    if first and numbers[first - 1] == numbers[first]:
        first = int(np.searchsorted(numbers, numbers[first], side="right"))
    if after < len(numbers) and numbers[after - 1] == numbers[after]:
        after = int(np.searchsorted(numbers, numbers[after], side="left"))
    return start + first, start + after


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Return runs in ascending order, of which those that overlap are one."""
    joined: list[Run] = []
    for first, after in sorted(runs):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(after, joined[-1][1])
        else:
            joined.append((first, after))
    return joined


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


def _select_runs(kgrams: _ClassKgrams, runs: list[Run]) -> Iterator[CommonRun]:
    """Yield up to MAX_LISTED parts of runs of k-grams, of which at least half is new."""
    ids = kgrams.ids
    seen = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.bool_)
    remaining = MAX_LISTED
    for run in runs:
        if 2 * int(seen[ids[slice(*run)]].sum()) > run[1] - run[0]:
            continue
        for first, after in _split_run(kgrams, *run):
            if remaining and 2 * int(seen[ids[first:after]].sum()) <= after - first:
                remaining -= 1
                submissions = kgrams.submissions(kgrams.places(first, after))
                yield CommonRun(first, after, frozenset(submissions.tolist()))
            seen[ids[first:after]] = True
        if not remaining:
            return


def _split_run(kgrams: _ClassKgrams, first: int, after: int) -> Iterator[Run]:
    """Split a run into parts.

    A longer part is in fewer submissions, so each has the length that maximises length times submissions.
    """
    while first < after:
        counts = _submission_counts(kgrams, first, after)
        size = max(range(1, len(counts) + 1), key=lambda n: n * counts[n - 1])
        yield first, first + size
        first += size + kgrams.cohort.k - 1


def _submission_counts(kgrams: _ClassKgrams, first: int, after: int) -> list[int]:
    """Return how many submissions contain the first k-gram of a run, the first two, and so on.

    The list ends before the first count that is not above the common limit, or, in a file that most have,
    not as high as the least number of those.
    """
    counts: list[int] = []
    starts, limit = kgrams.places(first, first + 1), kgrams.cohort.limit or 0
    if len(np.unique(kgrams.submissions(starts))) <= limit:
        limit = LEAST_EQUAL - 1
    for step in range(after - first):
        starts = kgrams.following(starts, first, step)
        submissions = len(np.unique(kgrams.submissions(starts)))
        if submissions <= limit:
            break
        counts.append(submissions)
    return counts


def cells_of_most(submissions: Sequence[Sequence[Kinds]], in_class: Flags) -> list[Kinds]:
    """Return the tokens of the cells marked as handed out that most of a class have with that id and text.

    `submissions` has the tokens of the files of each, `in_class` says whether it is of the class. A mark that
    one student alone made leaves nothing out.
    """
    owners: defaultdict[int, set[int]] = defaultdict(set)
    cells: dict[int, Kinds] = {}
    for number in np.flatnonzero(in_class).tolist():
        for kinds in submissions[number]:
            for first in np.flatnonzero(kinds[:-2] == CELL).tolist():
                cell, size = kinds[first + 1 : first + 3].tolist()
                owners[cell].add(number)
                cells[cell] = kinds[first : first + 3 + size]
    least = max(LEAST_MARKED, int(in_class.sum()) // 2 + 1)
    return [cells[cell] for cell, of_one in owners.items() if len(of_one) >= least]
