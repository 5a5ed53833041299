"""Files beside a program, and in other languages than that of the assignment, are kept and not compared."""

from collections.abc import Mapping

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Document, SubmissionFile
from tests.support.html import get_page
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

README = "# Fines\n\nThis program computes the fines of a library, and prints them for each reader.\n" * 5


def states(batch: Batch) -> Mapping[str, str]:
    files = SubmissionFile.objects.filter(submission__batch=batch)
    return {f"{file.submission.name}/{file.path}": file.document.state for file in files}


@pytest.mark.long
def test_a_text_beside_a_program_is_kept_for_reading_and_not_compared(
    hand_in: HandIn, alice_client: Client
) -> None:
    batch = hand_in(zipped({**CLASS, "ada/README.md": README, "cleo/README.md": README}))
    assert batch.state == "done"
    assert states(batch) == {**dict.fromkeys(CLASS, "ready"), **dict.fromkeys(README_PATHS, "kept")}
    pairs = batch.assignment.reports.get().pairs
    matched = {passage.left_file for pair in pairs.all() for passage in pair.passages}
    assert set(SubmissionFile.objects.filter(pk__in=matched).values_list("path", flat=True)) == {"main.py"}
    ada = batch.submissions.get(name="ada")
    page = get_page(alice_client, reverse("submission", args=[batch.assignment_id, ada.pk]))
    assert "not compared" in page.texts("td.unread")
    pair = pairs.earliest("pk")
    page = get_page(alice_client, reverse("pair", args=[batch.assignment_id, pair.left_id, pair.right_id]))
    assert "This program computes the fines" in page.text("main")


README_PATHS = ("ada/README.md", "cleo/README.md")


@pytest.mark.long
def test_texts_are_compared_where_there_is_no_program(hand_in: HandIn) -> None:
    batch = hand_in(zipped({"ada/essay.md": README, "ben/essay.md": README}))
    assert set(states(batch).values()) == {"ready"}
    assert batch.assignment.reports.get().duplicates


@pytest.mark.long
def test_only_programs_in_the_language_of_the_assignment_count(
    hand_in: HandIn, assignment: Assignment
) -> None:
    assignment.language = "python"
    assignment.save()
    batch = hand_in(zipped({**CLASS, "ada/Main.java": "class Main { int x; }\n"}))
    assert states(batch)["ada/Main.java"] == "kept"
    assert states(batch)["ada/main.py"] == "ready"


@pytest.mark.long
def test_a_file_can_be_compared_in_one_assignment_and_kept_in_another(hand_in: HandIn) -> None:
    hand_in(zipped({**CLASS, "ada/README.md": README}))
    hand_in(zipped({"ada/README.md": README, "ben/README.md": README}))
    assert sorted(Document.objects.filter(language="text").values_list("state", flat=True)) == [
        "kept",
        "ready",
    ]
