"""Model of a branch office with several desks."""

from collections import deque
from random import Random

SHIFT = 240
DESKS = 3


def simulate(rng):
    waiting = deque()
    remaining = [0] * DESKS
    finished = [0] * DESKS
    delays = []
    peak = clock = 0
    while clock < SHIFT or waiting or any(remaining):
        if clock < SHIFT and rng.random() < 0.6:
            waiting.append((clock, rng.randint(2, 8)))
        peak = max(peak, len(waiting))
        for desk in range(DESKS):
            if not remaining[desk] and waiting:
                entered, duration = waiting.popleft()
                delays.append(clock - entered)
                remaining[desk] = duration
        for desk, time in enumerate(remaining):
            if time:
                remaining[desk] = time - 1
                finished[desk] += time == 1
        clock += 1
    return {"delays": delays, "peak": peak, "finished": finished, "clock": clock}


def summary(outcome):
    delays = outcome["delays"]
    yield f"{len(delays)} people came in"
    yield f"mean delay {sum(delays) / len(delays):.2f}"
    yield f"worst delay {max(delays)}"
    yield f"peak of the line {outcome['peak']}"
    for desk, people in enumerate(outcome["finished"], start=1):
        yield f"desk {desk}: {people}"
    yield f"doors locked at minute {outcome['clock']}"


print("\n".join(summary(simulate(Random(42)))))
