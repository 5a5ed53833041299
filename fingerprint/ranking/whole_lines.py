"""Cut runs of tokens to whole lines, for code that is shown alone, such as starter code that is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.ranking.heads import first_lines, head_lines, mark_lines, tail_lines

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort


def whole_lines(cohort: Cohort, first: int, after: int) -> tuple[int, int]:
    """Return the tokens [first, after) of one file of a cohort without parts of lines at their ends.

    A head goes if the line after it is not wholly among them, as it only says how a function is called; so
    does the last line of a function without the line before it. A run of which less than `k` tokens would
    remain is returned as it is.
    """
    file = int(np.searchsorted(cohort.file_starts, first, side="right")) - 1
    start, end = cohort.file_starts[file : file + 2].tolist()
    kinds, numbers = cohort.tokens.kinds[start : end - 1], cohort.sums.line_numbers[start : end - 1]
    firsts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
    lines = mark_lines(kinds, firsts)
    heads = head_lines(lines)
    heads |= first_lines(lines, heads)
    tails = tail_lines(lines, heads)
    bounds = [*firsts.tolist(), len(kinds)]
    low, high = np.searchsorted(bounds, [first - start, after - start], side="right") - 1
    # A line in which the run begins is not whole.
    low += bounds[low] < first - start
    while 0 < low < high and tails[low]:
        low += 1
    while low < high and heads[high - 1]:
        high -= 1
    whole = start + bounds[low], start + bounds[high]
    return whole if whole[1] - whole[0] >= cohort.k else (first, after)
