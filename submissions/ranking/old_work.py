"""The submissions of other assignments that share rare fingerprints with those of a class."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection

from fingerprint.engine import distinct_values
from submissions.comparisons import compared_assignments
from submissions.models import Batch, Boilerplate, Document, Submission, SubmissionFile
from submissions.models.records import ComparedAssignment
from submissions.ranking.labels import set_labels
from submissions.storage import fingerprints
from submissions.storage.postings import look_up

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from django.db.models import QuerySet

    from fingerprint.types import Hashes
    from submissions.models import Assignment
    from submissions.storage.postings import SharedRarity

# Number of old submissions that are aligned with a new one, those that share most.
MAX_CANDIDATES = 24
# Code in more than this part of the class is no reason to look at old work.
MAX_PART = 0.5
# A hash in at most this number of submissions of the class is looked up, however small the class is.
LEAST_FREQUENT = 10
FILE_COLUMNS = ("submission_id", "document_id", "document__profile", "document__language")


class OldWork(NamedTuple):
    """Old submissions by primary key, and the chosen pairs as primary keys of a new and an old submission.

    `boilerplate` is that of their assignments; `compared` says of every compared assignment what was done.
    """

    submissions: dict[int, Submission]
    pairs: list[tuple[int, int]]
    boilerplate: list[Boilerplate]
    compared: list[ComparedAssignment]


NO_OLD_WORK = OldWork({}, [], [], [])


class _OldFiles(NamedTuple):
    """The comparable old submissions, by primary key, and those that have each document."""

    submissions: dict[int, Submission]
    by_document: dict[int, list[int]]


def class_submissions(assignment: Assignment) -> list[Submission]:
    """Return the newest submission of every name that the class itself handed in, by name."""
    uploaded = Submission.objects.filter(
        batch__assignment=assignment, batch__state__in=Batch.FULLY_READ, batch__role=Batch.Role.CLASS
    )
    return list(uploaded.order_by("name", "-batch_id").distinct("name").select_related("batch"))


def find_old_work(assignment: Assignment, class_files: QuerySet[SubmissionFile]) -> OldWork:
    """Look up the old submissions that share most with each new one; `class_files` are those of the class."""
    others = compared_assignments(assignment)
    labels = set_labels(assignment, others)
    if not others:
        return NO_OLD_WORK
    rows = list(class_files.order_by("pk").values_list(*FILE_COLUMNS))
    profiles = {profile: language for *_, profile, language in rows}
    old = _OldFiles({}, defaultdict(list))
    compared = [_add_files(old, other, labels[other.pk], profiles) for other in others]
    ready = Boilerplate.objects.filter(document__state=Document.State.READY)
    boilerplate = list(ready.filter(assignment__in=others, document__profile__in=profiles).order_by("pk"))
    hashes = _hashes((submission, document) for submission, document, *_ in rows)
    left_out = _left_out([*boilerplate, *ready.filter(assignment=assignment)], hashes)
    pairs = _candidates(hashes, left_out, old)
    return OldWork({pk: old.submissions[pk] for _, pk in pairs}, pairs, boilerplate, compared)


def _hashes(files: Iterable[tuple[int, int]]) -> dict[int, Hashes]:
    """Return the fingerprints of submissions, by primary key; `files` are (submission, document)."""
    documents: dict[int, list[int]] = defaultdict(list)
    for submission, document in files:
        documents[submission].append(document)
    by_document = fingerprints.load_by_document(connection, set(chain.from_iterable(documents.values())))
    none = np.empty(0, np.uint64)
    return {
        submission: np.concatenate([none, *(by_document.get(document, none) for document in own)])
        for submission, own in documents.items()
    }


def _add_files(
    old: _OldFiles, other: Assignment, label: str, profiles: Mapping[str, str]
) -> ComparedAssignment:
    """Add the comparable submissions of one assignment; return how many these are, and why others are not."""
    submissions = {one.pk: one for one in class_submissions(other)}
    ready = SubmissionFile.objects.filter(submission__in=submissions, document__state=Document.State.READY)
    comparable, another_version = set(), set()
    for submission, document, profile, language in ready.order_by("pk").values_list(*FILE_COLUMNS):
        if profile in profiles:
            comparable.add(submission)
            old.by_document[document].append(submission)
        elif language in profiles.values():
            another_version.add(submission)
    old.submissions.update((pk, submissions[pk]) for pk in comparable)
    return ComparedAssignment(
        assignment=other.pk,
        label=label,
        submissions=len(submissions),
        comparable=len(comparable),
        another_version=len(another_version - comparable),
    )


def _left_out(boilerplate: Iterable[Boilerplate], hashes: Mapping[int, Hashes]) -> Hashes:
    """Return the fingerprints that are not looked up: of boilerplate, and of much of the class."""
    whole = {one.document_id for one in boilerplate if one.first is None}
    own = fingerprints.load_by_document(connection, whole)
    own_hashes = [distinct_values(values) for values in hashes.values()]
    values, counts = np.unique(np.concatenate([np.empty(0, np.uint64), *own_hashes]), return_counts=True)
    common = values[counts > max(LEAST_FREQUENT, MAX_PART * len(hashes))]
    return np.concatenate([common, *own.values()])


def _candidates(hashes: Mapping[int, Hashes], left_out: Hashes, old: _OldFiles) -> list[tuple[int, int]]:
    """Return the pairs of each new submission with the old ones that share most, one look-up for each."""
    pairs = []
    for new, own in hashes.items():
        shared = look_up(connection, own[~np.isin(own, left_out)])
        pairs += [(new, pk) for pk in _best(shared, old.by_document)]
    return pairs


def _best(shared: SharedRarity, by_document: Mapping[int, Collection[int]]) -> list[int]:
    """Return the submissions that share most by weight, of all their files, the best first."""
    weights: dict[int, float] = defaultdict(float)
    for document, weight in zip(shared.documents.tolist(), shared.weights.tolist(), strict=True):
        for submission in by_document.get(document, ()):
            weights[submission] += weight
    return sorted(weights, key=lambda pk: (-weights[pk], pk))[:MAX_CANDIDATES]
