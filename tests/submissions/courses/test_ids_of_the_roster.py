"""Ids of the roster that look like ordinary numbers, where names are hidden."""

import pytest
from django.test import Client
from django.urls import reverse

from submissions.courses.change import replace_roster
from submissions.intake.rosters import parse_roster
from submissions.models import Assignment
from tests.support.sample_class import COPIED, RENAMED, zipped
from tests.support.uploads import HandIn

STATED, OTHERS = "65536", ("4242000", "2024", "u12000")
ROSTER = (
    "Name,Student ID,Login\n"
    "Amara Okafor,4242000,aokafor\n"
    "Bruno Popescu,65536,bpopescu\n"
    "Chen Wei,2024,cwei\n"
    "Dmitri Volkov,u12000,dvolkov\n"
)
NAMED = "".join(f"limit_{number} = '{number}'  # {number}\n" for number in (STATED, *OTHERS))


@pytest.fixture
def addresses(hand_in: HandIn, assignment: Assignment, alice_client: Client) -> list[str]:
    """Return the address of a pair with all ids in its source, and of its document for the second student."""
    replace_roster(assignment.course, "class.csv", parse_roster(ROSTER.encode()))
    hand_in(zipped({"aokafor/m.py": NAMED + COPIED, "bpopescu/m.py": COPIED, "cwei/m.py": RENAMED}))
    pair = assignment.reports.get().pairs.get(left__name="aokafor", right__name="bpopescu")
    places = [assignment.pk, pair.left_id, pair.right_id]
    document = reverse("export_pair", args=places) + "?format=html&sources=on&names="
    return [reverse("pair", args=places), f"{document}made-up", f"{document}{pair.right_id}"]


def ids_on(client: Client, address: str) -> list[str]:
    """Return the ids that a page or document shows."""
    text = client.get(address, follow=True).getvalue().decode()
    assert "limit_" in text
    forms = ("limit_{}", "# {}", "&#x27;{}&#x27;")
    return [one for one in (STATED, *OTHERS) if any(form.format(one) in text for form in forms)]


@pytest.mark.long
def test_they_are_hidden_where_names_are_made_up(addresses: list[str], alice_client: Client) -> None:
    pair, made_up, _copy = addresses
    assert ids_on(alice_client, pair) == [STATED, *OTHERS]
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    assert [ids_on(alice_client, address) for address in (pair, made_up)] == [[], []]


@pytest.mark.long
def test_the_copy_for_a_student_shows_that_students_own(addresses: list[str], alice_client: Client) -> None:
    assert ids_on(alice_client, addresses[-1]) == [STATED]
