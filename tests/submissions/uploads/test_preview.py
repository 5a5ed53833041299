"""The preview of an upload: it waits, unpacked and unread, until its uploader has it read."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from moss.operations import maintenance
from submissions.core.accounts import stored_bytes
from submissions.core.submitters import save_students
from submissions.courses.retention import delete_batch
from submissions.intake.choices import Choices
from submissions.models import Assignment, Batch, Document, Entry, ListedEntry, Source, Submission
from submissions.uploads.change import create_batch, list_again, read_listed
from submissions.uploads.ingestion import ingest_batch
from submissions.uploads.lifecycle import cancel_batch
from tests.fingerprint.languages.test_every_language import program
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.html import get_page, page_of
from tests.support.previews import Upload, group
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.usefixtures("eager_tasks")


@pytest.fixture
def listed(assignment: Assignment, alice: User, committing: Committing) -> Batch:
    """Return a batch that waits for Alice."""
    files: dict[str, str | bytes] = {
        **CLASS,
        "ada/photo.png": b"\x89PNG\r\n\x1a\n\0\0",
        "node_modules/x/index.js": "x",
    }
    with committing(execute=True):
        batch = create_batch(assignment, alice, [zipped(files)], preview=True)
    batch.refresh_from_db()
    return batch


def test_a_batch_with_a_preview_is_listed_and_nothing_of_it_is_read(listed: Batch) -> None:
    assert listed.state == "listed"
    assert not Document.objects.exists()
    assert not Submission.objects.exists()
    assert not Entry.objects.exists()
    rows = {row.name: row for row in listed.listed_entries.all()}
    assert {name for name, row in rows.items() if row.language == "python"} == CLASS.keys()
    assert rows["ada/photo.png"].reason
    assert rows["node_modules/"].reason


def test_a_checked_batch_is_read_without_unpacking_it_again(
    listed: Batch, committing: Committing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.uploads.ingestion.list_entries", None)
    with committing(execute=True):
        assert read_listed(listed)
    listed.refresh_from_db()
    assert (listed.state, listed.preview) == ("done", False)
    assert listed.submissions.count() == len(CLASS)
    assert listed.entries.filter(accepted=True).count() == len(CLASS)
    assert listed.entries.filter(accepted=False).count() == 2
    assert not ListedEntry.objects.exists()
    assert not read_listed(listed)


def test_a_listed_batch_keeps_its_files_and_sources_until_it_is_deleted(
    listed: Batch, alice: User, committing: Committing
) -> None:
    Source.objects.update(created="2020-01-01T00:00:00Z")
    maintenance.sweep()
    assert Source.objects.count() == len(CLASS)
    assert listed.uploads.count() == 1
    assert stored_bytes(alice) >= sum(map(len, CLASS.values()))
    name = listed.uploads.get().file.name
    assert default_storage.exists(name)
    with committing(execute=True):
        delete_batch(listed)
    assert not Source.objects.exists()
    assert not default_storage.exists(name)


def test_a_listed_batch_is_unpacked_again_where_it_has_to_be(listed: Batch, committing: Committing) -> None:
    Batch.objects.update(state="unpacking")
    ingest_batch(Batch.objects.select_related("assignment").get())
    listed.refresh_from_db()
    assert listed.state == "listed"
    assert listed.listed_entries.count() == len(CLASS) + 2
    listed.assignment.include_patterns = "node_modules/"
    listed.assignment.save()
    with committing(execute=True):
        assert list_again(listed)
    listed.refresh_from_db()
    assert listed.state == "listed"
    assert listed.listed_entries.filter(name="node_modules/x/index.js", language="javascript").exists()
    assert cancel_batch(listed)
    listed.refresh_from_db()
    assert listed.state == "cancelled"


def test_an_upload_of_nothing_that_can_be_used_fails_without_a_preview(
    assignment: Assignment, alice: User, committing: Committing
) -> None:
    with committing(execute=True):
        batch = create_batch(assignment, alice, [loose("a.py", b"")], preview=True)
    batch.refresh_from_db()
    assert (batch.state, batch.entries.get().reason) == ("failed", "empty")


SECTIONS = {f"section {n}/{path}": text for n in (1, 2) for path, text in CLASS.items()}


def names(response: HttpResponse) -> list[str]:
    return page_of(response).values("input[name=new]", "value")


def test_a_preview_shows_layout_students_and_the_rest(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(SAMPLES["gradescope"])
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading") == ("3 submissions found, read as a Gradescope export; 1 entry does not count")
    assert "Ada Byron, Bruno Popeșcu" in page.values("input[name=new]", "value")
    assert "20261234, bpopescu@example.edu" in page.texts(".students td")
    assert any("submission_metadata.yml" in path for path in page.texts("#preview .path"))
    assert not Document.objects.exists()


def test_another_layout_can_be_chosen_and_followed(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(SECTIONS)
    assert names(group(alice_client, batch, layout="depth 1")) == ["section 1", "section 2"]
    again = group(alice_client, batch, layout="depth 2")
    assert len(names(again)) == 6
    assert page_of(again).values("option[selected]", "value") == ["depth 2"]
    batch.refresh_from_db()
    assert batch.grouping_choices == Choices(depth=2)


def test_submissions_can_be_changed_and_restored(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    assert names(group(alice_client, batch, old=["ada"], new=["Ada Byron"])) == ["Ada Byron", "ben", "cleo"]
    merged = group(alice_client, batch, do="merge", chosen=["Ada Byron", "ben"])
    assert names(merged) == ["Ada Byron", "cleo"]
    assert names(group(alice_client, batch, do="split", chosen=["Ada Byron"])) == ["ada", "ben", "cleo"]
    group(alice_client, batch, do="merge", chosen=["ada", "ben"])
    assert names(group(alice_client, batch, old=["ada"], new=["Team 1"])) == ["cleo", "Team 1"]
    assert names(group(alice_client, batch, do="reset")) == ["ada", "ben", "cleo"]
    batch = preview_upload({f"lab/{path}": text for path, text in CLASS.items()} | {"zoe/main.py": "x = 1\n"})
    group(alice_client, batch, layout="depth 1")
    assert len(names(group(alice_client, batch, do="split", chosen=["lab"], layout="depth 1"))) == 4


@pytest.mark.long
def test_what_was_checked_is_what_is_read(alice_client: Client, preview_upload: Upload, committing: Committing) -> None:
    batch = preview_upload(CLASS)
    group(alice_client, batch, old=["ada"], new=["Ada Byron"])
    with committing(execute=True):
        answer = group(alice_client, batch, do="read")
    assert answer.headers["HX-Redirect"] == batch.get_absolute_url()
    batch.refresh_from_db()
    assert batch.state == "done"
    assert sorted(Submission.objects.values_list("name", flat=True)) == ["Ada Byron", "ben", "cleo"]


def test_a_wrong_choice_is_refused_and_does_nothing(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload(CLASS)
    for data in ({"layout": "nowhere"}, {"layout": "depth 99"}, {"layout": "depth x"}):
        answer = group(alice_client, batch, **data)
        assert page_of(answer).text("#preview .error")
    assert names(group(alice_client, batch, old=["ada"], new=[" \n "])) == ["ada", "ben", "cleo"]
    batch.refresh_from_db()
    assert batch.grouping_choices == Choices()


@pytest.mark.parametrize("how", ["a rule", "a pattern"])
def test_code_that_a_rule_leaves_out_is_counted_with_one_click_or_by_a_pattern(
    alice_client: Client, preview_upload: Upload, committing: Committing, how: str
) -> None:
    batch = preview_upload({**CLASS, "ada/node_modules/x/index.js": "let x = 1;\n"})
    page = get_page(alice_client, batch.get_absolute_url())
    (rule,) = page.values("#preview input[name=rule]", "value")
    with committing(execute=True):
        if how == "a rule":
            alice_client.post(reverse("count_rule", args=[batch.pk]), {"rule": rule})
        else:
            assert "HX-Redirect" in filter_files(alice_client, batch, include="node_modules/").headers
    page = get_page(alice_client, batch.get_absolute_url())
    assert page.text("#preview-heading").endswith("found, read as a folder or file for each student")


def test_the_assignment_says_that_an_upload_waits_and_what_was_read_meanwhile_is_not_grouped_again(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(CLASS)
    page = get_page(alice_client, batch.assignment.get_absolute_url())
    assert batch.get_absolute_url() in page.links()
    assert "class.zip waits for you: check who handed in what" in page.texts("p.notice")
    Batch.objects.update(state="ranking")
    assert "HX-Redirect" in group(alice_client, batch, layout="depth 0").headers
    batch.refresh_from_db()
    assert batch.choices == {}


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


def test_a_layout_that_fits_nothing_is_not_used(alice_client: Client, preview_upload: Upload) -> None:
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


def filter_files(client: Client, batch: Batch, include: str = "", exclude: str = "", only: str = "") -> HttpResponse:
    data = {"include_patterns": include, "exclude_patterns": exclude, "only_patterns": only}
    address = reverse("filter_listed", args=[batch.pk])
    return client.post(address, data, headers={"HX-Request": "true"})  # type: ignore[return-value]


def test_patterns_count_at_once_and_what_matches_nothing_or_is_none_is_named(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload({**CLASS, "ada/src/own.py": "x = 1\n", "ben/src/own.py": "y = 2\n"})
    answer = page_of(filter_files(alice_client, batch, include="@nothing"))
    assert "There is no rule @nothing" in answer.text(".filters .error")
    assert not answer.texts(".reasons")
    answer = page_of(filter_files(alice_client, batch, exclude="/main.*"))
    assert "left out by an exclude pattern" in answer.text(".reasons")
    assert answer.text("#preview-heading").endswith("3 entries do not count")
    answer = page_of(filter_files(alice_client, batch, only="src/**\nlib/**"))
    assert answer.text("#preview-heading").startswith("2 submissions found")
    assert "none of the files to compare, by their patterns" in answer.text(".reasons")
    assert "No file matches these patterns: lib/**." in answer.texts("p.notice")
    batch.refresh_from_db()
    assert batch.assignment.only_patterns == "src/**\nlib/**"


def test_without_a_preview_a_useless_pattern_is_listed(assignment: Assignment, hand_in: HandIn) -> None:
    assignment.only_patterns = "*.py\n*.pyy"
    assignment.save()
    entries = hand_in(zipped({"ada/a.py": "x = 1\n", "ada/b.c": "int x;\n", "ben/a.py": "y = 2\n"})).entries
    assert [entry.name for entry in entries.filter(reason="a pattern that no file matches")] == ["*.pyy"]
    assert {entry.name for entry in entries.filter(accepted=True)} == {"ada/a.py", "ben/a.py"}


def test_a_roster_added_there_says_who_is_in_it(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload({**CLASS, "ada/photo.png": b"\x89PNG\0"})
    place = reverse("roster", args=[batch.assignment.course_id])
    assert place in get_page(alice_client, batch.get_absolute_url()).links()
    answer = page_of(send_roster(alice_client, batch, "foo,bar\n1,2\n"))
    assert "No column says who the students are" in answer.text(".filters[open] .error")
    assert len(answer.rows(".students tbody tr")) == 3
    roster = "Login,Name\nada,Zadie Byron\nben,Ben Okri\ndora,Dora Ito\n"
    answer = page_of(send_roster(alice_client, batch, roster))
    # In the order of the names as they will be shown.
    students = [cells[2] for cells in answer.rows(".students tbody tr")]
    assert students == ["Ben Okri", "not in it", "Zadie Byron"]
    assert "1 in the roster handed in nothing here" in answer.texts("#preview summary")
    assert "Dora Ito" in answer.text("#preview")
    assert "Zadie Byron" in get_page(alice_client, place).text("main")
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_page(alice_client, batch.get_absolute_url())
    assert "Submission 1" in page.text("#preview")
    assert not re.search(r"\b(ada|ben|cleo|Dora Ito|Zadie Byron)\b", page.text("#preview"))
    assert not page.has("#preview input[type=file]")


def send_roster(client: Client, batch: Batch, content: str) -> HttpResponse:
    address = reverse("add_listed_roster", args=[batch.pk])
    data = {"file": loose("class.csv", content)}
    return client.post(address, data, headers={"HX-Request": "true"})  # type: ignore[return-value]


def test_submissions_are_in_order_of_shown_names(alice_client: Client, preview_upload: Upload) -> None:
    batch = preview_upload({f"{name}/main.py": text for name in ("s10", "s9", "Z1", "é2") for text in CLASS.values()})
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


JAVA = program("java")


FILES = {
    "ada/Main.java": JAVA,
    "ben/Main.java.txt": JAVA,
    "cleo/solve.py": "def f(x):\n    return x\n",
    "dora/notes.txt": "The tide comes twice a day.\n",
    "eve/Main.java": "// Only a comment.\n",
}


LANGUAGES = "Languages of the files: 3 Java, 1 Python, 1 read as prose."


OTHERWISE = "These are not Java, as most of the class is: cleo/solve.py (Python), dora/notes.txt (Plain text)."


def test_the_preview_and_the_page_of_an_upload_say_how_files_are_read(
    alice_client: Client, preview_upload: Upload, hand_in: HandIn
) -> None:
    text = get_page(alice_client, preview_upload(FILES).get_absolute_url()).text("#preview")
    assert LANGUAGES in text
    assert OTHERWISE in text
    text = get_page(alice_client, hand_in(zipped(FILES)).get_absolute_url()).text()
    assert LANGUAGES in text
    assert OTHERWISE in text
    assert "Without code: eve." in text
