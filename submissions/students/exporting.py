"""The export of one student: the files as handed in, and every row about the student, as a zip file.

Other students are pseudonyms in it, and their code is not in it.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import IO, Any

from django.conf import settings
from django.db.models import BinaryField, FileField, Model, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from submissions import models
from submissions.archive.models import CorpusDocument
from submissions.audit.models import AuditAction
from submissions.core.mails import Mail
from submissions.core.redaction import NameFinder
from submissions.intake.entries import replace_invisible
from submissions.students.register import NAMED, naming_rows, naming_rows_of
from submissions.students.scope import Scope

README = """Export of the data of one student, {made}.

files/      what the student handed in, by course, assignment and upload, byte for byte, and the
            statements on file
data.json   every stored row about the student, by table

Other students are called student-1, student-2 and so on. Work that was handed in as a group is
in files/ as the group handed it in. Primary keys of rows are as in the database.
"""
# Characters that Windows has in no name, its devices without their numbers, and limits that every system has.
NOT_IN_NAMES = str.maketrans(dict.fromkeys('<>:"/\\|?*', "-"))
DEVICES = {"con", "prn", "aux", "nul", "com", "lpt", "conin$", "conout$", "clock$"}
MOST_BYTES, MOST_FOLDERS = 100, 15
# Marks the student's own names, which stay.
THIS_STUDENT = "\0own"
# Columns of other people's files, and large ones that follow from the files.
LEFT_OUT = {"submissions.Pair": {"passages"}, "submissions.Erasure": {"student", "digests"}}


def write_export(work: Scope, target: IO[bytes]) -> int:
    """Write the zip file of a student; return the number of rows in it."""
    data = _Rows(work).tables()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README.format(made=f"{timezone.now():%Y-%m-%d %H:%M} UTC"))
        archive.writestr("data.json", json.dumps(data, ensure_ascii=False, indent=1, default=str))
        paths = _Paths()
        statements: dict[int, tuple[models.Submission, models.Statement]] = {}
        for submission in work.submissions:
            _write_files(archive, submission, paths)
            statements |= {one.pk: (submission, one) for one in _statements(submission)}
        for submission, one in statements.values():
            path = paths.unused(_folder(submission, "statements"), f"{one.pk} {one.file_name}")
            archive.writestr(path, bytes(one.data))
    return sum(map(len, data.values()))


def note_export(work: Scope, who: str, reason: str, address: str | None = None) -> None:
    """Write an entry of the audit log for each course, and tell its owner; `who` is a user name."""
    note(work, who, reason, address, action=AuditAction.EXPORTED, page="export_student")
    subject = gettext_lazy("A student's data of {course} was exported")
    for course in (one.course for one in work.chosen):
        context = {"course": course, "who": who, "reason": reason}
        mail = Mail(subject, "submissions/people/student_exported.txt", context, {"course": course.name})
        if settings.MAIL and course.owner.get_username() != who:
            mail.send_to(course.owner)


def note(work: Scope, who: str, reason: str, address: str | None, *, action: str, page: str) -> None:
    """Write an entry of the audit log for each course that has something of a student, or one for none."""
    for course in [one.course.name for one in work.chosen] or [""]:
        models.AuditEntry.objects.create(
            who=who, address=address, action=action, course=course, subject=f"{work.text}: {reason}", page=page
        )


def _write_files(archive: zipfile.ZipFile, submission: models.Submission, paths: _Paths) -> None:
    folder = _folder(submission, f"submission {submission.pk}")
    for file in submission.files.select_related("source").order_by("path").iterator():
        from submissions.intake.document_text import document_kind  # noqa: PLC0415 - exports alone need it

        data = bytes(file.source.data)
        # Of documents only the text is kept.
        is_text = (kind := document_kind(file.path)) is not None and not data.startswith(kind.start)
        archive.writestr(paths.unused(folder, file.path + ".txt" * is_text), data)


def _statements(submission: models.Submission) -> QuerySet[models.Statement]:
    return submission.batch.assignment.statements.filter(name=submission.name)


class _Paths:
    """The paths of an archive: none is another one, or its folder, on a system that ignores case."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def unused(self, folder: str, name: str) -> str:
        """Return a path in a folder for the path of a file, with a number before it where it is taken."""
        names = [_segment(part) for part in name.split("/")][-MOST_FOLDERS:]
        wanted = "/".join(names)
        while True:
            number = self._numbers[f"{folder}/{wanted}".casefold()]
            self._numbers[f"{folder}/{wanted}".casefold()] += 1
            path = f"{folder}/{number + 1} {wanted}" if number else f"{folder}/{wanted}"
            *folders, _ = accumulate(path.casefold().split("/"), "{}/{}".format)
            if self._files.isdisjoint([*folders, path.casefold()]) and path.casefold() not in self._folders:
                self._files.add(path.casefold())
                self._folders.update(folders)
                return path


def _folder(submission: models.Submission, name: str) -> str:
    assignment = submission.batch.assignment
    return "/".join(["files", *(_segment(part) for part in (assignment.course.name, assignment.name, name))])


def _segment(text: str) -> str:
    """Return a name as a folder or file that every system can unpack, and that stays in its folder."""
    plain = replace_invisible(text).translate(NOT_IN_NAMES).strip(". ")
    plain = plain.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore").rstrip(". ")
    is_device = plain.partition(".")[0].strip().casefold().rstrip("123456789") in DEVICES
    return f"_{plain}" if is_device or not plain else plain


@dataclass(frozen=True)
class _Rows:
    """The rows about a student, with pseudonyms for the others."""

    work: Scope

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows by the label of their table."""
        tables: dict[str, dict[int, dict[str, Any]]] = {}
        for row in self._all():
            tables.setdefault(row._meta.label, {})[row.pk] = self._as_json(row)
        return {label: list(rows.values()) for label, rows in sorted(tables.items())}

    def _all(self) -> Iterable[Any]:
        submissions = [*self.work.submissions, *self.work.copies]
        yield from submissions
        students = self.work.students
        names = {name for one in self.work.chosen for name in one.names}
        yield from models.SubmissionStudent.objects.filter(
            Q(pk__in=students) | Q(submission__in=self.work.copies, name__in=names)
        )
        yield from (row for one in self.work.chosen for row in one.enrolled)
        yield from models.SubmissionFile.objects.filter(submission__in=submissions)
        yield from models.Entry.objects.filter(submission__in=submissions)
        yield from models.Pair.objects.filter(Q(left__in=submissions) | Q(right__in=submissions))
        yield from models.ReadingRequest.objects.filter(Q(new__in=submissions) | Q(old__in=submissions))
        for model, columns in NAMED.items():
            yield from self._named(model, columns)
        for row, _ in naming_rows(self.work, with_held=True):
            yield row
        for one in models.Assignment.objects.filter(pk__in=self.work.assignments).exclude(teams=""):
            if self.work.spellings(one.course_id).is_in(one.teams):
                yield one
        yield from self._in_corpora()

    def _named(self, model: type[Model], columns: tuple[str, ...]) -> Iterable[Any]:
        names = {(one.batch.assignment_id, one.name) for one in (*self.work.submissions, *self.work.copies)}
        for row in naming_rows_of(self.work, model, columns, names, with_held=True):
            spellings = self.work.spellings(row.assignment.course_id)
            known = [getattr(row, column) for column in columns]
            if any((row.assignment_id, name) in names or spellings.is_in(name) for name in known):
                yield row
                if hasattr(row, "changes"):
                    yield from row.changes.all()
                if hasattr(row, "decision"):
                    yield from (row.decision, *row.decision.changes.all())

    def _in_corpora(self) -> Iterable[CorpusDocument]:
        spellings = self.work.spellings()
        columns, named = spellings.condition(("name",))
        rows = CorpusDocument.objects.annotate(**columns).filter(named)
        return [row for row in rows if spellings.is_in(row.name)]

    def _as_json(self, row: Any) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for column in row._meta.concrete_fields:
            hidden = column.name in LEFT_OUT.get(row._meta.label, ())
            if not hidden and not isinstance(column, BinaryField | FileField):
                out[column.attname] = self._masked(column.value_from_object(row))
        if isinstance(row, models.Submission):
            out["identifier"] = ", ".join(
                part if part in self.work.spellings().ids else "student" for part in row.identifier.split(", ")
            )
        return out

    def _masked(self, value: Any) -> Any:
        if hasattr(value, "model_dump"):
            return self._masked(value.model_dump())
        if isinstance(value, str):
            pieces, end = [], 0
            for start, after, replacement in self._finder.label_spans(value):
                if replacement != THIS_STUDENT:
                    pieces += [value[end:start], replacement]
                    end = after
            return "".join([*pieces, value[end:]])
        if isinstance(value, dict):
            return {self._masked(key): self._masked(one) for key, one in value.items()}
        return [self._masked(one) for one in value] if isinstance(value, list | tuple) else value

    @cached_property
    def _finder(self) -> NameFinder:
        """Finds the names of everybody else in the courses of the student, whole or in part."""
        names: dict[str, str] = {}
        others = sorted({name for course in self.work.courses for name in self.work.other_texts(course)})
        spellings = dict.fromkeys(sorted(self.work.spellings().texts), THIS_STUDENT)
        for name in others:
            names.setdefault(name, f"student-{len(names) + 1}")
        return NameFinder(names | spellings, ids=frozenset(names | spellings))
