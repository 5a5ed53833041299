"""List, find and delete corpora, and compare new documents with one: resemblance, containment, near-copies.

Signatures of a corpus are checked before new ones are compared with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Max, Min, Q

from fingerprint import EXAMPLE_3_1, InvertedIndex, Matches, Sketches, batch_query, design, mod_resemblance, unpack
from fingerprint.kernels.types import Hashes
from submissions.archive.models import Corpus, CorpusDocument
from submissions.archive.signatures import RECIPE, NewDocument, current_profile
from submissions.work.locks import Work, work_lock

Numbers = npt.NDArray[np.int64]

CHUNK = 5000  # texts in memory at once

# How two documents are duplicates: equal bytes, or only equal tokens.
IDENTICAL, SAME_TOKENS = "identical", "same tokens"

EXAMPLE_DISTANCE = 3  # highest distance in bits for the tables of Example 3.1
MAX_DISTANCE = 6

# Number of new documents that one scan of the corpus compares.
SCAN_BATCH = 256
FEATURES, SIMHASH = "features", "simhash"

# (index of the new document, primary key of the stored text)
Pair = tuple[int, int]


class CorpusError(ValueError):
    """A corpus cannot be used; the message says why, and what the user can do."""


class CorpusSummary(NamedTuple):
    """A corpus and its size: `texts` distinct texts of `documents` documents in `sweeps` sweeps."""

    name: str
    recipe: str
    sweeps: int
    documents: int
    texts: int


def list_corpora() -> list[CorpusSummary]:
    """Return all corpora with their sizes, by name."""
    corpora = Corpus.objects.annotate(
        sweep_count=Max("sweeps__number"), document_count=Count("sweeps__documents", distinct=True)
    )
    return [
        CorpusSummary(corpus.name, corpus.recipe, corpus.sweep_count or 0, corpus.document_count, corpus.texts.count())
        for corpus in corpora
    ]


def get_corpus(name: str) -> Corpus:
    """Return a corpus, or raise CorpusError with the names of the existing ones."""
    corpus = Corpus.objects.filter(name=name).first()
    if corpus is None:
        names = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
        raise CorpusError(f"no corpus is called {name!r} (there are: {names}); `moss corpus add` creates one")
    return corpus


def get_current_corpus(name: str) -> Corpus:
    """Return a corpus that has documents and was created by this version.

    Raises CorpusError when there is no such corpus, it is empty or was created by another version.
    """
    corpus = get_corpus(name)
    if not corpus.texts.exists():
        raise CorpusError(f"corpus {name!r} holds no documents yet; `moss corpus add` adds some")
    check_current(corpus)
    return corpus


def check_current(corpus: Corpus) -> None:
    """Raise CorpusError for a corpus of another recipe, engine or front-end version: nothing would match."""
    rows = corpus.texts.values_list("kind", "language", "profile").distinct()
    outdated = [profile for kind, language, profile in rows if profile != current_profile(kind, language)]
    if corpus.recipe != RECIPE.key:
        outdated.append(corpus.recipe)
    if outdated:
        raise CorpusError(
            f"corpus {corpus.name!r} was created by another version ({', '.join(sorted(outdated))}), and its "
            f"data cannot be compared; `moss corpus drop {corpus.name}` and add its documents again"
        )


@contextmanager
def exclusive_lock(corpus: Corpus) -> Iterator[None]:
    """Let no other process add to a corpus, or have workers cluster it; raise CorpusError when one does."""
    with work_lock(Work.CORPUS, corpus.pk) as mine:
        if not mine:
            raise CorpusError(
                f"another process is adding to corpus {corpus.name!r} or clustering it; wait until it has ended"
            )
        yield


def drop_corpus(name: str) -> None:
    """Delete a corpus and everything in it, or raise CorpusError when there is none of this name."""
    corpus = get_corpus(name)
    # Delete the documents first: the cascade would look for them once per text.
    CorpusDocument.objects.filter(sweep__corpus=corpus).delete()
    corpus.delete()


class StoredDocument(NamedTuple):
    """A document of a corpus, with the first and the last sweep that have it with the same text.

    JSON output uses the field names as keys.
    """

    document: str
    first_sweep: int
    last_sweep: int


class NearCopySignatures(NamedTuple):
    """Features uint64 [rows, k] and SimHashes uint64 [rows] of the texts of a corpus.

    `feature_texts` and `simhash_texts` are the primary keys of the texts, row by row.
    """

    feature_texts: list[int]
    features: npt.NDArray[np.uint64]
    simhash_texts: list[int]
    simhashes: Hashes


def scan_sketches(corpus: Corpus) -> Iterator[tuple[list[int], Sketches]]:
    """Yield the primary keys and the sketches of all texts, `CHUNK` at a time."""
    rows = corpus.texts.order_by("pk").values_list("pk", "sketch").iterator(CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        yield [pk for pk, _ in chunk], Sketches.from_sketches(unpack(bytes(sketch)) for _, sketch in chunk)


def load_sketches(corpus: Corpus, texts: Collection[int] | None = None) -> dict[int, Hashes]:
    """Return the sketches of texts by primary key; of all texts by default."""
    selected = corpus.texts.all() if texts is None else corpus.texts.filter(pk__in=texts)
    rows = selected.values_list("pk", "sketch").iterator(CHUNK)
    return {pk: unpack(bytes(sketch)) for pk, sketch in rows}


def load_near_copy_signatures(corpus: Corpus) -> NearCopySignatures:
    """Return the features and SimHashes of all texts that are long enough to have them."""
    feature_texts, simhash_texts, features, simhashes = [], [], [], []
    rows = corpus.texts.order_by("pk").values_list("pk", "features", "simhash")
    for pk, packed, simhash in rows.iterator(CHUNK):
        document_features = unpack(bytes(packed))
        if len(document_features):
            feature_texts.append(pk)
            features.append(document_features)
        if simhash is not None:
            simhash_texts.append(pk)
            simhashes.append(simhash)
    return NearCopySignatures(
        feature_texts,
        np.array(features, dtype=np.uint64).reshape(-1, RECIPE.k),
        simhash_texts,
        np.array(simhashes, dtype=np.int64).view(np.uint64),
    )


def find_duplicates(corpus: Corpus, documents: Sequence[NewDocument]) -> dict[tuple[int, int], str]:
    """Return the duplicates of new documents: (index of the document, primary key of the text) -> kind.

    The kind is IDENTICAL or SAME_TOKENS. Documents without tokens can only be identical.
    """
    hashes = {document.sha256 for document in documents}
    digests = {document.signatures.digest for document in documents if document.signatures.tokens}
    texts = corpus.texts.filter(Q(sha256__in=hashes) | Q(digest__in=digests))
    by_hash, by_digest = defaultdict(list), defaultdict(list)
    for pk, sha256, digest in texts.values_list("pk", "sha256", "digest"):
        by_hash[sha256].append(pk)
        by_digest[digest].append(pk)
    duplicates: dict[tuple[int, int], str] = {}
    for index, document in enumerate(documents):
        if document.signatures.tokens:
            duplicates |= {(index, pk): SAME_TOKENS for pk in by_digest[document.signatures.digest]}
        duplicates |= {(index, pk): IDENTICAL for pk in by_hash[document.sha256]}
    return duplicates


def find_stored_documents(corpus: Corpus, texts: Collection[int]) -> dict[int, list[StoredDocument]]:
    """Return the documents that have each text, by the text's primary key, in order of their names."""
    rows = (
        CorpusDocument.objects.filter(sweep__corpus=corpus, text_id__in=texts)
        .order_by("name")
        .values("text_id", "name")
        .annotate(first=Min("sweep__number"), last=Max("sweep__number"))
        .values_list("text_id", "name", "first", "last")
    )
    documents: dict[int, list[StoredDocument]] = defaultdict(list)
    for text, name, first, last in rows:
        documents[text].append(StoredDocument(name, first, last))
    return documents


class SharedCounts(NamedTuple):
    """Parallel int64 arrays: index of the new document, row of the stored one, number of shared values."""

    query: Numbers
    stored: Numbers
    values: Numbers


class Estimate(NamedTuple):
    """The similarity of two documents, estimated from their sketches; each number is in [0, 1].

    `containment` is the share of the new document that is in the stored one, `contained` the reverse
    (syntactic-clustering, "Estimating the resemblance and the containment"). JSON output uses the field names as keys.
    """

    resemblance: float
    containment: float
    contained: float

    @classmethod
    def from_sizes(cls, shared: int, new: int, stored: int) -> Estimate:
        """Return the estimate for two MOD_m sketches of sizes >= 1 that have `shared` values in common."""
        return cls(shared / (new + stored - shared), shared / new, shared / stored)

    @property
    def key(self) -> tuple[float, float]:
        """Sort key, best last: by containment of the new document, then by resemblance."""
        return self.containment, self.resemblance

    @property
    def share(self) -> float:
        """The larger of both containments."""
        return max(self.containment, self.contained)


IDENTICAL_ESTIMATE = Estimate(1.0, 1.0, 1.0)


def index_sketches(sketches: Sequence[Hashes]) -> InvertedIndex:
    """Return an inverted index of the sketches of new documents, which are numbered from 0."""
    owners = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    return InvertedIndex.build(np.concatenate([np.empty(0, np.uint64), *sketches]), owners)


def shared_values(index: InvertedIndex, stored: Sketches) -> SharedCounts:
    """Count the values that each indexed document shares with each stored one; pairs without any are omitted.

    The stored values are scanned once for all new documents, as in simhash-web-crawling, section 3.3.
    """
    rows = np.repeat(np.arange(len(stored)), stored.sizes)
    positions = np.searchsorted(index.values, stored.values)
    hits = positions < len(index.values)
    hits[hits] = index.values[positions[hits]] == stored.values[hits]
    positions, rows = positions[hits], rows[hits]
    frequency = index.frequency[positions].astype(np.int64)
    # Repeat each hit for every new document that contains the value.
    within = np.arange(frequency.sum()) - np.repeat(np.cumsum(frequency) - frequency, frequency)
    queries = index.owners[np.repeat(index.starts[positions], frequency) + within].astype(np.int64)
    pairs, counts = np.unique(queries << 32 | np.repeat(rows, frequency), return_counts=True)
    return SharedCounts(pairs >> 32, pairs & (2**32 - 1), counts.astype(np.int64))


def sharing_features(query: Hashes, stored: npt.NDArray[np.uint64], r: int) -> tuple[Numbers, Numbers]:
    """Return the rows of `stored` [n, k] that share at least `r` features with `query` [k].

    Features are compared position by position. Returns two parallel int64 arrays: rows and numbers of shared features.
    """
    counts = np.count_nonzero(stored == query, axis=1)
    rows = np.flatnonzero(counts >= r)
    return rows, counts[rows]


def near_fingerprints(queries: Hashes, stored: Hashes, distance: int) -> Matches:
    """Return the stored SimHashes within `distance` bits of each query.

    Raises ValueError when `distance` is not in 0 .. 6; at a higher distance unrelated documents match.
    """
    if not 0 <= distance <= MAX_DISTANCE:
        raise ValueError(f"distance is {distance}; 0 to {MAX_DISTANCE} bits are supported")
    tables = EXAMPLE_3_1[10] if distance <= EXAMPLE_DISTANCE else design(distance, distance + 2)
    return batch_query(queries, stored, distance, tables=tables)


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

    name : name of the corpus
    documents : new documents
    min_share : lowest share of either document that the other contains, above 0 and at most 1
    limit : highest number of matches for each new document, None for all

    Raises CorpusError when there is no such corpus, it is empty or was created by another version. Raises
    ValueError when `min_share` is out of range.
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
    `distance` bits differ (simhash-web-crawling, section 3). Raises CorpusError when there is no such corpus,
    it is empty or was created by another version. Raises ValueError when `distance` is not in 0 .. 6.
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
        by = tuple(method for method, pairs in ((FEATURES, by_features), (SIMHASH, by_simhash)) if pair in pairs)
        numbers = (by_features.get(pair), by_simhash.get(pair))
        both = document.signatures.sketch, sketches[text]
        resemblance = mod_resemblance(*both) if any(map(len, both)) else None
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
    with_simhash = [index for index, document in enumerate(documents) if document.signatures.simhash is not None]
    queries = np.array([documents[index].signatures.simhash for index in with_simhash], dtype=np.uint64)
    matches = near_fingerprints(queries, stored, distance)
    columns = zip(*(column.tolist() for column in matches), strict=True)
    return {(with_simhash[query], texts[row]): bits for query, row, bits in columns}


def _order(item: tuple[int, NearCopyMatch]) -> tuple[int, int, float, int, str]:
    index, match = item
    return index, -len(match.by), -(match.resemblance or 0), match.distance or 0, match.stored.document
