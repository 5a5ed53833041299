"""Phase times of the clustering as the archive grows (syntactic-clustering, "Status")."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.clustering import PHASES, phases, prose
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

# CPU-days of the paper: sketching; duplicates; shingle merging; pairs; pair merging and clusters.
PAPER_DAYS = (4.6, 0.3, 1.7, 0.7, 2.6 + 0.5)
PAPER_SPEED = 30_000_000 / (10.5 * 86_400)


class Run(NamedTuple):
    documents: int
    characters: int
    seconds: list[float]  # of CPU, one a phase
    clusters: int


def measure(counts: Sequence[int]) -> list[Run]:
    phases(list(prose(20, np.random.default_rng(0))))  # compiles
    runs = []
    for count in counts:
        texts = list(prose(count, np.random.default_rng(1997)))
        characters = sum(map(len, texts))
        runs.append(Run(count, characters, *phases(texts)))
    return runs


def exponents(small: Run, large: Run) -> list[float]:
    """Powers of the number of documents with which the phases grow, and last the whole."""
    step = log(large.documents / small.documents)
    before, after = [*small.seconds, sum(small.seconds)], [*large.seconds, sum(large.seconds)]
    return [
        log(b / a) / step if a > 0 and b > 0 else float("nan") for a, b in zip(before, after, strict=True)
    ]


def section(runs: Sequence[Run]) -> str:
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

Synthetic prose of {runs[-1].characters / runs[-1].documents:,.0f} characters a document (paper: 5 kB),
shingles of 10 words, 1 in 25 kept, threshold 50%; a tenth of the documents are originals, the rest their
edits. CPU seconds on one core.

{markdown(header, rows)}

The paper sketched 30 million documents on the machines of 1996 and sorted on disk; the sizes here fit the
budget of memory. Its sketching includes the tokens. A family has 10 documents whatever the size of the
archive, so that pairs grow in step with the documents; where passages are common to all, they grow faster.
"""
