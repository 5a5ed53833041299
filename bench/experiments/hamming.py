"""SimHash against resemblance, and the spread of its fingerprints (simhash-web-crawling, Figures 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.experiments.plotting import image, plot
from bench.tables import markdown
from fingerprint.hashing import kgram_hashes
from fingerprint.languages.prose import WordKinds
from fingerprint.sketches.clustering import Runs, pair_runs, resemblances, value_runs
from fingerprint.sketches.shingling import Sketches, mod_sketch, shingles
from fingerprint.sketches.simhash import simhash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]
    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

MIN_WORDS = 200  # of a document
SHINGLE = 10  # words
FEATURE = 3  # words in a feature of SimHash
SAMPLE = 8  # 1 in SAMPLE shingles is used to find candidates for resembling pairs
DISTANCES = range(1, 11)
# Distances in the table; the plot has all.
LISTED = (1, 3, 5, 7, 10)
PAPER_DISTANCE, PAPER_QUALITY = 3, "0.75, 0.75"
MIN_RESEMBLANCES = (0.5, 0.8, 0.9)  # from which on a pair is a true pair
BITS = 64
BUCKETS = 128
DROP = 8  # bits below the most frequent leading bit, where random fingerprints have few leading bits
SORT_BYTES = 256 << 20  # memory of each external sort


class NearPairs(NamedTuple):
    """Pairs of distinct documents that are near by resemblance or by Hamming distance; both of each pair."""

    resemblance: Floats
    distance: Integers


class Quality(NamedTuple):
    precision: float
    recall: float


class HammingMeasurement(NamedTuple):
    """Number of documents, their near pairs, and their SimHash fingerprints, uint64 [documents]."""

    documents: int
    pairs: NearPairs
    fingerprints: Words


def _tokens(texts: Sequence[str], limit: int) -> list[Words]:
    """Return the token kinds of up to `limit` distinct documents of at least MIN_WORDS words."""
    kinds = WordKinds()
    documents: dict[bytes, Words] = {}
    for text in texts:
        if len(documents) == limit:
            break
        tokens = kinds.word_kinds(text)
        if len(tokens) >= MIN_WORDS:
            documents.setdefault(tokens.tobytes(), tokens)
    return list(documents.values())


def near_documents(fingerprints: Words, distance: int) -> Iterator[tuple[int, Integers]]:
    """Yield each document with the later ones at most `distance` bits away; compares all pairs."""
    for document in range(len(fingerprints) - 1):
        bits = np.bitwise_count(fingerprints[document + 1 :] ^ fingerprints[document])
        others = np.flatnonzero(bits <= distance) + document + 1
        if len(others):
            yield document, others


def _resembling_pairs(sets: list[Words]) -> Integers:
    """Return the pairs (left << 32 | right) whose resemblance may reach the lowest of MIN_RESEMBLANCES.

    The resemblance is estimated from sampled shingles. Those in more than 1,000 documents are ignored.
    """
    sketches = Sketches.from_sketches(mod_sketch(values, SAMPLE) for values in sets)
    with Runs(SORT_BYTES) as values, Runs(SORT_BYTES) as pairs:
        value_runs(sketches, np.ones(len(sketches), dtype=np.bool_), values)
        pair_runs(values.merged(), sketches.sizes, pairs)
        keys = [np.empty(0, dtype=np.uint64)]
        # Half the lowest resemblance, because it is an estimate; excludes many pairs that are not needed.
        threshold = min(MIN_RESEMBLANCES) / 2
        for piece in pairs.merged():
            starts = np.flatnonzero(np.diff(piece.keys, prepend=piece.keys[0] + np.uint64(1)) != 0)
            shared = np.add.reduceat(piece.payloads, starts).astype(np.int64)
            left, right = _sides(piece.keys[starts].astype(np.int64))
            union = sketches.sizes[left] + sketches.sizes[right] - shared
            keys.append(piece.keys[starts][shared >= threshold * union])
    return np.concatenate(keys).astype(np.int64)


def _sides(pairs: Integers) -> tuple[Integers, Integers]:
    return pairs >> 32, pairs & (2**32 - 1)


def measure(texts: Sequence[str], limit: int) -> HammingMeasurement:
    """Return resemblance and distance of all near pairs among up to `limit` distinct documents."""
    tokens = _tokens(texts, limit)
    sets = [shingles(kinds, SHINGLE) for kinds in tokens]
    fingerprints = np.array([simhash(np.unique(kgram_hashes(kinds, FEATURE))) for kinds in tokens], dtype=np.uint64)
    near = [(document << 32) | others for document, others in near_documents(fingerprints, max(DISTANCES))]
    left, right = _sides(np.unique(np.concatenate([_resembling_pairs(sets), *near])))
    resemblance = resemblances(Sketches.from_sketches(sets), left, right)
    distance = np.bitwise_count(fingerprints[left] ^ fingerprints[right]).astype(np.int64)
    return HammingMeasurement(len(tokens), NearPairs(resemblance, distance), fingerprints)


def quality(pairs: NearPairs, distance: int, min_resemblance: float) -> Quality:
    """Return precision and recall of reporting the pairs at most `distance` bits apart.

    True pairs are those with at least `min_resemblance`. NaN where there are no reported or no true pairs.
    """
    reported, true = pairs.distance <= distance, pairs.resemblance >= min_resemblance
    correct = int((reported & true).sum())
    return Quality(*(correct / int(part.sum()) if part.any() else float("nan") for part in (reported, true)))


def leading_bits(fingerprints: Words) -> Floats:
    """Return, for each bit 0 .. 63, the share of neighbours whose highest differing bit it is (Figure 2a).

    Neighbours are successive distinct fingerprints in ascending order.
    """
    ordered = np.unique(fingerprints)
    different = ordered[1:] ^ ordered[:-1]
    _, exponents = np.frexp((different & ~(different >> np.uint64(1))).astype(np.float64))
    return np.bincount(exponents - 1, minlength=BITS) / max(1, len(different))


def buckets(fingerprints: Words) -> Floats:
    """Return the share of the fingerprints in each of 128 equal intervals of their range (Figure 2b)."""
    heads = (fingerprints >> np.uint64(57)).astype(np.int64)
    return np.bincount(heads, minlength=BUCKETS) / len(fingerprints)


def _draw_quality(pairs: NearPairs, path: Path) -> None:
    with plot(path, len(MIN_RESEMBLANCES)) as all_axes:
        for axes, min_resemblance in zip(all_axes, MIN_RESEMBLANCES, strict=True):
            results = [quality(pairs, distance, min_resemblance) for distance in DISTANCES]
            axes.plot(DISTANCES, [result.precision for result in results], "o-", label="precision")
            axes.plot(DISTANCES, [result.recall for result in results], "s-", label="recall")
            title = f"resemblance of at least {min_resemblance}"
            axes.set(xlabel="Hamming distance", ylim=(0, 1.05), title=title)
            axes.legend()


def _draw_spread(fingerprints: Words, path: Path) -> None:
    with plot(path, 2) as (leading, spread):
        leading.bar(range(BITS), leading_bits(fingerprints))
        leading.set(xlabel="leading 1-bit of the XOR of successive fingerprints", ylabel="share")
        spread.bar(range(BUCKETS), buckets(fingerprints), width=1)
        spread.axhline(1 / BUCKETS, color="black", linewidth=0.6)
        spread.set(xlabel="bucket", ylabel="share")


def _quality_table(pairs: NearPairs) -> str:
    figure_names = [f"{name}, {limit}" for limit in MIN_RESEMBLANCES for name in Quality._fields]
    header = ["distance", "pairs", *figure_names, "paper"]
    rows = []
    for distance in LISTED:
        qualities = [quality(pairs, distance, limit) for limit in MIN_RESEMBLANCES]
        figures = [f"{figure:.3f}" for both in qualities for figure in both]
        paper = PAPER_QUALITY if distance == PAPER_DISTANCE else ""
        rows.append([f"{distance}", f"{int((pairs.distance <= distance).sum()):,}", *figures, paper])
    return markdown(header, rows)


def section(result: HammingMeasurement, folder: Path) -> str:
    """Draw both figures into `folder` and return the section of the report, as Markdown."""
    return f"{_pairs_section(result, folder)}\n{_spread_section(result, folder)}"


def _pairs_section(result: HammingMeasurement, folder: Path) -> str:
    figure = folder / "simhash-quality.png"
    _draw_quality(result.pairs, figure)
    true = ", ".join(f"{int((result.pairs.resemblance >= limit).sum()):,} at {limit}" for limit in MIN_RESEMBLANCES)
    return f"""## Precision and recall of SimHash (simhash-web-crawling, Figure 1)

{image(figure, "Precision and recall by Hamming distance")}

{_quality_table(result.pairs)}

{result.documents:,} distinct documents of the real text with at least {MIN_WORDS} words; features are the
distinct runs of {FEATURE} words, each of weight 1. True pairs are those with at least the given resemblance
of their sets of {SHINGLE}-word shingles, computed exactly: {true}.
In the paper, people judged pairs of web pages, and the features were weighted. Here every pair counts the
same, so that a few large families of generated files weigh more than many single copies.
"""


def _spread_section(result: HammingMeasurement, folder: Path) -> str:
    figure = folder / "simhash-spread.png"
    _draw_spread(result.fingerprints, figure)
    spread, leading = buckets(result.fingerprints), leading_bits(result.fingerprints)
    peak, mean = int(leading.argmax()), len(result.fingerprints) / BUCKETS
    low = leading[: max(0, peak - DROP)].sum()
    # Of n random fingerprints, n / 2**(64 - b + 1) neighbours in order have an XOR below 2**b: that is the
    # number of neighbours in the same interval of that size.
    expected = len(result.fingerprints) * 2.0 ** (peak - DROP - BITS - 1)
    return f"""## Leading bits and buckets (simhash-web-crawling, Figure 2)

{image(figure, "Leading bits and buckets of the fingerprints")}

| | here | random |
|:---|---:|---:|
| most frequent leading bit | {peak} | about {BITS - 1 - int(np.log2(len(result.fingerprints)))} |
| share of leading bits more than {DROP} below it | {low:.4f} | {expected:.4f} |
| fullest of {BUCKETS} buckets | {spread.max():.4f} | {1 / BUCKETS:.4f} |
| emptiest | {spread.min():.4f} | {1 / BUCKETS:.4f} |

The paper finds more small differences than random fingerprints would have, and explains them by
near-duplicates. A bucket has
{mean:.0f} documents on average. With random fingerprints the standard deviation of the buckets would be
{1 / np.sqrt(mean):.0%} of that; here it is {spread.std() * BUCKETS:.0%}. The paper's buckets, of
8 billion pages, have spikes too.
"""
