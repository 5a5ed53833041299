from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions import actions
from submissions.models import Batch, Boilerplate, Document, Entry, Report, SubmissionFile
from submissions.pages.source_view.excerpts import MAX_LINES, documents, source_excerpt
from submissions.pseudonyms.names import Names, anonymous_names
from tests.submissions.ranking.test_findings import TEMPLATE, everybody_with
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import MANY

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import Committing, HandIn


def section(client: Client, assignment: Assignment, name: str) -> str:
    """Give the words of a section of the assignment's page."""
    page = client.get(assignment.get_absolute_url()).content.decode()
    start = page.index(f'<section class="{name}"')
    return " ".join(re.sub(r"<[^>]*>", " ", page[start : page.index("</section>", start)]).split())


def passage(assignment: Assignment, first: int, after: int) -> Boilerplate:
    file = SubmissionFile.objects.get(submission__batch__assignment=assignment, submission__name="ada")
    name = f"passage of {file.path}"
    return assignment.boilerplate.create(
        name=name, document=file.document, source=file.source, first=first, after=after
    )


def test_nothing_left_out_is_said_with_the_reason(alice_client: Client, report: Report) -> None:
    assert (
        "Nothing was left out: no boilerplate is registered, and a class of this size has no limit"
        in section(alice_client, report.assignment, "left-out")
    )


def test_what_boilerplate_changed_is_told_with_both_figures(
    alice_client: Client, report: Report, starter: Callable[[], None]
) -> None:
    assignment = report.assignment
    starter()
    effect = findings_of(Report.objects.get(assignment=assignment)).effect
    assert effect is not None
    said = section(alice_client, assignment, "left-out")
    assert re.search(r"\d+ % of all tokens count for nobody: \d+ % boilerplate", said)
    pair = effect.moved[0]
    names = dict(Report.objects.get(assignment=assignment).submissions.values_list("pk", "name"))
    figures = f"{round(pair.similarity_before * 100)} % {round(pair.similarity * 100)} %"
    assert f"{names[pair.left]} and {names[pair.right]} {figures}" in said
    assert "main.py" in said


def test_pairs_that_boilerplate_took_below_the_line_are_counted(
    alice_client: Client, report: Report, starter: Callable[[], None]
) -> None:
    starter()
    newest = Report.objects.get(assignment=report.assignment)
    found = findings_of(newest)
    assert found.effect is not None
    effect = found.effect.model_copy(update={"above": 1, "above_before": 4})
    newest.findings = found.model_copy(update={"effect": effect})
    newest.save()
    said = section(alice_client, report.assignment, "left-out")
    assert "With everything counted 4 pairs would stand out instead of 1." in said


def test_common_code_is_shown_with_its_lines(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped(everybody_with(TEMPLATE, 32))).assignment
    said = section(alice_client, assignment, "left-out")
    assert "code that more than 10 submissions share" in said
    assert "That lowers shares and lengths; similarities stay" in said
    assert re.search(r"\d+ tokens in 32 submissions Lines 2 to \d def read_table\(path, width\):", said)


def test_an_ignored_passage_is_shown_and_may_count_again(
    alice_client: Client,
    report: Report,
    at_once: None,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    assignment = report.assignment
    ignored = passage(assignment, 20, 40)
    with django_capture_on_commit_callbacks(execute=True):
        actions.rerank(assignment)
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert 'aria-label="Count again: passage of main.py"' in page
    assert re.search(
        r"passage of main.py .*Lines \d+ to \d+ .*values", section(alice_client, assignment, "left-out")
    )
    assert boilerplate_tokens(assignment) >= 20
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("remove_boilerplate", args=[ignored.pk]))
    assert not assignment.boilerplate.exists()
    assert boilerplate_tokens(assignment) == 0


def boilerplate_tokens(assignment: Assignment) -> int:
    effect = findings_of(Report.objects.get(assignment=assignment)).effect
    assert effect is not None
    return effect.boilerplate


def test_charlie_cannot_make_alices_passage_count_again(charlie_client: Client, report: Report) -> None:
    ignored = passage(report.assignment, 5, 20)
    assert charlie_client.post(reverse("remove_boilerplate", args=[ignored.pk])).status_code == 404
    assert Boilerplate.objects.filter(pk=ignored.pk).exists()


def test_boilerplate_that_could_not_be_read_says_why(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    actions.add_boilerplate(assignment, [loose("main.py", STARTER)])
    Document.objects.filter(boilerplate__assignment=assignment).update(
        state="failed", reason="its lexer broke"
    )
    assert "could not be read: its lexer broke" in section(alice_client, assignment, "left-out")


def test_an_excerpt_has_whole_lines_and_says_how_many_more_there_are(report: Report) -> None:
    file = SubmissionFile.objects.get(submission__name="ada")
    document = documents([file.document_id])[file.document_id]
    lines = CLASS["ada/main.py"].splitlines()
    whole = source_excerpt(document, 0, document.token_count, Names())
    assert whole.text.splitlines() == lines[whole.first_line - 1 : whole.first_line - 1 + MAX_LINES]
    assert whole.more == whole.last_line - whole.first_line + 1 - MAX_LINES > 0
    one = source_excerpt(document, 0, 1, Names())
    assert (one.first_line, one.text, one.more) == (one.last_line, lines[one.first_line - 1], 0)


def test_an_excerpt_on_an_anonymous_page_names_nobody(hand_in: HandIn) -> None:
    assignment = hand_in(zipped({"Ada Lovelace/m.py": f"# by Ada Lovelace\n{STARTER}"})).assignment
    document = documents([SubmissionFile.objects.get().document_id]).popitem()[1]
    first = source_excerpt(document, 0, document.token_count, anonymous_names(assignment)).text
    assert "Lovelace" not in first


def test_a_very_long_line_is_cut(hand_in: HandIn) -> None:
    hand_in(zipped({"ada/m.py": f"values = [{', '.join('7' * 30_000)}]\n"}))
    document = documents([SubmissionFile.objects.get().document_id]).popitem()[1]
    shown = source_excerpt(document, 0, document.token_count, Names())
    assert len(shown.text) < 300
    assert shown.text.endswith("…")


def test_what_was_skipped_is_listed_with_its_reason(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    said = section(alice_client, assignment, "skipped")
    assert "1 file of the uploads was not taken" in said
    assert "notes/photo.py" in said
    assert "could not be read" not in said
    file = SubmissionFile.objects.get(submission__name="cleo")
    file.document.state, file.document.reason = "failed", "its lexer broke"
    file.document.save()
    assert "1 file could not be read" in section(alice_client, assignment, "skipped")
    assert "its lexer broke" in section(alice_client, assignment, "skipped")


def test_of_many_skipped_files_the_first_are_listed_and_all_are_counted(
    alice_client: Client, batch: Batch
) -> None:
    Entry.objects.bulk_create(
        Entry(batch=batch, name=f"notes/{n:03}.png", accepted=False, reason="an image") for n in range(99)
    )
    said = section(alice_client, batch.assignment, "skipped")
    assert "100 files of the uploads were not taken" in said
    assert said.count("an image") == 50
    assert "These are 50 of 100." in said


def test_replaced_submissions_are_counted(alice_client: Client, batch: Batch, hand_in: HandIn) -> None:
    hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"]}))
    said = section(alice_client, batch.assignment, "skipped")
    assert "1 submission was replaced by a later upload of the same name." in said


def test_where_nothing_was_skipped_that_is_said(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped(MANY)).assignment
    assert "Nothing: every file of every upload was read." in section(alice_client, assignment, "skipped")
