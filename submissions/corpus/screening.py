"""What a new document is like: against everything stored, and its near-copies."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import mod_resemblance
from submissions.corpus.corpora import ready
from submissions.corpus.matching import (
    SAME,
    Estimate,
    index_of,
    near_fingerprints,
    shared_values,
    sharing_features,
)
from submissions.corpus.recipe import RECIPE
from submissions.corpus.stored import Place, duplicates, marks, places, scan, sketches_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.types import Hashes
    from submissions.corpus.models import Corpus
    from submissions.corpus.new_documents import Newcomer

# New documents that one scan of the corpus answers for.
SCANNED_FOR = 256
FEATURES, SIMHASH = "features", "simhash"

# (newcomer, text), numbered as given and keyed as stored
Pair = tuple[int, int]


class Match(NamedTuple):
    """A stored document that a new one resembles; `same` is how they are duplicates, if they are."""

    new: str
    stored: Place
    same: str
    estimate: Estimate


class NearCopy(NamedTuple):
    """A stored document that is nearly a new one, `by` FEATURES, SIMHASH or both.

    `features` is how many of the features both share and `distance` in how many bits the SimHashes differ,
    each None where the copy was not found by it; `resemblance` is estimated, None where both are too short.
    """

    new: str
    stored: Place
    same: str
    by: tuple[str, ...]
    features: int | None
    distance: int | None
    resemblance: float | None


def query(name: str, new: Sequence[Newcomer], least: float = 0.05, show: int | None = 20) -> list[Match]:
    """Estimate resemblance and containment of new documents against everything stored, best first.

    Parameters
    ----------
    name : of the corpus
    least : share of either document that the other must hold, above 0 and at most 1
    show : matches of each new document at most, None for all

    Raises
    ------
    CorpusError
        When the corpus cannot be asked.
    ValueError
        When `least` is out of range.
    """
    if not 0 < least <= 1:
        raise ValueError(f"least is {least}; a share is above 0 and at most 1")
    corpus = ready(name)
    same = duplicates(corpus, new)
    found = _estimates(corpus, new, least) | dict.fromkeys(same, SAME)
    best: dict[int, list[Pair]] = defaultdict(list)
    for pair in sorted(found, key=lambda pair: (found[pair].key, -pair[1]), reverse=True):
        if show is None or len(best[pair[0]]) < show:
            best[pair[0]].append(pair)
    named = places(corpus, {text for pairs in best.values() for _, text in pairs})
    matches = []
    for number, newcomer in enumerate(new):
        listed = [
            Match(newcomer.name, place, same.get(pair, ""), found[pair])
            for pair in best[number]
            for place in named.get(pair[1], [])
        ]
        matches += listed[:show]
    return matches


def _estimates(corpus: Corpus, new: Sequence[Newcomer], least: float) -> dict[Pair, Estimate]:
    found = {}
    for start in range(0, len(new), SCANNED_FOR):
        sketches = [newcomer.prints.sketch for newcomer in new[start : start + SCANNED_FOR]]
        index = index_of(sketches)
        for keys, stored in scan(corpus):
            sizes = stored.sizes
            for query, row, count in zip(*(c.tolist() for c in shared_values(index, stored)), strict=True):
                estimate = Estimate.of(count, len(sketches[query]), int(sizes[row]))
                if estimate.share >= least:
                    found[start + query, keys[row]] = estimate
    return found


def near(name: str, new: Sequence[Newcomer], distance: int = 3) -> list[NearCopy]:
    """Find the near-copies of new documents by features and by SimHash, those found by both first.

    By features: at least r of k are shared (near-duplicate-features, section 3). By SimHash: at most
    `distance` bits differ (simhash-web-crawling, section 3).

    Raises
    ------
    CorpusError
        When the corpus cannot be asked.
    ValueError
        When `distance` is not in 0 .. 6.
    """
    corpus = ready(name)
    stored = marks(corpus)
    by_features = _near_by_features(new, stored.featured, stored.features)
    by_simhash = _near_by_simhash(new, stored.hashed, stored.simhashes, distance)
    texts = {text for _, text in by_features | by_simhash}
    same, named, sketches = duplicates(corpus, new), places(corpus, texts), sketches_of(corpus, texts)
    found = []
    for number, text in by_features | by_simhash:
        pair, newcomer = (number, text), new[number]
        by = tuple(way for way, how in ((FEATURES, by_features), (SIMHASH, by_simhash)) if pair in how)
        numbers = (by_features.get(pair), by_simhash.get(pair))
        alike = _resemblance(newcomer.prints.sketch, sketches[text])
        found += [
            (number, NearCopy(newcomer.name, place, same.get(pair, ""), by, *numbers, alike))
            for place in named.get(text, [])
        ]
    return [copy for _, copy in sorted(found, key=_order)]


def _near_by_features(
    new: Sequence[Newcomer], texts: list[int], table: npt.NDArray[np.uint64]
) -> dict[Pair, int]:
    found = {}
    for number, newcomer in enumerate(new):
        if len(newcomer.prints.features):
            rows, counts = sharing_features(newcomer.prints.features, table, RECIPE.r)
            for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
                found[number, texts[row]] = count
    return found


def _near_by_simhash(
    new: Sequence[Newcomer], texts: list[int], stored: Hashes, distance: int
) -> dict[Pair, int]:
    hashed = [number for number, newcomer in enumerate(new) if newcomer.prints.simhash is not None]
    queries = np.array([new[number].prints.simhash for number in hashed], dtype=np.uint64)
    matches = near_fingerprints(queries, stored, distance)
    columns = zip(*(column.tolist() for column in matches), strict=True)
    return {(hashed[query], texts[row]): bits for query, row, bits in columns}


def _resemblance(new: Hashes, stored: Hashes) -> float | None:
    return mod_resemblance(new, stored) if len(new) or len(stored) else None


def _order(found: tuple[int, NearCopy]) -> tuple[int, int, float, int, str]:
    number, copy = found
    return number, -len(copy.by), -(copy.resemblance or 0), copy.distance or 0, copy.stored.document
