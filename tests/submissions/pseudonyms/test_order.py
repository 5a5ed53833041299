"""What is sorted by real names tells who is who to whoever has a class list, whatever the names are."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, cast

import pytest
from django.urls import reverse

from submissions.actions import shares
from submissions.models import Submission
from submissions.pseudonyms.names import anonymous_names
from submissions.queries import listed_duplicates
from tests.support.sample_class import CLASS, zipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.test import Client

    from submissions.models import Assignment
    from tests.support.every_page import World
    from tests.support.uploads import HandIn


def test_ids_in_addresses_do_not_follow_names(world: World) -> None:
    names = list(Submission.objects.filter(batch=world.batch).order_by("pk").values_list("name", flat=True))
    assert len(names) == 30
    assert names != sorted(names), "by chance once in 30! times"


@pytest.mark.parametrize("side", ["left", "right"])
def test_made_up_names_are_sorted_as_they_are_read(side: str, world: World, client: Client) -> None:
    place = reverse("shared", args=[shares.share_token(world.share)])
    for sort, falling in ((side, False), (f"-{side}", True)):
        page = client.get(place, {"sort": sort}).content.decode()
        column = re.findall(rf'class="{side}"><a [^>]*>([^<]*)</a>', page)[-50:]
        assert len(set(column)) > 2
        assert column == sorted(column, reverse=falling)


@pytest.mark.parametrize(("name", "column"), [("submissions", "submission"), ("pairs", "left")])
def test_tables_are_sorted_by_the_names_in_them(
    name: str, column: str, world: World, alice_client: Client
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    answer = alice_client.get(reverse("table", args=[world.assignment.pk, name, "csv"]), {"sort": "left"})
    text = b"".join(cast("Iterable[bytes]", answer)).decode()
    called = [row[column] for row in csv.DictReader(text.splitlines())]
    assert len(called) >= 30
    assert called == sorted(called)


def test_submissions_that_are_the_same_stand_in_the_order_of_what_is_read(
    assignment: Assignment, hand_in: HandIn
) -> None:
    source = next(iter(CLASS.values()))
    hand_in(zipped({f"student-{n:02}/main.py": source for n in range(9)}))
    names = anonymous_names(assignment)
    (group,) = listed_duplicates(assignment.reports.get(), names)
    called = [names.display_name(one.name) for one in group.submissions]
    assert len(called) == 9
    assert called == sorted(called)
