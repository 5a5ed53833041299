"""Uploads as platforms lay them out: whose files they are, and when they were handed in."""

import io
import tarfile
import zipfile
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from submissions.models import Batch, Submission, SubmissionFile
from submissions.uploads.ingestion import submission_times
from submissions.uploads.read import refused_entries
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.archives import entries
from tests.support.sample_class import CLASS, COPIED, HONEST, STARTER, loose, zipped
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


Stamp = tuple[int, int, int, int, int, int]


NOON: Stamp = (2026, 3, 2, 12, 0, 0)


ONE_PM: Stamp = (2026, 3, 2, 13, 0, 0)


UTC_NOON = datetime(*NOON, tzinfo=UTC)


NOW = datetime(2026, 3, 3, tzinfo=UTC)


def zip_of(files: dict[str, tuple[Stamp, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, (time, data) in files.items():
            archive.writestr(zipfile.ZipInfo(name, time), data)
    return out.getvalue()


def tar_of(files: dict[str, tuple[float, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, (time, data) in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), time
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def modified(name: str, data: bytes) -> dict[str, datetime | None]:
    return {entry.name: entry.modified for entry in entries(name, data)}


def test_a_zip_gives_local_times_and_a_tar_gives_utc() -> None:
    assert modified("class.zip", zip_of({"a.py": (NOON, b"x")})) == {"a.py": datetime(*NOON)}  # noqa: DTZ001
    assert modified("class.tar", tar_of({"a.py": (UTC_NOON.timestamp(), b"x")})) == {"a.py": UTC_NOON}


def test_a_file_in_an_archive_in_an_archive_has_the_time_in_the_inner_one() -> None:
    inner = zip_of({"main.py": (NOON, b"x")})
    times = modified("class.zip", zip_of({"ada.zip": (ONE_PM, inner)}))
    assert times == {"ada/main.py": datetime(*NOON)}  # noqa: DTZ001


@pytest.mark.parametrize("seconds", [1e30, -1e30, float(2**62), -1.0, 253_402_300_799.0])
def test_an_impossible_time_is_none(seconds: float) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a.py")
        info.size, info.pax_headers = 1, {"mtime": f"{seconds:f}"}
        archive.addfile(info, io.BytesIO(b"x"))
    assert modified("class.tar", out.getvalue()) == {"a.py": None}


def test_a_zip_entry_of_the_thirtieth_of_february_has_no_time() -> None:
    valid = zip_of({"a.py": (NOON, b"x")})
    invalid = valid.replace(_dos_date(2026, 3, 2), _dos_date(2026, 2, 30))
    assert modified("class.zip", invalid) == {"a.py": None}


def _dos_date(year: int, month: int, day: int) -> bytes:
    return ((year - 1980) << 9 | month << 5 | day).to_bytes(2, "little")


def test_a_submission_was_handed_in_when_its_latest_file_was_written() -> None:
    later = UTC_NOON + timedelta(hours=1)
    files = [("ada", UTC_NOON), ("ada", later), ("ben", UTC_NOON)]
    assert submission_times(files, NOW) == {"ada": later, "ben": UTC_NOON}


def test_times_of_a_zip_are_those_of_the_server_s_zone() -> None:
    with timezone.override(ZoneInfo("Europe/Berlin")):
        times = submission_times([("ada", datetime(*NOON)), ("ben", datetime(*ONE_PM))], NOW)  # noqa: DTZ001
    assert times == {"ada": UTC_NOON - timedelta(hours=1), "ben": UTC_NOON}


@pytest.mark.parametrize(
    "files",
    [
        [],
        [("ada", UTC_NOON)],
        [("ada", UTC_NOON), ("ben", UTC_NOON + timedelta(seconds=2))],
        [("ada", datetime(1980, 1, 1, tzinfo=UTC)), ("ben", UTC_NOON)],
        [("ada", datetime(1970, 1, 1, tzinfo=UTC)), ("ben", datetime(1970, 1, 2, tzinfo=UTC))],
    ],
    ids=["none", "one", "written at once", "the first day of zips", "a tar without times"],
)
def test_times_that_do_not_differ_in_a_meaningful_way_are_dropped(files: list[tuple[str, datetime]]) -> None:
    assert submission_times(files, NOW) == {}


def test_a_time_in_the_future_is_not_believed() -> None:
    files = [("ada", UTC_NOON), ("ben", NOW + timedelta(hours=1)), ("ben", UTC_NOON)]
    assert submission_times(files, NOW) == {"ada": UTC_NOON}


@pytest.mark.long
def test_an_upload_stores_when_each_submission_was_handed_in(hand_in: HandIn) -> None:
    stamps = {"ada/main.py": NOON, "ben/main.py": ONE_PM, "cleo/main.py": NOON}
    packed = zip_of({path: (stamps[path], source.encode()) for path, source in CLASS.items()})
    batch = hand_in(SimpleUploadedFile("class.zip", packed))
    assert batch.state == Batch.State.DONE
    times = dict(Submission.objects.values_list("name", "handed_in"))
    assert times == {"ada": UTC_NOON, "ben": UTC_NOON + timedelta(hours=1), "cleo": UTC_NOON}


@pytest.mark.long
def test_loose_files_have_no_time(hand_in: HandIn) -> None:
    hand_in(*(loose(f"{path.partition('/')[0]}.py", source) for path, source in CLASS.items()))
    assert set(Submission.objects.values_list("handed_in", flat=True)) == {None}
