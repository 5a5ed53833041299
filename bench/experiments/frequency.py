"""Frequency by rank of hashes and fingerprints (winnowing, section 5.1 and Figure 4)."""

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

    from fingerprint.types import Hashes

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

SAMPLES = 3
PAPER_SLOPE = "about -0.7"


class Curve(NamedTuple):
    """End points of the plateaus: int64 arrays, two points a plateau, ranks from 1."""

    ranks: Integers
    frequencies: Integers

    @property
    def slope(self) -> float:
        """Exponent of the power law that fits the end points (least squares on logarithms)."""
        slope, _ = np.polyfit(np.log(self.ranks), np.log(self.frequencies), 1)
        return float(slope)


def frequencies(values: Hashes) -> Integers:
    """How often each distinct value occurs; sorts `values` in place."""
    values.sort()
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.diff(starts, prepend=0, append=len(values))


def plateaus(counts: Integers) -> Curve:
    """Both ends of each run of equal frequencies; that of a single rank is there twice, as in the paper."""
    numbers = np.bincount(counts)
    levels = np.flatnonzero(numbers)[::-1]
    lengths = numbers[levels]
    right = np.cumsum(lengths)
    ranks = np.column_stack([right - lengths + 1, right]).ravel()
    return Curve(ranks, np.repeat(levels, 2))


def _joined(texts: Sequence[str], text_bytes: int, *, selected: bool) -> Hashes:
    """Hashes of the first `text_bytes` bytes, up to whole pieces; of these all, or the fingerprints."""
    parts: list[Hashes] = []
    total = 0
    for piece in pieces(texts):
        values = kgram_hashes(piece, K)
        if len(values) < WINDOW or total >= text_bytes:
            break
        total += len(piece)
        parts.append(values[winnow(values, WINDOW)] if selected else values)
    return np.concatenate(parts)


def measure(texts: Sequence[str], text_bytes: int) -> dict[str, Curve]:
    """Curves of all hashes and of the fingerprints, of all documents and of each distinct text once."""
    curves = {}
    for name, chosen in (("all", texts), ("each text once", list(dict.fromkeys(texts)))):
        for what, selected in (("hashes", False), ("fingerprints", True)):
            values = _joined(chosen, text_bytes, selected=selected)
            curves[f"{what}, {name}"] = plateaus(frequencies(values))
    return curves


def section(samples: Sequence[dict[str, Curve]], path: Path) -> str:
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

The corpus is dealt into {len(samples)} samples without a document in common; plot and numbers are of the
first, slopes of each. Points are the ends of plateaus and the slope is fitted to all of them. The paper
leaves one aberrant plateau out of its fit, without a rule for it; here nothing is chosen by eye, and the
second pair of curves takes each distinct text once, which removes what whole copies of a file make, but not
a pattern repeated within one file or kept by many. Corpus and fit are not the paper's, and which of them
moves the slope was not told apart.
"""
