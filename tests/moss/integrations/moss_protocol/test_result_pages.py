"""The headers of the old result pages, whose address opens them."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.moss_protocol import views as results
from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest
from submissions.models import Assignment, AuditEntry, Membership, Report

pytestmark = pytest.mark.services

KEY = "0123456789" * 3 + "01234567"
PAGES = ("", "/", "/match0.html", "/match0-top.html", "/match0-0.html", "/match0-1.html")


def address_of(assignment: Assignment) -> str:
    row = ClientResult.objects.create(
        assignment=assignment, key_digest=digest(KEY), options="-l python", shown=10
    )
    return f"/results/{row.pk}/{KEY}"


def assert_hidden(client: Client, address: str, status: int) -> None:
    response = client.get(address)
    assert response.status_code == status, address
    assert "noindex" in response["X-Robots-Tag"]
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "no-store, private"


def test_result_pages_are_in_no_search_engine_no_referrer_and_no_cache(
    client: Client, report: Report
) -> None:
    address = address_of(report.assignment)
    for page in PAGES:
        assert_hidden(client, address + page, 200)


def test_so_is_the_page_of_a_report_that_is_not_ready(client: Client, assignment: Assignment) -> None:
    assert_hidden(client, address_of(assignment), 503)


def test_a_result_without_a_pair_says_so_in_the_words_that_scripts_look_for(
    client: Client, report: Report
) -> None:
    said = "No matches were found in your submission."
    address = address_of(report.assignment)
    assert said not in client.get(address).text
    report.pairs.all().delete()
    assert said in client.get(address).text


def test_each_side_of_a_pair_is_named_after_its_submission(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    sides = [client.get(f"{address}/match0-{side}.html").text for side in (0, 1)]
    assert [re.findall("<TITLE>(.*)</TITLE>", side) for side in sides] == [["ada/main.py"], ["ben/main.py"]]


def test_a_side_that_is_cut_leads_to_the_report(
    client: Client, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{address_of(report.assignment)}/match0-0.html"
    sentence = "The other files are only in the"
    assert sentence not in client.get(address).text
    monkeypatch.setattr(results, "MAX_CHARACTERS", 1)
    assert sentence in client.get(address).text


def test_the_address_of_a_result_has_digits_only(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    assert re.fullmatch(r"/results/\d+/\d{38}", address)
    assert client.get(address.replace("0", "a")).status_code == 404


def test_result_pages_end_after_the_days_that_are_set(
    client: Client, report: Report, settings: Settings
) -> None:
    address, settings.RESULTS_DAYS = address_of(report.assignment), 30
    for age, status in ((timedelta(days=29, hours=23), 200), (timedelta(days=30), 410)):
        ClientResult.objects.update(created=timezone.now() - age)
        for page in PAGES:
            assert_hidden(client, address + page, status)
    assert "This page ended 30 days after the upload." in client.get(address).text
    assert client.get(f"{address[:-1]}0").status_code == 404
    settings.RESULTS_DAYS = 0
    assert client.get(address).status_code == 200


def test_result_pages_ask_for_an_account_where_that_is_set(
    client: Client, report: Report, alice_client: Client, settings: Settings
) -> None:
    address, settings.RESULTS_SIGN_IN = address_of(report.assignment), True
    olga, stranger = User.objects.create_user("olga"), User.objects.create_user("sam")
    Membership.objects.create(course=report.assignment.course, user=olga, role="observer")
    for page in PAGES:
        asked = client.get(address + page)
        assert asked.headers["Location"] == f"{reverse('login')}?next={address}{page}"
        assert_hidden(client, address + page, 302)
        assert_hidden(alice_client, address + page, 200)
        for user, status in ((olga, 403), (stranger, 404)):
            other = Client()
            other.force_login(user)
            assert other.get(address + page).status_code == status, page
    assert {entry.who for entry in AuditEntry.objects.all()} == {"alice"}
