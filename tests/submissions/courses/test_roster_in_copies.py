"""Names of a roster in the copy of a document for a student."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from tests.submissions.courses.test_roster_page import CLASS, ROSTER, add, text_of  # noqa: F401 - a fixture
from tests.support.html import get_page
from tests.support.sample_class import zipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

    from submissions.models import Assignment
    from tests.support.uploads import HandIn

    Add = Callable[..., Response]


@pytest.mark.long
def test_the_copy_for_a_student_names_only_that_student(
    hand_in: HandIn,
    add: Add,  # noqa: F811
    alice_client: Client,
    assignment: Assignment,
) -> None:
    hand_in(zipped(CLASS))
    add(ROSTER.replace("Red", ""))
    pair = assignment.reports.get().pairs.get(left__name="aokafor", right__name="bpopescu")
    address = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    assert "A copy for Bruno Popescu" in get_page(alice_client, address).text("main")
    sent = f"{address}?format=html&names={pair.right_id}&sources=on"
    copy = text_of(alice_client, sent)
    assert "Copy for Bruno Popescu." in copy
    assert 'with help of <span class="made-up">[name]</span>' in copy
    assert not any(word in copy.casefold() for word in ("okafor", "amara", "volkov", "00042"))
