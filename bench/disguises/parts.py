"""Choice of the parts of a program that go into a merged one, so that no part misses a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

MIN_SHARE = 0.6  # share of a program's text that goes into a merged one, at least


class ProgramPart(NamedTuple):
    """One definition: the names it defines, the names it reads, and its length in characters."""

    defines: set[str]
    reads: set[str]
    length: int


def choose_parts(parts: Sequence[ProgramPart], random: Random) -> list[int]:
    """Return the indexes of random parts, ascending, that have at least MIN_SHARE of the text.

    With each part, all parts that it needs are chosen too.
    """
    min_length = MIN_SHARE * sum(part.length for part in parts)
    chosen: set[int] = set()
    for start in random.sample(range(len(parts)), len(parts)):
        if sum(parts[i].length for i in chosen) >= min_length:
            break
        chosen |= _with_dependencies(start, parts)
    return sorted(chosen)


def _with_dependencies(start: int, parts: Sequence[ProgramPart]) -> set[int]:
    """Return a part and all parts whose names it reads, directly or indirectly."""
    reached, pending = {start}, [start]
    while pending:
        reads = parts[pending.pop()].reads
        new = {i for i, part in enumerate(parts) if part.defines & reads} - reached
        reached |= new
        pending += sorted(new)
    return reached
