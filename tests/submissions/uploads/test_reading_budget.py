"""Files that take long to read take the time of their student alone, wherever that one is in the class."""

import pytest
from django.db.models import Sum
from pytest_django.fixtures import Settings

from submissions.models import Document, SubmissionFile
from submissions.uploads import fingerprinting
from submissions.uploads.rereading import detect_languages
from tests.hostile.slow_texts import slowest_texts
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

# A text whose reading takes some tenths of a second; each file is another one.
SLOW = next(text for text in slowest_texts() if text.target.startswith("r by"))
COUNT = 8
# Less than 400 small files need, and more than the clock of a process errs.
READ_SECONDS = 0.02
INNOCENT = {f"student-{n}/main.py": f"def f(a):\n    return [a + {n} for b in range(a)]\n" for n in range(6)}


def slow(number: int) -> str:
    return f"{SLOW.text(20_000)}\n# {number}\n"


def a_class(place: int) -> dict[str, str]:
    """Return a class in which that many students come before the one with slow files."""
    files = list(INNOCENT.items())
    return dict([*files[:place], *((f"mallory/{n}.r", slow(n)) for n in range(COUNT)), *files[place:]])


@pytest.fixture
def _small_budget(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.FILE_SECONDS = 60  # other programs prolong it
    monkeypatch.setattr(fingerprinting, "STUDENT_SECONDS", 0.2)
    monkeypatch.setattr(fingerprinting, "GROUP_SECONDS", 0.0)


def states(batch_id: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    files = SubmissionFile.objects.filter(submission__batch=batch_id).order_by("document_id")
    for student, state in files.values_list("submission__name", "document__state"):
        found.setdefault(student, []).append(state)
    return found


@pytest.mark.long
@pytest.mark.usefixtures("_small_budget")
@pytest.mark.parametrize("place", [0, 3, len(INNOCENT)], ids=["first", "middle", "last"])
def test_who_hands_in_slow_files_is_left_out_alone(hand_in: HandIn, place: int) -> None:
    batch = hand_in(zipped(a_class(place)))
    assert batch.state == "done"
    found = states(batch.pk)
    assert found.pop("mallory").count("failed") > COUNT // 2
    assert found == {f"student-{n}": ["ready"] for n in range(len(INNOCENT))}
    reasons = Document.objects.filter(state="failed").values_list("reason", flat=True)
    assert set(reasons) == {"reading the files of this submission takes more than 0.2 s; the rest was not read"}
    assert batch.incomplete
    assert batch.assignment.reports.get().is_incomplete


@pytest.mark.long
@pytest.mark.usefixtures("_small_budget")
def test_what_was_left_out_is_read_when_another_student_has_it_or_there_is_time(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {f"student-0/{COUNT - 1}.r": slow(COUNT - 1)}
    batch = hand_in(zipped({**a_class(0), **shared}))
    of_other = SubmissionFile.objects.filter(submission__batch=batch, submission__name="student-0")
    assert of_other.get(path__endswith=".r").document.state == "ready"
    monkeypatch.setattr(fingerprinting, "STUDENT_SECONDS", 1_000.0)
    batch = hand_in(zipped(a_class(0)))
    assert set(states(batch.pk)["mallory"]) == {"ready"}
    assert not batch.incomplete


def test_many_files_of_one_student_have_their_time(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprinting, "STUDENT_SECONDS", 0.0)
    project = {f"ada/{n}.py": f"def f{n}(a):\n    return a + {n}\n" * 9 for n in range(400)}
    batch = hand_in(zipped(project | INNOCENT))
    assert {state for student in states(batch.pk).values() for state in student} == {"ready"}
    took = Document.objects.filter(files__submission__batch=batch).aggregate(seconds=Sum("seconds"))["seconds"]
    assert took > READ_SECONDS


@pytest.mark.usefixtures("_small_budget")
def test_a_change_of_the_language_has_a_budget_of_its_own(hand_in: HandIn) -> None:
    batch = hand_in(zipped({"mallory/0.r": slow(0), **INNOCENT}))
    file = SubmissionFile.objects.get(submission__name="mallory")
    detect_languages(batch.assignment)
    again = Document.objects.create(source=file.source, profile="another", language="text")
    SubmissionFile.objects.filter(pk=file.pk).update(next_document=again)
    fingerprinting.fingerprint_pending([again.pk])
    again.refresh_from_db()
    assert again.state == "ready"
