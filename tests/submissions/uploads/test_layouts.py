"""An upload from a platform is stored as its students' submissions; the rest is listed with a reason."""

from datetime import UTC, datetime

import pytest

from submissions.models import Batch, Submission, SubmissionFile
from submissions.uploads.read import refused_entries
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.sample_class import COPIED, HONEST, STARTER, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

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


@pytest.mark.long
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


PHOTO, BYTECODE = b"\x89PNG\r\n\x1a\n\0\0", b"\xca\xfe\xba\xbe\0\0"


def refused(batch: Batch) -> dict[str, set[str]]:
    """Return the entries that each submission's page lists as not taken."""
    return {
        submission.name: set(refused_entries(submission).values_list("name", flat=True))
        for submission in batch.submissions.all()
    }


@pytest.mark.long
def test_a_submission_of_a_moodle_export_knows_what_of_it_was_not_taken(hand_in: HandIn) -> None:
    ada = "Ada Byron_1001_assignsubmission_file"
    empty = "Ben Novak_1002_assignsubmission_onlinetext/onlinetext.html"
    files: dict[str, str | bytes] = {
        f"{ada}/src/main.py": ADA,
        f"{ada}/photo.png": PHOTO,
        f"{ada}/src/Main.class": BYTECODE,
        f"{ada}/node_modules/left-pad/index.js": "module.exports = 1;\n",
        "Ben Novak_1002_assignsubmission_file/main.py": BEN,
        empty: "<html><body></body></html>",
        "index.html": "<html></html>",
        "photo.png": PHOTO,
    }
    assert refused(hand_in(zipped(files))) == {
        "Ada Byron": {f"{ada}/photo.png", f"{ada}/src/Main.class", f"{ada}/node_modules/"},
        "Ben Novak": {empty},
    }


@pytest.mark.long
def test_a_submission_of_a_flat_canvas_export_knows_what_of_it_was_not_taken(hand_in: HandIn) -> None:
    files: dict[str, str | bytes] = {
        "byronada_2001_50001_main.py": ADA,
        "byronada_2001_50002_photo.png": PHOTO,
        "novakben_LATE_2002_50003_main.py": BEN,
        "novakben_LATE_2002_50004_Main.class": BYTECODE,
        "okaforchidi_2003_50005_photo.png": PHOTO,
    }
    assert refused(hand_in(zipped(files))) == {
        "byronada": {"byronada_2001_50002_photo.png"},
        "novakben": {"novakben_LATE_2002_50004_Main.class"},
    }


@pytest.mark.long
def test_an_earlier_attempt_is_listed_with_the_one_that_counts(hand_in: HandIn) -> None:
    earlier = "Ada Byron - 2026-02-27T09:00:00/main.py"
    files: dict[str, str | bytes] = {
        earlier: BEN,
        "Ada Byron - 2026-03-01T14:05:09/main.py": ADA,
        "Ada Byron - 2026-03-01T14:05:09/photo.png": PHOTO,
        "Ben Novak - 2026-03-01T10:00:00/main.py": BEN,
    }
    photo = "Ada Byron - 2026-03-01T14:05:09/photo.png"
    assert refused(hand_in(zipped(files))) == {"Ada Byron": {earlier, photo}, "Ben Novak": set()}


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
