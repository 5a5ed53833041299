import csv
from datetime import timedelta
from io import StringIO
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.commands.operations import links
from submissions.models import Report, Share
from submissions.shares import links as shares
from tests.support.api import secret_of
from tests.support.html import get_page, page_of
from tests.support.shares import best, link_to, shared_report
from tests.support.uploads import CountQueries


@pytest.fixture
def visitor(client: Client) -> Client:
    """Return the client of somebody without an account."""
    return client


def test_alice_makes_and_revokes_a_listed_link(alice_client: Client, visitor: Client, report: Report) -> None:
    address = reverse("shares", args=[report.assignment_id])
    assert alice_client.post(address, {"lasting": "day", "anonymous": "on"}).status_code == 302
    share = Share.objects.get()
    assert share.anonymous
    assert timedelta(hours=23) < share.expires - timezone.now() <= timedelta(days=1)
    links = get_page(alice_client, address).values(".shared-link input[readonly]", "value")
    assert links == [f"http://testserver{link_to(share)}"]
    card = f"share-{share.pk}"
    heading = f'#{card}[aria-labelledby="{card}-what"] #{card}-what'
    assert get_page(alice_client, address).text(heading) == "The whole report"
    assert visitor.get(link_to(share)).status_code == 200
    alice_client.post(reverse("revoke_share", args=[share.pk]))
    assert visitor.get(link_to(share)).status_code == 410
    assert link_to(share) not in get_page(alice_client, address).html


def test_links_begin_with_the_address_of_the_settings(
    alice: User, alice_client: Client, report: Report, settings: Settings
) -> None:
    settings.HAS_PUBLIC_URL, settings.PUBLIC_ORIGIN = True, "https://moss.example.org"
    address = reverse("shares", args=[report.assignment_id])
    alice_client.post(address, {"lasting": "day"})
    whole = f"https://moss.example.org{link_to(Share.objects.get())}"
    shown = get_page(alice_client, address).values(".shared-link input[readonly]", "value")
    asked = alice_client.get(
        f"/api/v1/assignments/{report.assignment_id}/shares",
        headers={"Authorization": f"Bearer {secret_of(alice)}"},
    )
    assert [*shown, asked.json()["items"][0]["url"]] == [whole, whole]


def test_with_another_key_links_have_other_addresses_that_a_command_lists(
    visitor: Client, report: Report, alice: User, settings: Settings
) -> None:
    share = shares.create_share(report.assignment, alice, timezone.now() + timedelta(days=1))
    former, first = settings.SECRET_KEY, link_to(share)
    settings.SECRET_KEY = "another key, with which nothing was signed"
    assert visitor.get(first).status_code == 403
    [row] = csv.DictReader(StringIO(CliRunner().invoke(links).stdout))
    again = urlsplit(row["address"]).path
    assert (row["made by"], row["assignment"]) == ("alice", report.assignment.name)
    assert [visitor.get(link).status_code for link in (again, first)] == [200, 403]
    settings.SECRET_KEY_FALLBACKS = [former]
    assert visitor.get(first).status_code == 200


def test_a_link_to_one_pair_is_made_from_its_ids(alice_client: Client, report: Report) -> None:
    pair = best(report)
    address = f"{reverse('shares', args=[report.assignment_id])}?pair={pair.right_id}-{pair.left_id}"
    assert get_page(alice_client, address).text("#new-share") == "Share one pair"
    alice_client.post(address, {"lasting": "month"})
    share = Share.objects.get()
    assert (share.left, share.right, share.anonymous) == (pair.left.name, pair.right.name, False)


@pytest.mark.parametrize("pair", ["x", "1-", "1-2-3", "9" * 30 + "-1", "-", "0-0", "\uff11-\uff12"])
def test_an_invalid_pair_is_404(pair: str, alice_client: Client, report: Report) -> None:
    address = reverse("shares", args=[report.assignment_id])
    assert alice_client.get(address, {"pair": pair}).status_code == 404


@pytest.mark.parametrize(
    ("until", "reason"),
    [
        ("", "Choose the last day"),
        ("2001-01-01", "That day has passed"),
        ("9999-12-31", "A link lasts a year at most"),
        ("tomorrow", "valid date"),
    ],
)
def test_a_link_needs_a_sensible_day(until: str, reason: str, alice_client: Client, report: Report) -> None:
    address = reverse("shares", args=[report.assignment_id])
    response = alice_client.post(address, {"lasting": "date", "until": until})
    assert response.status_code == 422
    assert reason in page_of(response).text(".lasting .error")
    assert not Share.objects.exists()


@pytest.mark.usefixtures("lasting_day")
def test_a_link_until_a_date_works_through_that_day(alice_client: Client, report: Report) -> None:
    today = timezone.localdate()
    address = reverse("shares", args=[report.assignment_id])
    alice_client.post(address, {"lasting": "date", "until": today.isoformat()})
    share = Share.objects.get()
    assert timezone.localtime(share.expires).date() == today
    assert share.expires > timezone.now()


def test_many_links_take_as_many_queries_as_one(
    alice_client: Client, report: Report, alice: User, django_assert_num_queries: CountQueries
) -> None:
    for _ in range(30):
        shared_report(report, alice)
    shares.revoke_share(Share.objects.all()[0])
    # session, user, assignment, 2 of links, the newest report
    with django_assert_num_queries(6):
        alice_client.get(reverse("shares", args=[report.assignment_id]))
