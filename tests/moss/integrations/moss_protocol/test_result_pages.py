"""The headers of the old result pages, whose address opens them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment, Report

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


def test_the_address_of_a_result_has_digits_only(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    assert re.fullmatch(r"/results/\d+/\d{38}", address)
    assert client.get(address.replace("0", "a")).status_code == 404
