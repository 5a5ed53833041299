"""The people of a course: invitations, roles, transfer, and the department's list of courses."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.courses import change as people
from submissions.models import Assignment, Course, Invitation, Membership, Report, StatedReason
from tests.support.html import get_page, page_of

ROLE = Membership.Role


def address(assignment: Assignment) -> str:
    return reverse("people", args=[assignment.course_id])


def invite(client: Client, assignment: Assignment, role: str = "assistant") -> str:
    """Invite somebody on the page, and return the address of the link that it shows."""
    client.post(address(assignment), {"email": "bob@example.org", "role": role})
    return get_page(client, address(assignment)).values(".copy input", "value")[0].partition("testserver")[2]


def test_who_accepts_an_invitation_becomes_a_member_once(
    alice_client: Client, bob: User, bob_client: Client, charlie_client: Client, assignment: Assignment
) -> None:
    link = invite(alice_client, assignment)
    assert "alice invites you as: Teaching assistant." in get_page(bob_client, link).text("main")
    assert bob_client.post(link).headers["Location"] == assignment.course.get_absolute_url()
    assert Membership.objects.get().user == bob
    assert get_page(bob_client, reverse("courses")).texts("a.name") == [assignment.course.name]
    assert charlie_client.post(link).status_code == 404
    assert Membership.objects.count() == 1


def test_a_stranger_signs_in_before_the_invitation_is_shown(
    alice_client: Client, client: Client, assignment: Assignment
) -> None:
    link = invite(alice_client, assignment)
    response = client.get(link)
    assert response.headers["Location"] == f"{reverse('login')}?next={link}"
    text = page_of(client.get(response.headers["Location"])).text("main")
    assert "You are invited to a course: sign in to accept. If you have no account" in text
    assert "Sign in to see that page." not in text


def test_expired_withdrawn_and_forged_invitations_lead_nowhere(
    alice_client: Client, bob_client: Client, assignment: Assignment
) -> None:
    link = invite(alice_client, assignment)
    assert bob_client.get(link[:-2] + "x/").status_code == 404
    Invitation.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert bob_client.post(link).status_code == 404
    link = invite(alice_client, assignment)
    alice_client.post(reverse("withdraw_invitation", args=[Invitation.objects.latest("pk").pk]))
    assert bob_client.post(link).status_code == 404
    assert not Membership.objects.exists()


def test_a_second_invitation_of_an_address_replaces_the_first_and_the_owner_stays_the_owner(
    alice: User, alice_client: Client, bob_client: Client, assignment: Assignment
) -> None:
    alice_client.post(invite(alice_client, assignment))
    assert not Membership.objects.exists()
    assert Course.objects.get().owner == alice
    first = invite(alice_client, assignment)
    second = invite(alice_client, assignment, "observer")
    assert bob_client.post(first).status_code == 404
    bob_client.post(second)
    assert Membership.objects.get().role == "observer"


def test_nobody_changes_their_own_role_and_everybody_may_leave(
    colleague: User, colleague_client: Client, assignment: Assignment
) -> None:
    membership = colleague.memberships.get()
    change = reverse("change_role", args=[membership.pk])
    assert colleague_client.post(change, {"role": "observer"}).status_code == 403
    response = colleague_client.post(reverse("remove_member", args=[membership.pk]))
    assert response.headers["Location"] == reverse("courses")
    assert colleague_client.get(assignment.get_absolute_url()).status_code == 404


def test_a_role_that_is_changed_counts_at_once(
    alice_client: Client, colleague: User, colleague_client: Client, assignment: Assignment
) -> None:
    change = reverse("change_role", args=[colleague.memberships.get().pk])
    settings = reverse("assignment_settings", args=[assignment.pk])
    assert colleague_client.post(settings, {"name": "Renamed"}).status_code == 302
    alice_client.post(change, {"role": "king"})
    assert colleague.memberships.get().role == "instructor"
    alice_client.post(change, {"role": "assistant"})
    assert colleague_client.post(settings, {"name": "Again"}).status_code == 403


def test_a_course_is_transferred_to_a_member_without_another_of_its_name(
    alice: User, alice_client: Client, bob: User, colleague: User, assignment: Assignment
) -> None:
    transfer, member = reverse("transfer_course", args=[assignment.course_id]), colleague.memberships.get()
    networks = Course.objects.create(owner=bob, name="Networks")
    stranger = Membership.objects.create(course=networks, user=bob, role=ROLE.ASSISTANT)
    assert alice_client.post(transfer, {"member": stranger.pk}).status_code == 422
    other = Course.objects.create(owner=colleague, name=assignment.course.name)
    response = alice_client.post(transfer, {"member": member.pk})
    assert response.status_code == 422
    assert "colin has a course of this name already" in page_of(response).text(".error")
    other.delete()
    alice_client.post(transfer, {"member": member.pk})
    course = Course.objects.get(pk=assignment.course_id)
    assert course.owner == colleague
    assert [(one.user, one.role) for one in course.memberships.all()] == [(alice, "instructor")]


def test_the_reason_of_an_administrator_ends(admin: User, admin_client: Client, report: Report) -> None:
    people.state_reason(report.assignment.course, admin, "A student appealed.")
    assert admin_client.get(report.assignment.get_absolute_url()).status_code == 200
    StatedReason.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert admin_client.get(report.assignment.get_absolute_url()).status_code == 403


def test_the_department_shows_figures_and_no_name_of_a_student(admin_client: Client, report: Report) -> None:
    page = get_page(admin_client, reverse("department"))
    assert page.texts("tbody td.number") == ["1", "1", "3"]
    assert page.texts("tbody th a") == [report.assignment.course.name]
    names = report.submissions.values_list("name", flat=True)
    assert not [name for name in names if name in page.text("main")]
