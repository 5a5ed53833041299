"""An upload is stored under a name that the server makes, so that any name of a file can be uploaded."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Upload
from submissions.uploads.change import create_batch
from tests.support.sample_class import CLASS, COPIED, loose, zipped

pytestmark = pytest.mark.services

NAMES = {
    "only brackets": "(((",
    "only a symbol": "\N{SNOWMAN}",
    "250 letters of three bytes": "\N{CJK UNIFIED IDEOGRAPH-5B66}" * 247 + ".py",
    "200 letters of four bytes": "\U00020000" * 200 + ".py",
    "only dots": "....",
    "a hidden file": ".py",
    "a device": "CON",
    "a NUL": "a\0.py",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_file_of_any_name_is_uploaded(
    alice_client: Client, assignment: Assignment, eager_tasks: None, name: str
) -> None:
    files = [loose(name, COPIED), zipped(CLASS)]
    response = alice_client.post(reverse("upload", args=[assignment.pk]), {"files": files})
    assert response.status_code == 302
    assert Batch.objects.get().state == Batch.State.QUEUED  # its transaction does not end before the test


def test_the_stored_file_has_no_part_of_its_name(assignment: Assignment, alice: User) -> None:
    create_batch(assignment, alice, [loose("lovelace.py", COPIED)])
    upload = Upload.objects.get()
    assert upload.name == "lovelace.py"
    assert "lovelace" not in upload.file.name
    assert upload.file.name.startswith("uploads/")
    with upload.file.open("rb") as file:
        assert file.read().decode() == COPIED
