"""The documents that a report compares, laid out for the kernels, with what is ignored in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.hashing import kgram_hashes
from fingerprint.ranking.alignment import Side, sides_of
from fingerprint.ranking.weights import document_frequency, token_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.types import Bounds, Flags, Floats, Hashes, Ids, Kinds, Lines


# MOSS takes a passage in more than ten programs for common code. In a cohort not clearly larger than
# that, ten programs are no longer "few of many", so the limit is off unless it is asked for.
COMMON_LIMIT = 10
SMALL_COHORT = 3 * COMMON_LIMIT


def common_limit(submissions: int, asked: int | None = None) -> int | None:
    """In how many submissions a passage may be before it is common code; None: in any number."""
    if asked is not None:
        return asked
    return COMMON_LIMIT if submissions > SMALL_COHORT else None


@njit
def _cover(marked: Flags, k: int, covered: Flags) -> None:
    """Mark every token that lies in a marked k-gram."""
    until = 0
    for at in range(len(covered)):
        if at < len(marked) and marked[at]:
            until = at + k
        covered[at] = at < until


class Running(NamedTuple):
    """Sums over the first t tokens of the cohort, each array [t + 1]: `sum(i..j) = x[j] - x[i]`.

    `weight` float64: weights of tokens; `own` int64: tokens that are not boilerplate; `counted` int64:
    tokens that percentages count, neither boilerplate nor common code. Separators are none of these.
    `line` int32 is no sum: the line that token t begins on, where lines with tokens are counted from the
    cohort's first on. Tokens i to j - 1, all of one file, lie on `line[j - 1] - line[i] + 1` lines.
    """

    weight: Floats
    own: Bounds
    counted: Bounds
    line: Ids


@dataclass(frozen=True, slots=True)
class Cohort:
    """n submissions of t tokens in all, files one after another, a separator behind each.

    `files` int64 [f + 1]: where each file begins; `bounds` int64 [n + 1]: where each submission begins;
    `side` holds the tokens of all (see `Side`);
    `held` int64 [n + 1]: whose part of `side.order` is where; `frequency` int32 [t]: in how many
    submissions the k-gram at a token is (0 where none begins); `running`: see `Running`;
    `boilerplate` uint64: hashes of the k-grams of boilerplate; `limit`: the common limit in force.
    """

    k: int
    files: Bounds
    bounds: Bounds
    side: Side
    held: Bounds
    frequency: Ids
    running: Running
    boilerplate: Hashes
    limit: int | None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @classmethod
    def of(
        cls,
        submissions: Sequence[Sequence[Kinds]],
        k: int,
        boilerplate: Sequence[Kinds] = (),
        limit: int | None = None,
        lines: Sequence[Lines] | None = None,
    ) -> Cohort:
        """Lay out the token kinds of every file of every submission.

        What `boilerplate` documents hold counts nowhere; k-grams in more than `limit` submissions count in
        no percentage. `lines`: the line of each token of every file, one file after another; without it every
        token has a line of its own.
        """
        kinds, files, bounds = _lay_out(submissions)
        hashes = kgram_hashes(kinds, k)
        values, inverse = np.unique(hashes, return_inverse=True)
        ids = inverse.astype(np.int32)
        frequency = document_frequency(ids, np.minimum(bounds, len(ids)), len(values))
        known = np.concatenate([np.empty(0, np.uint64), *(kgram_hashes(b, k) for b in boilerplate)])
        handed_out = np.isin(values, known)
        ignored = handed_out if limit is None else handed_out | (frequency > limit)
        flags = _covered(handed_out[ids], len(kinds), k), _covered(ignored[ids], len(kinds), k)
        live = ~handed_out & (frequency > 1)
        side, held = _sides(kinds, np.where(live[ids], ids, -1), bounds, flags)
        padded = np.zeros(len(kinds), dtype=np.int32)
        padded[: len(ids)] = frequency[ids]
        weights = token_weights(ids, frequency, (files, bounds), flags[0], k)
        running = _running(weights, flags, files, _line_numbers(lines, files))
        return cls(k, files, bounds, side, held, padded, running, values[handed_out], limit)

    def submission(self, at: int) -> Side:
        """One submission's part of the arrays, positions counted from its own first token."""
        return slice_side(self.side, self.bounds, self.held, at)

    def locate(self, submission: int, token: int) -> tuple[int, int]:
        """(file of the cohort, token of that file) of a submission's token."""
        at = int(self.bounds[submission]) + token
        file = int(np.searchsorted(self.files, at, side="right")) - 1
        return file, at - int(self.files[file])

    def spread(self, submission: int, token: int, length: int) -> int:
        """How many submissions hold the rarest k-gram of a passage, and so at most the passage."""
        at = int(self.bounds[submission]) + token
        return int(self.frequency[at : at + length - self.k + 1].min())

    def ignored_spans(self, file: int) -> list[tuple[int, int]]:
        """Token ranges [first, after the last) of a file that are boilerplate or common code, in order."""
        flags = self.side.ignored[self.files[file] : self.files[file + 1] - 1].astype(np.int8)
        edges = np.diff(flags, prepend=0, append=0)
        return list(zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist(), strict=True))


@njit
def slice_side(side: Side, bounds: Bounds, held: Bounds, at: int) -> Side:
    """Kernel of `Cohort.submission`."""
    low, high = bounds[at], bounds[at + 1]
    first, last = held[at], held[at + 1]
    return Side(
        side.kinds[low:high],
        side.ids[low:high],
        side.boilerplate[low:high],
        side.ignored[low:high],
        side.order[first:last],
        side.grams[first:last],
        side.after[first:last],
    )


def _lay_out(submissions: Sequence[Sequence[Kinds]]) -> tuple[Kinds, Bounds, Bounds]:
    files = [kinds for submission in submissions for kinds in submission]
    # Separators count down from the top: each is met once, so that no run crosses from file to file.
    separators = np.uint64(2**64 - 1) - np.arange(len(files), dtype=np.uint64)
    parts = [part for pair in zip(files, separators[:, None], strict=True) for part in pair]
    starts = np.cumsum([0, *(len(kinds) + 1 for kinds in files)], dtype=np.int64)
    firsts = np.cumsum([0, *(len(submission) for submission in submissions)])
    return np.concatenate([np.empty(0, np.uint64), *parts]), starts, starts[firsts]


def _covered(marked: Flags, tokens: int, k: int) -> Flags:
    covered = np.zeros(tokens, dtype=np.bool_)
    _cover(marked, k, covered)
    return covered


def _sides(kinds: Kinds, live: Ids, bounds: Bounds, flags: tuple[Flags, Flags]) -> tuple[Side, Bounds]:
    padded = np.full(len(kinds), -1, dtype=np.int32)
    padded[: len(live)] = live
    return sides_of(kinds, padded, flags, bounds)


def _line_numbers(lines: Sequence[Lines] | None, files: Bounds) -> Ids:
    """Count on through all files; a line that no token begins on is passed over."""
    fresh = np.ones(int(files[-1]) + 1, dtype=np.bool_)
    if lines:
        parts = [part for own in lines for part in (own, own[-1:] if len(own) else [0])]
        column = np.concatenate(parts)
        fresh[1:-1] = column[1:] != column[:-1]
        fresh[files] = True
    return np.cumsum(fresh, dtype=np.int32)


def _running(weights: Floats, flags: tuple[Flags, Flags], files: Bounds, line: Ids) -> Running:
    columns = ~flags[0], ~flags[1]
    for column in columns:
        column[files[1:] - 1] = False
    own, counted = (np.concatenate(([0], np.cumsum(column, dtype=np.int64))) for column in columns)
    return Running(np.concatenate(([0.0], np.cumsum(weights))), own, counted, line)
