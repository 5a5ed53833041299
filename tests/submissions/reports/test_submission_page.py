"""One submission's page: its pairs, its place in the cohort, its files, and what was not taken."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Document, Pair, Report, Submission, SubmissionFile
from submissions.pages.filters import percent
from submissions.pages.rendered import render_part
from tests.support.html import Page, get_page
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, HONEST, STARTER, zipped
from tests.support.uploads import CountQueries, HandIn

QUERIES = 34
DECIDED = "[aria-labelledby=verdicts-heading]"
GROUPS = "[aria-labelledby=with-heading]"
SKIPPED = "[aria-labelledby=refused-heading]"


def address(submission: Submission, assignment: Assignment | None = None) -> str:
    return reverse("submission", args=[(assignment or submission.batch.assignment).pk, submission.pk])


def submission_named(name: str) -> Submission:
    return Submission.objects.filter(name=name).latest("pk")


def get_submission(client: Client, submission: Submission, **query: int) -> Page:
    return get_page(client, address(submission), **query)


@pytest.fixture
def ada(report: Report) -> Submission:
    return submission_named("ada")


def test_it_lists_pairs_as_seen_from_its_side(alice_client: Client, report: Report, ada: Submission) -> None:
    best = report.pairs.get(left=ada, right__name="ben")
    Pair.objects.filter(pk=best.pk).update(
        left_share=0.25, right_share=0.75, left_with_common=0.25, right_with_common=0.75
    )
    for submission, mine, theirs in ((ada, 0.25, 0.75), (submission_named("ben"), 0.75, 0.25)):
        page = get_submission(alice_client, submission)
        pair_address = reverse("pair", args=[report.assignment_id, best.left_id, best.right_id])
        row = page.values(".matches .other a", "href").index(pair_address)
        assert page.texts('.matches td[data-label="of this one"]')[row] == percent(mine)
        assert page.texts('.matches td[data-label="of the other"]')[row] == percent(theirs)


def test_it_shows_what_was_decided_of_pairs(alice_client: Client, report: Report, ada: Submission) -> None:
    def confirmed(submission: Submission) -> list[str]:
        """Return whom the page lists a confirmed pair with."""
        rows = get_submission(alice_client, submission).rows(".matches tbody tr")
        return [row[0] for row in rows if row[-1] == "Confirmed"]

    assert confirmed(ada) == []
    report.assignment.decisions.create(left="ada", right="ben", state="confirmed")
    assert confirmed(ada) == ["ben"]
    assert confirmed(submission_named("ben")) == ["ada"]
    assert confirmed(submission_named("cleo")) == []
    assert "Confirmed" not in get_submission(alice_client, submission_named("cleo")).text()


def test_it_lists_what_was_decided_with_notes_and_without_what_was_only_opened(
    alice_client: Client, report: Report, ada: Submission, alice: User
) -> None:
    decisions = report.assignment.decisions
    assert not get_submission(alice_client, ada).has(DECIDED)
    decisions.create(left="ada", right="cleo")
    assert not get_submission(alice_client, ada).has(DECIDED)
    decisions.create(left="ada", right="ben", state="suspicious", assignee=alice, notes="Ask both <soon>.")
    decisions.create(left="ada", right="zoe", state="clear")
    page = get_submission(alice_client, ada)
    assert page.text(f"{DECIDED} h2") == "Decisions"
    pair_address = reverse("pair", args=[report.assignment_id, ada.pk, submission_named("ben").pk])
    assert page.values(f"{DECIDED} a", "href") == [pair_address]
    zoe, ben = sorted(page.texts(f"{DECIDED} li"), reverse=True)
    assert re.fullmatch(r"With ben: Suspicious .* · assigned to alice\s?Ask both <soon>\.", ben)
    assert zoe.startswith("With zoe: Clear ")
    assert "zoe" not in get_submission(alice_client, submission_named("ben")).html
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_submission(alice_client, ada)
    assert ": Suspicious " in page.text(DECIDED)
    assert not re.search(r"\b(ada|ben|cleo|zoe)\b", page.html)


def test_it_ranks_its_best_match_among_all(alice_client: Client, report: Report, ada: Submission) -> None:
    values = {match.submission: match.similarity for match in findings_of(report).best}
    ben, cleo = submission_named("ben"), submission_named("cleo")
    assert values[ada.pk] == values[ben.pk] > values[cleo.pk]
    place = get_submission(alice_client, ada).text(".place")
    assert place.startswith(
        f"Its best match, with ben, is {percent(values[ada.pk])}: the highest of 3 submissions, tied with 1 other."
    )
    assert "the 3rd highest of 3 submissions." in get_submission(alice_client, cleo).text(".place")


def test_it_lists_its_files_and_says_when_it_was_handed_in_and_whether_it_is_ranked(
    alice_client: Client, ada: Submission, report: Report
) -> None:
    page, file = get_submission(alice_client, ada), ada.files.select_related("document").get()
    lines = CLASS["ada/main.py"].count("\n")
    row = ["main.py", "Python", str(lines), str(file.document.token_count)]
    assert page.rows(".files tbody tr") == [row]
    assert "handed in" not in page.text("main")
    ada.handed_in = datetime(2026, 3, 2, 12, 5, tzinfo=UTC)
    ada.save()
    lead = get_submission(alice_client, ada).text(".lead")
    assert lead.endswith(" by alice with class.zip · handed in 2 Mar 2026, 12:05 UTC, as the archive says")
    for nonsense in ({"page": "x"}, {"page": "-3"}, {"files": "99999"}, {"files": "\x00"}):
        assert alice_client.get(address(ada), nonsense).status_code == 200
    report.delete()
    Batch.objects.update(state="failed")
    assert get_submission(alice_client, ada).text(".empty strong") == "Not ranked yet."


@pytest.mark.long
def test_it_says_what_was_skipped_page_by_page_and_unread(alice_client: Client, hand_in: HandIn) -> None:
    folder = {f"ada/{n:03}.class": "x" for n in range(120)}
    hand_in(zipped(CLASS | folder | {"ben/empty.py": b""}))
    for number, row_count in ((1, 50), (3, 20)):
        page = get_submission(alice_client, submission_named("ada"), skipped=number)
        assert page.text(f"{SKIPPED} h2") == "120 skipped when it was uploaded"
        paths = page.texts(f"{SKIPPED} .path")
        assert len(paths) == len([path for path in paths if path.endswith(".class")]) == row_count
    page = get_submission(alice_client, submission_named("ben"))
    assert page.text(f"{SKIPPED} h2") == "1 skipped when it was uploaded"
    assert page.texts(f"{SKIPPED} .path") == ["ben/empty.py"]
    assert ".class" not in page.html
    cleo = submission_named("cleo")
    cleo.files.update(path="odd.py")
    Document.objects.filter(files__submission=cleo).update(state="failed", reason="nested too deeply")
    files = get_submission(alice_client, cleo).rows(".files tbody tr")
    assert files == [["odd.py", "Could not be read: nested too deeply"]]


def test_its_case_is_named_by_a_list_that_is_rendered_once_for_all_its_members(
    alice_client: Client, ada: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []

    def counted(template: str, context: Mapping[str, Any]) -> str:
        rendered.append(template)
        return render_part(template, context)

    monkeypatch.setattr("submissions.reports.views.render_part", counted)
    ben = submission_named("ben")
    pages = [get_submission(alice_client, member) for member in (ada, ben)]
    lists = [page.values(f"{GROUPS} .names a", "href") for page in pages]
    assert lists[0] == lists[1]
    assert len(lists[0]) == 2
    assert address(ben) in lists[0]
    assert rendered.count("submissions/submission/_cases.html") == 1
    assert pages[0].text(f"{GROUPS} h2") == "Groups with this submission"
    assert any("Case of 2 submissions" in text for text in pages[0].texts(f"{GROUPS} .with"))
    assert not get_submission(alice_client, submission_named("cleo")).has(GROUPS)


def test_a_replaced_submission_points_at_the_newer_one(alice_client: Client, hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    earlier = submission_named("ada")
    hand_in(zipped({"ada/main.py": HONEST}))
    page = get_submission(alice_client, earlier)
    assert page.text(".notice").startswith("A later upload has replaced this submission: ")
    assert page.values(".notice a", "href") == [address(submission_named("ada"))]
    assert page.text(".empty strong") == "No pair with this submission is listed."
    assert "has replaced" not in get_submission(alice_client, submission_named("ada")).text("main")


def test_others_do_not_find_it(alice_client: Client, charlie_client: Client, ada: Submission) -> None:
    other = ada.batch.assignment.course.assignments.create(name="Sorting")
    assert charlie_client.get(address(ada)).status_code == 404
    assert alice_client.get(address(ada, other)).status_code == 404
    assert alice_client.get(address(ada)).status_code == 200


def test_many_pairs_and_files_are_paged_and_take_as_many_queries_as_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    hand_in(zipped(CLASS))
    # session, user, assignment, submission, report, two versions, findings, duplicates, replaced,
    # count and rows of files, sources,
    # count of what was refused, decisions, count, rows and best of pairs, links and members of cases,
    # the same ones, the student, reports of the course, the submissions in these, statements
    few = address(submission_named("ada"))
    with django_assert_num_queries(QUERIES):
        alice_client.get(few)
    files = {f"ada/part{n:02}.py": f"{STARTER}# {n}\n" for n in range(60)}
    hand_in(zipped(files | {f"student-{n:02}/main.py": CLASS["ada/main.py"] for n in range(60)}))
    many = address(submission_named("student-07"))
    with django_assert_num_queries(QUERIES):
        page = get_page(alice_client, many)
    assert page.text("nav[aria-label='Pages of pairs'] span:not(.off)").startswith("1\u201350 of ")
    page = get_submission(alice_client, submission_named("ada"), files=2)
    assert page.text("nav[aria-label='Pages of files'] span:not(.off)") == "51\u201360 of 60"


@pytest.mark.long
def test_names_that_would_mislead_are_spelt_out(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped({"ada/main.py": STARTER, "ben/main.py": STARTER}))
    Submission.objects.filter(name="ada").update(name="ada\u202e</script>")
    SubmissionFile.objects.filter(submission__batch=batch).update(path="<b>\u202e.py")
    page = get_submission(alice_client, submission_named("ada\u202e</script>"))
    assert page.text("h1") == "ada‹U+202E›</script>"
    assert page.texts(".files .path") == ["<b>‹U+202E›.py"]
    assert page.texts("h1 .unseen, .files .unseen") == ["‹U+202E›"] * 2
    assert "\u202e" not in page.html
    assert not page.has("b")
