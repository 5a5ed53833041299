"""Requests of htmx get a part of a page, and all others a whole one."""

import pytest
from django.test import Client

from submissions.models import Assignment, Report
from tests.support.html import page_of
from tests.support.tabs import HTMX, WHOLE_PAGE, tab

pytestmark = pytest.mark.services


def test_going_back_gets_the_whole_page_and_so_does_a_boosted_link_elsewhere(
    alice_client: Client, report: Report
) -> None:
    address = tab(report.assignment, "pairs")
    for headers in (
        {"HX-Request": "true", "HX-History-Restore-Request": "true"},
        {"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "content"},
    ):
        assert len(page_of(alice_client.get(address, headers=headers)).all(WHOLE_PAGE)) == 2
    assert "HX-Request" in alice_client.get(address).headers["Vary"]


def test_htmx_gets_a_page_where_there_is_no_report_yet(alice_client: Client, assignment: Assignment) -> None:
    page = page_of(alice_client.get(assignment.get_absolute_url(), headers=HTMX))
    assert len(page.all(WHOLE_PAGE)) == 2


def test_charlie_gets_neither_the_page_nor_a_part_of_it(charlie_client: Client, report: Report) -> None:
    address = tab(report.assignment, "pairs")
    for headers in ({}, HTMX):
        assert charlie_client.get(address, headers=headers).status_code == 404
