"""Speed of clustering (syntactic-clustering, 1997) on synthetic prose: `python -m bench.clustering`.

A table shows the CPU seconds of each phase, from text to clusters, on one core, for increasing numbers of
documents of 5 kB each.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

from bench.tables import markdown
from fingerprint.languages.prose import WordKinds
from fingerprint.sketches.clustering import Runs, UnionFind, join_similar, pair_runs, value_runs
from fingerprint.sketches.shingling import Duplicates, Sketches

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET_SPEED = 1650  # documents per CPU-second: 50 times the paper's 30 million in 10.5 CPU-days
PHASES = ["tokens", "shingles, sketches", "duplicates", "sort", "pairs", "merge, clusters"]
FAMILY = 10  # documents: an original and its edited copies
WORDS = 780  # of a document
SORT_BYTES = 128 << 20  # memory of each of the two external sorts


def vocabulary(random: np.random.Generator, size: int = 20_000) -> list[str]:
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    return ["".join(random.choice(letters, length)) for length in random.integers(2, 10, size)]


def prose(count: int, random: np.random.Generator) -> Iterator[str]:
    """Yield texts of about 5 kB with word frequencies similar to Zipf's law.

    Every tenth text is an original; the nine after it are copies of it with more and more words replaced.
    """
    known_words = vocabulary(random)
    original: list[str] = []
    for document in range(count):
        if document % FAMILY == 0:
            original = [known_words[i] for i in (len(known_words) ** random.random(WORDS)).astype(np.int64)]
        words = original.copy()
        for position in random.integers(0, WORDS, 2 * (document % FAMILY)):
            words[position] = known_words[random.integers(len(known_words))]
        yield " ".join(words).capitalize() + ".\n"


def measure_phases(texts: list[str]) -> tuple[list[float], int]:
    """Return the CPU seconds of each phase, and the number of clusters of more than one document."""
    marks = [time.process_time()]
    kinds = WordKinds()
    tokens = [kinds.word_kinds(text) for text in texts]
    marks.append(time.process_time())
    sketches = Sketches.from_tokens(tokens)
    marks.append(time.process_time())
    sets = UnionFind(len(sketches))
    sets.join(*Duplicates().add(sketches))
    distinct = sets.labels() == np.arange(len(sketches))
    marks.append(time.process_time())
    sizes = sketches.sizes
    with Runs(SORT_BYTES) as values, Runs(SORT_BYTES) as pairs:
        value_runs(sketches, distinct, values)
        marks.append(time.process_time())
        pair_runs(values.merged(), sizes, pairs)
        marks.append(time.process_time())
        join_similar(pairs.merged(), sizes, 0.5, sets)
    clusters = int((np.bincount(sets.labels(), minlength=1) > 1).sum())
    marks.append(time.process_time())
    return np.diff(marks).tolist(), clusters


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=int, nargs="*", default=[1_000, 10_000, 100_000], help="numbers of documents")
    arguments = parser.parse_args()
    measure_phases(list(prose(20, np.random.default_rng(0))))  # compiles the kernels
    rows = []
    for count in arguments.counts:
        texts = list(prose(count, np.random.default_rng(1997)))
        seconds, clusters = measure_phases(texts)
        speed = count / sum(seconds)
        figures = [f"{figure:.2f}" for figure in seconds]
        rows.append([f"{count:,}", *figures, f"{speed:,.0f}", f"{speed / TARGET_SPEED:.2f}", f"{clusters:,}"])
        print(f"{sum(map(len, texts)) / count:,.0f} characters per document", flush=True)
    print(markdown(["documents", *PHASES, "documents/s", f"times {TARGET_SPEED}", "clusters"], rows))


if __name__ == "__main__":
    main()
