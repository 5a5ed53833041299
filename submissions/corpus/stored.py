"""Read the signatures and the document names of a corpus from the database."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db.models import Max, Min, Q

from fingerprint import Sketches, unpack
from submissions.corpus.models import CorpusDocument
from submissions.corpus.recipe import RECIPE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes
    from submissions.corpus.models import Corpus
    from submissions.corpus.reading import NewDocument

CHUNK = 5000  # texts in memory at once

# How two documents are duplicates: equal bytes, or only equal tokens.
IDENTICAL, SAME_TOKENS = "identical", "same tokens"


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
