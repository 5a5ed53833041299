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


def send(
    client: Client, assignment: Assignment, files: dict[str, bytes], address: str = "upload"
) -> Batch | None:
    """Upload files as the script of the form does that read a dropped folder."""
    uploads = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in files.items()]
    data = {"files": uploads, "paths": json.dumps(list(files))}
    response = client.post(reverse(address, args=[assignment.pk]), data)
    assert response.status_code == 302, response.content
    return assignment.batches.order_by("pk").last()


def handed_in(batch: Batch | None) -> dict[str, list[str]]:
    submissions = Submission.objects.filter(batch=batch).order_by("name")
    return {each.name: sorted(each.files.values_list("path", flat=True)) for each in submissions}


@pytest.mark.long
def test_a_dropped_folder_is_grouped_by_the_folders_in_it(
    alice_client: Client, assignment: Assignment
) -> None:
    batch = send(alice_client, assignment, TREE)
    assert handed_in(batch) == {"ada": ["main.py"], "ben": ["src/main.py", "src/util.py"]}
    assert batch is not None
    assert batch.name == "class"


@pytest.mark.long
def test_a_dropped_folder_and_a_zip_of_it_are_grouped_alike(
    alice_client: Client, assignment: Assignment
) -> None:
    dropped = handed_in(send(alice_client, assignment, TREE))
    assert handed_in(send(alice_client, assignment, {"class.zip": zipped(TREE)})) == dropped


@pytest.mark.long
def test_a_dropped_folder_of_archives_has_one_student_an_archive(
    alice_client: Client, assignment: Assignment
) -> None:
    files = {"class/ada.zip": zipped({"main.py": ONE}), "class/ben.7z": seven_zipped({"main.py": OTHER})}
    assert handed_in(send(alice_client, assignment, files)) == {"ada": ["main.py"], "ben": ["main.py"]}


@pytest.mark.long
def test_several_archives_of_one_student_each_are_a_submission_each(
    alice_client: Client, assignment: Assignment
) -> None:
    files = {
        "ada.zip": zipped({"main.py": ONE}),
        "ben.zip": zipped({"src/main.py": OTHER, "src/util.py": ONE}),
    }
    expected = {"ada": ["main.py"], "ben": ["src/main.py", "src/util.py"]}
    assert handed_in(send(alice_client, assignment, files)) == expected


@pytest.mark.long
def test_several_archives_of_sections_have_the_students_of_all_of_them(
    alice_client: Client, assignment: Assignment
) -> None:
    files = {
        "section-a.zip": zipped({f"{name}/main.py": ONE for name in ("ada", "ben", "cleo")}),
        "section-b.zip": zipped({f"{name}/main.py": OTHER for name in ("dora", "emil", "fay")}),
    }
    names = [name.rpartition("/")[2] for name in handed_in(send(alice_client, assignment, files))]
    assert names == ["ada", "ben", "cleo", "dora", "emil", "fay"]


def test_a_dropped_folder_of_handed_out_code_is_registered(
    alice_client: Client, assignment: Assignment
) -> None:
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
