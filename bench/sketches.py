"""Speed of hashing, winnowing and sketching on one core, and of MinHash beside its peers in the same run.

python -m bench.sketches [--rounds 7] [--json]

The peers are measured when they are installed: pip install rensa datasketch
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.minwise.binned import binned_min_wise
from fingerprint.minwise.features import min_wise
from fingerprint.winnowing import modulo, robust_winnow, safe_modulo, winnow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from fingerprint.types import Hashes

    Sketches = npt.NDArray[np.integer]
    Work = Callable[[], object]

COUNT = 128  # places of a sketch
RESEMBLANCE = 0.5  # of the neighbours among the sketched sets
SIZES = (100, 1000, 10_000)


@dataclass(frozen=True)
class Throughput:
    """Symbols or hashes a CPU-second, in millions."""

    work: str
    millions: float


@dataclass(frozen=True)
class MinHash:
    """Sketches of `size` values: CPU time of one, and root mean square error of the resemblance."""

    contender: str
    size: int
    microseconds: float
    error: float


def fastest(works: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Least CPU seconds of each, taken in turns so that a busy machine troubles all alike."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work()
            times[name].append(time.process_time() - start)
    return {name: min(taken) for name, taken in times.items()}


def throughput(length: int, rounds: int) -> list[Throughput]:
    """Hash and winnow `length` random symbols and hashes."""
    random = np.random.default_rng(2003)
    symbols = random.integers(0, 256, length, dtype=np.uint8)
    kinds = random.integers(0, 2**64, length, dtype=np.uint64)
    works: dict[str, Work] = {
        "hash bytes, k = 50": lambda: kgram_hashes(symbols, 50),
        "hash token kinds, k = 9": lambda: kgram_hashes(kinds, 9),
    }
    for window in (4, 16, 100):
        works[f"robust winnowing, w = {window}"] = partial(robust_winnow, kinds, window)
        works[f"winnowing, w = {window}"] = partial(winnow, kinds, window)
    works["0 mod 50"] = partial(modulo, kinds, 50)
    works["safe 0 mod 22, w = 100"] = partial(safe_modulo, kinds, 22, 100)
    return [Throughput(name, length / taken / 1e6) for name, taken in fastest(works, rounds).items()]


def neighbours(size: int, sets: int) -> list[Hashes]:
    """Random sets of which each resembles the next."""
    step = round(size * (1 - RESEMBLANCE) / (1 + RESEMBLANCE))
    values = np.random.default_rng(size).integers(0, 2**64, size + step * sets, dtype=np.uint64)
    return [values[i * step : i * step + size] for i in range(sets)]


def _rensa_updates(cls: Any, sets: list[list[str]]) -> Sketches:
    rows = []
    for tokens in sets:
        sketch = cls(num_perm=COUNT, seed=1)
        sketch.update(tokens)
        rows.append(sketch.digest())
    return np.array(rows)


def _rensa_matrix(cls: Any, flat: Hashes, bounds: list[int]) -> Sketches:
    return np.array(cls.digest_matrix_from_flat_token_hashes(flat, bounds, COUNT, 1).to_rows())


def _datasketch(cls: Any, sets: list[npt.NDArray[np.int64]]) -> Sketches:
    rows = []
    for values in sets:
        sketch = cls(num_perm=COUNT, seed=1, hashfunc=int)  # ready hashes: SHA-1 is not what is compared
        sketch.update_batch(values)
        rows.append(sketch.hashvalues)
    return np.array(rows)


def contenders(sets: list[Hashes]) -> dict[str, Callable[[], Sketches]]:
    """MinHash of every set, by the engine and by each installed peer in the fastest form it takes."""
    works: dict[str, Callable[[], Sketches]] = {
        "binned_min_wise": lambda: np.array([binned_min_wise(values, COUNT) for values in sets]),
        "min_wise": lambda: np.array([min_wise(values, COUNT) for values in sets]),
    }
    if find_spec("rensa"):
        rensa = import_module("rensa")
        flat, bounds = np.concatenate(sets), [0, *np.cumsum([len(values) for values in sets]).tolist()]
        texts = [[f"{value:x}" for value in values.tolist()] for values in sets]
        works["rensa RMinHash, ready hashes"] = partial(_rensa_matrix, rensa.RMinHash, flat, bounds)
        works["rensa RMinHash, strings"] = partial(_rensa_updates, rensa.RMinHash, texts)
        works["rensa CMinHash, strings"] = partial(_rensa_updates, rensa.CMinHash, texts)
    if find_spec("datasketch"):
        small = [(values >> np.uint64(32)).astype(np.int64) for values in sets]
        works["datasketch MinHash, ready hashes"] = partial(
            _datasketch, import_module("datasketch").MinHash, small
        )
    return works


def min_hash(size: int, total: int, rounds: int) -> list[MinHash]:
    """Sketch neighbouring sets of `size` values, about `total` values in all."""
    sets = neighbours(size, max(20, total // size))
    works = contenders(sets)
    taken = fastest(works, rounds)
    common = 2 * RESEMBLANCE / (1 + RESEMBLANCE) * size
    truth = round(common) / (2 * size - round(common))
    results = []
    for name, work in works.items():
        sketches = work()
        agree = (sketches[1:] == sketches[:-1]).mean(axis=1)
        error = float(np.sqrt(((agree - truth) ** 2).mean()))
        results.append(MinHash(name, size, taken[name] / len(sets) * 1e6, error))
    return results


def table(sketched: list[MinHash]) -> str:
    """Rows of contenders; how many times the peer's time the engine needs less, for each of its sketches."""
    ours = {(row.contender, row.size): row.microseconds for row in sketched}
    header = ["MinHash, 128 places", "values", "us a set", "error", "/ binned_min_wise", "/ min_wise"]
    return markdown(
        header,
        [
            [
                row.contender,
                str(row.size),
                f"{row.microseconds:.1f}",
                f"{row.error:.3f}",
                *(
                    f"{row.microseconds / ours[name, row.size]:.1f}x"
                    for name in ("binned_min_wise", "min_wise")
                ),
            ]
            for row in sketched
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--length", type=int, default=8_000_000, help="symbols and hashes to work on")
    parser.add_argument("--values", type=int, default=300_000, help="values to sketch, at each size of set")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = "1"  # rensa, on one core like the rest
    speeds = throughput(options.length, options.rounds)
    sketched = [row for size in SIZES for row in min_hash(size, options.values, options.rounds)]
    if options.json:
        print(
            json.dumps({"throughput": [asdict(s) for s in speeds], "minhash": [asdict(s) for s in sketched]})
        )
        return
    print(markdown(["one core", "M/s"], [[speed.work, f"{speed.millions:.0f}"] for speed in speeds]), "\n")
    print(table(sketched))
    for peer in ("rensa", "datasketch"):
        if not find_spec(peer):
            print(f"\n{peer} is not installed: pip install {peer} to have it measured beside these.")


if __name__ == "__main__":
    main()
