"""The export of one student: all of it, and nobody else's."""

import io
import json
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fingerprint.engine import storable
from submissions.models import AuditEntry, Submission, SubmissionFile
from submissions.students.exporting import note_export, write_export
from submissions.students.scope import scope
from tests.hostile.names import MEETINGS, PATHS, PAYLOADS
from tests.support.every_column import places_of
from tests.support.one_student import ID, LINE, MAIL, NAME, OTHERS, TRACES, Planted
from tests.support.sample_class import COPIED, RENAMED


class Export:
    """An opened export."""

    def __init__(self, text: str) -> None:
        target = io.BytesIO()
        self.rows = write_export(scope(text), target)
        self.archive = zipfile.ZipFile(target)
        self.tables: dict[str, list[dict[str, Any]]] = json.loads(self.archive.read("data.json"))

    def files(self) -> dict[str, str]:
        names = [name for name in self.archive.namelist() if name.startswith("files/")]
        return {name: self.archive.read(name).decode() for name in names}

    def columns(self) -> set[str]:
        """Return the columns, as the database calls them, in which the student is named."""
        columns_of_tables = set()
        for label, rows in self.tables.items():
            table = label.replace(".", "_").lower()
            for row in rows:
                named = (name for name, value in row.items() if names_student(value))
                columns_of_tables |= {f"{table}.{name}" for name in named}
        return columns_of_tables


def names_student(value: object) -> bool:
    return any(trace.casefold() in str(value).casefold() for trace in TRACES)


@pytest.mark.long
@pytest.mark.parametrize("text", [NAME, ID])
def test_everything_that_names_the_student_is_in_the_export(text: str, planted: Planted) -> None:
    export = Export(text)
    in_files = {"submissions_source.data", "submissions_statement.data"}
    assert places_of(TRACES) - export.columns() == in_files
    files = export.files()
    assert f"I am {NAME}." in files.values()
    assert sum(LINE in content for content in files.values()) == 2
    assert sum(map(len, export.tables.values())) == export.rows
    assert {row["email"] for row in export.tables["submissions.EnrolledStudent"]} == {MAIL}


def test_no_name_or_code_of_another_student_is_in_it(planted: Planted) -> None:
    export = Export(NAME)
    text = export.archive.read("data.json").decode() + "".join(export.archive.namelist())
    spelled = [part for name, number in OTHERS.items() for part in (*name.split(), number)]
    assert [part for part in spelled if part.casefold() in text.casefold()] == []
    assert "student-" in text
    assert not any(RENAMED.strip() in content for content in export.files().values())


@pytest.mark.long
def test_the_files_and_statements_of_a_group_are_the_students_too(planted: Planted) -> None:
    group = [content for path, content in Export(ID).files().items() if "/Compilers/" in path]
    assert group == [COPIED, f"I am {NAME}."]


def test_an_export_is_logged_with_its_reason(planted: Planted) -> None:
    note_export(scope(NAME), "admin", "The student asked for it.")
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action, entry.subject) == (
        "admin",
        "exported",
        f"{NAME}: The student asked for it.",
    )


HOSTILE = [*PATHS.values(), *PAYLOADS.values(), *(path for paths in MEETINGS.values() for path in paths)]
MORE = [
    "a",
    "a/b",
    "a/b/c",
    "A/B",
    "a.",
    "a .",
    ":",
    "*",
    "nul.py",
    "Com7",
    "x" * 999,
    "f/" * 480 + "g",
    "2 a",
]


def test_an_export_is_unpacked_on_every_system_whatever_its_names(planted: Planted, tmp_path: Path) -> None:
    submission = scope(NAME).submissions[0]
    assert isinstance(submission, Submission)
    source = submission.files.all()[0]
    names = {storable(name)[:1000] for name in (*HOSTILE, *MORE)} - {""}
    SubmissionFile.objects.bulk_create(
        SubmissionFile(submission=submission, path=name, source_id=source.source_id, document_id=source.document_id)
        for name in names
    )
    course = submission.batch.assignment.course
    type(course).objects.filter(pk=course.pk).update(name="../con:\u202e" + "W" * 90)
    export = Export(NAME)
    paths = export.archive.namelist()
    assert len({unicodedata.normalize("NFC", path).casefold() for path in paths}) == len(paths)
    export.archive.extractall(tmp_path / "out")
    unpacked = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(unpacked) == len(paths) > len(names)
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]
    for part in {part for path in paths for part in path.split("/")}:
        assert not {unicodedata.category(char) for char in part} & {"Cc", "Cf", "Cs"}, part
        assert not set(part) & set('<>:"\\|?*'), part
        assert part == part.strip(". "), part
        assert len(part.encode()) < 128
        assert part.casefold().partition(".")[0] not in {
            "con",
            "nul",
            "aux",
            "com1",
            "com7",
            "lpt1",
            "clock$",
        }
    assert max(map(len, paths)) < 4000
