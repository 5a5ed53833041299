from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Batch, Boilerplate, Report
from submissions.pages.templatetags.pages import percent
from tests.support.sample_class import CLASS, STARTER, loose, zipped

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django.fixtures import Settings

    from submissions.models import Assignment
    from tests.support.uploads import Committing, CountQueries, HandIn


ROW = re.compile(r'<th scope="row" class="left"><a[^>]*>(.*?)</a></th>\s*<td class="right"><a[^>]*>(.*?)</a>')


def rows(client: Client, assignment: Assignment, **query: str) -> list[tuple[str, str]]:
    return ROW.findall(client.get(assignment.get_absolute_url(), query).content.decode())


def many(count: int) -> dict[str, str]:
    return {f"student-{n:02}/main.py": list(CLASS.values())[n % 3] for n in range(count)}


def test_an_assignment_without_uploads_asks_for_one(alice_client: Client, assignment: Assignment) -> None:
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert "Upload what was handed in" in page
    assert f'action="{reverse("upload", args=[assignment.pk])}"' in page


def test_uploading_makes_a_batch_and_shows_it(
    alice_client: Client, assignment: Assignment, at_once: None
) -> None:
    sent = {"files": [zipped(CLASS), loose("dan.py", STARTER)]}
    answer = alice_client.post(reverse("upload", args=[assignment.pk]), sent)
    batch = Batch.objects.get(assignment=assignment)
    assert answer.headers["Location"] == batch.get_absolute_url()
    assert [upload.name for upload in batch.uploads.all()] == ["class.zip", "dan.py"]


def test_an_upload_without_files_is_refused_on_the_page(alice_client: Client, assignment: Assignment) -> None:
    answer = alice_client.post(reverse("upload", args=[assignment.pk]))
    assert answer.status_code == 422
    assert b"Choose at least one file." in answer.content
    assert not Batch.objects.exists()


def test_an_upload_over_the_limit_is_refused_with_the_limit(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 2_000_000
    big = loose("big.py", b"x" * 1_500_000)
    for name in ("upload", "add_boilerplate"):
        big.seek(0)
        answer = alice_client.post(
            reverse(name, args=[assignment.pk]), {"files": [big, loose("b.py", b"y" * 600_000)]}
        )
        assert answer.status_code == 422
        assert b"That is more than 2 MB at once." in answer.content
    assert not Batch.objects.exists()


def test_the_report_ranks_the_pairs_with_their_figures(alice_client: Client, report: Report) -> None:
    page = alice_client.get(report.assignment.get_absolute_url()).content.decode()
    best = report.pairs.all()[0]
    assert ROW.findall(page)[0] == ("ada", "ben")
    assert reverse("pair", args=[report.assignment_id, best.left_id, best.right_id]) in page
    assert re.search(f'class="similarity">.*</span>{percent(best.similarity)}</td>', page)
    assert f'data-label="longest">{best.longest}<' in page


def test_the_report_says_how_it_was_made(alice_client: Client, report: Report) -> None:
    page = alice_client.get(report.assignment.get_absolute_url()).content.decode()
    assert "9 tokens or more; none of 12 or more is missed (windows of 4)" in page
    assert "3 submissions; 3 pairs share enough to be scored" in page
    assert "<dt>Common limit</dt><dd>off</dd>" in page
    assert f"moss {version('moss-server')}, Pygments {version('pygments')}, engine 1" in page
    assert report.parameters["profiles"][0] in page


def test_pairs_are_sorted_and_filtered_by_links_that_need_no_script(
    alice_client: Client, report: Report
) -> None:
    assignment = report.assignment
    assert rows(alice_client, assignment, sort="left")[0][0] == "ada"
    assert rows(alice_client, assignment, q="ben ada") == [("ada", "ben")]
    best = report.pairs.all()[0]
    assert rows(alice_client, assignment, threshold=str(int(best.similarity * 100))) == [("ada", "ben")]
    page = alice_client.get(assignment.get_absolute_url(), {"sort": "-tokens", "q": "ada"}).content.decode()
    assert re.search(r'class="tokens" aria-sort="descending"><a[^>]* href="\?sort=tokens&amp;q=ada"', page)


def test_a_filter_that_lets_nothing_through_offers_the_way_back(alice_client: Client, report: Report) -> None:
    page = alice_client.get(report.assignment.get_absolute_url(), {"q": "nobody"}).content.decode()
    assert "No pair passes this filter" in page
    assert "Show all pairs" in page


def test_nonsense_in_the_address_is_ignored(alice_client: Client, report: Report) -> None:
    nonsense = {"sort": "password", "threshold": "-4", "page": "99999", "q": "\x00"}
    for name, value in nonsense.items():
        assert alice_client.get(report.assignment.get_absolute_url(), {name: value}).status_code == 200


def test_long_reports_are_paged_and_keep_the_filter(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped(many(13))).assignment
    first, second = rows(alice_client, assignment), rows(alice_client, assignment, page="2")
    assert len(first) == 50
    assert second
    assert not {*first} & {*second}
    page = alice_client.get(assignment.get_absolute_url(), {"q": "student"}).content.decode()
    assert 'rel="next" href="?q=student&amp;page=2"' in page


def test_the_report_takes_as_many_queries_for_many_pairs_as_for_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    assignment = hand_in(zipped(CLASS)).assignment
    # session, user, assignment, 2 of the report, boilerplate awaited, links, linked, counts, pages, pairs,
    # boilerplate, same, five of what was skipped, batches, running
    with django_assert_num_queries(20):
        alice_client.get(assignment.get_absolute_url())
    hand_in(zipped(many(13)))
    with django_assert_num_queries(20):
        alice_client.get(assignment.get_absolute_url())


def test_boilerplate_lowers_what_is_ranked_and_its_removal_brings_it_back(
    alice_client: Client,
    report: Report,
    at_once: None,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    assignment = report.assignment

    def lines() -> int:
        return int(Report.objects.filter(assignment=assignment, state="done")[0].pairs.all()[0].lines)

    before = lines()
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(
            reverse("add_boilerplate", args=[assignment.pk]), {"files": [loose("main.py", STARTER)]}
        )
    assert lines() < before
    given = Boilerplate.objects.get()
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert reverse("remove_boilerplate", args=[given.pk]) in page
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("remove_boilerplate", args=[given.pk]))
    assert lines() == before
    assert not Boilerplate.objects.exists()


def test_boilerplate_that_cannot_be_read_is_named_with_its_reason(
    alice_client: Client, assignment: Assignment
) -> None:
    sent = {"files": [loose("scan.pdf", b"%PDF-1.7 \0\0")]}
    answer = alice_client.post(reverse("add_boilerplate", args=[assignment.pk]), sent, follow=True)
    assert b"scan.pdf was skipped" in answer.content
    assert b"PDF document" in answer.content
    assert not Boilerplate.objects.exists()


def test_a_changed_limit_ranks_again_and_a_new_name_does_not(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    address = reverse("assignment_settings", args=[assignment.pk])
    alice_client.post(address, {"name": "Renamed", "common_limit": ""})
    assert assignment.reports.count() == 1
    alice_client.post(address, {"name": "Renamed", "common_limit": "5"})
    assignment.refresh_from_db()
    assert (assignment.name, assignment.common_limit, assignment.reports.count()) == ("Renamed", 5, 2)


def test_a_newer_report_is_announced_and_the_page_asks_for_it(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    address = reverse("activity", args=[assignment.pk])
    assert address not in alice_client.get(assignment.get_absolute_url()).content.decode()
    alice_client.post(reverse("rerank", args=[assignment.pk]))
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert "Until it is done, the last report is shown." in page
    assert f'hx-get="{address}' in page
    assert '<noscript><meta http-equiv="refresh"' in page


def test_a_failed_ranking_says_so_and_offers_another(alice_client: Client, report: Report) -> None:
    Report.objects.create(assignment=report.assignment, state="failed", message="The database was away.")
    page = alice_client.get(report.assignment.get_absolute_url()).content.decode()
    assert "The last ranking failed" in page
    assert "The database was away." in page
    assert "every 1s" not in page


def test_a_running_upload_is_shown_with_its_progress(alice_client: Client, batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="fingerprinting", documents_total=9, documents_done=4)
    page = alice_client.get(reverse("activity", args=[batch.assignment_id])).content.decode()
    assert "4 of 9 files" in page
    assert "every 1s" in page


def test_nothing_similar_is_said_in_words(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(
        zipped({"ada/main.py": CLASS["cleo/main.py"], "ben/main.py": "print('hello')\n"})
    ).assignment
    assert (
        b"No two submissions share enough to be listed"
        in alice_client.get(assignment.get_absolute_url()).content
    )


def test_a_submission_that_is_alone_is_told_to_wait_for_others(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped({"ada/main.py": CLASS["ada/main.py"]})).assignment
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert "Nothing to compare yet" in page
    assert "One submission has been read; a report takes two at least." in page
    assert 'id="filter"' not in page
    assert 'id="upload-heading"' in page


def test_of_many_refused_files_as_many_are_named_as_one_reads(
    alice_client: Client, assignment: Assignment
) -> None:
    starter = zipped({f"starter/{n}.class": "x" for n in range(300)})
    address = reverse("add_boilerplate", args=[assignment.pk])
    page = alice_client.post(address, {"files": [starter]}, follow=True).content.decode()
    assert page.count(" was skipped: ") == 10
    assert "290 more entries were skipped." in page


def test_going_back_asks_for_the_decisions_anew(alice_client: Client, report: Report) -> None:
    assignment, one = report.assignment, report.submissions.all()[0]
    for address in (assignment.get_absolute_url(), reverse("submission", args=[assignment.pk, one.pk])):
        assert "no-store" in alice_client.get(address).headers["Cache-Control"]
