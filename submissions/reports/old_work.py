"""Other assignments that an assignment is compared with, and what their submissions have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from fingerprint.engine import distinct_values
from submissions.core.access import readable_submissions
from submissions.core.models import ComparedArchive, ComparedAssignment
from submissions.core.rights import Right, courses_with
from submissions.models import Assignment, Batch, Boilerplate, Document, Report, Submission, SubmissionFile
from submissions.uploads import stored_documents as fingerprints
from submissions.uploads.fingerprinting import SharedRarity, delete_unused, look_up

if TYPE_CHECKING:
    from fingerprint.kernels.types import Hashes

# Number of old submissions that are aligned with a new submission: the old submissions that share most.
MAX_CANDIDATES = 24
# Code in more than this part of the class is no reason to look at old work.
MAX_PART = 0.5
# A hash in at most this number of submissions of the class is looked up, however small the class is.
LEAST_FREQUENT = 10
FILE_COLUMNS = ("submission_id", "document_id", "document__profile", "document__language")

# Characters of the names of the course and of the assignment in a label.
MAX_PART_OF_LABEL = 60


def compares(assignment: Assignment) -> bool:
    """Return whether other assignments may be looked up for an assignment."""
    return assignment.compare_course or assignment.compare_archive or assignment.compared_with.exists()


def compared_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the other assignments that were chosen for an assignment, all of courses of the same owner."""
    chosen = Q(compared_by=assignment)
    if assignment.compare_course:
        chosen |= Q(course=assignment.course_id, created__lt=assignment.created)
    others = Assignment.objects.filter(chosen, course__owner=assignment.course.owner_id)
    return list(others.exclude(pk=assignment.pk).select_related("course").distinct().order_by("pk"))


def archived_assignments(assignment: Assignment) -> QuerySet[Assignment]:
    """Return the assignments of the other courses in the department's archive.

    There are none if the assignment's own course is not in the archive.
    """
    if not assignment.course.in_archive:
        return Assignment.objects.none()
    return Assignment.objects.filter(course__in_archive=True).exclude(course=assignment.course_id)


def newest_submissions(assignments: Collection[Assignment] | QuerySet[Assignment]) -> QuerySet[Submission]:
    """Return the newest submission of every name that the classes of assignments handed in themselves."""
    uploaded = Submission.objects.filter(
        batch__assignment__in=assignments, batch__state__in=Batch.FULLY_READ, batch__role=Batch.Role.CLASS
    )
    names = "batch__assignment_id", "name"
    return uploaded.order_by(*names, "-batch_id").distinct(*names)


def comparing_assignments(assignment: Assignment) -> list[Assignment]:
    """Return the assignments with submissions that can be ranked that are compared with an assignment."""
    of_course = Q(compare_course=True, course=assignment.course_id, created__gt=assignment.created)
    others = Assignment.objects.filter(Q(compared_with=assignment) | of_course)
    return list(others.filter(batches__state__in=Batch.FULLY_READ).distinct().order_by("pk"))


class ListedComparison(NamedTuple):
    """Another assignment that a report was compared with, and how many of its submissions are in a pair.

    `assignment` is None once it was deleted.
    """

    compared: ComparedAssignment
    assignment: Assignment | None
    listed: int

    @property
    def incomparable(self) -> int:
        """Number of submissions without a file in a language of the class."""
        return self.compared.submissions - self.compared.comparable - self.compared.another_version


def comparable_assignments(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the other assignments that an assignment can be compared with, by course, newest first.

    They are of courses that `user` may change and that have the same owner, who reads the pairs.
    """
    readable = courses_with(user, Right.CHANGE).filter(owner=assignment.course.owner_id)
    others = Assignment.objects.filter(course__in=readable).exclude(pk=assignment.pk)
    return others.select_related("course").order_by("course__name", "course", "-created", "-pk")


def comparisons_of_others(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the assignments that an assignment is compared with and that `user` cannot choose."""
    offered = comparable_assignments(assignment, user)
    return assignment.compared_with.exclude(pk__in=offered.order_by().values("pk"))


def listed_comparisons(report: Report) -> list[ListedComparison]:
    """Return the other assignments that a report was compared with, in the order of their labels."""
    compared = report.findings.compared if report.findings else []
    if not compared:
        return []
    existing = Assignment.objects.in_bulk([one.assignment for one in compared])
    origins = readable_submissions(report).filter(batch__role=Batch.Role.OTHER).order_by()
    assignment_ids = list(origins.values_list("batch__origin", flat=True))
    listed = [
        ListedComparison(one, existing.get(one.assignment), assignment_ids.count(one.assignment)) for one in compared
    ]
    return sorted(listed, key=lambda row: row.compared.label.casefold())


def has_earlier_work(report: Report) -> bool:
    """Return whether a report has submissions that are not of the class itself."""
    return readable_submissions(report).exclude(batch__role=Batch.Role.CLASS).exists()


class OldWork(NamedTuple):
    """Old submissions by primary key, and the chosen pairs as primary keys of a new and an old submission.

    `boilerplate` is the code that their assignments handed out; `compared` has the numbers of compared
    submissions for each chosen assignment, `archive` for the department's archive.
    """

    submissions: dict[int, Submission]
    pairs: list[tuple[int, int]]
    boilerplate: list[Boilerplate]
    compared: list[ComparedAssignment]
    archive: ComparedArchive | None = None


class _OldFiles(NamedTuple):
    """The newest old submissions of the compared assignments, and which of them can be compared.

    `assignments`: the assignment of each submission; `by_document`: the submissions that have a document of a
    profile of the class; `comparable`: all submissions with such a document; `another_version`: other
    submissions with a document of a language of the class, which another version has read.
    """

    assignments: dict[int, int]
    by_document: dict[int, list[int]]
    comparable: set[int]
    another_version: set[int]


def find_old_work(assignment: Assignment, class_files: QuerySet[SubmissionFile]) -> OldWork:
    """Look up the old submissions that share most with each submission of the class, by `class_files`."""
    chosen = compared_assignments(assignment)
    archived = _archived(assignment, chosen)
    others = [*(other.pk for other in chosen), *archived]
    rows = list(class_files.order_by("pk").values_list(*FILE_COLUMNS)) if others else []
    profiles = {profile: language for *_, profile, language in rows}
    old = _old_files(others, profiles)
    ready = Boilerplate.objects.filter(document__state=Document.State.READY)
    boilerplate = list(ready.filter(assignment__in=others, document__profile__in=profiles).order_by("pk"))
    hashes = _hashes((submission, document) for submission, document, *_ in rows)
    left_out = _left_out([*boilerplate, *ready.filter(assignment=assignment)], hashes)
    pairs = _candidates(hashes, left_out, old)
    submissions = Submission.objects.select_related("batch").in_bulk({pk for _, pk in pairs})
    from_archive = {old.assignments[pk] for pk in submissions} & archived
    labels = set_labels(assignment, chosen, archived, from_archive)
    return OldWork(
        {pk: submissions[pk] for _, pk in pairs},
        pairs,
        boilerplate,
        [_compared(other.pk, labels[other.pk], old) for other in chosen],
        _compared_archive(archived, old) if assignment.compare_archive else None,
    )


def _archived(assignment: Assignment, chosen: Iterable[Assignment]) -> set[int]:
    if not assignment.compare_archive:
        return set()
    return set(archived_assignments(assignment).values_list("pk", flat=True)) - {one.pk for one in chosen}


def _old_files(others: Collection[int], profiles: Mapping[str, str]) -> _OldFiles:
    """Return the submissions of all these assignments at once: one query however many there are."""
    newest = newest_submissions(Assignment.objects.filter(pk__in=others))
    old = _OldFiles(dict(newest.values_list("pk", "batch__assignment_id")), defaultdict(list), set(), set())
    ready = SubmissionFile.objects.filter(submission__in=newest, document__state=Document.State.READY)
    for submission, document, profile, language in ready.order_by("pk").values_list(*FILE_COLUMNS):
        if profile in profiles:
            old.comparable.add(submission)
            old.by_document[document].append(submission)
        elif language in profiles.values():
            old.another_version.add(submission)
    return old._replace(another_version=old.another_version - old.comparable)


def _compared(assignment: int, label: str, old: _OldFiles) -> ComparedAssignment:
    of_assignment = {pk for pk, other in old.assignments.items() if other == assignment}
    return ComparedAssignment(
        assignment=assignment,
        label=label,
        submissions=len(of_assignment),
        comparable=len(of_assignment & old.comparable),
        another_version=len(of_assignment & old.another_version),
    )


def _compared_archive(archived: Collection[int], old: _OldFiles) -> ComparedArchive:
    from_archive = {pk for pk, assignment in old.assignments.items() if assignment in archived}
    return ComparedArchive(
        assignments=len({old.assignments[pk] for pk in from_archive}),
        submissions=len(from_archive),
        comparable=len(from_archive & old.comparable),
        another_version=len(from_archive & old.another_version),
    )


def _hashes(files: Iterable[tuple[int, int]]) -> dict[int, Hashes]:
    """Return the fingerprints of submissions, by primary key; `files` are (submission, document)."""
    documents: dict[int, list[int]] = defaultdict(list)
    for submission, document in files:
        documents[submission].append(document)
    stored = fingerprints.load(set(chain.from_iterable(documents.values())))
    return {
        submission: np.concatenate([stored[document].hashes for document in document_ids])
        for submission, document_ids in documents.items()
    }


def _left_out(boilerplate: Iterable[Boilerplate], hashes: Mapping[int, Hashes]) -> Hashes:
    """Return the fingerprints that are not looked up: of boilerplate, and of much of the class."""
    whole = {one.document_id for one in boilerplate if one.first is None}
    stored = fingerprints.load(whole)
    distinct_hashes = [distinct_values(values) for values in hashes.values()]
    values, counts = np.unique(np.concatenate([np.empty(0, np.uint64), *distinct_hashes]), return_counts=True)
    common = values[counts > max(LEAST_FREQUENT, MAX_PART * len(hashes))]
    return np.concatenate([common, *(one.hashes for one in stored.values())])


def _candidates(hashes: Mapping[int, Hashes], left_out: Hashes, old: _OldFiles) -> list[tuple[int, int]]:
    """Return the pairs of each new submission with the old ones that share most, one look-up for each."""
    pairs = []
    for new, values in hashes.items():
        shared = look_up(connection, values[~np.isin(values, left_out)])
        pairs += [(new, pk) for pk in _best(shared, old.by_document)]
    return pairs


def _best(shared: SharedRarity, by_document: Mapping[int, Collection[int]]) -> list[int]:
    """Return the submissions that share most by weight, of all their files, the best first."""
    weights: dict[int, float] = defaultdict(float)
    for document, weight in zip(shared.documents.tolist(), shared.weights.tolist(), strict=True):
        for submission in by_document.get(document, ()):
            weights[submission] += weight
    return sorted(weights, key=lambda pk: (-weights[pk], pk))[:MAX_CANDIDATES]


def set_labels(
    assignment: Assignment, chosen: Collection[Assignment], archived: Collection[int], needed: Collection[int]
) -> dict[int, str]:
    """Return the labels of other assignments in the reports of an assignment, by primary key.

    The `chosen` and the `needed` assignments get a label if they have none. A label never changes, whatever
    is renamed: decisions are stored for names that end with it. Labels that the report does not need any more
    are deleted with its predecessor, see `delete_unneeded_labels`.
    """
    batches = assignment.batches.filter(role=Batch.Role.OTHER)
    batches.filter(from_archive=True, origin__in=chosen).update(from_archive=False)
    batches.filter(from_archive=False, origin__in=archived).update(from_archive=True)
    labels = {origin: name for origin, name in batches.values_list("origin_id", "name") if origin}
    missing = [other for other in chosen if other.pk not in labels]
    new = Assignment.objects.filter(pk__in=set(needed) - labels.keys()).select_related("course").order_by("pk")
    for other in [*missing, *new]:
        labels[other.pk] = _distinct(_label(other), labels.values())
    Batch.objects.bulk_create(
        Batch(
            assignment=assignment,
            name=labels[other.pk],
            role=Batch.Role.OTHER,
            origin=other,
            from_archive=other.pk in archived,
            state=Batch.State.DONE,
        )
        for other in [*missing, *new]
    )
    return labels


def delete_unneeded_labels(assignment: Assignment) -> None:
    """Delete the labels of assignments that are not compared any more and have no copies."""
    compared = [other.pk for other in compared_assignments(assignment)]
    if assignment.compare_archive:
        compared += archived_assignments(assignment).values_list("pk", flat=True)
    labels = assignment.batches.filter(role=Batch.Role.OTHER, submissions=None)
    labels.exclude(origin__in=compared).delete()


def _label(other: Assignment) -> str:
    parts = (other.course.name[:MAX_PART_OF_LABEL], other.name[:MAX_PART_OF_LABEL], other.shown_term)
    return ", ".join(parts)


def _distinct(label: str, taken: Collection[str]) -> str:
    return next(one for one in chain([label], (f"{label} ({n})" for n in count(2))) if one not in taken)


def delete_copies(copies: QuerySet[Submission]) -> None:
    """Delete copies, and their documents where nothing else has these."""
    files = SubmissionFile.objects.filter(submission__in=copies.values("pk"))
    documents = list(files.values_list("document_id", flat=True).distinct())
    copies.delete()
    transaction.on_commit(partial(delete_unused, documents))
