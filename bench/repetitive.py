"""Time of reading and of ranking repetitive files: `python -m bench.repetitive [--kb 120 240] [--files 6]`.

Tables, dumps and generated parsers repeat the same few rows thousands of times, so that two of them share a
run of tokens for each pair of their rows. Ranking them must not take longer than reading them. Each kind is
generated with different numbers in each file, as students' own files would have.
"""

from __future__ import annotations

import argparse
import random
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING

from bench.tables import markdown
from fingerprint import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PARAMS = engine.Params()
PROGRAM = "int main() { int total = 0; for (int i = 0; i < 9; i++) total += rows[i][0]; return total; }\n"


def table(rng: random.Random) -> Iterator[str]:
    """Yield the rows of a table of numbers."""
    yield "int rows[][4] = {\n"
    while True:
        yield f"  {{{', '.join(str(rng.randrange(1000)) for _ in range(4))}}},\n"


def constants(_rng: random.Random) -> Iterator[str]:
    """Yield one equal constant again and again: a picture, a font."""
    yield "int data[] = {\n"
    while True:
        yield "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"


def dump(rng: random.Random) -> Iterator[str]:
    """Yield rows with values of random kinds, as a dump of a database has."""
    yield "struct row rows[] = {\n"
    while True:
        values = (f'"{rng.randrange(10**6)}"' if rng.randrange(2) else str(rng.randrange(99)) for _ in range(6))
        yield f"  {{{', '.join(values)}}},\n"


def parser(rng: random.Random) -> Iterator[str]:
    """Yield the cases of a generated parser; some have an extra call."""
    yield "int step(int state) { switch (state) {\n"
    for state in count():
        extra = f"shift({rng.randrange(99)}); " if rng.randrange(5) == 0 else ""
        yield f"  case {state}: {extra}reduce({rng.randrange(9)}, {state}); goto next;\n"


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "table": table,
    "constants": constants,
    "dump": dump,
    "parser": parser,
}


def source(kind: str, size: int, seed: int) -> str:
    """Return a C file of about `size` characters."""
    parts, length = [PROGRAM], 0
    for row in KINDS[kind](random.Random(seed)):
        parts.append(row)
        length += len(row)
        if length >= size:
            break
    return "".join(parts) + "};\n"


def seconds(kind: str, size: int, files: int) -> tuple[float, float]:
    """Return the time of reading all files and of ranking them, in seconds."""
    started = perf_counter()
    readings = [engine.read(source(kind, size, n).encode(), "a.c", "c", 60) for n in range(files)]
    read = perf_counter()
    cohort = [
        engine.CohortFile(
            number,
            reading.tokens.kinds,
            reading.lines,
            reading.lexical,
            engine.fingerprint(reading.tokens.kinds, PARAMS).hashes,
        )
        for number, reading in enumerate(readings)
    ]
    engine.rank(engine.RankingInput.from_files(cohort, files, PARAMS.k), 100)
    return read - started, perf_counter() - read


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kb", type=int, nargs="+", default=[120, 240, 480], metavar="KB")
    options.add_argument("--files", type=int, default=6)
    chosen = options.parse_args()
    engine.ensure_compiled()
    seconds("parser", 2_000, 2)  # loads the kernels
    rows = [
        (kind, str(size), *(f"{part:.2f}" for part in seconds(kind, size * 1000, chosen.files)))
        for kind in KINDS
        for size in chosen.kb
    ]
    print(f"{chosen.files} files each")
    print(markdown(("kind", "kB", "reading, s", "ranking, s"), rows))


if __name__ == "__main__":
    main()
