"""The languages in which the files of an upload are read: detected, chosen by names, and changed later."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from fingerprint.engine import choices
from moss.check.inputs import InputOptions
from moss.check.rank import RankingOptions, preview_path, rank_path
from submissions.intake.file_languages import ChosenLanguages, check_language_patterns, reading_languages
from submissions.intake.left_out.patterns import BadPatterns
from submissions.models import Assignment, Batch, Document, SubmissionFile
from tests.submissions.reports.test_assignment_page import fields
from tests.support.html import get_page, page_of
from tests.support.previews import Upload
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing, HandIn

README = "# Fines\n\nThis program computes the fines of a library, and prints them for each reader.\n" * 5


def states(batch: Batch) -> Mapping[str, str]:
    files = SubmissionFile.objects.filter(submission__batch=batch)
    return {f"{file.submission.name}/{file.path}": file.document.state for file in files}


@pytest.mark.long
def test_a_text_beside_a_program_is_kept_not_compared(hand_in: HandIn, alice_client: Client) -> None:
    batch = hand_in(zipped({**CLASS, "ada/README.md": README, "cleo/README.md": README}))
    assert batch.state == "done"
    assert states(batch) == {**dict.fromkeys(CLASS, "ready"), **dict.fromkeys(README_PATHS, "kept")}
    pairs = batch.assignment.reports.get().pairs
    matched = {passage.left_file for pair in pairs.all() for passage in pair.passages}
    assert set(SubmissionFile.objects.filter(pk__in=matched).values_list("path", flat=True)) == {"main.py"}
    ada = batch.submissions.get(name="ada")
    page = get_page(alice_client, reverse("submission", args=[batch.assignment_id, ada.pk]))
    assert any(text.startswith("Not compared: text or data beside a program") for text in page.texts("td.unread"))
    pair = pairs.earliest("pk")
    page = get_page(alice_client, reverse("pair", args=[batch.assignment_id, pair.left_id, pair.right_id]))
    assert "This program computes the fines" in page.text("main")


README_PATHS = ("ada/README.md", "cleo/README.md")


@pytest.mark.long
def test_texts_are_compared_where_there_is_no_program_and_programs_in_the_language_of_the_assignment(
    hand_in: HandIn, assignment: Assignment
) -> None:
    assignment.language = "python"
    assignment.save()
    batch = hand_in(zipped(CLASS | {"ada/README.md": README, "ada/Main.java": "class Main { int x; }\n"}))
    assert states(batch)["ada/Main.java"] == "kept"
    assert states(batch)["ada/main.py"] == "ready"
    assignment.language = ""
    assignment.save()
    texts = hand_in(zipped({"ada/README.md": README, "ben/README.md": README}))
    assert set(states(texts).values()) == {"ready"}
    assert assignment.reports.latest("pk").duplicates
    of_text = Document.objects.filter(language="text")
    assert sorted(of_text.values_list("state", flat=True)) == ["kept", "ready"]


NAMES = [name for name, _ in choices()]


# Python in files of a name that tells nothing.
UNNAMED = {path.replace(".py", ".work"): text for path, text in CLASS.items()}


PATTERN = "*.work = Ruby"


def languages(assignment: Assignment) -> set[tuple[str, str]]:
    """Return the languages in which files are read, and whether they are compared, for every file."""
    files = SubmissionFile.objects.filter(submission__batch__assignment=assignment)
    return set(files.values_list("document__language", "document__state"))


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5), st.sampled_from(["", *NAMES]))
def test_without_a_pattern_files_are_read_as_before(detected: list[str], wanted: str) -> None:
    paths = [f"{index}.x" for index in range(len(detected))]
    for patterns in ("", "# *.x = java", "*.y = java\n/a/ = c"):
        chosen = ChosenLanguages(wanted, patterns)
        assert chosen.reading(paths, detected) == reading_languages(detected, wanted)


@given(st.sampled_from(NAMES), st.sampled_from(["", *NAMES]), st.sampled_from(choices()))
def test_a_file_that_a_pattern_fits_is_read_in_its_language(
    detected: str, wanted: str, language: tuple[str, str]
) -> None:
    for written in (language[0], language[1], language[1].upper()):
        chosen = ChosenLanguages(wanted, f"src/*.x={written}")
        (first, _) = chosen.reading(["src/a.x", "b.x"], [detected, detected])
        assert first == language[0]


def test_the_last_line_that_fits_decides() -> None:
    chosen = ChosenLanguages("", "*.x = java\n/lib/ = c\n*.x = python\n/lib/*.y = go")
    assert chosen.reading(["a.x", "lib/a.z", "lib/a.y", "a.q"], ["text"] * 4) == ["python", "c", "go", ""]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("*.st", "'*.st' names no language. Write it as in: *.st = structured-text"),
        ("*.st = klingon", "No language is called 'klingon'. The menu of languages has their names."),
        ("*.py = python\n! = java", "'!' is no pattern of the kind that .gitignore takes: it names no file."),
        ("*a" * 13 + " = java", "has 13 stars; the limit is 12."),
        ("*.c = c\n" + "\n".join(f"{n} = c" for n in range(100)), "These are 101 patterns; at most 100"),
    ],
)
def test_a_line_that_is_none_is_refused_with_the_reason(
    alice_client: Client, assignment: Assignment, text: str, reason: str
) -> None:
    with pytest.raises(BadPatterns) as refusal:
        check_language_patterns(text)
    assert reason in str(refusal.value)
    address = reverse("assignment_settings", args=[assignment.pk])
    response = alice_client.post(address, fields(language_patterns=text))
    assert response.status_code == 422
    assert reason in page_of(response).text(".error")


@pytest.mark.long
def test_a_change_in_the_settings_is_confirmed_and_reads_files_again(
    alice_client: Client, hand_in: HandIn, assignment: Assignment, committing: Committing
) -> None:
    hand_in(zipped(UNNAMED))
    before = languages(assignment)
    address = reverse("assignment_settings", args=[assignment.pk])
    asked = page_of(alice_client.post(address, fields(language_patterns=PATTERN)))
    assert f"{len(UNNAMED)} files of 1 upload are read again" in asked.text("ul.lost")
    assert asked.text("form code") == PATTERN
    assert languages(assignment) == before
    sent = fields(language_patterns=PATTERN, confirmed=asked.values('[name="confirmed"]', "value")[0])
    with committing(execute=True):
        assert alice_client.post(address, sent).status_code == 302
    assert languages(assignment) == {("ruby", "ready")}
    assert PATTERN in get_page(alice_client, address).text("ul.rows")


def test_a_preview_shows_them_and_earlier_uploads_are_read_again(
    alice_client: Client, hand_in: HandIn, preview_upload: Upload, committing: Committing
) -> None:
    hand_in(zipped(UNNAMED))
    batch = preview_upload({path.replace("ada", "dora"): text for path, text in UNNAMED.items()})
    sent = {"include_patterns": "", "exclude_patterns": "", "language_patterns": PATTERN}
    with committing(execute=True):
        answer = alice_client.post(reverse("filter_listed", args=[batch.pk]), sent, headers={"HX-Request": "true"})
    assert f"{len(UNNAMED)} Ruby" in page_of(answer).text("#preview")
    assert languages(batch.assignment) == {("ruby", "ready")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in UNNAMED.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_moss_check_and_its_preview_take_the_same_patterns(folder: Path) -> None:
    inputs = InputOptions(language_patterns=PATTERN)
    report = rank_path(folder, RankingOptions(inputs=inputs))
    assert {file.language for file in report.read_files} == {"ruby"}
    assert preview_path(folder, inputs).languages == f"{len(UNNAMED)} Ruby"
