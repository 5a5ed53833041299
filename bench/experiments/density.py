"""Density of fingerprints, and longest run without one (winnowing, section 5.1 and Figure 3)."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.winnowing import best_safe_p, modulo, robust_winnow, safe_modulo, winnow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

    Positions = npt.NDArray[np.int64]

K, WINDOW, P = 50, 100, 50
SAFE_P = best_safe_p(WINDOW)
METHODS: dict[str, Callable[[Hashes], Positions]] = {
    "winnowing": partial(winnow, window=WINDOW),
    "robust winnowing": partial(robust_winnow, window=WINDOW),
    f"0 mod {P}": partial(modulo, p=P),
    f"safe 0 mod {SAFE_P}": partial(safe_modulo, p=SAFE_P, window=WINDOW),
}
EXPECTED = (2 / (WINDOW + 1), 2 / (WINDOW + 1), 1 / P, 1 / SAFE_P + (1 - 1 / SAFE_P) ** WINDOW)
ESTIMATE = (1 + np.log(WINDOW)) / WINDOW  # of the density of safe 0 mod p
PAPER_RANDOM = ("0.019902", "-", "0.020005", "-")
PAPER_REAL = ("0.019855", "0.019829", "0.019974", "-")
PAPER_LONGEST = ("-", "-", "29,983", "-")


class Selection(NamedTuple):
    """Numbers of hashes and of selected ones (fingerprints), and the longest run without a selected one."""

    hashes: int
    fingerprints: int
    longest: int

    @property
    def density(self) -> float:
        return self.fingerprints / self.hashes


def longest_run(positions: Positions, hashes: int) -> int:
    """Return the length of the longest run of hashes that are not selected.

    The hashes before the first and after the last selected one are runs too.
    """
    return int(np.diff(positions, prepend=-1, append=hashes).max()) - 1


def measure(pieces: Iterable[npt.NDArray[np.uint8]]) -> dict[str, Selection]:
    """Return the selection of each method, over all pieces; pieces shorter than one window are left out."""
    total_hashes: Counter[str] = Counter()
    fingerprints: Counter[str] = Counter()
    longest: Counter[str] = Counter()
    for piece in pieces:
        hashes = kgram_hashes(piece, K)
        if len(hashes) < WINDOW:
            continue
        for name, select in METHODS.items():
            positions = select(hashes)
            total_hashes[name] += len(hashes)
            fingerprints[name] += len(positions)
            longest[name] = max(longest[name], longest_run(positions, len(hashes)))
    return {name: Selection(total_hashes[name], fingerprints[name], longest[name]) for name in METHODS}


def random_text(size: int) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8)


def section(random: dict[str, Selection], real: dict[str, Selection]) -> str:
    """Return the section of the report, as Markdown."""
    header = ["", "expected", "random", "paper", "real", "paper", "longest run, random", "real", "paper"]
    rows = []
    for name, expected, paper_random, paper_real, paper_longest in zip(
        METHODS, EXPECTED, PAPER_RANDOM, PAPER_REAL, PAPER_LONGEST, strict=True
    ):
        ours = [f"{random[name].density:.6f}", paper_random, f"{real[name].density:.6f}", paper_real]
        runs = [f"{random[name].longest:,}", f"{real[name].longest:,}", paper_longest]
        rows.append([name, f"{expected:.6f}", *ours, *runs])
    first, second = random["winnowing"].hashes, real["winnowing"].hashes
    sigma = (random[f"0 mod {P}"].density - 1 / P) / np.sqrt((1 - 1 / P) / P / first)
    chance = np.log(second / P) / -np.log(1 - 1 / P)
    return f"""## Density and longest gap (winnowing, section 5.1 and Figure 3)

Bytes without white space, and of HTML without tags; k = {K}, window {WINDOW}. Random: {first:,} hashes of
random bytes (paper: 8 MB). Real: {second:,} hashes (paper: 1,940,576,399 of 500,000 pages). A run is a number
of hashes in a row of which none is selected; winnowing and safe 0 mod p guarantee at most {WINDOW - 1}.

{markdown(header, rows)}

If the hashes of the real text were random, the longest run of 0 mod {P} would be about
{chance:,.0f}. The paper explains longer runs by repetitive passages with few distinct k-grams. For safe
0 mod p the expected density is exactly P + (1 - P)^w for a whole p; the paper gives the estimate
(1 + ln w) / w = {ESTIMATE:.4f}. On these random bytes the density of 0 mod {P} is {sigma:+.1f} standard
errors from its expectation; it was measured once.
"""
