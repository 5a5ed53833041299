"""What a corpus holds, as arrays and as names."""

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

    from fingerprint.types import Hashes
    from submissions.corpus.models import Corpus
    from submissions.corpus.new_documents import Newcomer

SCANNED = 5000  # texts in memory at once

IDENTICAL, SAME_TOKENS = "identical", "same tokens"


class Place(NamedTuple):
    """A stored document, and the first and the last sweep that have it with one and the same text."""

    document: str
    first_sweep: int
    last_sweep: int


class Marks(NamedTuple):
    """Features [rows, k] and SimHashes, both uint64; `featured` and `hashed` name the text of each row."""

    featured: list[int]
    features: npt.NDArray[np.uint64]
    hashed: list[int]
    simhashes: Hashes


def scan(corpus: Corpus) -> Iterator[tuple[list[int], Sketches]]:
    """Yield the sketches of all texts, with their keys, some thousands at a time."""
    rows = corpus.texts.order_by("pk").values_list("pk", "sketch").iterator(SCANNED)
    while piece := list(islice(rows, SCANNED)):
        yield [key for key, _ in piece], Sketches.of(unpack(bytes(sketch)) for _, sketch in piece)


def sketches_of(corpus: Corpus, texts: Collection[int] | None = None) -> dict[int, Hashes]:
    """Sketches of some texts, of all by default."""
    wanted = corpus.texts.all() if texts is None else corpus.texts.filter(pk__in=texts)
    rows = wanted.values_list("pk", "sketch").iterator(SCANNED)
    return {key: unpack(bytes(sketch)) for key, sketch in rows}


def marks(corpus: Corpus) -> Marks:
    """Features and SimHashes of all texts that are long enough to have them."""
    featured, hashed, rows, simhashes = [], [], [], []
    found = corpus.texts.order_by("pk").values_list("pk", "features", "simhash")
    for key, packed, simhash in found.iterator(SCANNED):
        features = unpack(bytes(packed))
        if len(features):
            featured.append(key)
            rows.append(features)
        if simhash is not None:
            hashed.append(key)
            simhashes.append(simhash)
    table = np.array(rows, dtype=np.uint64).reshape(-1, RECIPE.k)
    return Marks(featured, table, hashed, np.array(simhashes, dtype=np.int64).view(np.uint64))


def duplicates(corpus: Corpus, new: Sequence[Newcomer]) -> dict[tuple[int, int], str]:
    """Tell how (newcomer, text) are the same: by their bytes, or only by their tokens."""
    hashes = {newcomer.sha256 for newcomer in new}
    digests = {newcomer.prints.digest for newcomer in new if newcomer.prints.tokens}
    same = corpus.texts.filter(Q(sha256__in=hashes) | Q(digest__in=digests))
    by_hash, by_digest = defaultdict(list), defaultdict(list)
    for key, sha256, digest in same.values_list("pk", "sha256", "digest"):
        by_hash[sha256].append(key)
        by_digest[digest].append(key)
    found: dict[tuple[int, int], str] = {}
    for number, newcomer in enumerate(new):
        if newcomer.prints.tokens:
            found |= {(number, key): SAME_TOKENS for key in by_digest[newcomer.prints.digest]}
        found |= {(number, key): IDENTICAL for key in by_hash[newcomer.sha256]}
    return found


def places(corpus: Corpus, texts: Collection[int]) -> dict[int, list[Place]]:
    """Name the documents that hold each text, in order of their names."""
    rows = (
        CorpusDocument.objects.filter(sweep__corpus=corpus, text_id__in=texts)
        .order_by("name")
        .values("text_id", "name")
        .annotate(first=Min("sweep__number"), last=Max("sweep__number"))
        .values_list("text_id", "name", "first", "last")
    )
    found: dict[int, list[Place]] = defaultdict(list)
    for text, name, first, last in rows:
        found[text].append(Place(name, first, last))
    return found
