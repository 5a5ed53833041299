"""Which documents of a corpus are near-duplicates of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Max, Min

from fingerprint import Sketches, cluster, mod_resemblance
from submissions.corpus.corpora import ready
from submissions.corpus.models import CorpusDocument
from submissions.corpus.stored import IDENTICAL, SAME_TOKENS, Place, sketches_of

if TYPE_CHECKING:
    from fingerprint.types import Hashes
    from submissions.corpus.models import Corpus


class Member(NamedTuple):
    """A document of a cluster, beside the cluster's first: how they are duplicates, if they are.

    `resemblance` is estimated; None where neither has a value to tell by.
    """

    place: Place
    same: str
    resemblance: float | None


class _Document(NamedTuple):
    place: Place
    sha256: str
    digest: str | None
    sketch: Hashes


def clusters(name: str, threshold: float = 0.5) -> list[list[Member]]:
    """Cluster the documents of all sweeps (syntactic-clustering), the largest cluster first.

    A document that several sweeps have with the same text counts once; with another text, it is another.

    Raises
    ------
    CorpusError
        When the corpus cannot be asked.
    ValueError
        When `threshold` is not above 0 and at most 1.
    """
    documents = _documents(ready(name))
    found = cluster(
        Sketches.of(document.sketch for document in documents),
        threshold=threshold,
        exact=[document.sha256 for document in documents],
        lexical=[document.digest for document in documents],
    )
    groups = [[documents[number] for number in group.tolist()] for group in found.groups()]
    return [[_member(document, group[0]) for document in group] for group in sorted(groups, key=_size)]


def _size(group: list[_Document]) -> tuple[int, str]:
    return -len(group), group[0].place.document


def _documents(corpus: Corpus) -> list[_Document]:
    rows = (
        CorpusDocument.objects.filter(sweep__corpus=corpus, text__isnull=False)
        .values("name", "text_id", "text__sha256", "text__digest", "text__tokens")
        .annotate(first=Min("sweep__number"), last=Max("sweep__number"))
        .order_by("first", "name")
    )
    found = list(rows)
    sketches = sketches_of(corpus)
    return [
        _Document(
            Place(row["name"], row["first"], row["last"]),
            row["text__sha256"],
            row["text__digest"] if row["text__tokens"] else None,  # no tokens say nothing
            sketches[row["text_id"]],
        )
        for row in found
    ]


def _member(document: _Document, first: _Document) -> Member:
    if document.sha256 == first.sha256:
        return Member(document.place, IDENTICAL, 1.0)
    if document.digest is not None and document.digest == first.digest:
        return Member(document.place, SAME_TOKENS, 1.0)
    known = len(document.sketch) or len(first.sketch)
    return Member(document.place, "", mod_resemblance(document.sketch, first.sketch) if known else None)
