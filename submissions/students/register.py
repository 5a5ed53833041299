"""The register of all columns that can hold a text, and taking a student out of them.

An entry a table says what an erasure does with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

from django.apps import apps
from django.db.models import F, Model, Q

from submissions.audit.models import REPLACED, AuditAction
from submissions.core.database import SealedTextField
from submissions.models import ApiAnswer, Assignment, AuditEntry, Course, Erasure, StatedReason

if TYPE_CHECKING:
    from submissions.students.naming import Spellings
    from submissions.students.rows import Counts
    from submissions.students.scope import Scope

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


class Table(NamedTuple):
    """The columns of a table, by what an erasure does with them.

    `rows`: they leave with a row that is deleted, or are renamed by hand (`submissions.students.rows`).
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
