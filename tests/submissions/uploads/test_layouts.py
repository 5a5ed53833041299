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
PHOTO, BYTECODE = b"\x89PNG\r\n\x1a\n\0\0", b"\xca\xfe\xba\xbe\0\0"


def submissions_of(batch: Batch) -> dict[str, set[str]]:
    files = SubmissionFile.objects.filter(submission__batch=batch)
    stored: dict[str, set[str]] = {}
    for name, path in files.values_list("submission__name", "path"):
        stored.setdefault(name, set()).add(path)
    return stored


def skipped(batch: Batch) -> dict[str, str]:
    return dict(batch.entries.filter(accepted=False).values_list("name", "reason"))


def test_a_submission_of_a_moodle_export_knows_what_of_it_was_not_taken(hand_in: HandIn) -> None:
    ada = "Ada Byron_1001_assignsubmission_file"
    empty = "Ben Novak_1002_assignsubmission_onlinetext/onlinetext.html"
    record, reason = "<html><body></body></html>", "an online text without any text"
    files: dict[str, str | bytes] = {
        f"{ada}/src/main.py": ADA,
        f"{ada}/photo.png": PHOTO,
        f"{ada}/src/Main.class": BYTECODE,
        f"{ada}/node_modules/left-pad/index.js": "module.exports = 1;\n",
        "Ben Novak_1002_assignsubmission_file/main.py": BEN,
        empty: record,
        "index.html": "<html></html>",
        "photo.png": PHOTO,
    }
    batch = hand_in(zipped(files))
    assert batch.state == Batch.State.DONE
    assert submissions_of(batch) == {"Ada Byron": {"src/main.py"}, "Ben Novak": {"main.py"}}
    assert skipped(batch)[empty] == reason
    assert refused(batch) == {
        "Ada Byron": {f"{ada}/photo.png", f"{ada}/src/Main.class", f"{ada}/node_modules/"},
        "Ben Novak": {empty},
    }
    nobody = hand_in(zipped({empty: record}))
    assert nobody.state == Batch.State.FAILED
    assert skipped(nobody) == {empty: reason}
    assert not submissions_of(nobody)


@pytest.mark.long
def test_an_earlier_attempt_is_listed_with_the_one_that_counts(hand_in: HandIn) -> None:
    earlier, photo = "Ada Byron - 2026-02-27T09:00:00/main.py", "Ada Byron - 2026-03-01T14:05:09/photo.png"
    other: dict[str, str | bytes] = {"Ben Novak - 2026-03-01T10:00:00/main.py": BEN}
    attempts: dict[str, str | bytes] = {
        earlier: BEN,
        "Ada Byron - 2026-03-01T14:05:09/main.py": ADA,
        photo: PHOTO,
    }
    batch = hand_in(zipped(other | attempts))
    assert submissions_of(batch) == {"Ada Byron": {"main.py"}, "Ben Novak": {"main.py"}}
    assert skipped(batch)[earlier] == "an earlier attempt of Ada Byron"
    assert refused(batch) == {"Ada Byron": {earlier, photo}, "Ben Novak": set()}
    handed_in = Submission.objects.get(batch=batch, name="Ada Byron").handed_in
    assert handed_in == datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC)
    batch = hand_in(zipped(other | {earlier: ADA, photo: PHOTO}))
    assert skipped(batch)[earlier] == "an earlier attempt"


def refused(batch: Batch) -> dict[str, set[str]]:
    """Return the entries that each submission's page lists as not taken."""
    return {
        submission.name: set(refused_entries(submission).values_list("name", flat=True))
        for submission in batch.submissions.all()
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


def test_the_names_of_a_gradescope_export_come_from_its_records(hand_in: HandIn) -> None:
    batch = hand_in(zipped(SAMPLES["gradescope"]))
    assert submissions_of(batch).keys() == {"Ada Byron, Bruno Popeșcu", "Chidi O'Neill", "submission_77002"}
    assert "assignment_9_export/submission_metadata.yml" in skipped(batch)


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


def test_a_zip_gives_local_times_a_tar_gives_utc_and_the_inner_archive_counts() -> None:
    inner, local = zip_of({"main.py": (NOON, b"x")}), datetime(*NOON)  # noqa: DTZ001
    assert modified("class.zip", zip_of({"a.py": (NOON, b"x")})) == {"a.py": local}
    assert modified("class.tar", tar_of({"a.py": (UTC_NOON.timestamp(), b"x")})) == {"a.py": UTC_NOON}
    assert modified("class.zip", zip_of({"ada.zip": (ONE_PM, inner)})) == {"ada/main.py": local}


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


def test_a_submission_was_handed_in_when_its_latest_file_was_written_unless_that_is_in_the_future() -> None:
    later = UTC_NOON + timedelta(hours=1)
    files = [("ada", UTC_NOON), ("ada", later), ("ben", UTC_NOON)]
    files += [("cleo", UTC_NOON), ("cleo", NOW + timedelta(hours=1))]
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


@pytest.mark.long
def test_an_upload_stores_when_each_was_handed_in_and_loose_files_nothing(hand_in: HandIn) -> None:
    stamps = {"ada/main.py": NOON, "ben/main.py": ONE_PM, "cleo/main.py": NOON}
    packed = zip_of({path: (stamps[path], source.encode()) for path, source in CLASS.items()})
    batch = hand_in(SimpleUploadedFile("class.zip", packed))
    assert batch.state == Batch.State.DONE
    times = dict(batch.submissions.values_list("name", "handed_in"))
    assert times == {"ada": UTC_NOON, "ben": UTC_NOON + timedelta(hours=1), "cleo": UTC_NOON}
    batch = hand_in(*(loose(f"{path.partition('/')[0]}.py", source) for path, source in CLASS.items()))
    assert set(batch.submissions.values_list("handed_in", flat=True)) == {None}
