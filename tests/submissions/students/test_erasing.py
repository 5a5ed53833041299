"""One student is erased over the whole installation, and nobody else."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NoReturn
from unicodedata import normalize

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given, strategies as st

from moss.operations.backups import row_counts
from moss.operations.doctor import audit
from submissions.archive.models import Corpus, CorpusDocument, CorpusSweep
from submissions.cases.change import add_statement
from submissions.core.redaction import normalised_spellings
from submissions.intake.limits import BadArchive
from submissions.intake.rosters import name_key
from submissions.models import (
    ApiAnswer,
    Assignment,
    AuditEntry,
    Batch,
    Course,
    Decision,
    Erasure,
    FileChunk,
    StatedReason,
    Submission,
    SubmissionFile,
    SubmissionStudent,
    Upload,
)
from submissions.reports.read import report_state
from submissions.students import erasing
from submissions.students.erasing import ask_for_erasure
from submissions.students.finding import Decided, Near, find, near_matches
from submissions.students.naming import Spellings, digest
from submissions.students.scope import NotFound, scope
from submissions.uploads.change import create_batch, list_again, read_listed
from submissions.work.jobs import BUSY
from submissions.work.kinds import FILE_UNSEARCHED, REMOVED_UNSEARCHED
from tests.support.every_column import places_of
from tests.support.html import page_of
from tests.support.jobs import carry_out, due_in
from tests.support.kept_classes import stored
from tests.support.long_rows import rest_is_long
from tests.support.one_student import ID, NAME, OTHERS, TRACES, Planted
from tests.support.sample_class import COPIED, HONEST, zipped
from tests.support.uploads import Committing, HandIn

Erase = Callable[..., Erasure]
pytestmark = pytest.mark.services
# Where the student is found before; the database knows the rest.
PLANTED = {
    "corpus_corpusdocument.name",
    *(f"submissions_{column}" for column in (
        "alias.name", "apianswer.key", "assignment.teams", "auditentry.subject",
        "batch.name", "boilerplateupload.refusals", "casechange.after", "casedecision.notes",
        "casemember.name", "change.after", "courseroster.name", "decision.left",
        "decision.notes", "decision.right", "deletedbatch.name", "enrolledstudent.email", "entry.name",
        "share.right", "source.data", "statedreason.reason", "statement.data", "statement.file_name",
        "statement.name", "submission.identifier", "submission.name",
        "submissionstudent.name"))
}  # fmt: skip
# What nobody else may lose.
WORK = (
    "submission",
    "submissionstudent",
    "submissionfile",
    "entry",
    "enrolledstudent",
    "alias",
    "corpusdocument",
)
PAGE = "/department/students/"
SPELLED = ("ZEBULON_QUARTZOVSKY", "quartzovsky_zebulon.py", "Zébulon Quartzovsky", "zquartz_homework.py")


def work_of(name: str) -> set[str]:
    """Return where the work of a student is stored, but not what was written about it."""
    return {
        place
        for place in places_of([name])
        if place.partition(".")[0].removeprefix("submissions_").removeprefix("corpus_") in WORK
    }


def submissions_of(assignment: Assignment) -> set[str]:
    rows = Submission.objects.filter(batch__assignment=assignment)
    return set(rows.values_list("name", flat=True))


def answers_with(name: str) -> list[ApiAnswer]:
    """Return the stored answers with a name, which the database holds sealed."""
    return [answer for answer in ApiAnswer.objects.all() if name in answer.body]


@pytest.fixture
def erase(committing: Committing) -> Erase:
    """Return a function that erases a student and returns the receipt."""

    def carry_out(text: str, courses: list[int] | None = None) -> Erasure:
        with committing(execute=True):
            erasure = ask_for_erasure(scope(text, courses), "admin", f"{NAME} asked for it by letter.")
        erasure.refresh_from_db()
        return erasure

    return carry_out


@pytest.mark.parametrize("text", rest_is_long([NAME, ID]))
def test_nothing_of_an_erased_student_is_left_anywhere(text: str, planted: Planted, erase: Erase) -> None:
    assert places_of(TRACES) >= PLANTED
    assert answers_with(NAME)
    receipt = erase(text)
    assert (receipt.state, receipt.message) == ("done", "")
    assert places_of(TRACES) == set()
    assert not answers_with(NAME)


@pytest.mark.long
def test_others_stay_and_their_reports_open(planted: Planted, erase: Erase, alice_client: Client) -> None:
    before = {name: work_of(name) for name in OTHERS}
    files = SubmissionFile.objects.filter(submission__origin=None).exclude(submission__name=NAME)
    stored = set(files.values_list("submission", "source__sha256"))
    erase(NAME)
    assert submissions_of(planted.first) == {"Adaline Byron", "Bruno Popescu"}
    assert {"Adaline Byron, [erased]", "Chidi Oneill"} <= submissions_of(planted.second)
    assert {name: work_of(name) for name in OTHERS} == before
    kept = SubmissionFile.objects.filter(submission__origin=None)
    assert set(kept.values_list("submission", "source__sha256")) == stored
    for one in (planted.first, planted.second):
        report = report_state(one).report
        assert report
        assert report.findings
        assert len(report.findings.best) == report.submissions.count()
        for page in ("assignment", "pairs", "students", "uploads", "exports", "activity"):
            assert alice_client.get(reverse(page, args=[one.pk])).status_code == 200
        for pair in report.pairs.all():
            url = reverse("pair", args=[one.pk, pair.left_id, pair.right_id])
            assert alice_client.get(url, follow=True).status_code == 200


@pytest.mark.long
def test_a_note_on_others_keeps_all_but_the_name(planted: Planted, erase: Erase) -> None:
    erase(ID)
    decision = planted.first.decisions.get(left="Adaline Byron", right="Bruno Popescu")
    assert decision.notes == "Talked to [erased]."
    assert decision.changes.get().after == "Talked to [erased]."
    case = planted.first.case_decisions.get()
    assert case.notes == "[erased] ([erased]) was first."
    assert set(case.members.values_list("name", flat=True)) == {"Adaline Byron", "Bruno Popescu"}
    planted.first.refresh_from_db()
    assert planted.first.teams == "Bruno Popescu, Chidi Oneill"


def test_a_decision_on_a_group_stays_under_names_of_who_stay(planted: Planted, erase: Erase) -> None:
    group = Submission.objects.get(batch__assignment=planted.second, origin=None, name__contains=NAME)
    planted.second.decisions.create(left=group.name, right="Chidi Oneill", notes="Both said so.")
    erase(NAME)
    decision = planted.second.decisions.get(notes="Both said so.")
    assert (decision.left, decision.right) == ("Adaline Byron, [erased]", "Chidi Oneill")


@pytest.mark.long
def test_a_file_of_somebody_else_keeps_a_path_with_a_part_of_the_name(planted: Planted, erase: Erase) -> None:
    files = SubmissionFile.objects.filter(submission__name="Bruno Popescu", submission__origin=None)
    files.update(path="zebulon.py")
    erase(NAME)
    assert set(files.values_list("path", flat=True)) == {"zebulon.py"}


@pytest.mark.long
def test_a_receipt_counts_rows_and_names_nobody(planted: Planted, erase: Erase) -> None:
    receipt = erase(NAME)
    removed, changed = receipt.result["removed"], receipt.result["changed"]
    assert removed["submissions.Submission"] == 3  # two uploads, and the copy that another report has
    assert removed["submissions.EnrolledStudent"] == 1
    assert changed["submissions.AuditEntry"] >= 3
    assert (receipt.result["groups"], receipt.result["held"]) == (1, [])
    assert receipt.reason == "[erased] asked for it by letter."
    assert digest(ID) in receipt.digests
    assert digest(NAME) in receipt.digests
    asked, proof = AuditEntry.objects.filter(action="erased").order_by("pk")
    assert asked.subject == f"receipt {receipt.pk}"
    assert proof.subject.count(" ") == 2 * changed["submissions.AuditEntry"] + 1


def test_the_log_lets_a_subject_lose_a_name_and_refuses_all_else(planted: Planted) -> None:
    refused = (
        "UPDATE submissions_auditentry SET subject = 'nobody'",
        "UPDATE submissions_auditentry SET who = 'x', subject = '[erased]'",
        "DELETE FROM submissions_auditentry",
    )
    for change in refused:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            connection.cursor().execute(f"SET LOCAL moss.erases_a_student = 'on'; {change}")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute("UPDATE submissions_auditentry SET subject = '[erased]'")


def test_a_hold_keeps_the_case_and_the_receipt_names_it(planted: Planted, erase: Erase) -> None:
    Assignment.objects.filter(pk=planted.first.pk).update(hold="Case 12.")
    decisions = planted.first.decisions.count()
    receipt = erase(NAME)
    assert receipt.result["held"] == ["Programming 1 / Statistics"]
    assert planted.first.decisions.count() == decisions
    assert planted.first.batches.filter(submissions__name=NAME).exists()
    assert planted.second.batches.filter(submissions__name="Adaline Byron, [erased]").exists()


def test_an_erasure_of_held_work_alone_is_refused(planted: Planted) -> None:
    Assignment.objects.update(hold="Case 12.")
    with pytest.raises(NotFound, match="because a hold protects it: Programming 1 / Statistics"):
        ask_for_erasure(scope(NAME), "admin", "No reason at all.")
    assert not Erasure.objects.exists()


def test_a_course_that_was_not_chosen_keeps_everything(planted: Planted, erase: Erase) -> None:
    named = set(CorpusDocument.objects.values_list("name", flat=True))
    assert any(NAME in name for name in named)
    erase(NAME, [planted.second.course_id])
    assert set(CorpusDocument.objects.values_list("name", flat=True)) == named
    assert planted.first.batches.filter(submissions__name=NAME).exists()
    assert planted.first.decisions.filter(notes__contains=NAME).exists()
    assert not Submission.objects.filter(batch__assignment=planted.second, origin=None, name__contains=NAME)


def test_an_upload_that_waits_to_be_checked_is_removed_if_it_has_the_student(
    planted: Planted, erase: Erase, committing: Committing
) -> None:
    waiting = {}
    for name in (NAME, "Chidi Oneill"):
        with committing(execute=True):
            file = zipped({"a.py": f"who = '{name}'\n"}, "more.zip")
            waiting[name] = create_batch(planted.first, planted.owner, [file], preview=True)
    erase(ID)
    states = {name: Batch.objects.get(pk=batch.pk).state for name, batch in waiting.items()}
    assert states == {NAME: "failed", "Chidi Oneill": "listed"}
    assert places_of(TRACES) == set()


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("place", [0, 1, 3], ids=["first", "middle", "last"])
def test_of_a_listed_upload_only_files_that_cannot_be_searched_in_time_are_removed(
    *,
    place: int,
    is_stored: bool,
    planted: Planted,
    erase: Erase,
    committing: Committing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(erasing, "FILE_SECONDS", -1.0)
    files = [(f"s{n}/a.py", f"a = {n}\n") for n in range(3)]
    files.insert(place, ("mallory/a.py", f"{NAME.split()[0]} = 1\n"))
    with committing(execute=True):
        batch = create_batch(planted.first, planted.owner, [zipped(dict(files), "more.zip")], preview=True)
    if not is_stored:
        batch.uploads.all().delete()
    receipt = erase(ID)
    batch.refresh_from_db()
    assert (batch.state, batch.incomplete) == ("listed", True)
    sources = dict(batch.listed_entries.values_list("name", "source"))
    assert [name for name, source in sources.items() if source is None] == ["mallory/a.py"]
    assert batch.listed_entries.get(source=None).reason == FILE_UNSEARCHED
    assert receipt.result["removed"]["submissions.ListedEntry"] == 1
    assert not list_again(batch)
    with committing(execute=True):
        assert read_listed(batch)
    assert set(batch.submissions.values_list("name", flat=True)) == {"s0", "s1", "s2"}


def test_an_upload_that_cannot_be_opened_is_removed(
    planted: Planted, erase: Erase, committing: Committing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_entries(*_: object) -> NoReturn:
        raise BadArchive("damaged")

    monkeypatch.setattr(erasing, "entries", no_entries)
    batch = create_batch(planted.first, planted.owner, [zipped({"a.py": "a\n"}, "more.zip")])
    erase(ID)
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("failed", REMOVED_UNSEARCHED)


@given(
    st.lists(st.sampled_from(["Adaline", "Müller", "Mueller", "O'Neill", "Groß", "Łukasz", "de"]), min_size=1),
    st.sampled_from([str, str.upper, str.lower, partial(normalize, "NFD"), partial(normalize, "NFC")]),
    st.sampled_from([" ", "_", "-", ", ", "", "."]),
    st.text("ab /\n.é", max_size=5),
)
def test_a_text_that_names_a_student_has_a_word_of_the_name(
    words: list[str], write: Callable[[str], str], between: str, beside: str
) -> None:
    one = Spellings(frozenset({" ".join(words[:3])}), frozenset({"s0123456"}))
    text = f"{beside}{between.join(map(write, words[:3]))}{beside}"
    for form in (text, text.replace("ü", "ue"), text.replace("ue", "ü"), f"{beside} S0123456 {beside}"):
        for spellings in (one, replace(one, whole_only=True)):
            assert spellings.may_be_in(form) or not spellings.is_in(form)


@pytest.mark.parametrize("end", ["\n", "", "\N{SNOWMAN}\r\n"])
def test_a_name_is_found_wherever_a_file_is_parted(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "PART_BYTES", 40)
    monkeypatch.setattr(erasing, "LONGEST_NAME", 20)
    for before in range(100):
        data = f"{'-' * before}{NAME}{f' = 1{end}' * 30}".encode()
        parts = [part.decode(errors="replace") for part in erasing._parts(data)]
        assert any(NAME in part for part in parts)
        assert max(map(len, parts)) <= 60


def test_an_erasure_during_which_a_waiting_upload_is_read_begins_again(planted: Planted) -> None:
    create_batch(planted.first, planted.owner, [zipped({"a.py": f"who = '{NAME}'\n"}, "more.zip")])
    [upload] = Upload.objects.all()
    chunks = list(FileChunk.objects.filter(name=upload.file.name))
    FileChunk.objects.filter(name=upload.file.name).delete()
    erasure = ask_for_erasure(scope(ID, None), "admin", "The student asked for it.")
    carry_out("erase_student", erasure.pk)
    assert due_in("erase_student", erasure.pk) == BUSY
    FileChunk.objects.bulk_create(chunks)
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert erasure.state == Erasure.State.DONE
    assert places_of(TRACES) == set()


@pytest.fixture(params=rest_is_long(["same course", "other course"]))
def other_person(request: pytest.FixtureRequest, alice: User, committing: Committing, eager_tasks: None) -> Assignment:
    """Return an assignment with Ben Popescu's work; his name is somebody's id in it, or in another course."""
    owner, administrator = User.objects.create_user("oskar"), User.objects.create_user("adam", is_staff=True)
    theirs = Course.objects.create(owner=owner, name="Theirs").assignments.create(name="Sheet 1")
    own = theirs
    if request.param == "other course":
        own = Course.objects.create(owner=administrator, name="Own").assignments.create(name="Sheet 2")
    files = {f"{name}/main.py": COPIED for name in ("Ben Popescu", "Cleo Ito")}
    uploads = (theirs, owner, files), (own, administrator, {"Invented/main.py": COPIED})
    for assignment, person, names in uploads:
        with committing(execute=True):
            create_batch(assignment, person, [zipped(names)])
    SubmissionStudent.objects.filter(name="Invented").update(identifier="Ben Popescu")
    Decision.objects.create(
        assignment=theirs,
        left="Ben Popescu",
        right="Cleo Ito",
        state="confirmed",
        notes="Ben Popescu agrees.",
    )
    add_statement(theirs, "Ben Popescu", owner, "a.txt", b"I agree.")
    Corpus.objects.create(name="old", recipe="r").sweeps.create(number=1, source="/old").documents.create(
        name="2019/Ben Popescu/main.py", sha256="0" * 64
    )
    for course in ("Theirs", "A deleted course", ""):
        for action, page in (("reason", "state_reason"), ("exported", "export_student")):
            AuditEntry(who="adam", action=action, course=course, subject="Ben Popescu: a reason", page=page).save()
    return theirs


def erased(text: str) -> Erasure:
    """Erase a student, and say of all similar names that they are somebody else's."""
    near = near_matches(text, find(text))
    others = Decided.of(near, set(), {match.key for match in near})
    erasure = ask_for_erasure(scope(text, None, others), "adam", "They asked.")
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert erasure.state == "done"
    return erasure


def test_an_erasure_changes_nothing_of_another_person_whose_name_is_an_id(other_person: Assignment) -> None:
    def rows() -> list[object]:
        return [
            [*Decision.objects.filter(assignment=other_person).values()],
            [*other_person.statements.values()],
            [*CorpusDocument.objects.values()],
            [*Submission.objects.filter(batch__assignment=other_person).exclude(name="Invented").values()],
            [*SubmissionStudent.objects.exclude(name="Invented").values()],
            [*AuditEntry.objects.filter(subject__contains="Popescu").values()],
        ]

    before = rows()
    erased("Invented")
    assert not SubmissionStudent.objects.filter(name="Invented").exists()
    assert rows() == before
    assert "entries without a gap" in audit().message


def test_nobody_erases_a_reason_of_their_own(assignment: Assignment, hand_in: HandIn, admin: User) -> None:
    reason, course = "An appeal, case 7.", assignment.course
    StatedReason.objects.create(course=course, user=admin, reason=reason, expires=timezone.now())
    for who in ("admin", "other"):
        hand_in(zipped({f"{reason}/main.py": COPIED}))
        for action, text in (("reason", reason), ("people", f"eve; as an administrator: {reason}")):
            AuditEntry.objects.create(who=who, action=action, course=course.name, subject=text, page="people")
        AuditEntry.objects.create(who=who, action="saw", course=course.name, subject=reason, page="pair")
    names = {one.name for one in SubmissionStudent.objects.all()}
    with_reason = AuditEntry.objects.filter(subject__contains=reason, who="admin").exclude(action="saw")
    before = [*with_reason.values()]
    assert len(before) == 2
    work = scope(min(names))
    erasure = ask_for_erasure(work, "admin", "They asked.")
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert erasure.state == "done"
    assert [*with_reason.values()] == before
    assert StatedReason.objects.get().reason == reason
    assert not AuditEntry.objects.filter(subject__contains=reason, who="other").exists()
    assert erasure.result["left"] == [
        {
            "course": "",
            "assignments": [],
            "rows": 3,
            "why": "whoever erased the student stated it as a reason",
        }
    ]
    assert "entries without a gap" in audit().message


@pytest.mark.parametrize("page", ["student_data", "export_student"])
def test_nobody_erases_why_they_searched_or_exported(
    page: str, assignment: Assignment, hand_in: HandIn, admin: User
) -> None:
    hand_in(zipped({"Out of spite/main.py": COPIED}))
    for who in ("admin", "other"):
        for text in ("Ben Popescu", "Out of spite"):
            AuditEntry.objects.create(who=who, action="saw", subject=f"{text}: Out of spite.", page=page)
    carry_out("erase_student", ask_for_erasure(scope("Out of spite"), "admin", "They asked.").pk)
    subjects = AuditEntry.objects.filter(page=page).order_by("number").values_list("who", "subject")
    assert [*subjects] == [
        ("admin", "Ben Popescu: Out of spite."),
        ("admin", "[erased]: Out of spite."),
        ("other", "Ben Popescu: [erased]."),
        ("other", "[erased]: [erased]."),
    ]
    assert Erasure.objects.get().result["left"][0]["rows"] == 2
    assert "entries without a gap" in audit().message


# Names of two students of one course, and what the erasure of the first one leaves of both.
SIMILAR_NAMES = [
    ("Wei Li", "Li Wei"),
    ("Kim", "Kim Lee"),
    ("Kim Lee", "Kim Lee Junior"),
    ("Marie Lee", "Ann Marie Lee"),
    ("Jose Garcia", "José García"),
    ("Max Müller", "Max Mueller"),
    ("Ann Lee", "Ann Leer"),
    ("Anna Berg", "Anna"),
    ("Anna Berg", "Berg"),
]


@pytest.mark.parametrize(("own", "other"), SIMILAR_NAMES)
@pytest.mark.parametrize("whole_only", [False, True])
def test_a_name_like_the_students_stays_in_every_text(own: str, other: str, whole_only: bool) -> None:  # noqa: FBT001
    spellings = Spellings(frozenset({own}), frozenset(), (other,), whole_only=whole_only)
    for text in ("{}", "{}/main.py", "{} (2)", "Talked to {}."):
        assert spellings.taken_out(text.format(other)) == text.format(other)
    assert spellings.taken_out(own) == "[erased]"
    assert spellings.taken_out(f"{own}/main.py") == "[erased]/main.py"
    if " " in own:
        assert spellings.taken_out(f"Talked to {own}, {other}.") == f"Talked to [erased], {other}."


@pytest.mark.parametrize(
    ("own", "others", "written"),
    [
        ("Anna Berg", ["Anna"], ["Anna\nBerg", "Anna\u00a0Berg", "Anna  -  Berg", "BERG, ANNA", "berg_anna"]),
        ("Anna Müller", ["Anna", "Mueller"], ["Muller, Anna", "Mueller, Anna", "MÜLLER, ANNA", "anna.mueller"]),
        ("José García", ["Jose"], ["GARCIA, JOSE", "Jose Garcia", "García, José"]),
        ("Sean O'Brien", [], ["Sean O'Brien", "Sean O\u2019Brien"]),
        ("Sean O\u2019Brien", ["Sean", "Brien"], ["Sean O'Brien", "O'Brien, Sean"]),
        ("Maria do Carmo de Oliveira e Silva dos Santos", ["Maria", "Silva"], [
            "Maria do Carmo de Oliveira e Silva dos Santos"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("whole_only", [False, True])
def test_a_whole_name_goes_however_it_is_spelled(
    own: str,
    others: list[str],
    written: list[str],
    whole_only: bool,  # noqa: FBT001
) -> None:
    spellings = Spellings(frozenset({own}), frozenset(), tuple(others), whole_only=whole_only)
    for text in ("{}", "by {}, then", "Talked to {}."):
        for one in written:
            assert spellings.taken_out(text.format(one)) == text.format("[erased]"), one


WORDS = ["Anna", "Berg", "Holm", "Ito", "Müller", "Kim", "Lee"]
FORMS = ("{}", "{}/main.py", "Talked to {}.", "{} (2)", "by {}, then")


@st.composite
def similar_names(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """Draw the words of a student's name, names of others that are parts of it, and longer names that have it."""
    words = draw(st.permutations(WORDS))
    own, rest = words[: draw(st.integers(2, 3))], words[3:]
    parts = [" ".join(own[first:end]) for first in range(len(own)) for end in range(first + 1, len(own) + 1)]
    parts = [*parts, ".".join(own).lower()]
    longer = [" ".join(words) for words in ([*own, rest[0]], [rest[1], *own], [own[0], rest[2]], [rest[0], own[-1]])]
    own_parts = draw(st.lists(st.sampled_from([one for one in parts if name_key(one) != name_key(" ".join(own))])))
    return own, own_parts, draw(st.lists(st.sampled_from(longer)))


@given(similar_names(), st.booleans(), st.sampled_from(FORMS))
def test_no_own_name_stays_beside_shorter_names_of_others(
    names: tuple[list[str], list[str], list[str]],
    whole_only: bool,  # noqa: FBT001
    form: str,
) -> None:
    words, parts, longer = names
    own, number = " ".join(words), f"{'.'.join(words).lower()}@uni.example"
    spellings = Spellings(frozenset({own}), frozenset({number}), (*parts, *longer), whole_only=whole_only)
    joined = "_".join(words) if f"{'.'.join(words)}".lower() not in parts else own
    for name in (own, own.upper(), joined, number, f"{words[-1]}, {' '.join(words[:-1])}", " ".join(words[::-1])):
        assert spellings.taken_out(form.format(name)) == form.format("[erased]")
    for other in longer:
        assert spellings.taken_out(form.format(other)) == form.format(other)
        assert spellings.taken_out(f"Talked to {own}, {other}.") == f"Talked to [erased], {other}."
    for other in parts:
        assert spellings.taken_out(f"Talked to {own}; {other}.") == f"Talked to [erased]; {other}."


@pytest.mark.parametrize(
    ("own", "other", "texts"),
    [
        ("Anna Schmidt", "Alex Schmidt", ["aschmidt.zip", "schmidta/main.py", "aschmidt@uni.example"]),
        ("Jörg Müller", "Jörg Peter Müller", ["by Joerg Mueller", "mueller_joerg.zip", "joerg.mueller@uni.example"]),
        ("Li Wei", "Wei Li", ["li_wei.zip", "li.wei@uni.example", "Li Wei, of group 3"]),
        ("Maria Garcia", "Ana Garcia", ["by Maria Garcia Garcia", "Garcia, Maria"]),
        ("Hassan Ali", "Omar Hassan", ["hassan_ali_hassan.zip"]),
    ],
)
def test_logins_and_other_spellings_are_taken_out_beside_similar_names(own: str, other: str, texts: list[str]) -> None:
    spellings = Spellings(frozenset({own}), frozenset(), (other,))
    for text in texts:
        left = spellings.taken_out(text)
        assert "[erased]" in left
        assert not spellings.is_in(left)
        words = {word for name in (own, *own.split()) for word in normalised_spellings(name)}
        assert not words & {one for word in re.findall(r"[^\W_]+", left) for one in normalised_spellings(word)}


@pytest.mark.parametrize(("own", "other"), rest_is_long(SIMILAR_NAMES))
def test_who_has_a_similar_name_keeps_decisions_statements_and_history(
    own: str, other: str, assignment: Assignment, hand_in: HandIn, alice: User
) -> None:
    hand_in(zipped({f"{name}/main.py": COPIED for name in (own, other, "Cleo Ito")}))
    for name in (own, other):
        left, right = sorted((name, "Cleo Ito"))
        Decision.objects.create(assignment=assignment, left=left, right=right, notes=f"Talked to {other}.")
        add_statement(assignment, name, alice, "a.txt", b"I agree.")
    AuditEntry.objects.create(
        who="eve", action="saw", course=assignment.course.name, assignment=assignment.name, subject=other, page="case"
    )
    # Texts of no course, and of one that is gone.
    for course in ("", "gone"):
        AuditEntry.objects.create(
            who="eve", action="saw", course=course, subject=f"Talked to {own}, {other}.", page="gone"
        )
    sweep = CorpusSweep.objects.create(corpus=Corpus.objects.create(name="old", recipe="r"), number=1, source="/old")
    for name in (own, other):
        CorpusDocument.objects.create(sweep=sweep, name=f"2019/{name}/main.py", sha256=digest(name))
    erased(own)
    assert [*CorpusDocument.objects.values_list("name", flat=True)] == [f"2019/{other}/main.py"]
    subjects = {*AuditEntry.objects.filter(page="gone").values_list("subject", flat=True)}
    assert subjects == {f"Talked to {'[erased]' if ' ' in own else own}, {other}."}
    decision = Decision.objects.get()
    assert {decision.left, decision.right, decision.notes} == {"Cleo Ito", other, f"Talked to {other}."}
    assert [*assignment.statements.values_list("name", flat=True)] == [other]
    assert AuditEntry.objects.filter(page="case", subject=other).exists()
    assert submissions_of(assignment) == {"Cleo Ito", other}


def test_of_a_group_only_the_student_leaves_whatever_the_names_of_the_others(
    alice: User, committing: Committing, eager_tasks: None
) -> None:
    first, second = (Course.objects.create(owner=alice, name=n).assignments.create(name=n) for n in ("One", "Two"))
    second.compared_with.add(first)
    members = (("Kim Lee", "1001"), ("Kim Lee Junior", "1002"), ("Kim Lee", "1003"))
    rows = "".join(
        f"  - :name: {name}\n    :sid: '{number}'\n    :email: {number}@a.example\n" for name, number in members
    )
    records = f"submission_0:\n  :submitters:\n{rows}"
    group = {"export/submission_0/main.py": COPIED, "export/submission_metadata.yml": records}
    for assignment, files in ((first, group), (second, {"Cleo Ito/main.py": COPIED, "Dov Adler/main.py": HONEST})):
        with committing(execute=True):
            create_batch(assignment, alice, [zipped(files)])
    copies = SubmissionStudent.objects.filter(submission__batch__assignment=second).exclude(submission__origin=None)
    assert copies.count() == len(members)
    erased("1001")
    for students in (SubmissionStudent.objects.filter(submission__batch__assignment=first), copies.all()):
        assert {*students.values_list("name", "identifier")} == {("Kim Lee Junior", "1002"), ("Kim Lee", "1003")}
    assert all(
        "Kim Lee Junior" in name
        for name in Submission.objects.filter(students__in=copies.all()).values_list("name", flat=True)
    )


def test_the_receipt_lists_every_row_by_table(planted: Planted, committing: Committing) -> None:
    with committing(execute=True):
        file = zipped({f"{NAME}/a.py": "a = 1\n"}, "more.zip")
        create_batch(planted.first, planted.owner, [file], preview=True)
    work = scope(ID)
    erasure = ask_for_erasure(work, "admin", "They asked.")
    before = row_counts()
    carry_out("erase_student", erasure.pk)
    after = row_counts()
    labels = {model._meta.db_table: model._meta.label for model in apps.get_models(include_auto_created=True)}
    # The index of postings is rewritten as a whole.
    index = {"submissions.PostingRun", "submissions.PostingBlock"}
    gone = {labels[table]: before[table] - number for table, number in after.items() if table in labels}
    erasure.refresh_from_db()
    removed = erasure.result["removed"]
    assert {label: number for label, number in gone.items() if number > 0 and label not in index} == {
        label: removed.get(label, 0) for label, number in gone.items() if number > 0 and label not in index
    }


def spelled() -> SimpleUploadedFile:
    """Return folders and files that carry the student's name in other spellings, and one of somebody else."""
    folders = {f"{name}/main.py": COPIED for name in SPELLED if not name.endswith(".py")}
    files = {name: COPIED for name in SPELLED if name.endswith(".py")}
    return zipped({**folders, **files, "Zora Smith/main.py": HONEST}, "late.zip")


@pytest.fixture
def late(planted: Planted, committing: Committing) -> Planted:
    """Return the student's work with more of it in other spellings, in a course without a roster."""

    def store() -> None:
        with committing(execute=True):
            create_batch(planted.second, planted.owner, [spelled()])

    stored("one student in other spellings", store)
    batch = planted.second.batches.latest("pk")
    names = set(batch.submissions.values_list("name", flat=True))
    assert len(names) == len(SPELLED) + 1, names
    one = min(name for name in names if "homework" in name)
    left, right = sorted((one, "Adaline Byron"))
    Decision.objects.create(assignment=planted.second, left=left, right=right)
    return planted


def matches(text: str = NAME) -> list[Near]:
    return near_matches(text, find(text))


def decided(same: set[str], others: set[str]) -> Decided:
    return Decided.of(matches(), same, others)


@pytest.mark.long
@pytest.mark.parametrize("text", [NAME, ID])
def test_other_spellings_are_shown_and_names_of_others_are_not(text: str, late: Planted) -> None:
    names = {match.name for match in matches(text)}
    assert names == set(SPELLED)


def test_nothing_is_erased_before_every_similar_name_is_decided(late: Planted) -> None:
    keys = {match.key for match in matches()}
    for some in (set[str](), {min(keys)}):
        with pytest.raises(NotFound, match="Nothing was erased"):
            ask_for_erasure(scope(NAME, None, decided(some, set())), "admin", "The student asked.")
    assert not Erasure.objects.exists()


@pytest.mark.long
def test_what_is_decided_to_be_the_students_leaves_no_trace(late: Planted) -> None:
    keys = {match.key for match in matches()}
    erasure = ask_for_erasure(scope(NAME, None, decided(keys, set())), "admin", "A letter.")
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert (erasure.state, erasure.message) == ("done", "")
    assert places_of([*TRACES, "zébulon", "zquartz_homework"]) == set()
    assert Submission.objects.filter(name="Zora Smith").exists()
    assert erasure.result["left"] == []


@pytest.mark.long
def test_a_word_of_a_task_in_a_similar_name_stays_in_the_texts_of_others(late: Planted) -> None:
    note = "Their homework was late."
    Decision.objects.filter(left="Adaline Byron", right="Bruno Popescu").update(notes=note)
    keys = {match.key for match in matches()}
    erasure = ask_for_erasure(scope(NAME, None, decided(keys, set())), "admin", "A letter.")
    carry_out("erase_student", erasure.pk)
    assert Decision.objects.get(left="Adaline Byron", right="Bruno Popescu").notes == note


@pytest.mark.long
def test_the_receipt_says_what_was_left_and_why_without_the_name(late: Planted) -> None:
    keys = {match.key for match in matches()}
    other = {match.key for match in matches() if "homework" in match.name}
    erasure = ask_for_erasure(scope(NAME, None, decided(keys - other, other)), "admin", "A letter.")
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert erasure.result["left"] == [
        {
            "course": "Compilers",
            "assignments": ["Parsers"],
            "rows": 1,
            "why": "somebody decided that a similar name or id is another person's",
        }
    ]
    assert "zquartz" not in json.dumps(erasure.result)
    assert Submission.objects.filter(name__contains="homework", origin=None).count() == 1


def test_work_that_comes_after_the_decision_stops_the_erasure(late: Planted, hand_in: HandIn) -> None:
    keys = {match.key for match in matches()}
    erasure = ask_for_erasure(scope(NAME, None, decided(keys, set())), "admin", "A letter.")
    hand_in(zipped({"quartzovsky-z.py": COPIED}, "later.zip"))
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert erasure.state == "failed"
    assert "First say whose 1 similar name or id is." in erasure.message
    assert Submission.objects.filter(name=NAME).exists()


@pytest.mark.long
def test_a_course_that_was_left_out_asks_for_no_decision(late: Planted) -> None:
    work = scope(NAME, [late.first.course_id])
    assert work.undecided == []
    assert [one.course for one in work.left] == [late.second.course]


def test_the_page_asks_whose_each_similar_name_is(late: Planted, admin_client: Client) -> None:
    fields: dict[str, object] = {
        "student": NAME,
        "act": "erase",
        "courses": [late.first.course_id, late.second.course_id],
        "reason": "Letter of 2 November.",
    }
    refused = page_of(admin_client.post(PAGE, fields))
    assert refused.text("main").count("Say whose this is.") == len(SPELLED)
    assert not Erasure.objects.exists()
    answers = {match.key: "same" for match in matches()}
    answers |= {match.key: "other" for match in matches() if "homework" in match.name}
    answer = admin_client.post(PAGE, fields | answers)
    erasure = Erasure.objects.get()
    assert answer.headers["Location"] == reverse("erasure", args=[erasure.pk])
    carry_out("erase_student", erasure.pk)
    text = page_of(admin_client.get(answer.headers["Location"])).text("main")
    assert "Left in Compilers: 1 entry under a similar name or id." in text


def test_a_student_known_by_similar_names_alone_can_be_erased(late: Planted, admin_client: Client) -> None:
    text = "Quartzovsky, Z. E."
    fields: dict[str, object] = {"student": text, "act": "erase", "reason": "Letter of 2 November."}
    near = matches(text)
    assert NAME in {match.name for match in near}
    admin_client.post(PAGE, fields | {match.key: "same" for match in near})
    erasure = Erasure.objects.get()
    carry_out("erase_student", erasure.pk)
    erasure.refresh_from_db()
    assert (erasure.state, erasure.message) == ("done", "")
    assert not Submission.objects.filter(name=NAME).exists()
    assert AuditEntry.objects.filter(action="erased").count() == 1
