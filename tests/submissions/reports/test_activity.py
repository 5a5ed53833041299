"""The page of an assignment on the work that is under way for it."""

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Report
from submissions.reports import progress
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import zipped
from tests.support.uploads import CountQueries, HandIn

pytestmark = pytest.mark.services

HTMX = {"HX-Request": "true"}
# What asks the server for news every second.
POLLING = '.now[hx-get^="/assignments/"][hx-trigger="every 1s"]'


def get_assignment(client: Client, assignment: Assignment) -> Page:
    return get_page(client, assignment.get_absolute_url())


def polled_address(client: Client, assignment: Assignment) -> str:
    """Return the address that the page asks every second."""
    [address] = get_assignment(client, assignment).values(POLLING, "hx-get")
    assert address.startswith(f"{reverse('activity', args=[assignment.pk])}?")
    return address


def get_fragment(client: Client, address: str, current_url: str = "") -> Page:
    """Return what htmx gets at an address, from the page at `current_url`."""
    headers = {**HTMX, "HX-Current-URL": current_url} if current_url else HTMX
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    assert "HX-Refresh" not in response.headers
    return page_of(response)


def start_upload(assignment: Assignment) -> Batch:
    return assignment.batches.create(
        name="late.zip", state="fingerprinting", documents_total=8, documents_done=3
    )


def test_a_page_without_work_under_way_does_not_poll(alice_client: Client, report: Report) -> None:
    assert not get_assignment(alice_client, report.assignment).has(POLLING)


def test_polling_gets_a_fragment_only_when_something_changed(alice_client: Client, report: Report) -> None:
    upload = start_upload(report.assignment)
    address = polled_address(alice_client, report.assignment)
    assert alice_client.get(address, headers=HTMX).status_code == 204
    Batch.objects.filter(pk=upload.pk).update(documents_done=4)
    fragment = get_fragment(alice_client, address)
    assert fragment.text(".notice.busy p") == "late.zip · reading 4 of 8 files"
    assert fragment.has(POLLING)


def test_the_files_read_and_the_pairs_aligned_so_far_are_counted(
    alice_client: Client, report: Report
) -> None:
    start_upload(report.assignment)
    newer = Report.objects.create(assignment=report.assignment, state="running")
    progress.publish(newer.pk, "Aligning pairs", 1_234, 5_000)
    page = get_assignment(alice_client, report.assignment)
    reading, ranking, _ = page.texts("#activity .notice.busy p")
    assert reading == "late.zip · reading 3 of 8 files"
    assert ranking == "Ranking. Aligning pairs 1,234 of 5,000"
    assert page.has('progress[aria-label="Files read of late.zip"][max="8"][value="3"]')
    assert page.has('progress[aria-label="Ranking"][max="5000"][value="1234"]')
    assert page.has(f'form[method=post][action="{reverse("cancel_ranking", args=[report.assignment_id])}"]')


def test_a_new_report_is_offered_while_the_old_one_stays_on_the_page(
    alice_client: Client, report: Report
) -> None:
    newer = Report.objects.create(assignment=report.assignment, state="running")
    address = polled_address(alice_client, report.assignment)
    Report.objects.filter(pk=newer.pk).update(state="done")
    reading = f"{report.assignment.get_absolute_url()}?q=ada&sort=left"
    fragment = get_fragment(alice_client, address, f"http://testserver{reading}")
    assert fragment.text(".notice.good") == "The new report is ready: show it"
    assert fragment.values(".notice.good a", "href") == [reading]
    assert not fragment.has("[data-show]")
    assert not fragment.has(POLLING)


@pytest.mark.long
def test_a_page_without_a_report_shows_the_first_one_by_itself(
    alice_client: Client, assignment: Assignment, hand_in: HandIn
) -> None:
    upload = start_upload(assignment)
    address = polled_address(alice_client, assignment)
    upload.delete()
    hand_in(zipped({"ada/main.py": "x = 1\n"}))
    assert get_fragment(alice_client, address).has(".notice.good[data-show]")


def test_the_end_of_a_failed_upload_is_announced_where_there_is_no_report(
    alice_client: Client, assignment: Assignment
) -> None:
    upload = start_upload(assignment)
    address = polled_address(alice_client, assignment)
    Batch.objects.filter(pk=upload.pk).update(state="failed")
    notice = get_fragment(alice_client, address).text(".notice")
    assert notice == "The upload has ended: see the result"


def test_refused_boilerplate_is_linked_to_where_its_reasons_are(alice_client: Client, report: Report) -> None:
    report.assignment.boilerplate_uploads.create(name="starter.zip", state="failed", message="It is empty.")
    [link] = get_assignment(alice_client, report.assignment).values("#activity .notice.bad a", "href")
    address, _, anchor = link.partition("#")
    assert "It is empty." in get_page(alice_client, address).text(f":has(> #{anchor})")


def test_a_current_address_on_another_site_is_not_linked(alice_client: Client, report: Report) -> None:
    newer = Report.objects.create(assignment=report.assignment, state="running")
    address = polled_address(alice_client, report.assignment)
    Report.objects.filter(pk=newer.pk).update(state="done")
    fragment = get_fragment(alice_client, address, "https://evil.example/x")
    assert fragment.text(".notice.good a") == "show it"
    assert fragment.links() == [report.assignment.get_absolute_url()]


def test_nonsense_in_the_address_is_ignored(alice_client: Client, report: Report) -> None:
    address = reverse("activity", args=[report.assignment_id])
    for query in ({"seen": "x" * 5_000}, {"was": "\x00"}, {"seen": ["1", "2"]}):
        assert alice_client.get(address, query).status_code == 200


def test_polling_takes_as_many_queries_for_many_uploads_as_for_one(
    alice_client: Client, report: Report, django_assert_num_queries: CountQueries
) -> None:
    address = reverse("activity", args=[report.assignment_id])
    for _ in range(9):
        start_upload(report.assignment)
    # session, user, assignment, report, uploads, boilerplate that is read, a change of the language
    with django_assert_num_queries(7):
        alice_client.get(address)
