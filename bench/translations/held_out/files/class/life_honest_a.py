"""Game of Life on an unlimited board: only living cells are stored."""
import itertools
import time
from collections import Counter

GLIDER = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}


def neighbours(cell):
    x, y = cell
    return ((x + dx, y + dy) for dx, dy in itertools.product((-1, 0, 1), repeat=2) if (dx, dy) != (0, 0))


def evolve(alive):
    counts = Counter(itertools.chain.from_iterable(map(neighbours, alive)))
    return {cell for cell, number in counts.items() if number == 3 or (number == 2 and cell in alive)}


def bounds(alive):
    xs = [x for x, _ in alive]
    ys = [y for _, y in alive]
    return min(xs), max(xs), min(ys), max(ys)


def draw(alive):
    if not alive:
        print("(extinct)")
        return
    left, right, top, bottom = bounds(alive)
    for y in range(top, bottom + 1):
        print("".join("@" if (x, y) in alive else "·" for x in range(left, right + 1)))
    print("-" * (right - left + 1))


def parse(lines):
    return {(x, y) for y, line in enumerate(lines) for x, letter in enumerate(line) if letter == "*"}


def simulate(alive, rounds, pause):
    seen = set()
    for number in range(rounds):
        draw(alive)
        frozen = frozenset(alive)
        if frozen in seen:
            print("cycle found in round", number)
            return
        seen.add(frozen)
        alive = evolve(alive)
        time.sleep(pause)


if __name__ == "__main__":
    simulate(GLIDER, 8, 0.2)
    simulate(parse(["***"]), 8, 0.2)
