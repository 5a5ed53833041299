"""The 1997 clustering on synthetic prose of 5 kB a document: `python -m bench.clustering`.

CPU seconds by phase at growing numbers of documents, from text to clusters, on one core.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

from bench.tables import markdown
from fingerprint.languages.words import WordKinds
from fingerprint.shingling.clusters import join_similar, pair_runs, value_runs
from fingerprint.shingling.external_sort import Runs
from fingerprint.shingling.sketches import Duplicates, Sketches
from fingerprint.unionfind import UnionFind

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOOR = 1650  # documents a CPU-second: 50 times the paper's 30 M in 10.5 CPU-days
PHASES = ["tokens", "shingles, sketches", "duplicates", "sort", "pairs", "merge, clusters"]
FAMILY = 10
WORDS = 780
HALF = 128 << 20


def vocabulary(random: np.random.Generator, size: int = 20_000) -> list[str]:
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    return ["".join(random.choice(letters, length)) for length in random.integers(2, 10, size)]


def prose(count: int, random: np.random.Generator) -> Iterator[str]:
    """Texts of about 5 kB, words chosen much as in Zipf; each tenth begins a family, the others edit it."""
    known = vocabulary(random)
    original: list[str] = []
    for document in range(count):
        if document % FAMILY == 0:
            original = [known[i] for i in (len(known) ** random.random(WORDS)).astype(np.int64)]
        words = original.copy()
        for place in random.integers(0, WORDS, 2 * (document % FAMILY)):
            words[place] = known[random.integers(len(known))]
        yield " ".join(words).capitalize() + ".\n"


def phases(texts: list[str]) -> tuple[list[float], int]:
    """CPU seconds of each phase, and the number of clusters of more than one document."""
    marks = [time.process_time()]
    kinds = WordKinds()
    tokens = [kinds.of(text) for text in texts]
    marks.append(time.process_time())
    sketches = Sketches.of_tokens(tokens)
    marks.append(time.process_time())
    sets = UnionFind(len(sketches))
    sets.join(*Duplicates().add(sketches))
    kept = sets.labels() == np.arange(len(sketches))
    marks.append(time.process_time())
    sizes = sketches.sizes
    with Runs(HALF) as values, Runs(HALF) as pairs:
        value_runs(sketches, kept, values)
        marks.append(time.process_time())
        pair_runs(values.merged(), sizes, pairs)
        marks.append(time.process_time())
        join_similar(pairs.merged(), sizes, 0.5, sets)
    clusters = int((np.bincount(sets.labels(), minlength=1) > 1).sum())
    marks.append(time.process_time())
    return np.diff(marks).tolist(), clusters


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("counts", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    chosen = options.parse_args()
    phases(list(prose(20, np.random.default_rng(0))))  # compiles
    rows = []
    for count in chosen.counts:
        texts = list(prose(count, np.random.default_rng(1997)))
        took, clusters = phases(texts)
        speed = count / sum(took)
        figures = [f"{figure:.2f}" for figure in took]
        rows.append([f"{count:,}", *figures, f"{speed:,.0f}", f"{speed / FLOOR:.2f}", f"{clusters:,}"])
        print(f"{sum(map(len, texts)) / count:,.0f} characters a document", flush=True)
    print(markdown(["documents", *PHASES, "documents/s", f"times {FLOOR}", "clusters"], rows))


if __name__ == "__main__":
    main()
