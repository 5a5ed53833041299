"""Speed of SimHash and of the Hamming index, compared with peers: `python -m bench.hamming`.

Everything is measured on one core, in CPU seconds, after a first call that compiles the kernels. The peers
`faiss-cpu` and `simhash` are measured if they are installed.
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
from fingerprint.sketches.hamming_index import HammingIndex, batch_query, compress, decompress
from fingerprint.sketches.simhash import EXAMPLE_3_1, simhash

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

DISTANCE = 3
# (hashes, bits of each, bits flipped in a probe) with which faiss misses no pair within distance 3.
EXACT_MULTI_HASHES = [(4, 16, 0), (3, 21, 1), (2, 32, 1)]


def seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def sample_queries(stored: Words, count: int, random: np.random.Generator) -> Words:
    """Return random queries; one in ten differs from a stored fingerprint in 0 to 5 bits."""
    queries = random.integers(0, 2**64, count, dtype=np.uint64)
    near = random.choice(stored, count // 10)
    for _ in range(5):
        flipped = np.uint64(1) << random.integers(0, 64, len(near), dtype=np.uint64)
        near = np.where(random.random(len(near)) < 0.5, near ^ flipped, near)  # noqa: PLR2004 - one half
    queries[: len(near)] = near
    return queries


def batch(queries: int, stored: int, random: np.random.Generator) -> str:
    """Return a table of the time to scan a mapped file for a batch of queries (section 3.3)."""
    values = random.integers(0, 2**64, stored, dtype=np.uint64)
    probes = sample_queries(values, queries, random)
    batch_query(probes[:10], values[:10])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stored.npy")
        np.save(path, values)
        rows = []
        for tables in EXAMPLE_3_1:
            start = time.process_time()
            matches = batch_query(probes, path, DISTANCE, tables=tables)
            rows.append([str(tables), f"{time.process_time() - start:.2f}", f"{len(matches.query):,}"])
    return markdown(["tables", "CPU s", "matches"], rows)


def online(queries: int, stored: int, random: np.random.Generator) -> str:
    """Return a table of query times, one query at a time and many at once, with faiss at recall 1.0."""
    values = random.integers(0, 2**64, stored, dtype=np.uint64)
    probes = sample_queries(values, queries, random)
    rows = []
    for tables in EXAMPLE_3_1:
        for compressed in (False, True):
            index = HammingIndex(values, tables=tables, compressed=compressed)
            name = f"{tables} tables{', compressed' * compressed}"
            figures = _query_figures(index.query, lambda matches: len(matches.query), probes)
            rows.append([name, *figures, f"{index.nbytes / stored:.1f}"])
    if importlib.util.find_spec("faiss"):
        rows += [_faiss_row(values, probes, *shape) for shape in EXACT_MULTI_HASHES]
    return markdown(["index", "us/query, many", "us/query, single", "matches", "bytes per fingerprint"], rows)


def _query_figures(query: Callable[[Any], Any], count: Callable[[Any], int], probes: Any) -> list[str]:
    """Return microseconds per query in one batch and one at a time, and the number of matches."""
    sample = probes[: len(probes) // 20]
    query(sample[:2])
    matches: list[int] = []
    many = seconds(lambda: matches.append(count(query(probes)))) / len(probes)
    single = seconds(lambda: [query(sample[i : i + 1]) for i in range(len(sample))]) / len(sample)
    return [f"{many * 1e6:.2f}", f"{single * 1e6:.1f}", f"{matches[0]:,}"]


def _faiss_row(values: Words, probes: Words, hashes: int, bits: int, flips: int) -> list[str]:
    faiss = importlib.import_module("faiss")

    faiss.omp_set_num_threads(1)
    index = faiss.IndexBinaryMultiHash(64, hashes, bits)
    index.nflip = flips
    index.add(values.view(np.uint8).reshape(-1, 8))
    octets = probes.view(np.uint8).reshape(-1, 8)
    figures = _query_figures(
        lambda part: index.range_search(part, DISTANCE + 1), lambda matches: len(matches[2]), octets
    )
    return [f"faiss {hashes} x {bits} bits, {flips} flips", *figures, "-"]


def compression(random: np.random.Generator) -> str:
    """Return a table of compressed sizes by density, with the lower bound for random fingerprints."""
    rows = []
    for log_count, log_range in ((20, 64), (22, 64), (20, 50)):
        values = np.sort(random.integers(0, 2**log_range, 2**log_count, dtype=np.uint64))
        blocks = compress(values)
        decompress(blocks)
        decoding_seconds = seconds(partial(decompress, blocks))
        bound = (log_range - log_count + np.log2(np.e)) / 64
        share = f"{blocks.nbytes / values.nbytes:.3f}"
        speed = f"{len(values) / decoding_seconds / 1e6:.1f}"
        rows.append([f"2^{log_count + 64 - log_range}", share, f"{bound:.3f}", speed])
    return markdown(["fingerprints", "share of 8 bytes", "lower bound", "decoded M/s"], rows)


def fingerprints(random: np.random.Generator) -> str:
    """Return a table of the time of SimHash on a text of 5,000 characters by its 4-grams, with its peer."""
    text = "".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), 5000))

    def ours() -> int:
        return simhash(kgram_hashes(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), 4))

    ours()
    index_seconds = seconds(lambda: [ours() for _ in range(2000)]) / 2000
    rows = [["fingerprint.sketches.simhash", f"{index_seconds * 1e6:.0f}", "1.0"]]
    if importlib.util.find_spec("simhash"):
        peer_simhash = importlib.import_module("simhash").Simhash
        peer_seconds = seconds(lambda: [peer_simhash(text) for _ in range(30)]) / 30
        rows.append(["simhash", f"{peer_seconds * 1e6:.0f}", f"{peer_seconds / index_seconds:.1f}"])
    return markdown(["package", "us per text", "times ours"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1_000_000, help="queries of the batch")
    parser.add_argument("--stored", type=int, default=40_000_000, help="fingerprints scanned for the batch")
    parser.add_argument("--online-stored", type=int, default=1 << 20, help="fingerprints in the online index")
    arguments = parser.parse_args()
    online_stored = arguments.online_stored
    random = np.random.default_rng(2007)
    print(f"## SimHash\n\n{fingerprints(random)}\n\n## Compression\n\n{compression(random)}\n")
    print(f"## Online, {online_stored:,} stored\n\n{online(20_000, online_stored, random)}\n")
    print(f"## Batch, {arguments.queries:,} queries, {arguments.stored:,} stored\n")
    print(batch(arguments.queries, arguments.stored, random))


if __name__ == "__main__":
    main()
