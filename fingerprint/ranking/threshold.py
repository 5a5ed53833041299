"""The suggested threshold, and how rare a similarity is among unrelated pairs, estimated from one class."""

from __future__ import annotations

from math import ceil, exp, floor, log
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.kernels.types import Floats, Hashes


# With fewer compared pairs than this there is no distribution to estimate from, and the default is suggested.
# Copies that were rewritten completely still reach it; independent programs that are not tiny hardly ever do.
MIN_PAIRS = 20
DEFAULT_THRESHOLD = 0.5
# The tail is estimated between the median of the compared pairs and this quantile. A larger part of them is
# honest even in a class of copies, since honest pairs grow with the square of the class.
UPPER_QUANTILE = 0.8
# The least difference of the two, where very many pairs are equal.
LEAST_RISE = 0.01
# The tail of unrelated pairs is heavier than exponential.
TAIL_MARGIN = 1.1
# In labelled classes the number of unrelated pairs is within this factor of the expected one, down to one in
# so many pairs: docs/know/score.md.
RARITY_FACTOR, RAREST = 5, 300
# The threshold lies between the similarities from which on so many unrelated pairs are expected in a class
# of up to a hundred; in a larger one, so many for each hundred submissions.
MOST_EXPECTED, FEWEST_EXPECTED, OF_SUBMISSIONS = 2.0, 0.1, 100
# In a class of unrelated programs the estimate is near 0, in one of copies near 1; keep it between these.
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.2, 0.9
# Of many candidate pairs only the best are scored; the tail is estimated from a random sample.
SAMPLE_SIZE = 10_000
SAMPLE_SEED = 1


class UnrelatedTail(NamedTuple):
    """The number of the `pairs` pairs of a class that would be as similar if all were unrelated.

    `reached` is how many reach `similarity`. Above it their number falls off exponentially: the similarity
    rises by `rise` each time a part of 1/e of them is left.
    """

    pairs: int
    reached: float
    similarity: float
    rise: float

    def expected(self, similarity: float) -> float:
        """Return the number of unrelated pairs that reach a similarity; `reached` below `self.similarity`."""
        return self.reached * exp(-max(similarity - self.similarity, 0.0) / self.rise)

    def reached_by(self, number: float) -> float:
        """Return the similarity that `number` unrelated pairs reach, at most `reached`; it may exceed 1."""
        return self.similarity + self.rise * log(self.reached / min(number, self.reached))

    def rarity(self, similarity: float) -> Rarity:
        """Return how rare a similarity is among unrelated pairs, in two digits."""
        one_in, rarest = self.pairs / self.expected(similarity), min(self.pairs, RAREST)
        if one_in > rarest:
            return Rarity(rarest, rarest, rarest, "below")
        if similarity < self.similarity:
            least = ceil(one_in)
            return Rarity(least, least, least, "above")
        most = max(one_in / RARITY_FACTOR, 1.0)
        return Rarity(_two_digits(one_in), _two_digits(one_in * RARITY_FACTOR), _two_digits(most), "")


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
    """A threshold: pairs from similarity `value` on should be read first. `reason` explains it to users."""

    value: float
    reason: str


def sample_rows(keys: Hashes) -> npt.NDArray[np.int64]:
    """Return the rows of the `SAMPLE_SIZE` lowest keys, ascending: all if there are fewer."""
    if len(keys) <= SAMPLE_SIZE:
        return np.arange(len(keys), dtype=np.int64)
    return np.sort(np.argpartition(keys, SAMPLE_SIZE)[:SAMPLE_SIZE]).astype(np.int64)


def estimate_tail(
    similarities: Sequence[float] | Floats, compared: int, submissions: int
) -> UnrelatedTail | None:
    """Estimate how similar unrelated pairs of a class are; None where fewer than `MIN_PAIRS` were compared.

    Parameters
    ----------
    similarities : those in [0, 1] of the pairs that were compared, or of a sample of them
    compared : number of pairs that were compared; the others share nothing
    submissions : number of submissions of the class
    """
    if compared < MIN_PAIRS:
        return None
    ordered = np.sort(np.asarray(similarities, dtype=np.float64))
    median, upper = _quantile(ordered, 0.5), _quantile(ordered, UPPER_QUANTILE)
    reached = (1 - UPPER_QUANTILE) * compared
    rise = TAIL_MARGIN * max(upper - median, LEAST_RISE) / log(0.5 / (1 - UPPER_QUANTILE))
    return UnrelatedTail(submissions * (submissions - 1) // 2, reached, upper, rise)


def _quantile(ordered: Floats, part: float) -> float:
    """Return the value below which that part of some sorted values is, between the two around it.

    As `np.quantile`, which imports NumPy's masked arrays.
    """
    place = (len(ordered) - 1) * part
    before = floor(place)
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    beyond = place - before
    nearer_high = beyond >= 0.5  # noqa: PLR2004 - half of the way: from there NumPy counts back from the higher
    return high - (high - low) * (1 - beyond) if nearer_high else low + (high - low) * beyond


def threshold_range(tail: UnrelatedTail | None, submissions: int) -> tuple[float, float]:
    """Return the lowest and the highest similarity that can be suggested to a class."""
    if tail is None:
        return DEFAULT_THRESHOLD, DEFAULT_THRESHOLD
    scale = max(submissions / OF_SUBMISSIONS, 1.0)
    low, high = (
        min(max(tail.reached_by(number * scale), LOWEST_THRESHOLD), HIGHEST_THRESHOLD)
        for number in (MOST_EXPECTED, FEWEST_EXPECTED)
    )
    return low, high


def suggest_threshold(
    tail: UnrelatedTail | None,
    similarities: Sequence[float] | Floats,
    compared: int,
    submissions: int,
) -> SuggestedThreshold:
    """Suggest the middle of the widest gap between the similarities, where unrelated pairs become few.

    Of more than `SAMPLE_SIZE` pairs not all are scored, and between so many there are no wide gaps: there the
    middle of the range is suggested.

    Parameters
    ----------
    tail : of the class, see `estimate_tail`
    similarities : those in [0, 1] of all pairs that were compared; not looked at where these are more
    compared : number of pairs that were compared
    submissions : number of submissions of the class
    """
    if tail is None:
        few = "one pair is" if compared == 1 else f"{compared} pairs are"
        reason = f"{few} too few for an estimate; {DEFAULT_THRESHOLD:.0%} suits most tasks"
        return SuggestedThreshold(DEFAULT_THRESHOLD, reason)
    low, high = threshold_range(tail, submissions)
    if compared > SAMPLE_SIZE and low < high:
        value, why = (low + high) / 2, "the middle of these two is suggested"
    else:
        above = np.sort(np.asarray([one for one in similarities if one >= low], dtype=np.float64))[::-1]
        value, why = _in_widest_gap(above, low, high)
    return SuggestedThreshold(round(value, 2), f"{_expectation(tail, low, high)}; {why}")


def _expectation(tail: UnrelatedTail, low: float, high: float) -> str:
    start, end = (_percent(similarity) for similarity in (low, high))
    text = f"{_number(tail.expected(start / 100))} unrelated pairs are expected from {start}% on"
    return text if start == end else f"{text}, {_number(tail.expected(end / 100))} from {end}% on"


def _number(expected: float) -> str:
    return f"about {expected:.1f}" if expected >= 0.05 else "fewer than 0.1"  # noqa: PLR2004 - rounded to 0.1


def _in_widest_gap(above: Floats, low: float, high: float) -> tuple[float, str]:
    """Return the threshold, and why, from the similarities from `low` on, descending."""
    if not len(above):
        return high, f"no pair reaches {_percent(low)}%"
    if low == high:
        bound = "lowest" if low == LOWEST_THRESHOLD else "highest"
        return low, f"{low:.0%} is the {bound} suggestion"
    below, first = _widest_gap(above, low, high)
    why = f"the widest gap there is from {_percent(below)}% to {_percent(first)}%"
    return (below + min(first, high)) / 2, why


def _widest_gap(descending: Floats, low: float, high: float) -> tuple[float, float]:
    """Return the two neighbours of which most lies in the range; `low` stands for the pairs below it."""
    ends = np.append(descending, low)
    inside = np.minimum(ends, high)
    widest = int(np.argmax(inside[:-1] - inside[1:]))
    return float(ends[widest + 1]), float(ends[widest])


def _percent(similarity: float) -> int:
    """Return a similarity in percent, rounded downwards; 0.07 * 100 is a little more than 7."""
    return floor(round(similarity * 100, 6))


def _two_digits(number: float) -> int:
    """Round a number of at least 1 to two digits."""
    return int(float(f"{number:.2g}"))
