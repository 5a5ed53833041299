"""SimHash against resemblance, and how its fingerprints lie (simhash-web-crawling, Figures 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.experiments.plotting import image, plot
from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.languages.words import WordKinds
from fingerprint.shingling.clusters import pair_runs, resemblances, value_runs
from fingerprint.shingling.external_sort import Runs
from fingerprint.shingling.shingles import mod_sketch, shingles
from fingerprint.shingling.sketches import Sketches
from fingerprint.simhash.documents import simhash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]
    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

FEWEST_WORDS = 200
SHINGLE = 10
GRAM = 3  # words in a feature of SimHash
SAMPLE = 8  # 1 in so many shingles finds the pairs that may resemble
DISTANCES = range(1, 11)
PAPER_DISTANCE, PAPER_QUALITY = 3, "0.75, 0.75"
TRUTHS = (0.5, 0.8, 0.9)
BITS = 64
BUCKETS = 128
DROP = 8  # bits below the most frequent leading bit, where chance leaves little
BUDGET = 256 << 20


class Pairs(NamedTuple):
    """Pairs of distinct documents near by either measure: resemblance and Hamming distance."""

    resemblance: Floats
    distance: Integers


class Quality(NamedTuple):
    precision: float
    recall: float


class Measured(NamedTuple):
    documents: int
    pairs: Pairs
    fingerprints: Words


def _tokens(texts: Sequence[str], most: int) -> list[Words]:
    """Token kinds of up to `most` distinct documents of at least FEWEST_WORDS."""
    kinds = WordKinds()
    found: dict[bytes, Words] = {}
    for text in texts:
        if len(found) == most:
            break
        tokens = kinds.of(text)
        if len(tokens) >= FEWEST_WORDS:
            found.setdefault(tokens.tobytes(), tokens)
    return list(found.values())


def close(fingerprints: Words, distance: int) -> Iterator[tuple[int, Integers]]:
    """For each document the later ones at most `distance` bits apart, by looking at all pairs."""
    for document in range(len(fingerprints) - 1):
        bits = np.bitwise_count(fingerprints[document + 1 :] ^ fingerprints[document])
        others = np.flatnonzero(bits <= distance) + document + 1
        if len(others):
            yield document, others


def _resembling(sets: list[Words]) -> Integers:
    """Pairs (left << 32 | right) that share a sampled shingle found in at most 1,000 documents."""
    sketches = Sketches.of(mod_sketch(values, SAMPLE) for values in sets)
    with Runs(BUDGET) as values, Runs(BUDGET) as pairs:
        value_runs(sketches, np.ones(len(sketches), dtype=np.bool_), values)
        pair_runs(values.merged(), sketches.sizes, pairs)
        keys = [np.empty(0, dtype=np.uint64)]
        least = min(TRUTHS) / 2  # of the estimate, of which many a pair that matters not falls short
        for piece in pairs.merged():
            starts = np.flatnonzero(np.diff(piece.keys, prepend=piece.keys[0] + np.uint64(1)) != 0)
            shared = np.add.reduceat(piece.payloads, starts).astype(np.int64)
            left, right = _sides(piece.keys[starts].astype(np.int64))
            union = sketches.sizes[left] + sketches.sizes[right] - shared
            keys.append(piece.keys[starts][shared >= least * union])
    return np.concatenate(keys).astype(np.int64)


def _sides(pairs: Integers) -> tuple[Integers, Integers]:
    return pairs >> 32, pairs & (2**32 - 1)


def measure(texts: Sequence[str], most: int) -> Measured:
    """Resemblance and distance of all pairs of which one or the other is near."""
    tokens = _tokens(texts, most)
    sets = [shingles(kinds, SHINGLE) for kinds in tokens]
    prints = np.array([simhash(np.unique(kgram_hashes(kinds, GRAM))) for kinds in tokens], dtype=np.uint64)
    near = [(document << 32) | others for document, others in close(prints, max(DISTANCES))]
    left, right = _sides(np.unique(np.concatenate([_resembling(sets), *near])))
    resemblance = resemblances(Sketches.of(sets), left, right)
    distance = np.bitwise_count(prints[left] ^ prints[right]).astype(np.int64)
    return Measured(len(tokens), Pairs(resemblance, distance), prints)


def quality(pairs: Pairs, distance: int, truth: float) -> Quality:
    """Precision and recall of "at most `distance` bits apart"; NaN where there are no pairs to judge by."""
    said, true = pairs.distance <= distance, pairs.resemblance >= truth
    right = int((said & true).sum())
    return Quality(*(right / int(some.sum()) if some.any() else float("nan") for some in (said, true)))


def leading_bits(fingerprints: Words) -> Floats:
    """Share of the successive fingerprints, in order, whose highest differing bit is 0 .. 63 (Figure 2a)."""
    ordered = np.unique(fingerprints)
    different = ordered[1:] ^ ordered[:-1]
    _, exponents = np.frexp((different & ~(different >> np.uint64(1))).astype(np.float64))
    return np.bincount(exponents - 1, minlength=BITS) / max(1, len(different))


def buckets(fingerprints: Words) -> Floats:
    """Share of the fingerprints in each of 128 equal intervals of their range (Figure 2b)."""
    heads = (fingerprints >> np.uint64(57)).astype(np.int64)
    return np.bincount(heads, minlength=BUCKETS) / len(fingerprints)


def _draw_quality(pairs: Pairs, path: Path) -> None:
    with plot(path, len(TRUTHS)) as all_axes:
        for axes, truth in zip(all_axes, TRUTHS, strict=True):
            results = [quality(pairs, distance, truth) for distance in DISTANCES]
            axes.plot(DISTANCES, [result.precision for result in results], "o-", label="precision")
            axes.plot(DISTANCES, [result.recall for result in results], "s-", label="recall")
            axes.set(xlabel="Hamming distance", ylim=(0, 1.05), title=f"resemblance of at least {truth}")
            axes.legend()


def _draw_spread(fingerprints: Words, path: Path) -> None:
    with plot(path, 2) as (leading, spread):
        leading.bar(range(BITS), leading_bits(fingerprints))
        leading.set(xlabel="leading 1-bit of the XOR of successive fingerprints", ylabel="share")
        spread.bar(range(BUCKETS), buckets(fingerprints), width=1)
        spread.axhline(1 / BUCKETS, color="black", linewidth=0.6)
        spread.set(xlabel="bucket", ylabel="share")


def _quality_table(pairs: Pairs) -> str:
    header = [
        "distance",
        "pairs",
        *(f"{name}, {truth}" for truth in TRUTHS for name in Quality._fields),
        "paper",
    ]
    rows = []
    for distance in DISTANCES:
        judged = [quality(pairs, distance, truth) for truth in TRUTHS]
        figures = [f"{figure:.3f}" for both in judged for figure in both]
        paper = PAPER_QUALITY if distance == PAPER_DISTANCE else ""
        rows.append([f"{distance}", f"{int((pairs.distance <= distance).sum()):,}", *figures, paper])
    return markdown(header, rows)


def section(result: Measured, folder: Path) -> str:
    first, second = folder / "simhash-quality.png", folder / "simhash-spread.png"
    _draw_quality(result.pairs, first)
    _draw_spread(result.fingerprints, second)
    true = ", ".join(f"{int((result.pairs.resemblance >= truth).sum()):,} at {truth}" for truth in TRUTHS)
    spread, leading = buckets(result.fingerprints), leading_bits(result.fingerprints)
    peak, mean = int(leading.argmax()), len(result.fingerprints) / BUCKETS
    low = leading[: max(0, peak - DROP)].sum()
    # Neighbours in order whose XOR is below 2**b share a cell of that size: n / 2**(64 - b + 1) of them.
    expected = len(result.fingerprints) * 2.0 ** (peak - DROP - BITS - 1)
    return f"""## Precision and recall of SimHash (simhash-web-crawling, Figure 1)

{image(first, "Precision and recall by Hamming distance")}

{_quality_table(result.pairs)}

{result.documents:,} distinct documents of the real text of at least {FEWEST_WORDS} words; features are the
distinct runs of {GRAM} words, each of weight 1. True pairs are those whose sets of {SHINGLE}-word shingles
resemble each other that much, counted exactly: {true}.
All pairs of fingerprints were compared; pairs that resemble were sought by 1 in {SAMPLE} of their shingles.
The paper had people judge pairs of web pages, an equal number at each distance, and weighted its features.
A pair counts here however large its family: a few families of generated files weigh more than many single
copies.

## Leading bits and buckets (simhash-web-crawling, Figure 2)

{image(second, "Leading bits and buckets of the fingerprints")}

| | here | random |
|:---|---:|---:|
| most frequent leading bit | {peak} | about {BITS - 1 - int(np.log2(len(result.fingerprints)))} |
| share of leading bits more than {DROP} below it | {low:.4f} | {expected:.4f} |
| fullest of {BUCKETS} buckets | {spread.max():.4f} | {1 / BUCKETS:.4f} |
| emptiest | {spread.min():.4f} | {1 / BUCKETS:.4f} |

Equal fingerprints are taken once for the leading bits. The paper explains more small differences than
chance has by near-duplicates, which lie close together. A bucket holds {mean:.0f} documents on average;
chance alone spreads the buckets by {1 / np.sqrt(mean):.0%} of that (standard deviation), and here it is
{spread.std() * BUCKETS:.0%}. The paper shows the buckets of 8 billion pages, with spikes too.
"""
