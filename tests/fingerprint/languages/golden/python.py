#!/usr/bin/env python3
"""A harbour and its readings."""

from __future__ import annotations

import math
from collections import (
    Counter,
    defaultdict,
)


@cached(limit=3)
def swing(levels: list[float], *, floor=0.5e-3) -> float:
    """Largest change between two readings."""
    worst = 0
    for before, after in zip(levels, levels[1:]):
        change = abs(after - before)
        if change >= floor and not math.isnan(change):
            worst = max(worst, change)  # never shrinks
    return worst


class Harbour(Place):
    names = {'east': 1, "west": 2, r'so\uth': None}

    @property
    async def report(self):
        global seen
        while True:
            try:
                line = await self.next_line()
            except (OSError, ValueError) as problem:
                raise Lost(f"no line after {self.count + 1:>3} of {'x'}") from problem
            else:
                seen **= 2
                yield [word.strip() for word in line if word != ""]


match swing([1.0, 2, 0x1F]):
    case 0 | 1:
        print("calm" "and" 'quiet')
    case _:
        lambda depth: depth // 2
