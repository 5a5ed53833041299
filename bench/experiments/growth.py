"""Times of the clustering's phases for growing archives (syntactic-clustering, "Status")."""

from __future__ import annotations

import time
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.tables import markdown
from fingerprint.languages.prose import WordKinds
from fingerprint.sketches.clustering import Runs, UnionFind, join_similar, pair_runs, value_runs
from fingerprint.sketches.shingling import Duplicates, Sketches, mod_sketch, shingles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The paper's CPU-days: sketching; duplicates; shingle merging; pairs; pair merging and clusters.
PAPER_DAYS = (4.6, 0.3, 1.7, 0.7, 2.6 + 0.5)
PAPER_SPEED = 30_000_000 / (10.5 * 86_400)
PHASES = ["tokens", "shingles, sketches", "duplicates", "sort", "pairs", "merge, clusters"]
FAMILY = 10  # documents: an original and its edited copies
WORDS = 780  # of a document
SORT_BYTES = 128 << 20  # memory of each of the two external sorts


class ClusteringRun(NamedTuple):
    """Clustering of one archive; `seconds` are the CPU seconds of each phase."""

    documents: int
    characters: int
    seconds: list[float]
    clusters: int


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
    sketches = Sketches.from_sketches(mod_sketch(shingles(one, 10), 25) for one in tokens)
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


def measure(counts: Sequence[int]) -> list[ClusteringRun]:
    """Cluster an archive of each number of documents."""
    measure_phases(list(prose(20, np.random.default_rng(0))))  # compiles the kernels
    runs = []
    for count in counts:
        texts = list(prose(count, np.random.default_rng(1997)))
        characters = sum(map(len, texts))
        runs.append(ClusteringRun(count, characters, *measure_phases(texts)))
    return runs


def exponents(small: ClusteringRun, large: ClusteringRun) -> list[float]:
    """Return the power of the number of documents with which each phase grows, and last the sum of all.

    NaN where a phase took no measurable time.
    """
    step = log(large.documents / small.documents)
    before, after = [*small.seconds, sum(small.seconds)], [*large.seconds, sum(large.seconds)]
    return [log(b / a) / step if a > 0 and b > 0 else float("nan") for a, b in zip(before, after, strict=True)]


def section(runs: Sequence[ClusteringRun]) -> str:
    """Return the section of the report, as Markdown."""
    header = ["documents", *PHASES, "all, s", "documents/s", "clusters"]
    rows = []
    for run in runs:
        total = sum(run.seconds)
        seconds = [f"{second:.3f}" for second in run.seconds]
        speed = [f"{total:.2f}", f"{run.documents / total:,.0f}", f"{run.clusters:,}"]
        rows.append([f"{run.documents:,}", *seconds, *speed])
    grown = [f"{power:.2f}" for power in exponents(runs[-2], runs[-1])]
    rows.append(["growth: power of n", *grown, "", ""])
    total, days = sum(runs[-1].seconds), sum(PAPER_DAYS)
    shares = [f"{100 * second / total:.0f}%" for second in runs[-1].seconds]
    rows.append(["share", *shares, "", "", ""])
    paper = [f"{100 * day / days:.0f}%" for day in PAPER_DAYS]
    rows.append(["paper's share", "", *paper, "10.5 CPU-days", f"{PAPER_SPEED:.0f}", "3.6 M"])
    return f"""## Phases of the clustering (syntactic-clustering, "Status")

Synthetic prose of {runs[-1].characters / runs[-1].documents:,.0f} characters per document (paper: 5 kB),
shingles of 10 words, 1 in 25 selected, threshold 50%. A tenth of the documents are originals, the others
edited copies of them. CPU seconds on one core.

{markdown(header, rows)}

The paper sketched 30 million documents on machines of 1996 and sorted on disk; the sizes here fit into
memory. The paper's time for sketching includes the tokens. In an archive with passages common to all
documents the number of pairs grows faster.
"""
