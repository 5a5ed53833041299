"""Load an assignment's cohort from what is stored; no file is lexed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection

from fingerprint.engine import CohortFile, Exclusions, RankingInput, common_limit, token_lines
from submissions.ingest.documents import PARAMS
from submissions.models import Batch, Document, Submission, SubmissionFile
from submissions.storage import fingerprints
from submissions.storage.sources import text_of
from submissions.storage.tokens import unpack_lexical, unpack_with_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.engine import Lexical, TokenStream
    from fingerprint.types import Hashes, Lines
    from submissions.models import Assignment, Boilerplate


@dataclass(frozen=True, slots=True)
class LoadedCohort:
    """A cohort in memory: its submissions, its files in their order, and what the engine reads of each file.

    `files` and `contents` are parallel; `inputs` leaves out what `exclusions` names.
    """

    submissions: list[Submission]
    files: list[SubmissionFile]
    contents: list[CohortFile]
    inputs: RankingInput

    def without_exclusions(self) -> RankingInput:
        """Return the same cohort with nothing left out."""
        return RankingInput.of(self.contents, len(self.submissions), PARAMS.k)


class StoredDocument(NamedTuple):
    """What is stored of a document; `lines` is None for one stored before lines were kept."""

    tokens: TokenStream
    lines: Lines | None
    lexical: Lexical


def cohort_of(assignment: Assignment) -> list[Submission]:
    """Return the newest upload of every submission name, over all batches that were read whole."""
    read = Submission.objects.filter(batch__assignment=assignment, batch__state__in=Batch.READ)
    return list(read.order_by("name", "-batch_id").distinct("name"))


def load(assignment: Assignment) -> LoadedCohort:
    """Load the tokens and fingerprints of an assignment's cohort, and its boilerplate."""
    submissions = cohort_of(assignment)
    index = {submission.pk: at for at, submission in enumerate(submissions)}
    files = _ready_files(index)
    boilerplate = list(assignment.boilerplate.filter(document__state=Document.State.READY).order_by("pk"))
    documents = _documents(
        {file.document_id for file in files} | {given.document_id for given in boilerplate}
    )
    hashes = _hashes({file.document_id for file in files})
    contents = [
        _content(file, index[file.submission_id], documents[file.document_id], hashes) for file in files
    ]
    limit = common_limit(len(submissions), assignment.common_limit)
    excluded = _exclusions(boilerplate, documents, limit)
    inputs = RankingInput.of(contents, len(submissions), PARAMS.k, excluded)
    return LoadedCohort(submissions, files, contents, inputs)


def _ready_files(index: dict[int, int]) -> list[SubmissionFile]:
    """Return the files that could be read, in the order of their submissions."""
    ready = SubmissionFile.objects.filter(submission__in=index, document__state=Document.State.READY)
    light = ready.select_related("document").defer("document__tokens", "document__lexical")
    return sorted(light, key=lambda file: (index[file.submission_id], file.path, file.pk))


def _documents(keys: set[int]) -> dict[int, StoredDocument]:
    packed = Document.objects.filter(pk__in=keys).values_list("pk", "tokens", "lexical")
    return {
        pk: StoredDocument(*unpack_with_lines(bytes(tokens)), unpack_lexical(bytes(lexical)))
        for pk, tokens, lexical in packed.iterator(chunk_size=100)
    }


def _hashes(keys: Iterable[int]) -> dict[int, Hashes]:
    """Return the hashes of each document's fingerprints."""
    hashes, documents, _ = fingerprints.load(connection, sorted(keys))
    order = np.argsort(documents, kind="stable")
    distinct, starts = np.unique(documents[order], return_index=True)
    ends = np.append(starts[1:], len(hashes))
    parts = (hashes[order[start:end]] for start, end in zip(starts, ends, strict=False))
    return dict(zip(distinct.tolist(), parts, strict=True))


def _content(
    file: SubmissionFile, submission: int, document: StoredDocument, hashes: dict[int, Hashes]
) -> CohortFile:
    lines = token_lines(text_of(file), document.tokens) if document.lines is None else document.lines
    nothing = np.empty(0, dtype=np.uint64)
    own = hashes.get(file.document_id, nothing)
    return CohortFile(submission, document.tokens.kinds, lines, document.lexical, own)


def _exclusions(
    boilerplate: list[Boilerplate], documents: dict[int, StoredDocument], limit: int | None
) -> Exclusions:
    return Exclusions(
        [documents[given.document_id].tokens.kinds[given.first : given.after] for given in boilerplate],
        [documents[given.document_id].lexical for given in boilerplate if given.first is None],
        limit,
    )
