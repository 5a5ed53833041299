"""Work under other spellings of a student's name: it is shown, decided on, and erased or named as left."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from submissions.models import AuditEntry, Decision, Erasure, Submission
from submissions.students.erasing import ask_for_erasure
from submissions.students.finding import Decided, Near, find, near_matches
from submissions.students.scope import NotFound, scope
from submissions.uploads.change import create_batch
from tests.support.every_column import places_of
from tests.support.html import page_of
from tests.support.jobs import carry_out
from tests.support.kept_classes import stored
from tests.support.one_student import ID, NAME, TRACES, Planted
from tests.support.sample_class import COPIED, HONEST, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

PAGE = "/department/students/"
SPELLED = ("ZEBULON_QUARTZOVSKY", "quartzovsky_zebulon.py", "Zébulon Quartzovsky", "zquartz_homework.py")


def spelled() -> SimpleUploadedFile:
    """Return folders and files that carry the student's name in other spellings, and one of somebody else."""
    folders = {f"{name}/main.py": COPIED for name in SPELLED if not name.endswith(".py")}
    files = {name: COPIED for name in SPELLED if name.endswith(".py")}
    return zipped({**folders, **files, "Zora Smith/main.py": HONEST}, "late.zip")


@pytest.fixture
def late(planted: Planted, django_capture_on_commit_callbacks: Committing) -> Planted:
    """Return the student's work with more of it in other spellings, in a course without a roster."""

    def store() -> None:
        with django_capture_on_commit_callbacks(execute=True):
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


def test_work_of_a_similar_name_that_comes_after_the_decision_stops_the_erasure(
    late: Planted, hand_in: HandIn
) -> None:
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
