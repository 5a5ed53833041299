"""Speed of hashing, winnowing and MinHash on one core, with peers for MinHash measured in the same run.

python -m bench.sketches [--rounds 7] [--json]

The peers are measured if they are installed: pip install rensa datasketch
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
from fingerprint.sketches.minwise import binned_min_wise, min_wise
from fingerprint.winnowing import modulo, robust_winnow, safe_modulo, winnow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

    SketchMatrix = npt.NDArray[np.integer]
    Task = Callable[[], object]

SKETCH_LENGTH = 128  # values of a sketch
RESEMBLANCE = 0.5  # of neighbours among the sketched sets
SIZES = (100, 1000, 10_000)  # values of a set


@dataclass(frozen=True)
class Throughput:
    """Millions of symbols or hashes that `work` processes in a CPU-second."""

    work: str
    millions: float


@dataclass(frozen=True)
class MinHashResult:
    """MinHash of sets of `size` values: CPU time per set, root mean square error of the resemblance."""

    contender: str
    size: int
    microseconds: float
    error: float


def fastest(tasks: Mapping[str, Task], rounds: int) -> dict[str, float]:
    """Return the lowest CPU seconds of each task.

    The tasks take turns, so that a busy machine slows all of them equally.
    """
    for task in tasks.values():
        task()
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            seconds[name].append(time.process_time() - start)
    return {name: min(task_seconds) for name, task_seconds in seconds.items()}


def throughput(length: int, rounds: int) -> list[Throughput]:
    """Measure hashing of `length` random symbols and winnowing of `length` random hashes."""
    random = np.random.default_rng(2003)
    symbols = random.integers(0, 256, length, dtype=np.uint8)
    kinds = random.integers(0, 2**64, length, dtype=np.uint64)
    tasks: dict[str, Task] = {
        "hash bytes, k = 50": lambda: kgram_hashes(symbols, 50),
        "hash token kinds, k = 9": lambda: kgram_hashes(kinds, 9),
    }
    for window in (4, 16, 100):
        tasks[f"robust winnowing, w = {window}"] = partial(robust_winnow, kinds, window)
        tasks[f"winnowing, w = {window}"] = partial(winnow, kinds, window)
    tasks["0 mod 50"] = partial(modulo, kinds, 50)
    tasks["safe 0 mod 22, w = 100"] = partial(safe_modulo, kinds, 22, 100)
    return [Throughput(name, length / seconds / 1e6) for name, seconds in fastest(tasks, rounds).items()]


def neighbours(size: int, sets: int) -> list[Hashes]:
    """Return random sets of `size` values; each has resemblance RESEMBLANCE with the next one."""
    step = round(size * (1 - RESEMBLANCE) / (1 + RESEMBLANCE))
    values = np.random.default_rng(size).integers(0, 2**64, size + step * sets, dtype=np.uint64)
    return [values[i * step : i * step + size] for i in range(sets)]


def _rensa_updates(cls: Any, sets: list[list[str]]) -> SketchMatrix:
    rows = []
    for tokens in sets:
        sketch = cls(num_perm=SKETCH_LENGTH, seed=1)
        sketch.update(tokens)
        rows.append(sketch.digest())
    return np.array(rows)


def _rensa_matrix(cls: Any, flat: Hashes, bounds: list[int]) -> SketchMatrix:
    return np.array(cls.digest_matrix_from_flat_token_hashes(flat, bounds, SKETCH_LENGTH, 1).to_rows())


def _datasketch(cls: Any, sets: list[npt.NDArray[np.int64]]) -> SketchMatrix:
    rows = []
    for values in sets:
        sketch = cls(num_perm=SKETCH_LENGTH, seed=1, hashfunc=int)  # no SHA-1: the values are hashes already
        sketch.update_batch(values)
        rows.append(sketch.hashvalues)
    return np.array(rows)


def contenders(sets: list[Hashes]) -> dict[str, Callable[[], SketchMatrix]]:
    """Return functions that compute MinHash of all sets: the engine's and those of the installed peers.

    The input is converted beforehand to the type that a peer processes fastest.
    """
    tasks: dict[str, Callable[[], SketchMatrix]] = {
        "binned_min_wise": lambda: np.array([binned_min_wise(values, SKETCH_LENGTH) for values in sets]),
        "min_wise": lambda: np.array([min_wise(values, SKETCH_LENGTH) for values in sets]),
    }
    if find_spec("rensa"):
        rensa = import_module("rensa")
        flat, bounds = np.concatenate(sets), [0, *np.cumsum([len(values) for values in sets]).tolist()]
        texts = [[f"{value:x}" for value in values.tolist()] for values in sets]
        tasks["rensa RMinHash, ready hashes"] = partial(_rensa_matrix, rensa.RMinHash, flat, bounds)
        tasks["rensa RMinHash, strings"] = partial(_rensa_updates, rensa.RMinHash, texts)
        tasks["rensa CMinHash, strings"] = partial(_rensa_updates, rensa.CMinHash, texts)
    if find_spec("datasketch"):
        small = [(values >> np.uint64(32)).astype(np.int64) for values in sets]
        tasks["datasketch MinHash, ready hashes"] = partial(_datasketch, import_module("datasketch").MinHash, small)
    return tasks


def min_hash(size: int, total: int, rounds: int) -> list[MinHashResult]:
    """Measure MinHash of neighbouring sets of `size` values, with about `total` values in all sets."""
    sets = neighbours(size, max(20, total // size))
    tasks = contenders(sets)
    seconds = fastest(tasks, rounds)
    common = round(2 * RESEMBLANCE / (1 + RESEMBLANCE) * size)
    resemblance = common / (2 * size - common)
    results = []
    for name, task in tasks.items():
        sketches = task()
        estimates = (sketches[1:] == sketches[:-1]).mean(axis=1)
        error = float(np.sqrt(((estimates - resemblance) ** 2).mean()))
        results.append(MinHashResult(name, size, seconds[name] / len(sets) * 1e6, error))
    return results


def min_hash_table(results: list[MinHashResult]) -> str:
    """Return a table of the results; the last columns are the times relative to the engine's two sketches."""
    microseconds = {(result.contender, result.size): result.microseconds for result in results}
    header = ["MinHash, 128 minima", "values", "us per set", "error", "/ binned_min_wise", "/ min_wise"]
    rows = []
    for result in results:
        figures = [str(result.size), f"{result.microseconds:.1f}", f"{result.error:.3f}"]
        ratios = (result.microseconds / microseconds[name, result.size] for name in ("binned_min_wise", "min_wise"))
        rows.append([result.contender, *figures, *(f"{ratio:.1f}x" for ratio in ratios)])
    return markdown(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each task; the fastest counts")
    parser.add_argument("--length", type=int, default=8_000_000, help="number of symbols and of hashes")
    parser.add_argument("--values", type=int, default=300_000, help="values to sketch for each size of set")
    parser.add_argument("--json", action="store_true", help="write the results as JSON")
    arguments = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = "1"  # rensa: use one core, like the others
    speeds = throughput(arguments.length, arguments.rounds)
    results = [result for size in SIZES for result in min_hash(size, arguments.values, arguments.rounds)]
    if arguments.json:
        rows = {"throughput": list(map(asdict, speeds)), "minhash": list(map(asdict, results))}
        print(json.dumps(rows))
        return
    print(markdown(["one core", "M/s"], [[speed.work, f"{speed.millions:.0f}"] for speed in speeds]), "\n")
    print(min_hash_table(results))
    for peer in ("rensa", "datasketch"):
        if not find_spec(peer):
            print(f"\n{peer} is not installed. To measure it too: pip install {peer}")


if __name__ == "__main__":
    main()
