"""Rows of pair tables and percentages, for pages, exports and the command line.

Every similarity and share that people read is rounded here, once, and downwards: a pair below a threshold
of whole percent is never shown at it, and only the whole is 100 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# The mark of a pair that was compared across languages, in tables, exports and on pages.
TRANSLATED = "translated"
# That of a pair that shares names, literals or imports, but no run of equal tokens as long as a k-gram.
NO_PASSAGE = "no passage"
# The flag of a pair with a model solution.
MODEL_SOLUTION = "model solution"


def pair_mark(*, translated: bool, structure: float) -> str:
    """Return the mark of a pair, empty for one without."""
    if translated:
        return TRANSLATED
    return "" if structure else NO_PASSAGE


class PairRow(NamedTuple):
    """Names and figures of a pair.

    `similarity` and the shares are in [0, 1]; `tokens` and `lines`: shared tokens and lines; `longest`: the
    longest passage, in tokens. `mark`: see `pair_mark`. `left_with_common` and `right_with_common` are the
    shares where common code counts too. `flag`: `the same student, 2024` for a pair of a student and the same
    student's earlier work, or `model solution`, in what `moss check` writes.
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
    left_with_common: float
    right_with_common: float
    flag: str = ""


class Evidence(NamedTuple):
    """Contribution of each kind of evidence to the similarity of a pair, which is their sum."""

    structure: float
    literals: float
    names: float
    imports: float


# A share of 29 hundredths times 100 is a little less than 29 in binary floating point.
NOISE = 1e-7


def whole_percent(share: float) -> int:
    """Return a share in [0, 1] in percent, rounded downwards."""
    return int(share * 100 + NOISE)


def percent_text(share: float, space: str = "") -> str:
    """Return a share as text; one that is not 0 but less than one percent is `<1%`."""
    whole = whole_percent(share)
    return f"<1{space}%" if share > 0 and not whole else f"{whole}{space}%"


def parts_in_percent(parts: Sequence[float], share: float) -> list[int]:
    """Return the parts of a share in whole percent, so that they add up to that of the share.

    The parts that lose most by rounding are one percent higher.
    """
    whole = [whole_percent(part) for part in parts]
    missing = whole_percent(share) - sum(whole)
    by_loss = sorted(range(len(parts)), key=lambda row: whole[row] - parts[row] * 100)
    return [percent + (row in by_loss[: max(missing, 0)]) for row, percent in enumerate(whole)]
