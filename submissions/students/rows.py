"""Delete or rename the rows that name a student, and count them by table for the receipt of an erasure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Model, Q, QuerySet

from submissions import models
from submissions.archive.models import CorpusDocument, CorpusText
from submissions.intake.choices import DistinctNames
from submissions.intake.rosters import name_key
from submissions.matches.groups import parse_lines
from submissions.students.naming import PSEUDONYM
from submissions.uploads.fingerprinting import delete_unused, forget

if TYPE_CHECKING:
    from submissions.students.scope import Scope

# Why something with the name, or one like it, is left.
SOMEBODY_ELSE = "somebody decided that a similar name or id is another person's"
NOT_CHOSEN = "the course was not chosen"
OWN_REASONS = "whoever erased the student stated it as a reason"

# The new name of a submission by its assignment and its name until now: empty where it is deleted.
NewNames = dict[tuple[int, str], str]
# What the upload of earlier work, another assignment or an attempt adds to the name of a submission.
ADDED = re.compile(r"\([^()]*\)")
MEMBERS_OF_A_CASE = 2
# The tables that name submissions by text, and the columns with the names.
NAMED: dict[type[Model], tuple[str, ...]] = {
    models.Alias: ("name",),
    models.Decision: ("left", "right"),
    models.Share: ("left", "right"),
    models.CaseMember: ("name",),
    models.Statement: ("name",),
}


@dataclass
class Counts:
    """Numbers of rows by the label of their table: deleted, and kept with the student taken out."""

    removed: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)

    def delete(self, rows: QuerySet[Any]) -> None:
        """Delete rows with all dependent rows, and count the deleted rows."""
        _, by_table = rows.delete()
        self.removed.update(by_table)

    def change(self, row: Model, **values: Any) -> None:
        """Store new values of a row; a row with none is not counted."""
        rows = type(row)._default_manager.filter(pk=row.pk)
        if values and any(getattr(row, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(row, name, value)
            self.changed[row._meta.label] += rows.update(**values)

    def as_json(self) -> dict[str, dict[str, int]]:
        return {
            "removed": {label: number for label, number in sorted(self.removed.items()) if number},
            "changed": {label: number for label, number in sorted(self.changed.items()) if number},
        }


def receipt_of(erasure: models.Erasure) -> dict[str, Any]:
    """Return what a receipt says: who erased when and why, and how much; the student is digests only."""
    return {
        "receipt": erasure.pk,
        "state": erasure.state,
        "asked": erasure.created.isoformat(),
        "finished": erasure.finished.isoformat() if erasure.finished else None,
        "who": erasure.who,
        "reason": erasure.reason if erasure.finished else "",
        "digests": erasure.digests,
        "message": erasure.message,
        "removed": erasure.result.get("removed", {}),
        "changed": erasure.result.get("changed", {}),
        "groups": erasure.result.get("groups", 0),
        "held": erasure.result.get("held", []),
        "left": erasure.result.get("left", []),
        "backups": "Backups that were written before have this student until they are deleted.",
        "backup_days": settings.BACKUP_DAYS or None,
    }


def erase_submissions(scope: Scope, names: NewNames, counts: Counts) -> None:
    """Delete the student's own submissions with all their data; take the student out of group submissions."""
    submission_ids = [one.pk for one in scope.sole]
    files = models.SubmissionFile.objects.filter(
        Q(submission__in=submission_ids) | Q(submission__origin__in=submission_ids)
    )
    keys = {key for row in files.values_list("document_id", "next_document_id") for key in row if key}
    sources = set(files.values_list("source__sha256", flat=True))
    _erase_passages(keys, submission_ids, counts)
    counts.delete(models.Submission.objects.filter(pk__in=submission_ids))
    counts.removed.update(delete_unused(keys))
    forget(keys)
    _erase_from_corpora(scope, sources, counts)
    for submission in scope.shared:
        _leave(scope, submission, names, counts)


def _erase_passages(documents: set[int], submission_ids: list[int], counts: Counts) -> None:
    """Delete ignored passages of code that only this student handed in: their document leaves."""
    of_student = Q(submission__in=submission_ids) | Q(submission__origin__in=submission_ids)
    others = models.SubmissionFile.objects.exclude(of_student)
    kept = others.filter(document__in=documents).values("document")
    passages = models.Boilerplate.objects.filter(document__in=documents, first__isnull=False)
    counts.delete(passages.exclude(document__in=kept))


def _erase_from_corpora(scope: Scope, sources: set[str], counts: Counts) -> None:
    """Delete the documents of corpora with the same bytes as an erased file, or with the student's name.

    Bytes that somebody else handed in too stay, and names that another row has.
    """
    kept = set(models.Source.objects.filter(sha256__in=sources).values_list("sha256", flat=True))
    spellings = scope.alone
    columns, named = spellings.condition(("name", "reason"))
    gone = sources - kept
    rows = CorpusDocument.objects.annotate(**columns).filter(named | Q(sha256__in=gone))
    keys = [row.pk for row in rows if row.sha256 in gone or spellings.is_in(row.name) or spellings.is_in(row.reason)]
    counts.delete(CorpusDocument.objects.filter(pk__in=keys))
    counts.delete(CorpusText.objects.filter(documents=None))


def _leave(scope: Scope, submission: models.Submission, new_names: NewNames, counts: Counts) -> None:
    """Take the student out of a group's submission and of its copies; the work of the others stays."""
    students = models.SubmissionStudent.objects.filter(pk__in=scope.students, submission=submission)
    ids = {row.identifier for row in students if row.identifier}
    copies = models.Submission.objects.filter(origin=submission).select_related("batch")
    for row in students:  # a member of the group may have the same name
        of_copies = models.SubmissionStudent.objects.filter(submission__in=copies)
        counts.delete(of_copies.filter(name=row.name, identifier=row.identifier))
    counts.delete(students)
    for one in (submission, *copies):
        parts = [PSEUDONYM if part in ids else part for part in one.identifier.split(", ")]
        new = new_names[one.batch.assignment_id, one.name]
        counts.change(one, name=new, identifier=", ".join(parts))


def new_names(scope: Scope) -> NewNames:
    """Return the names that submissions will have instead of theirs; it is asked before they change."""
    submission_ids = {one.pk for one in scope.sole}
    names: NewNames = {}
    for one in (*scope.erasable, *(copy for copy in scope.copies if copy.origin_id not in scope.kept)):
        key = one.batch.assignment_id, one.name
        names[key] = "" if (one.origin_id or one.pk) in submission_ids else _name_of_group(scope, one)
    return names


def _name_of_group(scope: Scope, submission: models.Submission) -> str:
    """Return the name of a group's submission without the student, unlike any other of its upload."""
    origin = submission.origin_id or submission.pk
    students = models.SubmissionStudent.objects.filter(submission=origin)
    own = {name_key(name) for name in students.filter(pk__in=scope.students).values_list("name", flat=True)}
    # The longest first: a name may begin with another one.
    names = sorted(students.values_list("name", flat=True), key=len, reverse=True)
    whole = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    name = whole.sub(lambda match: PSEUDONYM if name_key(match[0]) in own else match[0], submission.name)
    if name == submission.name:
        return name
    siblings = models.Submission.objects.filter(batch=submission.batch_id).exclude(pk=submission.pk)
    return DistinctNames(siblings.values_list("name", flat=True)).add(name)


def erase_names(scope: Scope, names: NewNames, counts: Counts) -> None:
    """Delete or rename aliases, decisions, members of cases, and links that name the student.

    A name that a submission of somebody else has too in the assignment stays in them.
    """
    names = {key: new for key, new in names.items() if key not in _names_of_others(scope, names)}
    members = models.CaseMember.objects.order_by().values_list("decision").annotate(number=Count("pk"))
    before = dict(members)
    for model, columns in NAMED.items():
        for row in naming_rows_of(scope, model, columns, names):
            _erase_row(row, columns, partial(_new_name, scope, names, row.assignment), counts)
    after = dict(members.all())
    smaller = [pk for pk, number in before.items() if after.get(pk, 0) < min(number, MEMBERS_OF_A_CASE)]
    counts.delete(models.CaseDecision.objects.filter(pk__in=smaller))
    for assignment in _searched_assignments(scope).exclude(teams=""):
        _erase_from_teams(scope, assignment, counts)


def _names_of_others(scope: Scope, names: NewNames) -> set[tuple[int, str]]:
    """Return those of the names of submissions, by assignment, that a submission of somebody else has."""
    own = [one.pk for one in (*scope.submissions, *scope.copies)]
    assignments, texts = {pk for pk, _ in names}, {name for _, name in names}
    rows = models.Submission.objects.filter(batch__assignment__in=assignments, name__in=texts).exclude(pk__in=own)
    return set(rows.values_list("batch__assignment", "name"))


def _searched_assignments(scope: Scope, *, with_held: bool = False) -> QuerySet[models.Assignment]:
    held = [] if with_held else [one.pk for one in scope.held]
    return models.Assignment.objects.filter(pk__in=scope.assignments).exclude(pk__in=held)


def naming_rows_of(
    scope: Scope,
    model: type[Model],
    columns: tuple[str, ...],
    names: Iterable[tuple[int, str]],
    *,
    with_held: bool = False,
) -> list[Any]:
    """Return the rows of a table of NAMED that may name the student; `names` are those of submissions.

    What a hold keeps is left out, or not.
    """
    annotations, condition = scope.spellings().condition(columns)
    for column in columns:
        condition |= Q(**{f"{column}__in": {name for _, name in names}})
    searched = _searched_assignments(scope, with_held=with_held).order_by().values("pk")
    rows = model._default_manager.filter(assignment__in=searched).annotate(**annotations)
    return list(rows.filter(condition).select_related("assignment").order_by("pk"))


def _new_name(scope: Scope, names: NewNames, assignment: models.Assignment, name: str) -> str:
    """Return the name that replaces the name of a submission, empty if it named only the student."""
    if (known := names.get((assignment.pk, name))) is not None:
        return known
    taken_out = scope.spellings(assignment.course_id).taken_out(name)
    rest = ADDED.sub("", taken_out.replace(PSEUDONYM, ""))
    return taken_out if PSEUDONYM not in taken_out or re.search(r"\w", rest) else ""


def _erase_row(row: Any, columns: tuple[str, ...], new: Callable[[str], str], counts: Counts) -> None:
    before = [getattr(row, column) for column in columns]
    after = [new(name) if name else name for name in before]
    if before == after:
        return
    values = dict(zip(columns, _in_order(after), strict=True))
    rows = type(row).objects
    # Names in the text of a statement cannot be replaced: erasing one member deletes the group's statement.
    is_gone = isinstance(row, models.Statement) or any(
        name and not other for name, other in zip(before, after, strict=True)
    )
    if is_gone or rows.filter(assignment=row.assignment, **values).exclude(pk=row.pk).exists():
        counts.delete(rows.filter(pk=row.pk))
    else:
        counts.change(row, **values)


def _in_order(names: list[str]) -> list[str]:
    """Return the names of a pair in the order in which the database sorts them."""
    if len(names) == 1:
        return names
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM unnest(%s::varchar[]) AS t (name) ORDER BY name", [names])
        return [name for (name,) in cursor.fetchall()]


def _erase_from_teams(scope: Scope, assignment: models.Assignment, counts: Counts) -> None:
    """Take the student out of the teams; delete teams with fewer than two members left."""
    spellings = scope.spellings(assignment.course_id)
    if not spellings.is_in(assignment.teams):
        return
    lines = []
    for _, names in parse_lines(assignment.teams):
        kept = [name for name in names if not spellings.is_in(name)]
        if len({name_key(name) for name in kept}) > 1:
            lines.append(", ".join(f'"{name}"' if "," in name else name for name in kept))
    counts.change(assignment, teams="\n".join(lines))
