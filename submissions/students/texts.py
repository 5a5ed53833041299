"""Take a student out of the columns that the register has searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import connection
from django.db.models import F, Q

from submissions.models import ApiAnswer, Assignment, AuditEntry, Course
from submissions.sealing import SealedTextField
from submissions.students.register import REGISTER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import Model, QuerySet

    from submissions.students.receipts import Counts
    from submissions.students.register import Table
    from submissions.students.scope import Scope
    from submissions.students.spellings import Spellings

# Lets the trigger of the audit log pass a change of subjects, until the transaction ends.
ALLOW = "SET LOCAL moss.erases_a_student = 'on'"
FORBID = "SET LOCAL moss.erases_a_student = ''"


def erase_texts(scope: Scope, counts: Counts) -> None:
    """Replace the student's names and ids in every searched column, in the caller's transaction."""
    for row, spellings in naming_rows(scope):
        table = REGISTER[row._meta.label]
        values = spellings.changed(row, table.searched)
        if row._meta.label == "submissions.SubmissionFile" and "path" in values:
            values["path"] = _free_path(row, values["path"])
        if isinstance(row, ApiAnswer) and "key" in values:
            counts.delete(ApiAnswer.objects.filter(pk=row.pk))  # Another key may become the same one.
        elif isinstance(row, AuditEntry):
            _change_subject(row, values["subject"], counts)
        else:
            counts.change(row, **values)


def naming_rows(scope: Scope, *, with_held: bool = False) -> Iterator[tuple[Any, Spellings]]:
    """Yield the rows with a searched column that names the student, and how the row's course spells it.

    What a hold keeps is left out, or not.
    """
    held = [] if with_held else scope.held
    for label, table in REGISTER.items():
        if table.searched:
            yield from _naming_rows(scope, apps.get_model(label), table, held)


def _naming_rows(
    scope: Scope, model: type[Model], table: Table, held: list[Assignment]
) -> Iterator[tuple[Any, Spellings]]:
    annotations, condition = scope.spellings().condition(table.searched)
    if any(isinstance(model._meta.get_field(name), SealedTextField) for name in table.searched):
        annotations, condition = {}, Q()  # The database finds nothing of a sealed text.
    rows = model._default_manager.annotate(**annotations).filter(condition, _within(scope, table, held))
    if table.course:
        rows = rows.annotate(course_of_row=F(table.course))
    by_name = _courses_by_name(scope) if model is AuditEntry else {}
    rows = _not_held(scope, rows, held) if model is AuditEntry else rows
    for row in rows.order_by("pk").iterator():
        course = by_name.get(row.course) if model is AuditEntry else getattr(row, "course_of_row", None)
        spellings = scope.spellings(course, whole_only=table.whole_only)
        if spellings.changed(row, table.searched):
            yield row, spellings


def _within(scope: Scope, table: Table, held: list[Assignment]) -> Q:
    condition = Q(**{f"{table.course}__in": scope.searched}) if table.course else Q()
    if table.assignment:
        condition &= ~Q(**{f"{table.assignment}__in": [one.pk for one in held]})
    return condition


def _courses_by_name(scope: Scope) -> dict[str, int]:
    return dict(Course.objects.filter(pk__in=scope.courses).values_list("name", "pk"))


def _not_held(scope: Scope, rows: QuerySet[Any], held: list[Assignment]) -> QuerySet[Any]:
    """Leave out the entries of what is held, and of courses that were not chosen: these are texts there."""
    kept = Q(pk__in=[])
    for one in held:
        kept |= Q(course=one.course.name, assignment=one.name)
    searched = set(Course.objects.filter(pk__in=scope.searched).values_list("name", flat=True))
    other = Course.objects.exclude(pk__in=scope.searched).exclude(name__in=searched)
    return rows.exclude(kept).exclude(course__in=other.values("name"))


def _change_subject(entry: AuditEntry, subject: str, counts: Counts) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ALLOW)
        counts.change(entry, subject=subject)
        cursor.execute(FORBID)


def _free_path(row: Any, path: str) -> str:
    """Return a path that no other file of the submission has."""
    taken = set(type(row).objects.filter(submission=row.submission_id).values_list("path", flat=True))
    number, unique = 1, path
    while unique in taken:
        number += 1
        unique = f"{number} {path}"
    return unique


def held_titles(assignments: list[Assignment]) -> list[str]:
    return [f"{one.course.name} / {one.name}" for one in assignments]
