"""Dropped folders and several archives in one upload are grouped as one archive of the same tree would be."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Boilerplate, Submission
from tests.support.archives import seven_zipped, zipped
from tests.support.html import page_of
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import COPIED, RENAMED, STARTER

pytestmark = pytest.mark.usefixtures("eager_tasks", "transactional_db")
ONE, OTHER = COPIED.encode(), RENAMED.encode()
TREE = {"class/ada/main.py": ONE, "class/ben/src/main.py": OTHER, "class/ben/src/util.py": ONE}


def send(client: Client, assignment: Assignment, files: dict[str, bytes], address: str = "upload") -> Batch | None:
    """Upload files as the script of the form does that read a dropped folder."""
    uploads = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in files.items()]
    data = {"files": uploads, "paths": json.dumps(list(files))}
    response = client.post(reverse(address, args=[assignment.pk]), data)
    assert response.status_code == 302, response.content
    return assignment.batches.order_by("pk").last()


def handed_in(batch: Batch | None) -> dict[str, list[str]]:
    submissions = Submission.objects.filter(batch=batch).order_by("name")
    return {each.name: sorted(each.files.values_list("path", flat=True)) for each in submissions}


ALIKE = {"ada": ["main.py"], "ben": ["src/main.py", "src/util.py"]}
STUDENTS = ("ada", "ben", "cleo", "dora", "emil", "fay")


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (TREE, ALIKE),
        ({"class.zip": zipped(TREE)}, ALIKE),
        (
            {"class/ada.zip": zipped({"main.py": ONE}), "class/ben.7z": seven_zipped({"main.py": OTHER})},
            {"ada": ["main.py"], "ben": ["main.py"]},
        ),
        (
            {
                "ada.zip": zipped({"main.py": ONE}),
                "ben.zip": zipped({"src/main.py": OTHER, "src/util.py": ONE}),
            },
            ALIKE,
        ),
        (
            {
                "section-a.zip": zipped({f"{name}/main.py": ONE for name in STUDENTS[:3]}),
                "section-b.zip": zipped({f"{name}/main.py": OTHER for name in STUDENTS[3:]}),
            },
            {name: ["main.py"] for name in STUDENTS},
        ),
    ],
    ids=["a folder", "a zip of it", "a folder of archives", "an archive a student", "an archive a section"],
)
def test_folders_and_archives_are_grouped_by_the_students_in_them(
    files: dict[str, bytes], expected: dict[str, list[str]], alice_client: Client, assignment: Assignment
) -> None:
    batch = send(alice_client, assignment, files)
    assert {name.rpartition("/")[2]: paths for name, paths in handed_in(batch).items()} == expected
    assert batch is not None
    assert files is not TREE or batch.name == "class"


def test_a_folder_of_handed_out_code_is_registered(alice_client: Client, assignment: Assignment) -> None:
    files = {"starter/part/a.py": STARTER.encode(), "starter/more.zip": zipped({"b.py": ONE})}
    send(alice_client, assignment, files, "add_boilerplate")
    names = Boilerplate.objects.filter(assignment=assignment).order_by("name").values_list("name", flat=True)
    assert list(names) == ["starter/more/b.py", "starter/part/a.py"]


@pytest.mark.parametrize(
    "paths",
    rest_is_long(
        ['["../a", "/b"]', "[" * 100_000, '["\\u0000", "\\ud800"]', "", "{", "[1, 2]", '["one"]', '{"a": 1}'],
        first=3,
    ),
)
def test_no_list_of_paths_is_trusted(paths: str, alice_client: Client, assignment: Assignment) -> None:
    uploads = [SimpleUploadedFile("ada.py", ONE), SimpleUploadedFile("ben.py", OTHER)]
    data = {"files": uploads, "paths": paths}
    response = alice_client.post(reverse("upload", args=[assignment.pk]), data)
    assert response.status_code == 302
    assert all(".." not in name for name in handed_in(assignment.batches.get()))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.zip", zipped({}), "an empty archive: it holds no file"),
        ("cut.zip", zipped(TREE)[:80], "damaged or cut off"),
        ("refused.zip", zipped({"../up.py": ONE, "/etc/passwd": ONE}), "its path leads out of the archive"),
    ],
)
def test_an_upload_of_which_nothing_is_taken_says_why(
    name: str, data: bytes, words: str, alice_client: Client, assignment: Assignment
) -> None:
    batch = send(alice_client, assignment, {name: data})
    assert batch is not None
    assert batch.state == Batch.State.FAILED
    assert words in page_of(alice_client.get(batch.get_absolute_url())).text()
