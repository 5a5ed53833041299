"""Which parts of a program to take over, so that what is taken stands by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

SHARE = 0.6  # of a program's text, at least, goes into a merged one


class Part(NamedTuple):
    """One definition: the names it defines, the names it reads, and its length in characters."""

    defines: set[str]
    reads: set[str]
    length: int


def choose(parts: Sequence[Part], random: Random) -> list[int]:
    """Numbers of the parts taken, ascending: drawn until they make up SHARE, each with all that it needs."""
    wanted = SHARE * sum(part.length for part in parts)
    taken: set[int] = set()
    for start in random.sample(range(len(parts)), len(parts)):
        if sum(parts[i].length for i in taken) >= wanted:
            break
        taken |= _needed(start, parts)
    return sorted(taken)


def _needed(start: int, parts: Sequence[Part]) -> set[int]:
    """Return a part and everything that it reads, directly or not."""
    reached, waiting = {start}, [start]
    while waiting:
        reads = parts[waiting.pop()].reads
        more = {i for i, part in enumerate(parts) if part.defines & reads} - reached
        reached |= more
        waiting += sorted(more)
    return reached
