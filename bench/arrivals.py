"""Simulate hand-ins of a university that are checked as they come: `python -m bench.arrivals [--cores N]...`.

Classes of several sizes have one deadline a week, at one of a few usual hours; the hand-ins of a class come
the more densely the nearer it is. Each is read; then its class is ranked, at most so many times a minute, and
a ranking has all that was read before it began. Times of service are processor seconds that were measured.
Printed are, for each number of cores, the minutes from hand-in to report and how busy the cores are.
"""

from __future__ import annotations

import argparse
import heapq
from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

WEEK, HOUR, MINUTE = 7 * 24 * 3600.0, 3600.0, 60.0
# Students of a class, and the part of all hand-ins that are of such classes.
SIZES, PARTS = (30, 100, 500, 1_500), (0.3, 0.4, 0.2, 0.1)
# Hours of the week of deadlines: half are on Sunday at midnight.
DEADLINES = (24.0 * 7, 24.0 * 7, 24.0 * 5 - 12, 24.0 * 3)


class Service(NamedTuple):
    """Processor seconds: to read a hand-in, and to rank a class of n as `fixed + each * n ** power`."""

    reading: float = 0.6
    fixed: float = 0.1
    each: float = 0.0033
    power: float = 0.93

    def ranking(self, submissions: int) -> float:
        return float(self.fixed + self.each * submissions**self.power)


class Result(NamedTuple):
    """Seconds from each hand-in to its report, the number of rankings, and processor seconds."""

    waits: list[float]
    rankings: int
    work: float


def hand_ins(count: int, half: float, random: Random) -> list[tuple[float, int]]:
    """Return the times and classes of `count` hand-ins of a week; half of a class comes in its last `half` hours."""
    made, number = list[tuple[float, int]](), 0
    while len(made) < count:
        [size] = random.choices(SIZES, [part / size for part, size in zip(PARTS, SIZES, strict=True)])
        deadline = random.choice(DEADLINES) * HOUR
        before = (random.expovariate(float(np.log(2)) / (half * HOUR)) for _ in range(size))
        made += [(max(0.0, deadline - one), number) for one in before]
        number += 1
    return sorted(made[:count])


def next_start(ends: Sequence[float], a_minute: int) -> float:
    """Return when a class may be ranked again, by the ends of its rankings."""
    return max([0.0, *ends[-1:], *(end + MINUTE for end in ends[-a_minute:][:1] if len(ends) >= a_minute)])


def simulate(arrivals: Sequence[tuple[float, int]], cores: int, a_minute: int, service: Service) -> Result:
    """Carry the hand-ins out on a number of cores; of one class one ranking runs, and one waits."""
    free, due = [0.0] * cores, [(time, 0, number, time) for time, number in sorted(arrivals)]
    read: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    members, ends = Counter[int](), defaultdict[int, list[float]](list)
    waiting, waits, work = set[int](), list[float](), 0.0
    while due:
        time, kind, number, came = heapq.heappop(due)
        begin = max(time, heapq.heappop(free))
        if kind == 0:
            end = begin + service.reading
            read[number].append((end, came))
        else:
            waiting.remove(number)
            ready = [one for one in read[number] if one[0] <= begin]
            read[number] = [one for one in read[number] if one[0] > begin]
            members[number] += len(ready)
            end = begin + service.ranking(members[number])
            waits += [end - came for _, came in ready]
            ends[number].append(end)
        if read[number] and number not in waiting:
            waiting.add(number)
            heapq.heappush(due, (max(end, next_start(ends[number], a_minute)), 1, number, 0.0))
        work += end - begin
        heapq.heappush(free, end)
    return Result(waits, sum(map(len, ends.values())), work)


def row(cores: int, result: Result) -> list[str]:
    minutes = [f"{one / MINUTE:.1f}" for one in np.quantile(result.waits, (0.5, 0.95, 0.99, 1.0))]
    return [
        str(cores),
        *minutes,
        f"{result.rankings:,}",
        f"{result.work / HOUR:.0f}",
        f"{result.work / cores / WEEK:.0%}",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m bench.arrivals", description=__doc__)
    options.add_argument("--hand-ins", type=int, default=200_000, help="hand-ins of the week (200,000)")
    options.add_argument("--cores", type=int, action="append", help="default: 2, 4, 8 and 16")
    options.add_argument("--half", type=float, default=1.0, help="hours in which half of a class hands in (1)")
    options.add_argument("--a-minute", type=int, default=2, help="rankings of one class in a minute (2)")
    chosen = options.parse_args(arguments)
    arrivals = hand_ins(chosen.hand_ins, chosen.half, Random(1))
    rows = [row(n, simulate(arrivals, n, chosen.a_minute, Service())) for n in chosen.cores or (2, 4, 8, 16)]
    print(markdown(["cores", "p50, min", "p95", "p99", "most", "rankings", "core hours", "busy"], rows))


if __name__ == "__main__":
    main()
