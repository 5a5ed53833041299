"""Copies of the submissions of other assignments that a report has pairs with.

Decisions, aliases and share links belong to names within an assignment. So a submission of another assignment
that is in a pair has a copy here, whose name ends with a label of where it comes from. A copy has files and
students of its own, and shares sources and documents. It is deleted with the submission that it is a copy of.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from django.db import connection

from submissions import lifecycle
from submissions.enrolment import stored_names
from submissions.models import Batch, Document, Submission, SubmissionFile, SubmissionStudent
from submissions.ranking.old_work import delete_copies, delete_unneeded_labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fingerprint.engine import Ranking
    from submissions.models import Assignment
    from submissions.ranking.load import LoadedCohort

ROWS = 1000
# Deleting them waits for the end of this transaction; anything else may go on.
LOCK = """
    SELECT file.id, file.document_id
    FROM submissions_submissionfile file
    JOIN submissions_submission submission ON submission.id = file.submission_id
    JOIN submissions_document document ON document.id = file.document_id
    WHERE submission.id = ANY(%s) FOR KEY SHARE
"""


def copy_old_work(
    assignment: Assignment, cohort: LoadedCohort, ranking: Ranking, stored: Ranking
) -> LoadedCohort:
    """Return the cohort with a copy in place of each old submission that the report needs.

    These are the old submissions of the `stored` pairs, and the best match of each submission of the class.
    Copies of an earlier report that are the same are kept; others are deleted, and labels without copies of
    assignments that are not compared any more.

    Raises
    ------
    AssignmentBusy
        When one of them was deleted or read again since the cohort was loaded; the ranking is tried again.
    """
    needed = {index for index in _sides(stored) | _best_matches(ranking) if cohort.is_unlisted(index)}
    origins = {cohort.submissions[index].pk: cohort.submissions[index] for index in needed}
    _lock(cohort, set(origins))
    copies = _kept_copies(assignment, cohort, origins)
    copies |= _new_copies(assignment, [one for pk, one in origins.items() if pk not in copies])
    delete_unneeded_labels(assignment)
    by_path = {
        (file.submission.origin_id, file.path): file
        for file in SubmissionFile.objects.filter(submission__in=copies.values()).select_related("submission")
    }
    files = [_with_document(by_path.get((file.submission_id, file.path)), file) for file in cohort.files]
    submissions = [copies.get(one.pk, one) for one in cohort.submissions]
    return replace(cohort, submissions=submissions, name_ranks=name_ranks(submissions), files=files)


def _sides(ranking: Ranking) -> set[int]:
    return {*ranking.pairs.left.tolist(), *ranking.pairs.right.tolist()}


def _best_matches(ranking: Ranking) -> set[int]:
    """Return both sides of the best pair of each submission, by index."""
    positive = ranking.take(np.flatnonzero(ranking.scores.similarity > 0))
    sides = np.stack((positive.pairs.left, positive.pairs.right), axis=1).ravel()
    _, first = np.unique(sides, return_index=True)
    return _sides(positive.take(np.unique(first // 2)))


def _lock(cohort: LoadedCohort, origins: Collection[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [list(origins)])
        present = set(cursor.fetchall())
    loaded = {(file.pk, file.document_id) for file in cohort.files if file.submission_id in origins}
    if not loaded <= present:
        raise lifecycle.AssignmentBusy


def _kept_copies(
    assignment: Assignment, cohort: LoadedCohort, origins: Mapping[int, Submission]
) -> dict[int, Submission]:
    """Return the copies that are the same as their origins now, by the origins; delete all others."""
    now: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for file in cohort.files:
        now[file.submission_id].add((file.path, file.document_id))
    stored: dict[int, set[tuple[str, int]]] = defaultdict(set)
    copies = Submission.objects.filter(batch__assignment=assignment, batch__role=Batch.Role.OTHER)
    files = SubmissionFile.objects.filter(
        submission__in=copies.values("pk"), document__state=Document.State.READY
    )
    for pk, path, document in files.values_list("submission_id", "path", "document_id"):
        stored[pk].add((path, document))
    kept = {
        copy.origin_id: copy
        for copy in copies.select_related("batch")
        if copy.origin_id and copy.origin_id in origins and stored[copy.pk] == now[copy.origin_id]
    }
    delete_copies(copies.exclude(pk__in=[copy.pk for copy in kept.values()]))
    return kept


def _new_copies(assignment: Assignment, origins: Iterable[Submission]) -> dict[int, Submission]:
    """Store copies of submissions, of their files that were read and of their students, by the origins."""
    batches = {batch.origin_id: batch for batch in assignment.batches.filter(role=Batch.Role.OTHER)}
    by_batch: dict[Batch, dict[str, Submission]] = defaultdict(dict)
    for one in origins:
        by_batch[batches[one.batch.assignment_id]][one.name] = one
    rows = [
        Submission(
            batch=batch,
            name=unique,
            identifier=by_name[name].identifier,
            handed_in=by_name[name].handed_in or by_name[name].batch.created,
            commits=by_name[name].commits,
            origin=by_name[name],
            released=by_name[name].released,
        )
        for batch, by_name in by_batch.items()
        for name, unique in stored_names(batch, by_name).items()
    ]
    stored = Submission.objects.bulk_create(rows, batch_size=ROWS)
    copies = {row.origin_id: row for row in stored if row.origin_id}
    _copy_files(copies)
    _copy_students(copies)
    return copies


def _copy_files(copies: Mapping[int, Submission]) -> None:
    files = SubmissionFile.objects.filter(submission__in=copies.keys()).order_by("pk")
    SubmissionFile.objects.bulk_create(
        (
            SubmissionFile(
                submission=copies[file.submission_id],
                path=file.path,
                source_id=file.source_id,
                document_id=file.document_id,
                detected=file.detected,
            )
            for file in files
        ),
        batch_size=ROWS,
    )


def _copy_students(copies: Mapping[int, Submission]) -> None:
    """Copy the students; the row of another course's roster stays that of the origin."""
    students = SubmissionStudent.objects.filter(submission__in=copies.keys()).select_related("enrolled")
    SubmissionStudent.objects.bulk_create(
        (
            SubmissionStudent(
                submission=copies[student.submission_id],
                name=student.name,
                identifier=student.identifier,
                enrolled=student.enrolled,
            )
            for student in students.order_by("pk")
        ),
        batch_size=ROWS,
    )


def _with_document(copy: SubmissionFile | None, file: SubmissionFile) -> SubmissionFile:
    """Return the copy of a file with the document that was loaded with it, or the file if it has no copy."""
    if copy is None:
        return file
    copy.document = file.document
    return copy


def name_ranks(submissions: list[Submission]) -> list[int]:
    """Return the place of each submission in the order of the names, by which decisions find a pair again.

    It is that of the code points, as in `queries.decisions.pair_names`: a database that is restored elsewhere
    may sort names otherwise.
    """
    ordered = sorted(submissions, key=lambda one: (one.name, one.pk))
    ranks = {one.pk: rank for rank, one in enumerate(ordered)}
    return [ranks[one.pk] for one in submissions]
