"""List, find and delete corpora, and read their signatures and document names from the database.

Signatures of a corpus are checked before new ones are compared with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db.models import Count, Max, Min, Q

from fingerprint import Sketches, unpack
from submissions.archive.models import Corpus, CorpusDocument
from submissions.archive.signatures import RECIPE, NewDocument, current_profile
from submissions.work.locks import Work, work_lock

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

CHUNK = 5000  # texts in memory at once

# How two documents are duplicates: equal bytes, or only equal tokens.
IDENTICAL, SAME_TOKENS = "identical", "same tokens"


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
        CorpusSummary(
            corpus.name, corpus.recipe, corpus.sweep_count or 0, corpus.document_count, corpus.texts.count()
        )
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
                f"another process is adding to corpus {corpus.name!r} or clustering it; "
                "wait until it has ended"
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
