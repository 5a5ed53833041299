"""An upload from a platform is stored as its students' submissions; the rest is listed with a reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from submissions.models import Batch, Submission, SubmissionFile
from tests.submissions.archives.layouts.samples import SAMPLES
from tests.support.sample_class import COPIED, HONEST, STARTER, zipped

if TYPE_CHECKING:
    from tests.support.uploads import HandIn

ADA, BEN = STARTER + COPIED, STARTER + HONEST


def submissions_of(batch: Batch) -> dict[str, set[str]]:
    files = SubmissionFile.objects.filter(submission__batch=batch)
    stored: dict[str, set[str]] = {}
    for name, path in files.values_list("submission__name", "path"):
        stored.setdefault(name, set()).add(path)
    return stored


def skipped(batch: Batch) -> dict[str, str]:
    return dict(batch.entries.filter(accepted=False).values_list("name", "reason"))


def test_a_moodle_export_is_one_submission_for_each_student(hand_in: HandIn) -> None:
    batch = hand_in(
        zipped(
            {
                "Ada Byron_1001_assignsubmission_file/main.py": ADA,
                "Ada Byron_1001_assignsubmission_onlinetext/onlinetext.html": "<html><body></body></html>",
                "Ben Novak_1002_assignsubmission_file/main.py": BEN,
                "Ben Novak_1002_assignsubmission_onlinetext/onlinetext.html": "<html><body></body></html>",
            }
        )
    )
    assert submissions_of(batch) == {"Ada Byron": {"main.py"}, "Ben Novak": {"main.py"}}
    assert set(skipped(batch).values()) == {"an online text without any text"}
    assert batch.state == Batch.State.DONE


def test_an_earlier_attempt_is_listed_and_not_compared(hand_in: HandIn) -> None:
    batch = hand_in(
        zipped(
            {
                "Ada Byron - 2026-02-27T09:00:00/main.py": BEN,
                "Ada Byron - 2026-03-01T14:05:09Z/main.py": ADA,
                "Ben Novak - 2026-03-01T10:00:00Z/main.py": BEN,
            }
        )
    )
    assert submissions_of(batch) == {"Ada Byron": {"main.py"}, "Ben Novak": {"main.py"}}
    earlier = "Ada Byron - 2026-02-27T09:00:00/main.py"
    assert skipped(batch) == {earlier: "an earlier attempt of Ada Byron"}
    handed_in = Submission.objects.get(batch=batch, name="Ada Byron").handed_in
    assert handed_in == datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC)


def test_the_reason_of_an_earlier_attempt_names_nobody_without_a_submission(hand_in: HandIn) -> None:
    batch = hand_in(
        zipped(
            {
                "Ada Byron - 2026-02-27T09:00:00/main.py": ADA,
                "Ada Byron - 2026-03-01T14:05:09/main.py": b"\x89PNG\r\n\x1a\n\0\0",
                "Ben Novak - 2026-03-01T10:00:00/main.py": BEN,
            }
        )
    )
    assert skipped(batch)["Ada Byron - 2026-02-27T09:00:00/main.py"] == "an earlier attempt"


def test_the_names_of_a_gradescope_export_come_from_its_records(hand_in: HandIn) -> None:
    batch = hand_in(zipped(SAMPLES["gradescope"]))
    assert submissions_of(batch).keys() == {"Ada Byron, Bruno Popeșcu", "Chidi O'Neill", "submission_77002"}
    assert "assignment_9_export/submission_metadata.yml" in skipped(batch)


def test_an_upload_without_any_student_fails_with_its_reasons(hand_in: HandIn) -> None:
    record = "Ada Byron_1001_assignsubmission_onlinetext/onlinetext.html"
    batch = hand_in(zipped({record: "<html><body></body></html>"}))
    assert batch.state == Batch.State.FAILED
    assert skipped(batch) == {record: "an online text without any text"}
    assert not submissions_of(batch)
