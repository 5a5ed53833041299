"""The headers of the old result pages, whose address opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment, Report

KEY = "0123456789abcdef" * 2
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
