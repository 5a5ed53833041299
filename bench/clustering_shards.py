"""CPU seconds of clustering in shards: `python -m bench.clustering_shards`.

The parts run one after the other in one process, in CPU seconds, so that other programs on the machine matter
less. "Bound of two" is what two processes could reach at best: all parts, divided by those that are not in
shards and half of the shards. Loading sketches and passing on the counts are not measured.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from bench.clustering import prose
from bench.tables import markdown
from fingerprint import (
    Sketches,
    cluster,
    count_shared,
    duplicate_labels,
    merge_shared,
    mod_sketch,
    shingles,
    value_ranges,
)
from fingerprint.languages.prose import WordKinds

MODULUS = 4  # as `moss corpus` sketches


def sketch_prose(count: int) -> Sketches:
    """Return the sketches of documents of 5 kB of synthetic prose, one in ten of them an original."""
    kinds = WordKinds()
    texts = prose(count, np.random.default_rng(1997))
    return Sketches.from_sketches(mod_sketch(shingles(kinds.word_kinds(t), 10), MODULUS) for t in texts)


def measure(sketches: Sketches, shards: int) -> list[float]:
    """Return the CPU seconds of clustering at once, of finding duplicates, of all shards and of the merge.

    Raises
    ------
    ValueError
        When the clusters differ.
    """
    marks = [time.process_time()]
    at_once = cluster(sketches)
    marks.append(time.process_time())
    duplicates = duplicate_labels(sketches)
    marks.append(time.process_time())
    counted = [count_shared(sketches.within(*values), duplicates) for values in value_ranges(shards)]
    marks.append(time.process_time())
    merged = merge_shared(sketches, duplicates, counted)
    marks.append(time.process_time())
    if merged.labels.tolist() != at_once.labels.tolist():
        raise ValueError(f"{shards} shards give other clusters than clustering at once")
    return np.diff(marks).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--shards", type=int, nargs="*", default=[2, 8, 2, 8])
    arguments = parser.parse_args()
    cluster(sketch_prose(20))  # compiles the kernels
    sketches = sketch_prose(arguments.documents)
    rows = []
    for shards in arguments.shards:
        at_once, duplicates, counting, merge = measure(sketches, shards)
        bound = (duplicates + counting + merge) / (duplicates + counting / 2 + merge)
        figures = [at_once, duplicates, counting, merge, bound]
        rows.append([str(shards), *(f"{figure:.2f}" for figure in figures)])
    print(markdown(["shards", "at once", "duplicates", "all shards", "merge", "bound of two"], rows))


if __name__ == "__main__":
    main()
