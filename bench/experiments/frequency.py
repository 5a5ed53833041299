"""Frequency of hashes and of fingerprints by their rank (winnowing, section 5.1 and Figure 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.experiments.corpus import pieces
from bench.experiments.density import WINDOW, K
from bench.experiments.plotting import image, plot
from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.winnowing import winnow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

SAMPLES = 3
PAPER_SLOPE = "about -0.7"


class RankCurve(NamedTuple):
    """The end points of the plateaus of a curve: int64 arrays, two points for each plateau, ranks from 1."""

    ranks: Integers
    frequencies: Integers

    @property
    def slope(self) -> float:
        """Exponent of the power law fitted to the end points (least squares on logarithms)."""
        slope, _ = np.polyfit(np.log(self.ranks), np.log(self.frequencies), 1)
        return float(slope)


def frequencies(values: Hashes) -> Integers:
    """Return the number of occurrences of each distinct value, int64; sorts `values` in place."""
    values.sort()
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.diff(starts, prepend=0, append=len(values))


def plateaus(counts: Integers) -> RankCurve:
    """Return the first and last rank of each frequency; a plateau of one rank has two equal points.

    This is the paper's way of drawing.
    """
    numbers = np.bincount(counts)
    levels = np.flatnonzero(numbers)[::-1]
    lengths = numbers[levels]
    right = np.cumsum(lengths)
    ranks = np.column_stack([right - lengths + 1, right]).ravel()
    return RankCurve(ranks, np.repeat(levels, 2))


def _hashes(texts: Sequence[str], text_bytes: int, *, only_fingerprints: bool) -> Hashes:
    """Return the hashes, or only the fingerprints, of the first pieces with at least `text_bytes` bytes."""
    parts: list[Hashes] = []
    total = 0
    for piece in pieces(texts):
        values = kgram_hashes(piece, K)
        if len(values) < WINDOW or total >= text_bytes:
            break
        total += len(piece)
        parts.append(values[winnow(values, WINDOW)] if only_fingerprints else values)
    return np.concatenate(parts)


def measure(texts: Sequence[str], text_bytes: int) -> dict[str, RankCurve]:
    """Return the curves of all hashes and of the fingerprints, for all texts and for each distinct one."""
    curves = {}
    for name, selection in (("all", texts), ("each text once", list(dict.fromkeys(texts)))):
        for values_name, only_fingerprints in (("hashes", False), ("fingerprints", True)):
            values = _hashes(selection, text_bytes, only_fingerprints=only_fingerprints)
            curves[f"{values_name}, {name}"] = plateaus(frequencies(values))
    return curves


def section(samples: Sequence[dict[str, RankCurve]], path: Path) -> str:
    """Draw the figure to `path` and return the section of the report, as Markdown."""
    with plot(path) as (axes,):
        for name, curve in samples[0].items():
            axes.loglog(curve.ranks, curve.frequencies, ".-", markersize=2, linewidth=0.6, label=name)
        axes.set(xlabel="rank", ylabel="frequency")
        axes.legend()
    rows = []
    for name, first in samples[0].items():
        slopes = ", ".join(f"{sample[name].slope:.2f}" for sample in samples)
        rows.append([name, f"{first.ranks[-1]:,}", f"{first.frequencies[0]:,}", slopes, PAPER_SLOPE])
    header = ["", "distinct", "highest frequency", f"slope, {len(samples)} samples", "paper"]
    return f"""## Frequency by rank (winnowing, Figure 4)

{image(path, "Frequency by rank, both logarithmic")}

{markdown(header, rows)}

The corpus is split into {len(samples)} samples that have no document in common. The plot and the numbers are
of the first sample, the slopes of all. The slope is fitted to the ends of all plateaus; the paper
leaves one out. Corpus and fit differ from the paper's; which of them changes the slope was not investigated.
"""
