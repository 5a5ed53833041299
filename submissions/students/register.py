"""Take a student out of the database: the rows that name the student, and all columns that can hold a text.

Rows are deleted or renamed, and counted by table for the receipt of an erasure. The register has an entry a
table, which says what an erasure does with its columns.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Model, Q, QuerySet

from submissions import models
from submissions.archive.models import CorpusDocument, CorpusText
from submissions.audit.models import REPLACED, AuditAction
from submissions.core.database import SealedTextField
from submissions.intake.choices import DistinctNames
from submissions.intake.rosters import name_key
from submissions.matches.groups import parse_lines
from submissions.models import ApiAnswer, Assignment, AuditEntry, Course, Erasure, StatedReason
from submissions.students.naming import PSEUDONYM, Spellings
from submissions.students.scope import Scope
from submissions.uploads.fingerprinting import delete_unused, forget

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

CODES = "states, kinds, languages and versions that the service writes"
KEYS = "primary keys and numbers; they are computed again without the submissions that left"
PEOPLE = "accounts of people who use the service, who are no students to it"
TITLES = "titles and settings that an instructor gave; nothing of a student's work"
FILE_PATTERNS = ("language_patterns", "include_patterns", "exclude_patterns", "only_patterns")
ANSWERED = ("before", "after")
# Stands before a reason in what an administrator changed; see `submissions.audit.log`.
NOTE = "as an administrator: "

# Apps whose other tables name accounts, platforms and their keys, and no student.
OTHER_APPS = {
    "admin": PEOPLE, "auth": PEOPLE, "contenttypes": CODES, "account": PEOPLE, "socialaccount": PEOPLE,
    "mfa": PEOPLE, "axes": PEOPLE,
    "accounts": "sessions: when and from where an account was used, and messages until they are shown",
    "moss_protocol": PEOPLE, "webhooks": "addresses of programs, and primary keys of what they are told of",
    "lti": "platforms, their keys, and accounts of people who teach",
}  # fmt: skip


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


class Table(NamedTuple):
    """The columns of a table, by what an erasure does with them.

    `rows`: they leave with a row that is deleted, or are renamed by hand (`submissions.students.register`).
    `searched`: texts in which the names and ids are replaced, with `whole_only` no parts of names;
    `assignment` and `in_course` are the look-ups of what a row belongs to, empty where it belongs to none.
    `free`: columns that name no student, all with the reason `why`.
    """

    rows: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    assignment: str = ""
    in_course: str = ""
    free: tuple[str, ...] = ()
    why: str = ""
    whole_only: bool = False

    @property
    def course(self) -> str:
        """The look-up of the course of a row, which is that of its assignment where it has one."""
        return f"{self.assignment}__course".removeprefix("pk__") if self.assignment else self.in_course


DECISION_CHANGE = Table(searched=ANSWERED, assignment="decision__assignment", free=("who", "field"), why=PEOPLE)

REGISTER = {
    "corpus.Corpus": Table(free=("name", "recipe"), why="names that an operator gave"),
    "corpus.CorpusSweep": Table(free=("source",), why="the folder that an operator named"),
    "corpus.CorpusText": Table(
        rows=("sha256", "digest", "sketch", "features"), free=("profile", "kind", "language"), why=CODES,
    ),
    "corpus.CorpusShard": Table(
        free=("payload", "result"),
        why="parts of adding or clustering, which are deleted when the command that waits for them ends",
    ),
    "corpus.CorpusDocument": Table(rows=("name", "sha256", "reason")),
    "submissions.AuditEntry": Table(
        searched=("subject",),
        free=("who", "address", "action", "course", "assignment", "page", "digest", "subject_digest"),
        why=TITLES,
    ),
    "submissions.Course": Table(free=("name",), why=TITLES),
    "submissions.Assignment": Table(
        rows=("teams",), searched=("hold",), assignment="pk",
        free=("name", "language", *FILE_PATTERNS, "term"), why=TITLES,
    ),
    "submissions.Alias": Table(rows=("name", "alias")),
    "submissions.Source": Table(rows=("sha256", "data")),
    "submissions.Document": Table(
        rows=("tokens", "lexical", "spelling", "words", "lines", "fingerprints", "coarse", "styles", "reason"),
        free=("profile", "language", "state"), why=CODES,
    ),
    "submissions.PostingRun": Table(rows=("documents",)),
    "submissions.PostingBlock": Table(rows=("packed",)),
    "submissions.Batch": Table(
        searched=("name", "message", "choices"), assignment="assignment", free=("role", "state"), why=CODES,
    ),
    "submissions.BoilerplateUpload": Table(
        searched=("name", "message", "refusals"), assignment="assignment", free=("state",), why=CODES,
    ),
    "submissions.Upload": Table(rows=("name", "file")),
    "submissions.ResumableUpload": Table(
        searched=("name",), assignment="assignment", free=("role", "file"), why=CODES,
    ),
    "submissions.FileChunk": Table(rows=("name", "data")),
    "submissions.Entry": Table(searched=("name", "reason"), assignment="batch__assignment", whole_only=True),
    "submissions.ListedEntry": Table(
        rows=("name", "reason", "left_out", "digest"), free=("language", "modified", "commits"), why=CODES,
    ),
    "submissions.DeletedBatch": Table(searched=("name",), assignment="assignment"),
    "submissions.Submission": Table(
        rows=("name", "identifier"), free=("commits",), why="two times and a number",
    ),
    "submissions.SubmissionFile": Table(
        searched=("path",), assignment="submission__batch__assignment", free=("detected",), why=CODES,
        whole_only=True,
    ),
    "submissions.SubmissionStudent": Table(rows=("name", "identifier")),
    "submissions.Boilerplate": Table(searched=("name",), assignment="assignment"),
    "submissions.IgnoringProposal": Table(
        searched=("path", "message"), assignment="assignment", free=("counts", "effect"), why=CODES,
    ),
    "submissions.Decision": Table(
        rows=("left", "right"), searched=("notes",), assignment="assignment", free=("state",), why=CODES,
    ),
    "submissions.Change": DECISION_CHANGE,
    "submissions.CaseDecision": Table(
        searched=("notes",), assignment="assignment", free=("state",), why=CODES,
    ),
    "submissions.CaseMember": Table(rows=("name",)),
    "submissions.CaseChange": DECISION_CHANGE,
    "submissions.Statement": Table(
        rows=("name", "file_name", "data", "sha256"), free=("added_by",), why=PEOPLE,
    ),
    "submissions.Share": Table(rows=("left", "right")),
    "submissions.DismissedHint": Table(free=("name",), why=CODES),
    "submissions.LanguageChange": Table(
        searched=("message",), assignment="assignment", free=("before", "after", "patterns", "state"),
        why=CODES,
    ),
    "submissions.Membership": Table(free=("role", "group"), why=PEOPLE),
    "submissions.CampusGroup": Table(free=("group", "role"), why=PEOPLE),
    "submissions.Invitation": Table(free=("email", "role"), why=PEOPLE),
    "submissions.StatedReason": Table(searched=("reason",), in_course="course"),
    "submissions.Erasure": Table(
        rows=("student", "courses", "digests", "result"), searched=("reason", "message"),
        free=("who", "state"), why=PEOPLE,
    ),
    "submissions.Job": Table(
        free=("kind", "queue", "state", "reason", "version"), why="kinds, and reasons that name no file",
    ),
    "submissions.Report": Table(
        searched=("message",), assignment="assignment",
        free=("state", "parameters", "duplicates", "findings"), why=KEYS,
    ),
    "submissions.Ignored": Table(free=("spans",), why=KEYS),
    "submissions.Pair": Table(free=("passages",), why=KEYS),
    "submissions.RankingPlan": Table(free=("selection", "digest", "version", "batches"), why=KEYS),
    "submissions.RankingShard": Table(free=("kind", "sides", "result"), why=KEYS),
    "submissions.ReadingRequest": Table(free=("state",), why=CODES),
    "submissions.ReadingRequestChange": Table(free=("who", "field", *ANSWERED), why=CODES),
    "submissions.CourseRoster": Table(searched=("name", "problems"), in_course="course"),
    "submissions.EnrolledStudent": Table(
        rows=("name", "identifier", "login", "email", "other_ids"), searched=("section", "team"),
        in_course="roster__course",
    ),
    "submissions.Duration": Table(free=("measure", "name", "detail"), why="names of tasks and of states"),
    "submissions.ApiToken": Table(free=("name", "prefix", "digest", "scope"), why=PEOPLE),
    "submissions.ApiAnswer": Table(
        searched=("key", "body"), free=("request", "headers"), why="a digest, and kinds and addresses",
    ),
    "repositories.RepositoryFetch": Table(
        free=("state", "message", "role", "token"), why="states, sentences without names, and a sealed token",
    ),
    "repositories.Repository": Table(
        rows=("data",), searched=("student", "address", "branch", "left_out"), assignment="fetch__assignment",
        free=("commit", "state", "reason", "fetched_commit"),
        why="digests, states, and reasons without names",
    ),
    "moss_protocol.ClientResult": Table(
        searched=("options", "comment", "names"), assignment="assignment", free=("key_digest",),
        why="a digest",
    ),
}  # fmt: skip


def erase_texts(scope: Scope, erasure: Erasure, counts: Counts) -> int:
    """Replace the student's names and ids in every searched column, in the caller's transaction.

    What names the student in a reason that whoever erases wrote before stays; return how many rows do.
    """
    subjects: dict[int, str] = {}
    kept = 0
    for row, spellings in naming_rows(scope):
        table = REGISTER[row._meta.label]
        values = spellings.changed(row, table.searched)
        if row._meta.label == "submissions.SubmissionFile" and "path" in values:
            values["path"] = _free_path(row, values["path"])
        if is_reason_of(row, erasure):
            kept += 1
        elif isinstance(row, ApiAnswer) and "key" in values:
            counts.delete(ApiAnswer.objects.filter(pk=row.pk))  # Another key may become the same one.
        elif isinstance(row, AuditEntry):
            subject = _subject_of(row, spellings, erasure)
            kept += subject != values["subject"]
            subjects |= {row.number: subject} if subject != row.subject else {}
        else:
            counts.change(row, **values)
    if subjects:
        AuditEntry.replace_subjects(subjects, erasure.who, f"receipt {erasure.pk}")
        counts.changed["submissions.AuditEntry"] += len(subjects)
    return kept


def _subject_of(row: AuditEntry, spellings: Spellings, erasure: Erasure) -> str:
    """Return the new subject of an entry; the reason of a search or an export by whoever erases stays in it."""
    text, colon, reason = row.subject.partition(": ")
    if row.who != erasure.who or row.page not in {"student_data", "export_student"}:
        return spellings.taken_out(row.subject)
    return spellings.taken_out(text) + colon + reason


def is_reason_of(row: Any, erasure: Erasure) -> bool:
    """Return whether a row has a reason of whoever erases, who could so take back what they stated."""
    if isinstance(row, StatedReason):
        return row.user.get_username() == erasure.who
    if isinstance(row, Erasure):
        return row.who == erasure.who and row.pk != erasure.pk
    if isinstance(row, AuditEntry) and row.who == erasure.who:
        return row.action == AuditAction.STATED_REASON or NOTE in row.subject
    return False


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
    of_entry = _spellings_of_entries(scope, held) if model is AuditEntry else None
    for row in rows.order_by("pk").iterator():
        if of_entry:
            spellings = of_entry(row)
        elif table.course:
            spellings = scope.spellings(row.course_of_row, whole_only=table.whole_only)
        else:
            spellings = scope.alone
        if spellings and spellings.changed(row, table.searched):
            yield row, spellings


def _within(scope: Scope, table: Table, held: list[Assignment]) -> Q:
    if table.assignment:
        return Q(**{f"{table.assignment}__in": scope.assignments.difference(one.pk for one in held)})
    return Q(**{f"{table.course}__in": scope.courses}) if table.course else Q()


def _spellings_of_entries(scope: Scope, held: list[Assignment]) -> Callable[[AuditEntry], Spellings | None]:
    """Return a function that says how the subject of an entry may name the student; None: it does not.

    Entries name courses and assignments by text. One of another course or assignment is about others. Where
    a course is gone, or has the name of another one, only a text that nobody else has means the student, and
    only since the student's first row was stored.
    """
    by_name: dict[str, set[int]] = defaultdict(set)
    for name, pk in Course.objects.values_list("name", "pk"):
        by_name[name].add(pk)
    rows = Assignment.objects.filter(pk__in=scope.assignments.difference(one.pk for one in held))
    known = set(rows.values_list("course__name", "name"))
    kept = {(one.course.name, one.name) for one in held}

    def of_entry(entry: AuditEntry) -> Spellings | None:
        courses, place = by_name.get(entry.course, set()), (entry.course, entry.assignment)
        # What replaced subjects is proved by its numbers, which name nobody.
        is_proof = entry.page == REPLACED
        if is_proof or place in kept or (courses and not courses & scope.courses):
            return None
        if not courses <= scope.courses or not courses:
            return scope.alone if entry.created >= scope.since else None
        if entry.assignment and place not in known:
            return None
        return scope.spellings(min(courses), whole_only=not entry.assignment)

    return of_entry


def _free_path(row: Any, path: str) -> str:
    """Return a path that no other file of the submission has."""
    taken = set(type(row).objects.filter(submission=row.submission_id).values_list("path", flat=True))
    return next(one for one in chain([path], (f"{number} {path}" for number in count(2))) if one not in taken)


def held_titles(assignments: list[Assignment]) -> list[str]:
    return [f"{one.course.name} / {one.name}" for one in assignments]
