"""One hostile student, first, in the middle or last in a class: all others are read and ranked, as is said.

The limits are those of the product, but for the seconds of reading, which would take long. Of many
files: `tests/submissions/intake/test_students_budgets.py`.
"""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django.fixtures import Settings

from submissions.models import SubmissionFile
from submissions.uploads import fingerprinting
from tests.hostile.slow_texts import slowest_texts
from tests.support.archives import ARCHIVE_WRITERS, HAS_LIBARCHIVE, LIBARCHIVE_WRITERS, Files, zipped
from tests.support.uploads import HandIn

pytestmark = [pytest.mark.hostile, pytest.mark.services, pytest.mark.timeout(900)]

WRITERS = ARCHIVE_WRITERS | (LIBARCHIVE_WRITERS if HAS_LIBARCHIVE else {})
NESTED = {name: write for name, write in WRITERS.items() if "rar" not in name}
PLACES = {"first": 0, "in the middle": 4, "last": 9}
INNOCENT = [f"student-{n}" for n in range(PLACES["last"])]
SLOW = next(text for text in slowest_texts() if text.target.startswith("r by"))
ZEROS, MANY = 30_000_000, 21_000


# What the student hands in, by its path in the student's folder.
KINDS: dict[str, Callable[[], Files]] = {
    "much junk": lambda: {f"node_modules/{n}.js": b"x" for n in range(10 * MANY)},
    "slow files": lambda: {f"{n}.r": f"{SLOW.text(10_000)}\n# {n}\n".encode() for n in range(40)},
    "a nested bomb in each format": lambda: {
        f"a-{name}": write({"zeros": bytes(ZEROS)}) for name, write in NESTED.items()
    },
}


# Each file of these is refused by itself, so that nothing else of the upload is missing.
REFUSED = {"a nested bomb in each format"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_student_is_left_out_alone(
    kind: str, place: str, hand_in: HandIn, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FILE_SECONDS = 60
    monkeypatch.setattr(fingerprinting, "STUDENT_SECONDS", 1.0)
    students: list[Files] = [{f"{name}/a.py": b"a = [b for b in c]\nprint(a)\n"} for name in INNOCENT]
    students.insert(PLACES[place], {f"mallory/{path}": data for path, data in KINDS[kind]().items()})
    files = {path: data for student in students for path, data in student.items()}
    batch = hand_in(SimpleUploadedFile("class.zip", zipped(files)))
    assert batch.state == "done"
    assert batch.incomplete or kind in REFUSED
    assert batch.assignment.reports.get().is_incomplete == batch.incomplete
    assert batch.incomplete or batch.entries.filter(accepted=False).exists()
    read = SubmissionFile.objects.filter(submission__batch=batch, document__state="ready")
    assert {name for name in read.values_list("submission__name", flat=True) if name != "mallory"} == {*INNOCENT}
