"""The preview of an upload: what is shown before anything is read, and what can be changed."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from submissions.intake.choices import Choices
from submissions.models import Assignment, Batch, Document, Submission
from submissions.uploads.change import read_listed
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.html import get_page, page_of
from tests.support.previews import Upload, group
from tests.support.sample_class import CLASS, loose
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("eager_tasks")
SECTIONS = {f"section {n}/{path}": text for n in (1, 2) for path, text in CLASS.items()}


def names(response: HttpResponse) -> list[str]:
    return page_of(response).values("input[name=new]", "value")


def test_a_preview_shows_the_layout_the_students_and_what_does_not_count(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(SAMPLES["gradescope"])
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading") == (
        "3 submissions found, read as a Gradescope export; 1 entry does not count"
    )
    assert "Ada Byron, Bruno Popeșcu" in page.values("input[name=new]", "value")
    assert "20261234, bpopescu@example.edu" in page.texts(".students td")
    assert any("submission_metadata.yml" in path for path in page.texts("#preview .path"))
    assert not Document.objects.exists()


def test_another_layout_can_be_chosen_and_the_table_follows(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(SECTIONS)
    assert names(group(alice_client, batch, layout="depth 1")) == ["section 1", "section 2"]
    again = group(alice_client, batch, layout="depth 2")
    assert len(names(again)) == 6
    assert page_of(again).values("option[selected]", "value") == ["depth 2"]
    batch.refresh_from_db()
    assert batch.grouping_choices == Choices(depth=2)


def test_submissions_can_be_renamed_merged_split_and_all_of_it_undone(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    assert names(group(alice_client, batch, old=["ada"], new=["Ada Byron"])) == ["Ada Byron", "ben", "cleo"]
    merged = group(alice_client, batch, do="merge", chosen=["Ada Byron", "ben"])
    assert names(merged) == ["Ada Byron", "cleo"]
    assert names(group(alice_client, batch, do="split", chosen=["Ada Byron"])) == ["ada", "ben", "cleo"]
    group(alice_client, batch, do="merge", chosen=["ada", "ben"])
    assert names(group(alice_client, batch, do="reset")) == ["ada", "ben", "cleo"]


def test_a_merged_submission_can_be_renamed(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    group(alice_client, batch, do="merge", chosen=["ada", "ben"])
    assert names(group(alice_client, batch, old=["ada"], new=["Team 1"])) == ["cleo", "Team 1"]


def test_a_section_is_split_into_its_students(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload({f"lab/{path}": text for path, text in CLASS.items()} | {"zoe/main.py": "x = 1\n"})
    group(alice_client, batch, layout="depth 1")
    split = names(group(alice_client, batch, do="split", chosen=["lab"], layout="depth 1"))
    assert len(split) == 4


@pytest.mark.long
def test_what_was_checked_is_what_is_read(
    alice_client: Client, preview_upload: Upload, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = preview_upload(CLASS)
    group(alice_client, batch, old=["ada"], new=["Ada Byron"])
    with django_capture_on_commit_callbacks(execute=True):
        answer = group(alice_client, batch, do="read")
    assert answer.headers["HX-Redirect"] == batch.get_absolute_url()
    batch.refresh_from_db()
    assert batch.state == "done"
    assert sorted(Submission.objects.values_list("name", flat=True)) == ["Ada Byron", "ben", "cleo"]


def test_a_choice_that_is_none_is_refused_and_changes_nothing(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    for data in ({"layout": "nowhere"}, {"layout": "depth 99"}, {"layout": "depth x"}):
        answer = group(alice_client, batch, **data)
        assert page_of(answer).text("#preview .error")
    assert names(group(alice_client, batch, old=["ada"], new=[" \n "])) == ["ada", "ben", "cleo"]
    batch.refresh_from_db()
    assert batch.grouping_choices == Choices()


def test_code_that_a_rule_leaves_out_is_counted_with_one_click(
    alice_client: Client, preview_upload: Upload, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = preview_upload({**CLASS, "ada/node_modules/x/index.js": "let x = 1;\n"})
    page = get_page(alice_client, batch.get_absolute_url())
    (rule,) = page.values("#preview input[name=rule]", "value")
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("count_rule", args=[batch.pk]), {"rule": rule})
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading").endswith("found, read as a folder or file for each student")


def test_nobody_else_sees_or_changes_a_preview(client: Client, preview_upload: Upload, bob: User) -> None:
    batch = preview_upload(CLASS)
    client.force_login(bob)
    assert client.get(batch.get_absolute_url()).status_code == 404
    assert group(client, batch, layout="depth 0").status_code == 404
    assert client.post(reverse("count_rule", args=[batch.pk])).status_code == 404


def test_with_hidden_names_a_preview_names_nobody(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload({**CLASS, "ada/photo.png": b"\x89PNG\0"})
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    text = get_page(alice_client, batch.get_absolute_url()).text("#preview")
    assert "Submission 1" in text
    assert not re.search(r"\b(ada|ben|cleo)\b", text)


def test_an_upload_that_was_read_meanwhile_is_not_grouped_again(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    Batch.objects.update(state="ranking")
    assert "HX-Redirect" in group(alice_client, batch, layout="depth 0").headers
    batch.refresh_from_db()
    assert batch.choices == {}


def test_files_without_a_preview_are_read_at_once(
    alice_client: Client, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("upload", args=[assignment.pk]), {"files": loose("a.py", b"x = 1\n")})
    assert Batch.objects.get().state == "done"


def test_names_of_an_upload_are_shown_as_text(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload({"<b>ada</b>/main.py": "x = 1\n", 'ben" onfocus="x/main.py': "y = 2\n"})
    page = get_page(alice_client, batch.get_absolute_url())
    assert 'ben" onfocus="x' in page.values("input[name=new]", "value")
    assert not page.all("#preview b")


def test_the_page_is_as_quick_for_many_submissions_as_for_few(
    alice_client: Client, preview_upload: Upload, django_assert_max_num_queries: Callable[..., object]
) -> None:
    batch = preview_upload({f"student-{n}/main.py": f"x = {n}\n" for n in range(250)})
    with django_assert_max_num_queries(25):  # type: ignore[attr-defined]
        page = get_page(alice_client, batch.get_absolute_url())
    assert len(page.all("input[name=new]")) == 200
    assert read_listed(batch)


def test_the_assignment_says_that_an_upload_waits_to_be_checked(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    page = get_page(alice_client, batch.assignment.get_absolute_url())
    assert batch.get_absolute_url() in page.links()
    assert "class.zip waits for you: check who handed in what" in page.texts("p.notice")


def test_a_layout_that_fits_nothing_is_not_used_and_the_preview_says_so(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading") == "3 submissions found, read as a folder or file for each student"
    plain = "a folder or file for each student"
    assert page.texts("optgroup[label=Recognised] option") == [f"{plain} (fits best)"]
    answer = page_of(group(alice_client, batch, layout="moodle"))
    assert answer.text("#preview-heading") == page.text("#preview-heading")
    said = f"Nothing in this upload is named as in a Moodle export, so it is read as {plain}."
    assert said in answer.texts("p.notice")
    assert answer.values("input[name=new]", "value") == ["ada", "ben", "cleo"]


def filter_files(client: Client, batch: Batch, include: str = "", exclude: str = "") -> HttpResponse:
    data = {"include_patterns": include, "exclude_patterns": exclude}
    address = reverse("filter_listed", args=[batch.pk])
    return client.post(address, data, headers={"HX-Request": "true"})  # type: ignore[return-value]


def test_files_that_a_pattern_leaves_out_do_not_count_at_once(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload({**CLASS, "ada/notes.py": "x = 1\n"})
    answer = page_of(filter_files(alice_client, batch, exclude="notes.*"))
    assert "left out by an exclude pattern" in answer.text(".reasons")
    assert answer.text("#preview-heading").endswith("1 entry does not count")


def test_a_pattern_that_lets_other_files_count_unpacks_the_upload_again(
    alice_client: Client, preview_upload: Upload, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = preview_upload({**CLASS, "ada/node_modules/x/index.js": "let x = 1;\n"})
    with django_capture_on_commit_callbacks(execute=True):
        assert "HX-Redirect" in filter_files(alice_client, batch, include="node_modules/").headers
    page = get_page(alice_client, batch.get_absolute_url())
    assert "does not count" not in page.text("#preview-heading")


def test_what_is_no_pattern_is_refused_with_the_reason(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    answer = page_of(filter_files(alice_client, batch, include="@nothing"))
    assert "There is no rule @nothing" in answer.text(".filters .error")
    assert not answer.texts(".reasons")
