"""Percentages: every similarity and share that people read is rounded here, once, and downwards.

So a pair below a threshold of whole percent is never shown at it, and only the whole is 100 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
