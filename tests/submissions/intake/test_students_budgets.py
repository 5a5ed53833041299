"""What one student hands in takes nothing from the others, wherever it is in the upload."""

import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given, strategies as st

from submissions.intake import document_text
from submissions.intake.document_text import FORMATS, DocumentFormat
from submissions.intake.entries import Entry
from submissions.intake.limits import Budget, Limits, StudentFolders, StudentTooLarge
from submissions.intake.unpacking import unpack, unpack_all
from tests.support.archives import (
    ARCHIVE_WRITERS,
    HAS_LIBARCHIVE,
    LIBARCHIVE_WRITERS,
    Files,
    entries,
    reasons,
    taken,
    zipped,
)

LIMITS = Limits(entries=60, total_bytes=600_000, file_bytes=100_000, archive_bytes=900_000)
WRITERS = ARCHIVE_WRITERS | (LIBARCHIVE_WRITERS if HAS_LIBARCHIVE else {})
NOISE = random.Random(4).randbytes(90_000)
INNOCENT = [f"student-{n}" for n in range(9)]
# What one student hands in, by its path in that student's folder.
HOSTILE: dict[str, Callable[[], Files]] = {
    "many files": lambda: {f"{n}.py": b"x = %d" % n for n in range(400)},
    "many folders": lambda: {f"{n}/{m}.py": b"x" for n in range(100) for m in range(4)},
    "many bytes": lambda: {f"{n}.bin": bytes([n]) + NOISE for n in range(20)},
    "one large file": lambda: {"zeros": bytes(5_000_000)},
    "much junk": lambda: {f"node_modules/{n}.js": b"x" for n in range(900)},
    **{
        f"a bomb in {name}": (lambda write=write, name=name: {name: write({"zeros": bytes(5_000_000)})})  # type: ignore[misc]
        for name, write in WRITERS.items()
        if "rar" not in name
    },
    **{
        f"many files in {name}": (
            lambda write=write, name=name: {name: write({f"{n}.py": b"x" for n in range(400)})}  # type: ignore[misc]
        )
        for name, write in WRITERS.items()
        if "rar" not in name
    },
}
WRAPPERS = ("", "class/", "2026/class/")


def a_class(hostile: Files, place: int, wrapper: str) -> Files:
    """Return the files of a class in which that many students come before the hostile one."""
    students = [{f"{name}/a.py": b"a = 1"} for name in INNOCENT]
    students.insert(place, {f"mallory/{path}": data for path, data in hostile.items()})
    return {f"{wrapper}{path}": data for files in students for path, data in files.items()}


def check(unpacked: list[Entry], wrapper: str) -> None:
    read = {name for name in taken(unpacked) if "mallory" not in name}
    assert read == {f"{wrapper}{name}/a.py" for name in INNOCENT}
    assert all(name.startswith(f"{wrapper}mallory") for name in reasons(unpacked))


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("place", [0, 4, len(INNOCENT)], ids=["first", "middle", "last"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_student_keeps_others_from_being_read(kind: str, place: int, wrapper: str) -> None:
    files = a_class(HOSTILE[kind](), place, wrapper)
    for name in ("class.zip", "class.tar.gz"):
        unpacked = entries(name, WRITERS[name](files), LIMITS)
        check(unpacked, wrapper)
        assert reasons(unpacked)
        assert len(unpacked) < 3 * LIMITS.entries


@pytest.mark.parametrize("place", [0, 4, len(INNOCENT)], ids=["first", "middle", "last"])
@pytest.mark.parametrize("name", [name for name in WRITERS if "rar" not in name])
def test_each_format_of_an_upload_is_read_to_its_end(name: str, place: int) -> None:
    files = a_class(HOSTILE["many files"]() | HOSTILE["one large file"](), place, "class/")
    check(entries(name, WRITERS[name](files), LIMITS), "class/")


def test_a_flat_upload_is_read_beside_one_archive_with_too_much() -> None:
    for hostile in ("mallory.zip", "mallory.py"):  # the content tells the format
        files = {hostile: zipped(HOSTILE["many folders"]())} | {f"{n}.py": b"x" for n in range(5)}
        assert {f"{n}.py" for n in range(5)} <= taken(entries("class.zip", zipped(files), LIMITS)).keys()


@pytest.mark.parametrize("place", [0, 2, 4], ids=["first", "middle", "last"])
@pytest.mark.parametrize("kind", ["many files", "many folders", "many bytes", "one large file", "much junk"])
def test_files_chosen_together_are_each_of_one_student(kind: str, place: int) -> None:
    files = [(f"{n}.zip", zipped({"a.py": b"a = 1"})) for n in range(4)]
    files.insert(place, ("mallory.zip", zipped(HOSTILE[kind]())))
    chosen = [(name, io.BytesIO(data)) for name, data in files]
    unpacked = list(unpack_all(chosen, LIMITS, names=[name for name, _ in files]))
    assert {f"{n}/a.py" for n in range(4)} <= taken(unpacked).keys()
    assert all(name.startswith("mallory") for name in reasons(unpacked))


@pytest.mark.parametrize("place", [0, 4, len(INNOCENT)], ids=["first", "middle", "last"])
@pytest.mark.parametrize("process", ["confined", "moss check"])
def test_the_documents_of_one_student_take_no_time_of_others(
    place: int, process: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]

    def read(_kind: DocumentFormat, data: bytes, _budget: Budget) -> bytes:
        clock[0] += 30 if data.endswith(b"slow") else 0.1
        return b"text"

    def child(name: str, file: IO[bytes], *_: object) -> Iterator[Entry]:
        data = file.read()
        yield Entry(name, len(data), data=read(FORMATS[".pdf"], data, Budget(LIMITS)))

    monkeypatch.setattr("submissions.intake.unpacking.time.process_time", lambda: clock[0])
    monkeypatch.setattr("submissions.intake.unpacking._seconds_of_children", lambda: clock[0])
    monkeypatch.setattr(document_text, "document_text", read)
    monkeypatch.setattr(document_text, "_loaded", process == "confined")
    students = [{f"{name}/a.pdf": b"%PDF-quick"} for name in INNOCENT]
    students.insert(place, {f"mallory/{n}.pdf": b"%PDF-slow" for n in range(9)})
    files = {path: data for student in students for path, data in student.items()}
    file = io.BytesIO(zipped(files))
    unpacked = list(unpack("class.zip", file, Limits(documents_seconds=25), in_child=child))
    assert {f"{name}/a.pdf" for name in INNOCENT} <= taken(unpacked).keys()
    assert len(reasons(unpacked)) == 8
    assert all(entry.incomplete == entry.name.startswith("mallory/") for entry in unpacked if entry.reason)


def test_a_slow_file_beside_others_takes_no_time_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0]
    monkeypatch.setattr("submissions.intake.limits.time.process_time_ns", lambda: clock[0])
    budget = Budget(Limits(), lambda: [f"{n}.pdf" for n in range(9)])
    for n in range(9):
        assert budget.enter(f"{n}.pdf")
        budget.count_entry()
        clock[0] += 21_000_000_000 if n == 4 else 5_000_000_000


def test_a_whole_class_that_is_too_large_still_ends(tmp_path: Path) -> None:
    files = {f"student-{n}/{m}.py": b"x" for n in range(100) for m in range(7)}
    unpacked = entries("class.zip", zipped(files), LIMITS)
    assert len(taken(unpacked)) <= 2 * LIMITS.entries
    assert "class.zip" in reasons(unpacked) or len(reasons(unpacked)) > 9


def test_a_student_whose_files_take_too_long_is_left_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0]
    monkeypatch.setattr("submissions.intake.limits.time.process_time_ns", lambda: clock[0])
    budget = Budget(Limits(), lambda: ["ada/a.py", "mallory/a.py", "mallory/b/b.py", "zoe/a.py"])
    budget.enter("ada/a.py")
    budget.count_entry()
    budget.enter("mallory/a.py")
    clock[0] += 21_000_000_000
    with pytest.raises(StudentTooLarge, match="takes more than 20 s"):
        budget.count_bytes(1)
    assert not budget.enter("mallory/b/b.py")
    assert budget.enter("zoe/a.py")
    budget.count_entry()


@given(st.lists(st.text("ab/", min_size=1).map(lambda path: path.strip("/") or "a"), min_size=1))
def test_each_file_is_in_the_folder_of_its_student_whatever_the_order(paths: list[str]) -> None:
    def students(order: list[str]) -> list[str]:
        folders = StudentFolders()
        folders.find(order)
        return [folders.student(path) for path in paths]

    found = students(paths)
    assert found == students(paths[::-1])
    assert all(path.startswith(f"{student}/" if student else "") for path, student in zip(paths, found, strict=True))


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        (["ada/a.py", "ben/a.py"], ["ada", "ben"]),
        (["class/ada/a.py", "class/ben/x/a.py", "class/ben/a.py"], ["class/ada", "class/ben", "class/ben"]),
        (["read.me", "class/ada/a.py", "class/ben/a.py"], ["", "class/ada", "class/ben"]),
        ([*(f"{n}.py" for n in range(5)), "ben/b/a.py"], [*[""] * 5, "ben"]),
    ],
)
def test_students_of_an_upload_are_in_their_innermost_folder(paths: list[str], students: list[str]) -> None:
    folders = StudentFolders()
    folders.find(paths)
    assert [folders.student(path) for path in paths] == students
