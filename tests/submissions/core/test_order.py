"""No order follows the real names: it would tell who is who to anybody with a class list."""

import csv
from collections.abc import Iterable
from typing import cast
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from submissions.core.names import anonymous_names
from submissions.models import Assignment, Submission
from submissions.reports.identical import listed_duplicates
from submissions.shares import links as shares
from tests.support.every_page import World
from tests.support.html import get_page
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services


def test_ids_in_addresses_do_not_follow_names(world: World) -> None:
    names = list(Submission.objects.filter(batch=world.batch).order_by("pk").values_list("name", flat=True))
    assert len(names) == 30
    assert names != sorted(names), "by chance once in 30! times"


@pytest.mark.long
@pytest.mark.parametrize("side", rest_is_long(["left", "right"]))
def test_an_anonymous_page_is_sorted_by_the_aliases(side: str, world: World, client: Client) -> None:
    address = reverse("shared_pairs", args=[shares.share_token(world.share)])
    for sort, descending in ((side, False), (f"-{side}", True)):
        column = whole_column(client, address, sort, f"tr.pair .{side} a")
        assert len(column) == world.report.pairs.count()
        assert len(set(column)) > 15
        assert column == sorted(column, reverse=descending)


def whole_column(client: Client, address: str, sort: str, selector: str) -> list[str]:
    """Return a column of a table over all pages of its list."""
    column: list[str] = []
    query = {"sort": sort}
    while query:
        page = get_page(client, address, **query)
        column += page.texts(selector)
        following = page.values(".pages a[rel=next]", "href")
        query = {"sort": sort, "page": parse_qs(urlsplit(following[0]).query)["page"][0]} if following else {}
    return column


@pytest.mark.parametrize(("name", "column"), [("submissions", "submission"), ("pairs", "left")])
def test_tables_are_sorted_by_the_names_in_them(
    name: str, column: str, world: World, alice_client: Client
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    response = alice_client.get(reverse("table", args=[world.assignment.pk, name, "csv"]), {"sort": "left"})
    text = b"".join(cast("Iterable[bytes]", response)).decode()
    displayed = [row[column] for row in csv.DictReader(text.splitlines())]
    assert len(displayed) >= 30
    assert displayed == sorted(displayed)


def test_identical_submissions_are_sorted_by_the_displayed_names(
    assignment: Assignment, hand_in: HandIn
) -> None:
    source = next(iter(CLASS.values()))
    hand_in(zipped({f"student-{n:02}/main.py": source for n in range(9)}))
    names = anonymous_names(assignment)
    (group,) = listed_duplicates(assignment.reports.get(), names)
    displayed = [names.display_name(submission.name) for submission in group.submissions]
    assert len(displayed) == 9
    assert displayed == sorted(displayed)
