"""The roster of the course in the preview of an upload: adding it, and the names and order it gives."""

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from submissions.core.submitters import save_students
from submissions.models import Batch, CourseRoster, Submission
from tests.support.html import get_page, page_of
from tests.support.previews import Upload, group
from tests.support.sample_class import CLASS, loose

pytestmark = pytest.mark.usefixtures("eager_tasks")


def test_a_preview_says_who_is_in_the_roster_of_the_course(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    roster = reverse("roster", args=[batch.assignment.course_id])
    assert roster in get_page(alice_client, batch.get_absolute_url()).links()
    alice_client.post(roster, {"file": loose("class.csv", b"Login,Name\nada,Ada Byron\nben,Ben Okri\n")})
    page = get_page(alice_client, batch.get_absolute_url())
    assert [cells[1:3] for cells in page.rows(".students tbody tr")] == [
        ["", "Ada Byron"],
        ["", "Ben Okri"],
        ["", "not in it"],
    ]


def send_roster(client: Client, batch: Batch, content: str) -> HttpResponse:
    address = reverse("add_listed_roster", args=[batch.pk])
    data = {"file": loose("class.csv", content)}
    return client.post(address, data, headers={"HX-Request": "true"})  # type: ignore[return-value]


def test_a_roster_is_added_in_the_preview_and_the_table_follows(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    roster = "Login,Name\nada,Zadie Byron\nben,Ben Okri\ndora,Dora Ito\n"
    answer = page_of(send_roster(alice_client, batch, roster))
    # In the order of the names as they will be shown.
    assert [cells[2] for cells in answer.rows(".students tbody tr")] == [
        "Ben Okri", "not in it", "Zadie Byron"
    ]  # fmt: skip
    assert "1 in the roster handed in nothing here" in answer.texts("#preview summary")
    assert "Dora Ito" in answer.text("#preview")
    stored = get_page(alice_client, reverse("roster", args=[batch.assignment.course_id]))
    assert "Zadie Byron" in stored.text("main")
    group(alice_client, batch, do="read")


def test_what_is_no_roster_is_refused_in_the_preview(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    answer = page_of(send_roster(alice_client, batch, "foo,bar\n1,2\n"))
    assert "No column says who the students are" in answer.text(".filters[open] .error")
    assert len(answer.rows(".students tbody tr")) == 3


def test_with_hidden_names_a_preview_takes_no_roster_and_names_nobody_of_it(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    send_roster(alice_client, batch, "Login,Name\nada,Zadie Byron\ndora,Dora Ito\n")
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_page(alice_client, batch.get_absolute_url())
    assert "Dora Ito" not in page.html
    assert "Zadie Byron" not in page.html
    assert not page.has("#preview input[type=file]")


def test_nobody_else_adds_a_roster(preview_upload: Upload, bob_client: Client) -> None:
    batch = preview_upload(CLASS)
    assert send_roster(bob_client, batch, "Login,Name\nada,Zadie Byron\n").status_code == 404
    assert not CourseRoster.objects.exists()


def test_submissions_are_in_the_order_of_the_names_as_shown(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(
        {f"{name}/main.py": text for name in ("s10", "s9", "Z1", "é2") for text in CLASS.values()}
    )
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.values("input[name=new]", "value") == ["é2", "s9", "s10", "Z1"]
    send_roster(alice_client, batch, "Login,Name\ns10,Ada Byron\ns9,Zadie Okri\n")
    group(alice_client, batch, do="read")
    Batch.objects.update(state="done")
    for name in ("s10", "s9", "Z1", "é2"):
        one = Submission.objects.create(batch=batch, name=name)
        save_students(batch.assignment.course, {name: one}, {})
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.texts("ul.names a.name") == ["Ada Byron", "é2", "Z1", "Zadie Okri"]
