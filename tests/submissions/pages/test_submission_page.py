"""One submission's page: its pairs, its place in the cohort, its files, and what was not taken."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions.models import Assignment, Batch, Pair, Report, Submission, SubmissionFile
from submissions.pages.templatetags.pages import percent
from submissions.pseudonyms.names import ANONYMOUS
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, HONEST, STARTER, zipped

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.support.uploads import CountQueries, HandIn


QUERIES = 21


def address(submission: Submission, assignment: Assignment | None = None) -> str:
    return reverse("submission", args=[(assignment or submission.batch.assignment).pk, submission.pk])


def named(name: str) -> Submission:
    return Submission.objects.filter(name=name).latest("pk")


def words(client: Client, submission: Submission) -> str:
    """Give the page as one line of text."""
    page = client.get(address(submission)).content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


@pytest.fixture
def ada(report: Report) -> Submission:
    return named("ada")


def test_it_lists_the_pairs_from_this_submission_s_side(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    best = report.pairs.get(left=ada, right__name="ben")
    Pair.objects.filter(pk=best.pk).update(left_share=0.25, right_share=0.75)
    for submission, mine, theirs in ((ada, 0.25, 0.75), (named("ben"), 0.75, 0.25)):
        page = alice_client.get(address(submission)).content.decode()
        assert reverse("pair", args=[report.assignment_id, best.left_id, best.right_id]) in page
        assert f'data-label="of this one">{percent(mine)}<' in page
        assert f'data-label="of the other">{percent(theirs)}<' in page


def test_it_shows_what_was_decided_of_each_pair(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    assert "Confirmed" not in words(alice_client, ada)
    report.assignment.decisions.create(left="ada", right="ben", state="confirmed")
    assert "Confirmed" in words(alice_client, ada)
    assert "Confirmed" in words(alice_client, named("ben"))
    assert "Confirmed" not in words(alice_client, named("cleo"))


def test_it_lists_what_was_decided_with_notes_and_without_what_was_only_opened(
    alice_client: Client, report: Report, ada: Submission, alice: User
) -> None:
    made = report.assignment.decisions
    assert "Decided so far" not in words(alice_client, ada)
    made.create(left="ada", right="cleo")
    assert "Decided so far" not in words(alice_client, ada)
    made.create(left="ada", right="ben", state="suspicious", assignee=alice, notes="Ask both <soon>.")
    made.create(left="ada", right="zoe", state="clear")
    page = " ".join(alice_client.get(address(ada)).content.decode().split())
    assert reverse("pair", args=[report.assignment_id, ada.pk, named("ben").pk]) in page
    said = words(alice_client, ada)
    assert re.search(r"With ben : Suspicious .* assigned to alice Ask both &lt;soon&gt;.", said)
    assert "With zoe: Clear" in said
    assert "zoe" not in words(alice_client, named("ben"))


def test_it_says_how_the_best_match_stands_among_everybody_s(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    values = {match.submission: match.similarity for match in findings_of(report).best}
    ben, cleo = named("ben"), named("cleo")
    assert values[ada.pk] == values[ben.pk] > values[cleo.pk]
    said = words(alice_client, ada)
    assert f"Its best match, with ben , is {round(values[ada.pk] * 100)} % " in said
    assert "the highest of 3 submissions, a place shared with 1 other." in said
    assert "the 3rd highest of 3 submissions." in words(alice_client, cleo)


def test_it_lists_the_files_with_their_language_lines_and_tokens(
    alice_client: Client, ada: Submission
) -> None:
    file = ada.files.select_related("document").get()
    said = words(alice_client, ada)
    lines = (STARTER + CLASS["ada/main.py"].removeprefix(STARTER)).count("\n")
    assert f"main.py Python {lines} {file.document.token_count}" in said


def test_what_was_skipped_is_listed_page_by_page(alice_client: Client, hand_in: HandIn) -> None:
    folder = {f"ada/{n:03}.class": "x" for n in range(120)}
    hand_in(zipped({**folder, "ada/main.py": HONEST, "ben/main.py": STARTER}))
    pages = [alice_client.get(address(named("ada")), {"skipped": number}) for number in (1, 3)]
    for page, listed in zip(pages, (50, 20), strict=True):
        text = page.content.decode()
        assert "120 skipped when it was uploaded" in text
        assert text.count(".class</th>") == listed


def test_it_says_what_of_it_was_skipped_and_what_could_not_be_read(
    alice_client: Client, hand_in: HandIn
) -> None:
    hand_in(zipped(CLASS | {"ada/photo.py": b"\x89PNG\r\n\x1a\n\0\0", "ben/empty.py": b""}))
    assert "1 skipped when it was uploaded" in words(alice_client, named("ada"))
    said = words(alice_client, named("ben"))
    assert "ben/empty.py" in said
    assert "photo.py" not in said
    named("cleo").files.update(path="odd.py")
    document = named("cleo").files.get().document
    document.state, document.reason = "failed", "nested too deeply"
    document.save()
    assert "odd.py Could not be read: nested too deeply" in words(alice_client, named("cleo"))


def test_it_says_when_it_was_uploaded_and_handed_in(alice_client: Client, ada: Submission) -> None:
    assert "handed in" not in words(alice_client, ada)
    ada.handed_in = datetime(2026, 3, 2, 12, 5, tzinfo=UTC)
    ada.save()
    said = words(alice_client, ada)
    assert "handed in 2 Mar 2026, 12:05, as the archive says" in said
    assert "by alice with class.zip" in said


def test_its_cluster_and_the_submissions_that_are_the_same_are_named(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    page = alice_client.get(address(ada)).content.decode()
    assert "Groups that it is in" in page
    assert "Cluster of 2 submissions" in words(alice_client, ada)
    assert address(named("ben")) in page
    assert "Groups that it is in" not in words(alice_client, named("cleo"))


def test_a_replaced_submission_says_so_and_points_at_the_newer_one(
    alice_client: Client, hand_in: HandIn
) -> None:
    hand_in(zipped(CLASS))
    earlier = named("ada")
    hand_in(zipped({"ada/main.py": HONEST}))
    page = alice_client.get(address(earlier)).content.decode()
    assert "A later upload has replaced this submission" in page
    assert address(named("ada")) in page
    assert "No pair with this submission is listed" in page
    assert "A later upload has replaced" not in words(alice_client, named("ada"))


def test_before_the_ranking_it_says_that_there_is_none_yet(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    report.delete()
    assert "Not ranked yet." in words(alice_client, ada)


def test_a_report_made_before_best_matches_were_kept_asks_to_rank_again(
    alice_client: Client, report: Report, ada: Submission
) -> None:
    Report.objects.update(findings=None)
    assert "Rank again" in words(alice_client, ada)


def test_other_instructors_and_other_assignments_do_not_find_it(
    alice_client: Client, charlie_client: Client, ada: Submission
) -> None:
    other = ada.batch.assignment.course.assignments.create(name="Sorting")
    assert charlie_client.get(address(ada)).status_code == 404
    assert alice_client.get(address(ada, other)).status_code == 404
    assert alice_client.get(address(ada)).status_code == 200


def test_names_that_would_mislead_are_spelt_out(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped({"ada/main.py": STARTER, "ben/main.py": STARTER}))
    Submission.objects.filter(name="ada").update(name="ada\u202e</script>")
    SubmissionFile.objects.filter(submission__batch=batch).update(path="<b>\u202e.py")
    page = alice_client.get(address(named("ada\u202e</script>"))).content.decode()
    assert page.count("⟨U+202E⟩") >= 2
    assert "ada\u202e</script>" not in page
    assert "<b>" not in page


def test_an_anonymous_reader_sees_made_up_names_alone(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped(CLASS | {"ada/ada.png.py": b"\x89PNG\r\n\x1a\n\0\0"}, "ada and others.zip"))
    batch.assignment.decisions.create(left="ada", right="ben", state="clear", notes="Told ada.")
    session = alice_client.session
    session[ANONYMOUS] = True
    session.save()
    for name in ("ada", "ben"):
        page = alice_client.get(address(named(name))).content.decode()
        assert "Decided so far" in page
        assert not re.search(r"\b(ada|ben|cleo)\b", page)


def test_many_pairs_and_files_are_paged_and_take_as_many_queries_as_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    hand_in(zipped(CLASS))
    # session, user, assignment, submission, 3 of the report, replaced, count and rows of files, sources,
    # 2 of what was refused, decisions, count, rows and best of pairs, links and members of clusters,
    # the same ones
    few = address(named("ada"))
    with django_assert_num_queries(QUERIES):
        alice_client.get(few)
    files = {f"ada/part{n:02}.py": f"{STARTER}# {n}\n" for n in range(60)}
    hand_in(zipped(files | {f"student-{n:02}/main.py": CLASS["ada/main.py"] for n in range(60)}))
    many = address(named("student-07"))
    with django_assert_num_queries(QUERIES):
        page = alice_client.get(many).content.decode()
    assert "1\u201350 of" in page
    page = alice_client.get(address(named("ada")), {"files": "2"}).content.decode()
    assert "51\u201360 of 60" in page


def test_nonsense_in_the_address_is_ignored(alice_client: Client, ada: Submission) -> None:
    for query in ({"page": "x"}, {"page": "-3"}, {"files": "99999"}, {"files": "\x00"}):
        assert alice_client.get(address(ada), query).status_code == 200


def test_an_unread_batch_has_pages_too(alice_client: Client, ada: Submission) -> None:
    Batch.objects.update(state="failed")
    assert alice_client.get(address(ada)).status_code == 200
