import json
import re
from collections.abc import Callable
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.core.names import Names, anonymous_names
from submissions.models import Assignment, Batch, Boilerplate, Document, Entry, Report, SubmissionFile
from submissions.pages.filters import percent
from submissions.pages.rendered import RENDERED
from submissions.pairs.source_view import MAX_LINES, documents, source_excerpt
from submissions.uploads.change import rerank
from tests.moss.check.test_shared_lines import class_with
from tests.support.api import api_client, send
from tests.support.html import Page, get_page
from tests.support.programs import program, remarked, renamed
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.tabs import tab
from tests.support.uploads import MANY, Committing, HandIn, register_boilerplate

EFFECT = "section.left-out > h2 + p"  # the paragraph that says what was left out


def assignment_page(client: Client, assignment: Assignment) -> Page:
    return get_page(client, tab(assignment, "ignored"))


def uploads_page(client: Client, assignment: Assignment) -> Page:
    return get_page(client, tab(assignment, "uploads"))


def ignore_passage(assignment: Assignment, first: int, after: int, name: str = "ada") -> Boilerplate:
    file = SubmissionFile.objects.get(submission__batch__assignment=assignment, submission__name=name)
    return assignment.boilerplate.create(
        name=f"passage of {file.path}", document=file.document, source=file.source, first=first, after=after
    )


def test_lines_that_most_of_a_class_share_are_said_on_the_report_in_documents_and_by_the_api(
    alice: User, alice_client: Client, hand_in: HandIn
) -> None:
    files = class_with(1, 20, 14, [79])
    assignment = hand_in(zipped(files)).assignment
    sentence = "14 of 20 submissions share 79 lines that are treated as common code."
    for address in (assignment.get_absolute_url(), tab(assignment, "pairs")):
        page = get_page(alice_client, address)
        assert f"{sentence} Look at them" in page.texts("p.notice")
    assert f"{tab(assignment, 'ignored')}#common-heading" in page.links()
    listed = get_page(alice_client, tab(assignment, "ignored"))
    assert listed.text("#common-heading") == "Common code"
    assert any("in 14 submissions" in row and "Lines" in row for row in listed.texts("li.piece"))
    pair = assignment.reports.get().pairs.all()[0]
    address = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    document = alice_client.get(address, {"format": "html", "names": "open"}).content.decode()
    assert sentence in Page(document).text("section.end")
    shared = send(api_client(alice), "get", f"/assignments/{assignment.pk}/report").json()["shared_lines"]
    assert (shared["submissions"], shared["all"], shared["lines"]) == (14, 20, 79)
    [passage] = shared["passages"]
    assert passage["last_line"] - passage["first_line"] == 78
    assert passage["text"].splitlines()[0] in files["student0/main.py"].splitlines()


def test_a_class_without_common_code_says_so(alice: User, alice_client: Client, report: Report) -> None:
    pairs = get_page(alice_client, tab(report.assignment, "pairs"))
    assert "treated as common code" not in pairs.text("main")
    answer = send(api_client(alice), "get", f"/assignments/{report.assignment_id}/report").json()
    assert answer["shared_lines"] is None
    assert assignment_page(alice_client, report.assignment).text(EFFECT) == (
        "No code is ignored: no boilerplate is registered, and no code is in more than 10 "
        "otherwise different submissions, or in files that nearly all handed in."
    )


def test_what_boilerplate_changed_is_shown_with_both_figures(
    alice_client: Client, report: Report, starter: Callable[[], None]
) -> None:
    assignment = report.assignment
    starter()
    newest = Report.objects.get(assignment=assignment)
    findings = findings_of(newest)
    assert findings.effect is not None
    page = assignment_page(alice_client, assignment)
    assert re.match(r"\d+\u202f% of all tokens are ignored: \d+\u202f% boilerplate\. ", page.text(EFFECT))
    pair, names = findings.effect.moved[0], dict(newest.submissions.values_list("pk", "name"))
    assert page.rows("table.moved tbody tr")[0][:2] == [
        f"{names[pair.left]} and {names[pair.right]}",
        f"{percent(pair.similarity_before)} {percent(pair.similarity)}",
    ]
    assert page.texts("section.left-out .acts .name") == ["main.py"]
    effect = findings.effect.model_copy(update={"above": 1, "above_before": 4})
    newest.findings = findings.model_copy(update={"effect": effect})
    newest.save()
    text = assignment_page(alice_client, assignment).text(EFFECT)
    assert re.search(
        r" 1 pair of this class reaches the suggested threshold of \d+\u202f%; if all code counted: 4\.$", text
    )


def test_an_ignored_passage_is_shown_and_may_count_again(
    alice_client: Client, report: Report, eager_tasks: None, committing: Committing
) -> None:
    assignment = report.assignment
    ignored = ignore_passage(assignment, 20, 40)
    with committing(execute=True):
        rerank(assignment)
    page = assignment_page(alice_client, assignment)
    assert page.text("section.left-out .acts .name") == "passage of main.py"
    assert page.values("section.left-out .acts button", "aria-label") == ["Count again: passage of main.py"]
    assert re.fullmatch(r"Lines \d+ to \d+", page.text("section.left-out .acts summary"))
    assert "values" in page.text("section.left-out .acts pre")
    assert boilerplate_tokens(assignment) >= 20
    with committing(execute=True):
        alice_client.post(reverse("remove_boilerplate", args=[ignored.pk]))
    assert not assignment.boilerplate.exists()
    assert boilerplate_tokens(assignment) == 0


@pytest.mark.usefixtures("eager_tasks")
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_ignoring_a_passage_hides_no_whole_copy(
    alice_client: Client, hand_in: HandIn, part: float, django_capture_on_commit_callbacks: Committing
) -> None:
    random = Random(part)
    programs = {f"s{number:02}": program(random) for number in range(12)}
    copies = {"x": programs["s00"], "y": renamed(programs["s00"]), "z": remarked(random, programs["s01"])}
    files = {f"{name}/main.py": text for name, text in (programs | copies).items()}
    assignment = hand_in(zipped(files)).assignment
    for name in ("s00", "s01"):
        tokens = SubmissionFile.objects.get(submission__name=name).document.token_count
        first = random.randrange(int(tokens * (1 - part)) + 1)
        ignore_passage(assignment, first, first + int(tokens * part), name)
    with django_capture_on_commit_callbacks(execute=True):
        rerank(assignment)
    answer = alice_client.get(reverse("table", args=[assignment.pk, "pairs", "json"]))
    rows = json.loads(b"".join(answer.streaming_content))["pairs"]  # type: ignore[attr-defined]
    bands = {(row["left"], row["right"]): row["band"] for row in rows}
    assert "ordinary" not in {bands[both] for both in (("s00", "x"), ("s00", "y"), ("x", "y"), ("s01", "z"))}


def boilerplate_tokens(assignment: Assignment) -> int:
    effect = findings_of(Report.objects.get(assignment=assignment)).effect
    assert effect is not None
    return effect.boilerplate


def test_boilerplate_that_could_not_be_read_says_why(alice_client: Client, report: Report) -> None:
    register_boilerplate(report.assignment, loose("main.py", STARTER))
    given = Document.objects.filter(boilerplate__assignment=report.assignment)
    given.update(state="failed", reason="its lexer broke")
    page = assignment_page(alice_client, report.assignment)
    assert page.text("section.left-out .acts .meta").endswith(" · could not be read: its lexer broke")


def test_an_excerpt_has_whole_lines_and_says_how_many_more_there_are(report: Report) -> None:
    file = SubmissionFile.objects.get(submission__name="ada")
    document = documents([file.document_id])[file.document_id]
    lines = CLASS["ada/main.py"].splitlines()
    whole = source_excerpt(document, 0, document.token_count, Names())
    assert whole.text.splitlines() == lines[whole.first_line - 1 : whole.first_line - 1 + MAX_LINES]
    assert whole.more == whole.last_line - whole.first_line + 1 - MAX_LINES > 0
    token = source_excerpt(document, 0, 1, Names())
    assert (token.first_line, token.text, token.more) == (token.last_line, lines[token.first_line - 1], 0)


def test_an_excerpt_names_nobody_on_an_anonymous_page_and_is_cut_in_a_very_long_line(hand_in: HandIn) -> None:
    source = f"# by Ada Lovelace\nvalues = [{', '.join('7' * 30_000)}]\n"
    assignment = hand_in(zipped({"Ada Lovelace/m.py": source})).assignment
    document = documents([SubmissionFile.objects.get().document_id]).popitem()[1]
    excerpt = source_excerpt(document, 0, document.token_count, anonymous_names(assignment))
    assert "Lovelace" not in excerpt.text
    assert len(excerpt.text) < 300
    assert excerpt.text.endswith("…")


def test_what_was_skipped_is_listed_and_counted(alice_client: Client, report: Report, batch: Batch) -> None:
    file = SubmissionFile.objects.get(submission__name="cleo")
    file.document.state, file.document.reason = "failed", "its lexer broke"
    file.document.save()
    page = uploads_page(alice_client, batch.assignment)
    failed = "1 file was not compared"
    assert page.texts("section.skipped summary") == ["1 file of the uploads was not taken", failed]
    assert page.texts("section.skipped th.path")[0] == "notes/photo.py"
    assert page.rows("section.skipped tbody tr")[1:] == [["main.py", "cleo", "its lexer broke"]]
    Entry.objects.bulk_create(
        Entry(batch=batch, name=f"notes/{n:03}.png", accepted=False, reason="an image") for n in range(99)
    )
    RENDERED.clear()
    page = uploads_page(alice_client, batch.assignment)
    assert page.texts("section.skipped summary") == ["100 files of the uploads were not taken", failed]
    assert [row[-1] for row in page.rows("section.skipped tbody tr")][:50] == ["an image"] * 50
    assert page.texts("section.skipped .hint")[0].startswith("These are 50 of 100.")


@pytest.mark.long
def test_the_page_says_when_nothing_was_skipped_or_replaced(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped(MANY)).assignment
    page = uploads_page(alice_client, assignment)
    assert page.texts("section.skipped > p") == ["Nothing: every file of every upload was compared."]
    hand_in(zipped({"student-00/main.py": CLASS["cleo/main.py"]}))
    page = uploads_page(alice_client, assignment)
    assert page.texts("section.skipped > p") == ["1 submission was replaced by a later upload of the same name."]
