"""Clusters of near-duplicates within a corpus."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Max, Min

from fingerprint import Sketches, cluster, duplicate_labels, merge_shared, mod_resemblance, value_ranges
from submissions.corpus.corpora import exclusive_lock, get_current_corpus
from submissions.corpus.models import CorpusDocument
from submissions.corpus.sharing import compute_on_workers
from submissions.corpus.stored import IDENTICAL, SAME_TOKENS, StoredDocument, load_sketches
from submissions.corpus.storing import pack_sketches, unpack_shared

if TYPE_CHECKING:
    from fingerprint import Clustering
    from fingerprint.kernels.types import Documents, Hashes
    from submissions.corpus.models import Corpus

# Values that a worker counts at once, 8 bytes each, and the least number of ranges, for several workers.
RANGE_VALUES = 1_000_000
LEAST_RANGES = 4


class ClusteredDocument(NamedTuple):
    """A document of a cluster, compared with the first document of the cluster.

    `same` is IDENTICAL, SAME_TOKENS or "" for no duplicate; JSON output uses it as a key. `resemblance` is
    estimated from the sketches; None where both are empty.
    """

    stored: StoredDocument
    same: str
    resemblance: float | None


class _Document(NamedTuple):
    stored: StoredDocument
    sha256: str
    digest: str | None
    sketch: Hashes


def clusters(name: str, threshold: float = 0.5, *, on_workers: bool = False) -> list[list[ClusteredDocument]]:
    """Return the clusters of the documents of all sweeps, the largest first (syntactic-clustering).

    A document that has the same text in several sweeps counts once. With another text it counts again. Shared
    values are counted in this process or, `on_workers`, by all workers; the clusters are the same.

    Raises
    ------
    CorpusError
        When there is no such corpus, it is empty or was created by another version, or the workers cannot
        count.
    ValueError
        When `threshold` is not above 0 and at most 1.
    """
    corpus = get_current_corpus(name)
    documents = _documents(corpus)
    sketches = Sketches.from_sketches(document.sketch for document in documents)
    exact = [document.sha256 for document in documents]
    lexical = [document.digest for document in documents]
    if on_workers:
        clustering = _cluster_on_workers(
            corpus, sketches, duplicate_labels(sketches, exact, lexical), threshold
        )
    else:
        clustering = cluster(sketches, threshold=threshold, exact=exact, lexical=lexical)
    groups = [[documents[number] for number in group.tolist()] for group in clustering.groups()]
    groups.sort(key=_largest_first)
    return [[_compared(document, group[0]) for document in group] for group in groups]


def _cluster_on_workers(
    corpus: Corpus, sketches: Sketches, duplicates: Documents, threshold: float
) -> Clustering:
    ranges = value_ranges(max(LEAST_RANGES, ceil(len(sketches.values) / RANGE_VALUES)))
    payloads = (pack_sketches(sketches.within(start, end), duplicates) for start, end in ranges)
    with exclusive_lock(corpus):
        counted = map(unpack_shared, compute_on_workers(corpus, payloads))
        return merge_shared(sketches, duplicates, counted, threshold=threshold)


def _largest_first(group: list[_Document]) -> tuple[int, str]:
    return -len(group), group[0].stored.document


def _documents(corpus: Corpus) -> list[_Document]:
    rows = list(
        CorpusDocument.objects.filter(sweep__corpus=corpus, text__isnull=False)
        .values("name", "text_id", "text__sha256", "text__digest", "text__tokens")
        .annotate(first=Min("sweep__number"), last=Max("sweep__number"))
        .order_by("first", "name")
    )
    sketches = load_sketches(corpus)
    return [
        _Document(
            StoredDocument(row["name"], row["first"], row["last"]),
            row["text__sha256"],
            row["text__digest"] if row["text__tokens"] else None,  # all texts without tokens share a digest
            sketches[row["text_id"]],
        )
        for row in rows
    ]


def _compared(document: _Document, first: _Document) -> ClusteredDocument:
    if document.sha256 == first.sha256:
        return ClusteredDocument(document.stored, IDENTICAL, 1.0)
    if document.digest is not None and document.digest == first.digest:
        return ClusteredDocument(document.stored, SAME_TOKENS, 1.0)
    has_values = len(document.sketch) or len(first.sketch)
    resemblance = mod_resemblance(document.sketch, first.sketch) if has_values else None
    return ClusteredDocument(document.stored, "", resemblance)
