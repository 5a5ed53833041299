"""The line through the ranking of one class, and how rare a similarity is among its unrelated pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import floor, lgamma
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Floats, Hashes

# With fewer compared pairs than this there is no distribution to estimate from, and the default is suggested.
# Copies that were rewritten completely still reach it; independent programs that are not tiny hardly ever do.
MIN_PAIRS = 20
DEFAULT_THRESHOLD = 0.5
# Similarities are counted in bins; a beta distribution has no finite density at 0 and 1.
BINS = 200
EDGES = np.linspace(0, 1, BINS + 1)
MIDDLES = np.clip(EDGES[:-1] + 0.5 / BINS, 1 / BINS, 1 - 1 / BINS)
LEAST_VARIANCE = 2e-4
# Copies may have any similarity: the mean and the variance of theirs.
COPIES = (0.5, 0.25 / 3.4)
# A class of any size is taken to have so many copies and unrelated pairs more.
PRIOR_COPIES, PRIOR_UNRELATED, MOST_COPIED = 2.0, 22.0, 0.7
# Estimation begins with the pairs below a quantile, whose variance is a little less than that of all; where the
# first one takes the copies of many for unrelated pairs, the others are tried.
FIRST_QUANTILES, FIRST_LEAST, FIRST_SPREAD, FIRST_COPIED = (0.9, 0.75, 0.5, 0.25), 0.05, 1.5, 0.3
ROUNDS = 30
# The tail of unrelated pairs is heavier than that of the fitted distribution: its variance is multiplied by
# this where a rarity is stated, and by more far out, where a pair is said to stand out.
TAIL_SPREAD, FAR_SPREAD, GAP_SPREAD = 1.3, 1.6, 1.9
# In labelled classes the number of unrelated pairs is within this factor of the expected one, down to one in
# so many pairs: docs/know/score.md. What more than one in five unrelated pairs reach is not rare.
RARITY_FACTOR, RAREST, COMMON = 5, 300, 5
# A pair stands out where so many unrelated pairs are expected, and always where only names were changed.
STANDING_OUT, ALWAYS_STANDS_OUT = 0.03, 0.95
# It is to be looked at from where it is a copy with this probability, but not below a similarity.
LOOKED_AT, LOWEST_LOOK = 0.3, 0.1
# In a class of up to SMALL submissions, the line is in the widest gap where so many unrelated pairs are
# expected, at most so far below and above the similarity at which a copy is as likely as an unrelated pair.
# The gap counts less the more submissions there are, and nothing from LARGE on.
MOST_EXPECTED, FEWEST_EXPECTED = 1.5, 0.01
FAR_BELOW, FAR_ABOVE = 0.05, 0.2
SMALL, LARGE = 20, 50
# In a class of unrelated programs the estimate is near 0, in one of copies near 1; keep it between these.
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.2, 0.9
# Of many candidate pairs only the best are scored; the distribution is estimated from a random sample.
SAMPLE_SIZE = 10_000
SAMPLE_SEED = 1


class UnrelatedPairs(NamedTuple):
    """How similar the unrelated ones of the `pairs` pairs of a class are: a beta distribution.

    `mean` and `variance` are those of the distribution, `copied` is the part of the pairs that are copies.
    """

    pairs: int
    copied: float
    mean: float
    variance: float

    @property
    def rises_towards_one(self) -> bool:
        """True if the density rises towards a similarity of 1, as where copies are taken for unrelated pairs."""
        return (1 - self.mean) * (self.mean * (1 - self.mean) / max(self.variance, LEAST_VARIANCE) - 1) < 1

    def reached(self, spread: float = TAIL_SPREAD) -> Floats:
        """Return the part of the unrelated pairs that reach each of the `EDGES`, descending from 1."""
        density = _beta_density(self.mean, self.variance * spread)
        ascending = np.append(0.0, np.cumsum(density[::-1]))
        parts: Floats = ascending[::-1] / ascending[-1]
        return parts

    def reached_by(self, number: float, spread: float = TAIL_SPREAD) -> float:
        """Return the similarity that `number` unrelated pairs are expected to reach."""
        part = number / max((1 - self.copied) * self.pairs, 1.0)
        return float(np.interp(-part, -self.reached(spread), EDGES))

    def expected(self, similarity: float) -> float:
        """Return the number of unrelated pairs that are expected to reach a similarity."""
        return (1 - self.copied) * self.pairs * self._part(similarity)

    def _part(self, similarity: float) -> float:
        return float(np.interp(similarity, EDGES, self.reached()))

    def rarity(self, similarity: float) -> Rarity:
        """Return how rare a similarity is among unrelated pairs, in two digits."""
        part, rarest = self._part(similarity), min(self.pairs, RAREST)
        if part * rarest < 1:
            return Rarity(rarest, rarest, rarest, "below")
        one_in = 1 / part
        if one_in < COMMON:
            return Rarity(COMMON, COMMON, COMMON, "above")
        most = max(one_in / RARITY_FACTOR, 1.0)
        return Rarity(_two_digits(one_in), _two_digits(one_in * RARITY_FACTOR), _two_digits(most), "")

    def copied_from(self, probability: float = 0.5) -> float:
        """Return the similarity from which on a pair is a copy with a probability: one of the `EDGES`."""
        unrelated = (1 - self.copied) * _beta_density(self.mean, self.variance)
        copies = self.copied * _beta_density(*COPIES)
        likely = copies * (1 - probability) >= unrelated * probability
        rows = np.flatnonzero(likely & (self.mean < MIDDLES))
        return float(EDGES[rows[0]]) if len(rows) else 1.0


class Rarity(NamedTuple):
    """About one of `one_in` unrelated pairs is as similar or more: between one of `fewest` and one of `most`.

    `bound` is "below" where it is fewer than one of `one_in`: of all pairs of the class, or of `RAREST`; and
    "above" where it is more than one of `one_in`. All three numbers are the same there.
    """

    one_in: int
    fewest: int
    most: int
    bound: Literal["", "below", "above"]


class SuggestedThreshold(NamedTuple):
    """The threshold of a ranking and its bands: pairs to look at from `look` on, pairs that stand out.

    `reason` explains the threshold, `value`, to users. It is between `look` and `stands_out`.
    """

    value: float
    reason: str
    look: float
    stands_out: float


def sample_rows(keys: Hashes) -> npt.NDArray[np.int64]:
    """Return the rows of the `SAMPLE_SIZE` lowest keys, ascending: all if there are fewer."""
    if len(keys) <= SAMPLE_SIZE:
        return np.arange(len(keys), dtype=np.int64)
    return np.sort(np.argpartition(keys, SAMPLE_SIZE)[:SAMPLE_SIZE]).astype(np.int64)


def _beta_density(mean: float, variance: float) -> Floats:
    """Return the density of a beta distribution at the `MIDDLES`; both arguments are kept within limits."""
    mean = min(max(mean, 0.003), 0.99)
    variance = min(max(variance, LEAST_VARIANCE), mean * (1 - mean) * 0.9)
    both = mean * (1 - mean) / variance - 1
    low, high = mean * both, (1 - mean) * both
    scale = lgamma(both) - lgamma(low) - lgamma(high)
    density: Floats = np.exp((low - 1) * np.log(MIDDLES) + (high - 1) * np.log1p(-MIDDLES) + scale)
    return density


def _moments(counts: Floats) -> tuple[float, float]:
    """Return the mean and the variance of similarities that are counted in bins."""
    total = counts.sum()
    mean = float(counts @ MIDDLES / total)
    return mean, float(counts @ (MIDDLES - mean) ** 2 / total)


def estimate_unrelated(
    similarities: Sequence[float] | Floats, compared: int, submissions: int
) -> UnrelatedPairs | None:
    """Tell unrelated pairs of a class from copies; None where fewer than `MIN_PAIRS` were compared.

    The similarities are a mixture of a beta distribution, which is fitted by expectation maximisation, and of
    the fixed one of `COPIES`.

    similarities : those in [0, 1] of the pairs that were compared, or of a sample of them
    compared : number of pairs that were compared; the others share nothing
    submissions : number of submissions of the class
    """
    if compared < MIN_PAIRS:
        return None
    values = np.asarray(similarities, dtype=np.float64)
    pairs = submissions * (submissions - 1) // 2
    bins = np.minimum((values * BINS).astype(np.intp), BINS - 1)
    counts: Floats = np.bincount(bins, minlength=BINS) * np.float64(compared / max(len(values), 1))
    counts[0] += max(pairs - compared, 0)
    fits = [_fitted(counts, pairs, FIRST_QUANTILES[0])]
    if fits[0].rises_towards_one:
        fits += [_fitted(counts, pairs, quantile) for quantile in FIRST_QUANTILES[1:]]
    return max(fits, key=partial(_likelihood, counts))


def _likelihood(counts: Floats, fit: UnrelatedPairs) -> float:
    """Return the logarithm of the likelihood of counted similarities."""
    copies = fit.copied * _beta_density(*COPIES) * (fit.mean <= MIDDLES)
    return float(counts @ np.log((1 - fit.copied) * _beta_density(fit.mean, fit.variance) + copies + 1e-300))


def _fitted(counts: Floats, pairs: int, first_quantile: float) -> UnrelatedPairs:
    quantile = MIDDLES[np.searchsorted(np.cumsum(counts), first_quantile * counts.sum())]
    mean, variance = _moments(np.where(max(quantile, FIRST_LEAST) >= MIDDLES, counts, 0))
    copied = min(PRIOR_COPIES / counts.sum(), FIRST_COPIED)
    return _maximised(counts, UnrelatedPairs(pairs, copied, mean, variance * FIRST_SPREAD))


def _maximised(counts: Floats, fit: UnrelatedPairs) -> UnrelatedPairs:
    """Return the mixture of the highest likelihood near a first estimate."""
    total, copies = counts.sum(), _beta_density(*COPIES)
    for _ in range(ROUNDS):
        unrelated = (1 - fit.copied) * _beta_density(fit.mean, fit.variance)
        copied = fit.copied * copies
        # Copies are not less similar than unrelated pairs, whatever the densities say.
        likely = np.where(fit.mean > MIDDLES, 0, copied / (copied + unrelated + 1e-300))
        part = (likely @ counts + PRIOR_COPIES) / (total + PRIOR_COPIES + PRIOR_UNRELATED)
        fit = UnrelatedPairs(fit.pairs, min(float(part), MOST_COPIED), *_moments((1 - likely) * counts))
    return fit


def threshold_range(unrelated: UnrelatedPairs, submissions: int) -> tuple[float, float]:
    """Return the lowest and the highest similarity that can be suggested to a class."""
    weight = min(max((LARGE - submissions) / (LARGE - SMALL), 0.0), 1.0)
    equal = unrelated.copied_from()
    nearest, farthest = equal - FAR_BELOW * weight, equal + FAR_ABOVE * weight
    low, high = (
        min(max(unrelated.reached_by(number, GAP_SPREAD), nearest), farthest)
        for number in (MOST_EXPECTED, FEWEST_EXPECTED)
    )
    return _within_bounds(low), _within_bounds(high)


def _within_bounds(similarity: float) -> float:
    return min(max(similarity, LOWEST_THRESHOLD), HIGHEST_THRESHOLD)


def suggest_threshold(
    unrelated: UnrelatedPairs | None, similarities: Sequence[float] | Floats, compared: int, submissions: int
) -> SuggestedThreshold:
    """Suggest the middle of the widest gap between the similarities, where copies become likely.

    unrelated : of the class, see `estimate_unrelated`
    similarities : those in [0, 1] of all pairs that were compared, or of a sample of them
    compared : number of pairs that were compared
    submissions : number of submissions of the class
    """
    if unrelated is None:
        few = "one pair is" if compared == 1 else f"{compared} pairs are"
        reason = f"{few} too few for an estimate; {DEFAULT_THRESHOLD:.0%} suits most tasks"
        return SuggestedThreshold(DEFAULT_THRESHOLD, reason, DEFAULT_THRESHOLD, HIGHEST_THRESHOLD)
    values = np.sort(np.asarray(similarities, dtype=np.float64))
    # Whole percents, as pages show them.
    value = _percent(_in_widest_gap(values, *threshold_range(unrelated, submissions))) / 100
    far = _percent(min(unrelated.reached_by(STANDING_OUT, FAR_SPREAD), ALWAYS_STANDS_OUT)) / 100
    look = _percent(max(unrelated.copied_from(LOOKED_AT), LOWEST_LOOK)) / 100
    around = _surroundings(values, value, compared)
    if unrelated.copied_from() >= HIGHEST_THRESHOLD:
        around, look = "programs of this task are too alike for a line", value
    reason = f"{_expectation(unrelated, value)}; {around}"
    return SuggestedThreshold(value, reason, min(look, value), max(value, far))


def _in_widest_gap(ascending: Floats, low: float, high: float) -> float:
    """Return the middle of the widest gap of a range; its upper end where no similarity reaches it."""
    above = ascending[np.searchsorted(ascending, low) :]
    if low == high or not len(above):
        return high
    ends = np.append(low, np.minimum(above, high))
    widest = int(np.argmax(np.diff(ends)[::-1]))
    before = len(above) - 1 - widest
    return float(ends[before] + ends[before + 1]) / 2


def _expectation(unrelated: UnrelatedPairs, value: float) -> str:
    expected = unrelated.expected(value)
    number = f"about {expected:.1f}" if expected >= 0.05 else "fewer than 0.1"  # noqa: PLR2004 - rounded to 0.1
    return f"{number} unrelated pairs are expected from {_percent(value)}% on"


def _surroundings(ascending: Floats, value: float, compared: int) -> str:
    """Return what is said of the pairs around a threshold; a sample does not tell which ones are nearest."""
    place = int(np.searchsorted(ascending, value))
    if value == LOWEST_THRESHOLD:
        return f"{value:.0%} is the lowest suggestion"
    if compared > len(ascending) or place == 0:
        return "there a copy is as likely as an unrelated pair"
    if place == len(ascending):
        return f"no pair reaches {_percent(value)}%"
    return f"no pair is between {_percent(ascending[place - 1])}% and {_percent(ascending[place])}%"


def _percent(similarity: float) -> int:
    """Return a similarity in percent, rounded downwards; 0.07 * 100 is a little more than 7."""
    return floor(round(similarity * 100, 6))


def _two_digits(number: float) -> int:
    """Round a number of at least 1 to two digits."""
    return int(float(f"{number:.2g}"))
