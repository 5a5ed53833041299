"""Score labelled pairs again with other constants, without aligning them again.

`moss.check` reads and ranks each group once. Passages do not depend on the constants of the score, so they
are listed once; what follows from them is computed by the engine's own functions.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.engine import Exclusions, RankingInput
from fingerprint.ranking import score_constants
from fingerprint.ranking.rank import candidate_pairs
from fingerprint.ranking.scoring import chained_weight, similarity_of, slice_sums
from fingerprint.ranking.tiling import enter, leave, tile_pair, workspace
from moss.check.rank import PARAMS, RankingOptions, cohort_file, rank_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bench.labelled import LabelledPair, LabelledSet
    from bench.metrics import Labels, Scores
    from fingerprint.engine import Cohort, CohortFile
    from fingerprint.kernels.types import Bounds, Flags, Floats, Rows, Runs
    from fingerprint.ranking.cohort import RunningSums
    from fingerprint.ranking.score_constants import PassageLengths

# Constants that change the weights of k-grams and terms; the others only combine them.
WEIGHTS = frozenset(
    ("RARITY_EXPONENT", "REPEAT_EXPONENT", "TERM_RARITY_EXPONENT", "WHOLE_TERM_CHARACTERS", "DICTATED_PART")
)


class RescoredGroup(NamedTuple):
    """One group: its files, its labelled pairs by submission, and the passages of each pair.

    The passages of pair i are `tiles[starts[i]:starts[i + 1]]`, with tokens counted in their submissions.
    """

    files: list[CohortFile]
    submissions: int
    pairs: Rows
    tiles: Runs
    starts: Bounds


class _WeightedGroup(NamedTuple):
    """The input of a ranking, and which of the labelled pairs it scores."""

    inputs: RankingInput
    is_candidate: Flags


class RescoredSet(NamedTuple):
    """The groups of a set, and the labels of their pairs, one group after another."""

    name: str
    groups: list[RescoredGroup]
    labels: Labels


@contextmanager
def changed(constants: Mapping[str, object]) -> Iterator[None]:
    """Change constants of the score, by name in `score_constants`, for the duration of the block."""
    before = {name: getattr(score_constants, name) for name in constants}
    try:
        for name, value in constants.items():
            setattr(score_constants, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(score_constants, name, value)


def read_labelled(labelled: LabelledSet) -> RescoredSet:
    """Read a set and list the passages of its pairs."""
    groups, labels = [], []
    for group, folder in labelled.groups().items():
        pairs = [pair for pair in labelled.pairs if pair.group == group]
        groups.append(_read_group(folder, pairs))
        labels += [pair.label == 1 for pair in pairs]
    return RescoredSet(labelled.name, groups, np.array(labels, dtype=np.bool_))


def _read_group(folder: Path, labelled: list[LabelledPair]) -> RescoredGroup:
    report = rank_path(folder, RankingOptions(show=1), lambda _: lambda: None)
    files, numbers = [cohort_file(file) for file in report.files], _numbers(report.submissions)
    pairs = np.sort([[numbers[Path(side).name] for side in (pair.a, pair.b)] for pair in labelled], axis=1)
    tiles = list_tiles(report.inputs.cohort, pairs)
    starts = np.cumsum([0, *map(len, tiles)], dtype=np.int64)
    return RescoredGroup(files, len(report.submissions), pairs, np.concatenate(tiles), starts)


def _numbers(submissions: list[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(submissions)}


def list_tiles(cohort: Cohort, pairs: Rows) -> list[Runs]:
    """Return the passages of each pair by left token, as `score` finds them."""
    space = workspace.py_func(*cohort.distinct, int(np.diff(cohort.submission_starts).max()))
    tiles = [np.empty((0, 3), dtype=np.int64)] * len(pairs)
    for row in np.argsort(pairs[:, 0], kind="stable").tolist():
        left, right = (cohort.submission(int(number)) for number in pairs[row])
        enter(space, left)
        tiles[row] = tile_pair(left, right, cohort.k, space)
        leave(space, left)
    return tiles


@cache
def _compiled() -> Callable[..., None]:
    """Return `_fill_covered` as machine code; numba takes half a second to import."""
    from numba import njit  # noqa: PLC0415 - not by what only imports this module

    import fingerprint.kernels.compiler  # noqa: F401, PLC0415 - tells numba the type of kernels

    compiled: Callable[..., None] = njit(_fill_covered)
    return compiled


def _fill_covered(
    tiles: Runs,
    starts: Bounds,
    pairs: Rows,
    cohort: tuple[RunningSums, Bounds, PassageLengths],
    covered: Floats,
) -> None:
    sums, submission_starts, lengths = cohort
    for row in range(len(pairs)):
        left = slice_sums(sums, submission_starts, pairs[row, 0])
        right = slice_sums(sums, submission_starts, pairs[row, 1])
        covered[row] = chained_weight(tiles[starts[row] : starts[row + 1]], left, right, lengths)


def _weighted(group: RescoredGroup) -> _WeightedGroup:
    inputs = RankingInput.from_files(group.files, group.submissions, PARAMS.k, Exclusions(limit="default"))
    candidates = candidate_pairs(inputs, 0.0)
    ranked = candidates.left.astype(np.int64) * group.submissions + candidates.right
    return _WeightedGroup(inputs, np.isin(group.pairs @ [group.submissions, 1], ranked))


def _similarities(group: RescoredGroup, weighted: _WeightedGroup) -> Scores:
    """Return the similarity of each labelled pair of a group; 0 for a pair that no ranking would list."""
    cohort, covered = weighted.inputs.cohort, np.zeros(len(group.pairs))
    sums = cohort.sums, cohort.submission_starts, score_constants.LENGTHS
    _compiled()(group.tiles, group.starts, group.pairs, sums, covered)
    similarity, _ = similarity_of(cohort, weighted.inputs.lexical, group.pairs, covered)
    scores: Scores = similarity * weighted.is_candidate
    return scores


class Rescorer:
    """Scores of one set with changed constants; keeps what only `WEIGHTS` change."""

    def __init__(self, labelled: RescoredSet) -> None:
        self.name, self.labels = labelled.name, labelled.labels
        self._groups = labelled.groups
        self._weighted = [_weighted(group) for group in labelled.groups]

    def scores(self, constants: Mapping[str, object]) -> Scores:
        """Return the similarity of each pair with changed constants, named as in `score_constants`."""
        with changed(constants):
            weighted = self._weighted if WEIGHTS.isdisjoint(constants) else [_weighted(group) for group in self._groups]
            return np.concatenate(list(map(_similarities, self._groups, weighted)))
