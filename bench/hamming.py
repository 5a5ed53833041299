"""SimHash and the Hamming index against peers: `python -m bench.hamming`.

On one core. The peers `faiss-cpu` and `simhash` are measured where they can be imported. Times are CPU
seconds after a first call that compiles.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.simhash.blocks import compress, decompress
from fingerprint.simhash.designs import EXAMPLE_3_1
from fingerprint.simhash.documents import simhash
from fingerprint.simhash.index import HammingIndex, batch_query

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

DISTANCE = 3
# Hashes, bits of each and bits flipped in a probe: those with which no pair within distance 3 is missed.
EXACT_MULTI_HASHES = [(4, 16, 0), (3, 21, 1), (2, 32, 1)]


def seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def planted(stored: Words, count: int, random: np.random.Generator) -> Words:
    """Random queries, of which one in ten differs from a stored fingerprint in 0 to 5 bits."""
    queries = random.integers(0, 2**64, count, dtype=np.uint64)
    near = random.choice(stored, count // 10)
    for _ in range(5):
        flipped = np.uint64(1) << random.integers(0, 64, len(near), dtype=np.uint64)
        near = np.where(random.random(len(near)) < 0.5, near ^ flipped, near)  # noqa: PLR2004 - a fair coin
    queries[: len(near)] = near
    return queries


def batch(queries: int, stored: int, random: np.random.Generator) -> str:
    """Scan a mapped file of stored fingerprints for a batch of queries (section 3.3)."""
    values = random.integers(0, 2**64, stored, dtype=np.uint64)
    asked = planted(values, queries, random)
    batch_query(asked[:10], values[:10])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stored.npy")
        np.save(path, values)
        rows = []
        for tables in EXAMPLE_3_1:
            start = time.process_time()
            found = batch_query(asked, path, DISTANCE, tables=tables)
            rows.append([str(tables), f"{time.process_time() - start:.2f}", f"{len(found.query):,}"])
    return markdown(["tables", "CPU s", "matches"], rows)


def online(queries: int, stored: int, random: np.random.Generator) -> str:
    """Time a query of each design, one at a time and many at once, against faiss at recall 1.0."""
    values = random.integers(0, 2**64, stored, dtype=np.uint64)
    asked = planted(values, queries, random)
    rows = []
    for tables in EXAMPLE_3_1:
        for form in (False, True):
            index = HammingIndex(values, tables=tables, compressed=form)
            name = f"{tables} tables{', compressed' * form}"
            rows.append(
                [
                    name,
                    *_timed(index.query, lambda found: len(found.query), asked),
                    _size(index.nbytes, stored),
                ]
            )
    if importlib.util.find_spec("faiss"):
        rows += [_faiss(values, asked, *shape) for shape in EXACT_MULTI_HASHES]
    return markdown(["index", "us/query, many", "us/query, single", "matches", "bytes a fingerprint"], rows)


def _size(nbytes: int, stored: int) -> str:
    return f"{nbytes / stored:.1f}"


def _timed(query: Callable[[Any], Any], count: Callable[[Any], int], asked: Any) -> list[str]:
    some = asked[: len(asked) // 20]
    query(some[:2])
    found: list[int] = []
    many = seconds(lambda: found.append(count(query(asked)))) / len(asked)
    single = seconds(lambda: [query(some[i : i + 1]) for i in range(len(some))]) / len(some)
    return [f"{many * 1e6:.2f}", f"{single * 1e6:.1f}", f"{found[0]:,}"]


def _faiss(values: Words, asked: Words, hashes: int, bits: int, flips: int) -> list[str]:
    faiss = importlib.import_module("faiss")

    faiss.omp_set_num_threads(1)
    index = faiss.IndexBinaryMultiHash(64, hashes, bits)
    index.nflip = flips
    index.add(values.view(np.uint8).reshape(-1, 8))
    octets = asked.view(np.uint8).reshape(-1, 8)
    timed = _timed(lambda part: index.range_search(part, DISTANCE + 1), lambda found: len(found[2]), octets)
    return [f"faiss {hashes} x {bits} bits, {flips} flips", *timed, "-"]


def compression(random: np.random.Generator) -> str:
    """Sizes of blocks by density, against what no code can go below for random fingerprints."""
    rows = []
    for log_count, log_range in ((20, 64), (22, 64), (20, 50)):
        values = np.sort(random.integers(0, 2**log_range, 2**log_count, dtype=np.uint64))
        blocks = compress(values)
        decompress(blocks)
        took = seconds(partial(decompress, blocks))
        least = (log_range - log_count + np.log2(np.e)) / 64
        share = f"{blocks.nbytes / values.nbytes:.3f}"
        rows.append(
            [f"2^{log_count + 64 - log_range}", share, f"{least:.3f}", f"{len(values) / took / 1e6:.1f}"]
        )
    return markdown(["fingerprints", "share of 8 bytes", "least possible", "decoded M/s"], rows)


def fingerprints(random: np.random.Generator) -> str:
    """SimHash of a text of 5,000 characters by its 4-grams, against the `simhash` package on the same."""
    text = "".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), 5000))

    def ours() -> int:
        return simhash(kgram_hashes(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), 4))

    ours()
    took = seconds(lambda: [ours() for _ in range(2000)]) / 2000
    rows = [["fingerprint.simhash.documents", f"{took * 1e6:.0f}", "1.0"]]
    if importlib.util.find_spec("simhash"):
        peer_of = importlib.import_module("simhash").Simhash
        peer = seconds(lambda: [peer_of(text) for _ in range(30)]) / 30
        rows.append(["simhash", f"{peer * 1e6:.0f}", f"{peer / took:.1f}"])
    return markdown(["package", "us a text", "times ours"], rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--queries", type=int, default=1_000_000)
    options.add_argument("--stored", type=int, default=40_000_000)
    options.add_argument("--online-stored", type=int, default=1 << 20)
    chosen = options.parse_args()
    random = np.random.default_rng(2007)
    print(f"## SimHash\n\n{fingerprints(random)}\n\n## Compression\n\n{compression(random)}\n")
    print(f"## Online, {chosen.online_stored:,} stored\n\n{online(20_000, chosen.online_stored, random)}\n")
    print(f"## Batch, {chosen.queries:,} queries, {chosen.stored:,} stored\n")
    print(batch(chosen.queries, chosen.stored, random))


if __name__ == "__main__":
    main()
