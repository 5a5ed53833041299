"""Match equal texts, lines or words, in an order that two sequences have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Product of the numbers of texts that are matched: the time can grow with more than it.
MAX_ALIGNED = 10_000


def matching_runs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs of equal texts in an order that both sides have: both first ones, and the number.

    These have the most characters together. With exchanged sides, or with texts that only one side has, the
    same ones match. None are returned where there are too many.
    """
    if len(left) * len(right) > MAX_ALIGNED:
        return []
    runs: list[tuple[int, int, int]] = []
    for at, other in _matches(left, right):
        if runs and (at, other) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((at, other, 1))
    return runs


def _matches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the texts of both sides that match, in order."""
    common = {*left} & {*right}
    rows, columns = ([at for at, one in enumerate(side) if one in common] for side in (left, right))
    best = _most_characters([left[at] for at in rows], [right[at] for at in columns])
    row = column = 0
    while row < len(rows) and column < len(columns):
        on_left, on_right = left[rows[row]], right[columns[column]]
        without_left, without_right = best[row + 1][column], best[row][column + 1]
        if on_left == on_right:
            yield rows[row], columns[column]
            row, column = row + 1, column + 1
        # Of two ways that are as good, the text decides, so that both sides go the same.
        elif (without_left, on_right) > (without_right, on_left):
            row += 1
        else:
            column += 1


def _most_characters(left: Sequence[str], right: Sequence[str]) -> list[list[int]]:
    """Return for each place on both sides how many characters the texts from there on can have in common."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row in reversed(range(len(left))):
        for column in reversed(range(len(right))):
            if left[row] == right[column]:
                best[row][column] = best[row + 1][column + 1] + max(1, len(left[row]))
            else:
                best[row][column] = max(best[row + 1][column], best[row][column + 1])
    return best
