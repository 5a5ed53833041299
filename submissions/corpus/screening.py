"""Compare new documents with a corpus: resemblance and containment, and near-copies."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import mod_resemblance
from submissions.corpus.corpora import get_current_corpus
from submissions.corpus.matching import (
    IDENTICAL_ESTIMATE,
    Estimate,
    index_sketches,
    near_fingerprints,
    shared_values,
    sharing_features,
)
from submissions.corpus.recipe import RECIPE
from submissions.corpus.stored import (
    StoredDocument,
    find_duplicates,
    find_stored_documents,
    load_near_copy_signatures,
    load_sketches,
    scan_sketches,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes
    from submissions.corpus.models import Corpus
    from submissions.corpus.reading import NewDocument

# Number of new documents that one scan of the corpus compares.
SCAN_BATCH = 256
FEATURES, SIMHASH = "features", "simhash"

# (index of the new document, primary key of the stored text)
Pair = tuple[int, int]


class ResemblanceMatch(NamedTuple):
    """A stored document that resembles the new document `new`. JSON output uses the field names as keys.

    `same` is IDENTICAL, SAME_TOKENS or "" for no duplicate.
    """

    new: str
    stored: StoredDocument
    same: str
    estimate: Estimate


class NearCopyMatch(NamedTuple):
    """A stored document that is a near-copy of the new document `new`.

    `same` is IDENTICAL, SAME_TOKENS or "" for no duplicate; `by` has FEATURES, SIMHASH or both. `features` is
    the number of shared features and `distance` the number of bits in which the SimHashes differ, each None
    when the method did not find the match. `resemblance` is estimated; None when both sketches are empty.
    JSON output uses the field names as keys.
    """

    new: str
    stored: StoredDocument
    same: str
    by: tuple[str, ...]
    features: int | None
    distance: int | None
    resemblance: float | None


def query_corpus(
    name: str, documents: Sequence[NewDocument], min_share: float = 0.05, limit: int | None = 20
) -> list[ResemblanceMatch]:
    """Return the stored documents that resemble new ones, best first for each new document.

    Parameters
    ----------
    name : name of the corpus
    documents : new documents
    min_share : lowest share of either document that the other contains, above 0 and at most 1
    limit : highest number of matches for each new document, None for all

    Raises
    ------
    CorpusError
        When there is no such corpus, it is empty or was created by another version.
    ValueError
        When `min_share` is out of range.
    """
    if not 0 < min_share <= 1:
        raise ValueError(f"the lowest share is {min_share}; it must be above 0 and at most 1")
    corpus = get_current_corpus(name)
    duplicates = find_duplicates(corpus, documents)
    estimates = _estimates(corpus, documents, min_share) | dict.fromkeys(duplicates, IDENTICAL_ESTIMATE)
    best: dict[int, list[Pair]] = defaultdict(list)
    for pair in sorted(estimates, key=lambda pair: (estimates[pair].key, -pair[1]), reverse=True):
        if limit is None or len(best[pair[0]]) < limit:
            best[pair[0]].append(pair)
    stored = find_stored_documents(corpus, {text for pairs in best.values() for _, text in pairs})
    matches = []
    for index, document in enumerate(documents):
        document_matches = [
            ResemblanceMatch(document.name, other, duplicates.get(pair, ""), estimates[pair])
            for pair in best[index]
            for other in stored.get(pair[1], [])
        ]
        matches += document_matches[:limit]
    return matches


def _estimates(corpus: Corpus, documents: Sequence[NewDocument], min_share: float) -> dict[Pair, Estimate]:
    estimates = {}
    for start in range(0, len(documents), SCAN_BATCH):
        sketches = [document.signatures.sketch for document in documents[start : start + SCAN_BATCH]]
        inverted_index = index_sketches(sketches)
        for texts, stored in scan_sketches(corpus):
            sizes = stored.sizes
            columns = (column.tolist() for column in shared_values(inverted_index, stored))
            for query, row, count in zip(*columns, strict=True):
                estimate = Estimate.from_sizes(count, len(sketches[query]), int(sizes[row]))
                if estimate.share >= min_share:
                    estimates[start + query, texts[row]] = estimate
    return estimates


def find_near_copies(name: str, documents: Sequence[NewDocument], distance: int = 3) -> list[NearCopyMatch]:
    """Return the near-copies of new documents; for each, those that both methods found come first.

    By features: at least r of k are shared (near-duplicate-features, section 3). By SimHash: at most
    `distance` bits differ (simhash-web-crawling, section 3).

    Raises
    ------
    CorpusError
        When there is no such corpus, it is empty or was created by another version.
    ValueError
        When `distance` is not in 0 .. 6.
    """
    corpus = get_current_corpus(name)
    signatures = load_near_copy_signatures(corpus)
    by_features = _near_by_features(documents, signatures.feature_texts, signatures.features)
    by_simhash = _near_by_simhash(documents, signatures.simhash_texts, signatures.simhashes, distance)
    texts = {text for _, text in by_features | by_simhash}
    duplicates, stored = find_duplicates(corpus, documents), find_stored_documents(corpus, texts)
    sketches = load_sketches(corpus, texts)
    matches = []
    for pair in by_features | by_simhash:
        index, text = pair
        document = documents[index]
        by = tuple(
            method for method, pairs in ((FEATURES, by_features), (SIMHASH, by_simhash)) if pair in pairs
        )
        numbers = (by_features.get(pair), by_simhash.get(pair))
        resemblance = _resemblance(document.signatures.sketch, sketches[text])
        matches += [
            (index, NearCopyMatch(document.name, other, duplicates.get(pair, ""), by, *numbers, resemblance))
            for other in stored.get(text, [])
        ]
    return [match for _, match in sorted(matches, key=_order)]


def _near_by_features(
    documents: Sequence[NewDocument], texts: list[int], stored: npt.NDArray[np.uint64]
) -> dict[Pair, int]:
    """Return the number of shared features of each near-copy; `stored` [n, k] are the features of `texts`."""
    shared = {}
    for index, document in enumerate(documents):
        if len(document.signatures.features):
            rows, counts = sharing_features(document.signatures.features, stored, RECIPE.r)
            for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
                shared[index, texts[row]] = count
    return shared


def _near_by_simhash(
    documents: Sequence[NewDocument], texts: list[int], stored: Hashes, distance: int
) -> dict[Pair, int]:
    """Return the distance in bits of each near-copy; `stored` [n] are the SimHashes of `texts`."""
    with_simhash = [
        index for index, document in enumerate(documents) if document.signatures.simhash is not None
    ]
    queries = np.array([documents[index].signatures.simhash for index in with_simhash], dtype=np.uint64)
    matches = near_fingerprints(queries, stored, distance)
    columns = zip(*(column.tolist() for column in matches), strict=True)
    return {(with_simhash[query], texts[row]): bits for query, row, bits in columns}


def _resemblance(new: Hashes, stored: Hashes) -> float | None:
    return mod_resemblance(new, stored) if len(new) or len(stored) else None


def _order(item: tuple[int, NearCopyMatch]) -> tuple[int, int, float, int, str]:
    index, match = item
    return index, -len(match.by), -(match.resemblance or 0), match.distance or 0, match.stored.document
