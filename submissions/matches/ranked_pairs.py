"""Pairs of a ranking in one form for the database, the command line and exports; rows of pair tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint import engine

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import CandidatePairs, Cohort, KnownPassages, PairPassages, Passage, Ranking, RankingInput
    from fingerprint.kernels.types import Flags, Floats, PassageRows, Rows

    Column = npt.NDArray[Any]

# The mark of a pair that was compared across languages, in tables, exports and on pages.
TRANSLATED = "translated"
# The mark of a pair that shares names, literals or imports, but no run of equal tokens as long as a k-gram.
NO_PASSAGE = "no passage"
# The flag of a pair with a model solution.
MODEL_SOLUTION = "model solution"

# Fewer tokens are no whole copy: of the pairs without copies in 17 labelled sets, five of 26,044 with fewer
# shared tokens are nearly whole (programs of 19 to 26 tokens), and none of 20,615 with 30 to 120.
WHOLE_TOKENS = 30

# A share of 29 hundredths times 100 is a little less than 29 in binary floating point.
NOISE = 1e-7

# Parts of a submission that nobody sees between two stripes.
STRIPE_GAP = 0.003

# If a value times 10**6 is this close to the middle of two integers, NumPy may round it differently.
TIE_MARGIN = 1e-6
# Pairs aligned at a time: enough for all cores, and those of large projects have some ten megabytes of passages.
PAIRS_AT_ONCE = 1024


def pair_mark(*, translated: bool, passages: float) -> str:
    """Return the mark of a pair, empty for one without; `passages` is 0 without any, of common code too."""
    if translated:
        return TRANSLATED
    return "" if passages else NO_PASSAGE


class Stripe(NamedTuple):
    """A part of a submission, in parts of all its tokens: where it begins, and how wide it is."""

    start: float
    width: float


def merged_stripes(spans: Sequence[tuple[float, float]]) -> list[Stripe]:
    """Return sorted spans as stripes; those with less than STRIPE_GAP between them are one."""
    joined: list[tuple[float, float]] = []
    for start, end in spans:
        if joined and start - joined[-1][1] < STRIPE_GAP:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return [Stripe(start, end - start) for start, end in joined]


class PairRow(NamedTuple):
    """Names and figures of a pair.

    `similarity` and the shares are in [0, 1]; `tokens` and `lines`: shared tokens and lines; `longest`: the longest
    passage, in tokens. `mark`: see `pair_mark`. Common code counts in the shares, and not in `left_without_common` and
    `right_without_common`. `flag`, in what `moss check` writes: `the same student, 2024` for a pair of a student and
    the same student's earlier work, or `model solution`; then what is identical.
    """

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    mark: str
    left_without_common: float
    right_without_common: float
    flag: str = ""

    @classmethod
    def of(cls, pair: Any, left: str, right: str, flag: str = "") -> PairRow:
        """Return the figures of a ranked or stored pair under these names; shares have six decimals."""
        mark = pair_mark(translated=pair.translated, passages=pair.structure or pair.left_with_common)
        return cls(
            left,
            right,
            round(pair.similarity, 6),
            round(pair.left_with_common, 6),
            round(pair.right_with_common, 6),
            pair.tokens,
            pair.lines,
            pair.longest,
            mark,
            round(pair.left_share, 6),
            round(pair.right_share, 6),
            flag,
        )


class Evidence(NamedTuple):
    """Contribution of each kind of evidence to the similarity of a pair, which is their sum."""

    structure: float
    literals: float
    names: float
    imports: float


def whole_percent(share: float) -> int:
    """Return a share in [0, 1] in percent, rounded downwards."""
    return int(share * 100 + NOISE)


def percent_text(share: float, space: str = "") -> str:
    """Return a share as text; a share above 0 and below one percent is `<1%`."""
    whole = whole_percent(share)
    return f"<1{space}%" if share > 0 and not whole else f"{whole}{space}%"


def parts_in_percent(parts: Sequence[float], share: float) -> list[int]:
    """Return the parts of a share in whole percent, so that they add up to the share in whole percent.

    The parts that lose most by rounding are one percent higher.
    """
    whole = [whole_percent(part) for part in parts]
    missing = whole_percent(share) - sum(whole)
    by_loss = sorted(range(len(parts)), key=lambda row: whole[row] - parts[row] * 100)
    return [percent + (row in by_loss[: max(missing, 0)]) for row, percent in enumerate(whole)]


@dataclass(frozen=True, slots=True, eq=False)
class RankedPair:
    """One scored pair with its passages; `left` and `right` are indexes of submissions in the cohort.

    A `translated` pair was compared across languages: its passages count tokens of coarse streams. `rows` are
    its passages, see `engine.PairPassages`. A `PairRow` has its rounded figures under the names of the sides.
    """

    left: int
    right: int
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    structure: float
    literals: float
    names: float
    imports: float
    left_with_common: float
    right_with_common: float
    translated: bool
    rows: PassageRows

    @property
    def passages(self) -> list[Passage]:
        """The passages, the longest first and the common ones last."""
        return engine.as_passages(self.rows)

    @property
    def exchanged(self) -> RankedPair:
        """The same pair with left and right exchanged."""
        return replace(
            self,
            left=self.right,
            right=self.left,
            left_share=self.right_share,
            right_share=self.left_share,
            left_with_common=self.right_with_common,
            right_with_common=self.left_with_common,
            rows=engine.exchange_sides(self.rows),
        )


class PairColumns(NamedTuple):
    """Columns of PairRow, with indexes of submissions for names; similarity and shares have six decimals.

    A ranking is arrays: they are put in order and rounded as arrays, before there is a row for each pair.
    """

    left: list[int]
    right: list[int]
    similarity: list[float]
    left_share: list[float]
    right_share: list[float]
    tokens: list[int]
    lines: list[int]
    longest: list[int]
    mark: list[str]
    left_without_common: list[float]
    right_without_common: list[float]

    @classmethod
    def from_ranking(cls, ranking: Ranking, name_ranks: Sequence[int]) -> PairColumns:
        """Return the columns with the submission on the left whose name sorts first."""
        ordered, _ = by_name(ranking, name_ranks)
        scores = ordered.scores
        return cls(
            ordered.pairs.left.tolist(),
            ordered.pairs.right.tolist(),
            round_to_six(scores.similarity),
            round_to_six(scores.left_with_common),
            round_to_six(scores.right_with_common),
            scores.tokens.tolist(),
            scores.lines.tolist(),
            scores.longest.tolist(),
            _marks(ordered.translated, scores.structure + scores.left_with_common),
            round_to_six(scores.left_share),
            round_to_six(scores.right_share),
        )


def by_name(ranking: Ranking, name_ranks: Sequence[int]) -> tuple[Ranking, Flags]:
    """Return a ranking with the submission on the left whose name sorts first, and which pairs that changed.

    `name_ranks` has the place of each submission in the order of the names.
    """
    pairs, scores = ranking.pairs, ranking.scores
    exchanged = are_exchanged(pairs, name_ranks)

    def both(left: Column, right: Column) -> tuple[Column, Column]:
        return np.where(exchanged, right, left), np.where(exchanged, left, right)

    sides, shares = both(pairs.left, pairs.right), both(scores.left_share, scores.right_share)
    with_common = both(scores.left_with_common, scores.right_with_common)
    scores = scores._replace(
        left_share=shares[0], right_share=shares[1], left_with_common=with_common[0], right_with_common=with_common[1]
    )
    pairs = pairs._replace(left=sides[0], right=sides[1])
    return ranking._replace(pairs=pairs, scores=scores), exchanged


def are_exchanged(pairs: CandidatePairs, name_ranks: Sequence[int]) -> Flags:
    """Return for each pair whether the name of its submission on the right sorts first."""
    ranks = np.asarray(name_ranks, dtype=np.int64)
    exchanged: Flags = ranks[pairs.left] > ranks[pairs.right]
    return exchanged


def _marks(translated: Flags, passages: Floats) -> list[str]:
    """Return the mark of each pair; `pair_mark` is called once for each combination, not for each pair."""
    by_combination = [pair_mark(translated=crossed, passages=some) for crossed in (False, True) for some in (0, 1)]
    return [by_combination[at] for at in (2 * translated + (passages != 0)).tolist()]


def round_to_six(column: Floats) -> list[float]:
    """Return the values rounded as by `round(x, 6)`; `np.round` differs near the middle of two results."""
    rounded = np.round(column, 6)
    ties = np.abs(np.mod(column * 1e6, 1) - 0.5) < TIE_MARGIN
    rounded[ties] = [round(value, 6) for value in column[ties].tolist()]
    values: list[float] = rounded.tolist()
    return values


def shared_files(cohort: Cohort, files: Sequence[tuple[int, object]]) -> list[Counter[object]]:
    """Return the files of each submission that another one has too; `files` are submissions and contents.

    Handed-out and common files are left out, most of whose tokens are ignored, and very small ones.
    """
    ignored, starts = np.concatenate(([0], np.cumsum(cohort.tokens.ignored))), cohort.file_starts
    sizes = np.diff(starts) - 1
    counted = sizes - (ignored[starts[1:] - 1] - ignored[starts[:-1]])
    of_files = [files[row] for row in np.flatnonzero((counted >= WHOLE_TOKENS) & (2 * counted > sizes)).tolist()]
    owners = Counter(content for _, content in set(of_files))
    shared = [Counter[object]() for _ in cohort.submission_starts[1:]]
    for submission, content in of_files:
        if owners[content] > 1:
            shared[submission][content] += 1
    return shared


def count_same_files(shared: Sequence[Counter[object]], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the number of identical files of each pair; `shared` as from `shared_files`."""
    return [(shared[left] & shared[right]).total() if shared[left] and shared[right] else 0 for left, right in pairs]


class AlignedPairs(NamedTuple):
    """Some pairs of a ranking, with their passages."""

    ranking: Ranking
    passages: PairPassages


def aligned_pairs(
    inputs: RankingInput, ranking: Ranking, check: Callable[[], None] = engine.never_end
) -> Iterator[AlignedPairs]:
    """Yield the pairs of a ranking, `PAIRS_AT_ONCE` of them; `check` as for `engine.rank`."""
    for rows, passages in aligned_rows(inputs, ranking.pairs, ranking.units, check, ranking.known):
        yield AlignedPairs(ranking.take(rows), passages)


def aligned_rows(
    inputs: RankingInput,
    pairs: CandidatePairs,
    units: Rows,
    check: Callable[[], None],
    known: KnownPassages | None = None,
) -> Iterator[tuple[Rows, PairPassages]]:
    """Yield the passages of `PAIRS_AT_ONCE` pairs with the rows of these; see `engine.pair_passages`."""
    for start in range(0, len(units), PAIRS_AT_ONCE):
        rows = np.arange(start, min(start + PAIRS_AT_ONCE, len(units)))
        yield rows, engine.pair_passages(inputs, pairs.take(rows), units[rows], check, known)


def ranked_pairs(inputs: RankingInput, ranking: Ranking) -> Iterator[RankedPair]:
    """Yield the pairs of a ranking with their passages."""
    for some, passages in aligned_pairs(inputs, ranking):
        scores = {name: column.tolist() for name, column in some.scores._asdict().items()}
        sides = zip(some.pairs.left.tolist(), some.pairs.right.tolist(), some.translated.tolist(), strict=True)
        for row, (left, right, translated) in enumerate(sides):
            figures = {name: column[row] for name, column in scores.items()}
            yield RankedPair(left=left, right=right, translated=translated, rows=passages.of(row), **figures)
