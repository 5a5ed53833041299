"""The pages of courses list what is assigned to their reader."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.cases.change import CaseNames, DecisionInput, decide_case
from submissions.models import Assignment, Membership
from tests.support.html import get_page
from tests.support.reports import create_report

pytestmark = pytest.mark.services


def test_a_teaching_assistant_reads_on_both_pages_what_is_assigned_to_them(
    bob_client: Client, bob: User, alice: User, assignment: Assignment
) -> None:
    create_report(assignment, {("ada", "ben"): 0.9, ("cleo", "dora"): 0.8})
    Membership.objects.create(course=assignment.course, user=bob, role=Membership.Role.ASSISTANT)
    pages = reverse("courses"), assignment.course.get_absolute_url()
    assert not any(get_page(bob_client, address).has(".assigned") for address in pages)
    for members, others in ((["ada", "ben"], ["cleo", "dora"]), (["cleo", "dora"], ["ada", "ben"])):
        state = "undecided" if "ada" in members else "clear"
        decide_case(assignment, CaseNames(members, others, 0.5), alice, DecisionInput(state, bob, ""))
    for address in pages:
        page = get_page(bob_client, address)
        assert page.text(".assigned .name") == assignment.name
        assert "1 undecided case" in page.text(".assigned .meta")
        link = page.one(".assigned .name").attributes["href"]
        assert link == f"{reverse('pairs', args=[assignment.pk])}?assignee=bob&q=decided:no"
        assert get_page(bob_client, str(link)).texts("tr.pair .left") == ["ada"]


def test_what_is_assigned_in_a_course_of_which_the_rights_ended_is_not_listed(
    bob_client: Client, bob: User, alice: User, assignment: Assignment
) -> None:
    create_report(assignment, {("ada", "ben"): 0.9})
    decide_case(assignment, CaseNames(["ada", "ben"], [], 0.5), alice, DecisionInput("undecided", bob, ""))
    assert not get_page(bob_client, reverse("courses")).has(".assigned")
