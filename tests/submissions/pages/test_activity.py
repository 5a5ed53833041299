"""What the page of an assignment says of work that goes on for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Batch, Report
from submissions.ranking import progress
from tests.support.sample_class import zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import CountQueries, HandIn

HTMX = {"HX-Request": "true"}
ASKS = re.compile(r'hx-get="(/assignments/\d+/activity/.*?)" hx-trigger="every 1s"')


def page(client: Client, assignment: Assignment) -> str:
    return client.get(assignment.get_absolute_url()).content.decode()


def asked(client: Client, assignment: Assignment) -> str:
    """Give the address that the page asks every second."""
    found = ASKS.search(page(client, assignment))
    assert found
    return found[1].replace("&amp;", "&")


def begin(assignment: Assignment) -> Batch:
    return assignment.batches.create(
        name="late.zip", state="fingerprinting", documents_total=8, documents_done=3
    )


def test_where_nothing_goes_on_nothing_is_asked(alice_client: Client, report: Report) -> None:
    assert not ASKS.search(page(alice_client, report.assignment))


def test_only_what_is_new_is_sent(alice_client: Client, report: Report) -> None:
    coming = begin(report.assignment)
    address = asked(alice_client, report.assignment)
    assert alice_client.get(address, headers=HTMX).status_code == 204
    Batch.objects.filter(pk=coming.pk).update(documents_done=4)
    answer = alice_client.get(address, headers=HTMX).content.decode()
    assert "4 of 8 files" in answer
    assert ASKS.search(answer)


def test_every_file_that_is_read_and_every_pair_that_is_aligned_counts(
    alice_client: Client, report: Report
) -> None:
    begin(report.assignment)
    newer = Report.objects.create(assignment=report.assignment, state="running")
    progress.publish(newer.pk, "Aligning pairs", 1_234, 5_000)
    shown = page(alice_client, report.assignment)
    assert "3 of 8 files" in shown
    assert 'max="5000" value="1234"' in shown
    assert "1,234 of 5,000" in shown
    assert reverse("cancel_ranking", args=[report.assignment_id]) in shown


def test_the_new_report_is_offered_and_nothing_is_taken_from_who_reads_the_old_one(
    alice_client: Client, report: Report
) -> None:
    newer = Report.objects.create(assignment=report.assignment, state="running")
    address = asked(alice_client, report.assignment)
    Report.objects.filter(pk=newer.pk).update(state="done")
    reading = f"{report.assignment.get_absolute_url()}?q=ada&sort=left"
    answer = alice_client.get(address, headers={**HTMX, "HX-Current-URL": f"http://testserver{reading}"})
    assert f'<a href="{reading.replace("&", "&amp;")}">show it</a>' in answer.content.decode()
    assert "data-show" not in answer.content.decode()
    assert not ASKS.search(answer.content.decode())
    assert "HX-Refresh" not in answer.headers


def test_a_page_without_a_report_shows_the_first_one_by_itself(
    alice_client: Client, assignment: Assignment, hand_in: HandIn
) -> None:
    coming = begin(assignment)
    address = asked(alice_client, assignment)
    coming.delete()
    hand_in(zipped({"ada/main.py": "x = 1\n"}))
    assert "data-show" in alice_client.get(address, headers=HTMX).content.decode()


def test_an_upload_that_came_to_nothing_is_told_where_there_is_no_report(
    alice_client: Client, assignment: Assignment
) -> None:
    coming = begin(assignment)
    address = asked(alice_client, assignment)
    Batch.objects.filter(pk=coming.pk).update(state="failed")
    assert "The upload has ended" in alice_client.get(address, headers=HTMX).content.decode()


def test_the_address_of_another_site_is_no_way_back(alice_client: Client, report: Report) -> None:
    newer = Report.objects.create(assignment=report.assignment, state="running")
    address = asked(alice_client, report.assignment)
    Report.objects.filter(pk=newer.pk).update(state="done")
    answer = alice_client.get(address, headers={**HTMX, "HX-Current-URL": "https://evil.example/x"})
    assert f'<a href="{report.assignment.get_absolute_url()}">show it</a>' in answer.content.decode()


def test_nonsense_in_the_address_is_ignored(alice_client: Client, report: Report) -> None:
    address = reverse("activity", args=[report.assignment_id])
    for query in ({"seen": "x" * 5_000}, {"was": "\x00"}, {"seen": ["1", "2"]}):
        assert alice_client.get(address, query).status_code == 200


def test_asking_takes_as_many_queries_for_many_uploads_as_for_one(
    alice_client: Client, report: Report, django_assert_num_queries: CountQueries
) -> None:
    address = reverse("activity", args=[report.assignment_id])
    for _ in range(9):
        begin(report.assignment)
    # session, user, assignment, 2 of the report, boilerplate awaited, uploads
    with django_assert_num_queries(7):
        alice_client.get(address)
