"""Links whose maker may not share any more: they stop, the owner is told, and may take them over."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.core import rights as permissions
from submissions.core.rights import Right
from submissions.courses import change as people
from submissions.courses.models import Role
from submissions.models import Assignment, AuditEntry, CampusGroup, Report, Share
from submissions.shares import links as shares
from tests.support.api import api_client
from tests.support.every_page import World, addresses
from tests.support.html import get_page, page_of
from tests.support.shares import link_to, shared_pairs, shared_report
from tests.support.withheld import SECRETS, Sealed


def demote(user: User) -> None:
    membership = user.memberships.get()
    people.change_role(membership, Role.ASSISTANT, membership.course.owner)


def remove(user: User) -> None:
    people.remove_member(user.memberships.get())


def leave_the_campus_group(user: User) -> None:
    membership = user.memberships.get()
    CampusGroup.objects.create(course=membership.course, group="tutors", role=membership.role)
    membership.group = "tutors"
    membership.save()
    people.join_by_groups(user, [])


def close(user: User) -> None:
    user.is_active = False
    user.save()


def delete(user: User) -> None:
    user.delete()


ENDS = [demote, remove, leave_the_campus_group, close, delete]


@pytest.fixture
def share(colleague: User, report: Report) -> Share:
    """Return a link with real names to the whole report, made by an instructor of the course."""
    return shared_report(report, colleague)


def shares_page(assignment: Assignment) -> str:
    return reverse("shares", args=[assignment.pk])


def take_over(client: Client, share: Share) -> None:
    client.post(reverse("take_over_share", args=[share.pk]))


@pytest.mark.parametrize("end", ENDS)
def test_a_link_ends_with_the_right_of_its_maker_and_says_whom_to_ask(
    end: Callable[[User], None], share: Share, colleague: User, client: Client
) -> None:
    assert client.get(link_to(share)).status_code == 200
    names = list(share.assignment.reports.latest("pk").submissions.values_list("name", flat=True))
    end(colleague)
    for address in (link_to(share), shared_pairs(share)):
        response = client.get(address)
        assert response.status_code == 410
        text = page_of(response).text("main")
        assert "The person who made this link may no longer share it. Ask alice for a new one." in text
        assert not [name for name in names if name in text]


@pytest.mark.long
@pytest.mark.parametrize("end", ENDS)
def test_the_owner_sees_that_it_stopped_and_takes_it_over(
    end: Callable[[User], None], share: Share, colleague: User, alice_client: Client, client: Client
) -> None:
    end(colleague)
    course = get_page(alice_client, share.assignment.course.get_absolute_url())
    assert f"Shared links to {share.assignment.name} no longer work" in course.text(".notice")
    page = get_page(alice_client, shares_page(share.assignment))
    assert "It no longer works" in page.text(f"#share-{share.pk}")
    assert not page.has(".copy")
    take_over(alice_client, share)
    page = get_page(alice_client, shares_page(share.assignment))
    assert "made by alice" in page.text(f"#share-{share.pk}")
    assert page.has(".copy")
    assert client.get(link_to(share)).status_code == 200
    assert not get_page(alice_client, share.assignment.course.get_absolute_url()).has(".notice")
    assert AuditEntry.objects.filter(page="take_over_share", who="alice", action="shared").count() == 1


def test_a_link_works_while_its_maker_may_share(share: Share, alice: User, client: Client) -> None:
    course = share.assignment.course
    people.transfer(course, course.memberships.get(), alice)
    course.refresh_from_db()
    assert course.owner == share.created_by
    assert client.get(link_to(share)).status_code == 200
    of_owner = shared_report(share.assignment.reports.latest("pk"), alice)
    assert client.get(link_to(of_owner)).status_code == 200


def test_whoever_may_share_sees_all_names(admin: User, assignment: Assignment) -> None:
    people.state_reason(assignment.course, admin, "An appeal, case 7.")
    granted = [permissions.OWNER, *permissions.RIGHTS.values(), permissions.rights(admin, assignment.course)]
    assert [Right.SHARE in rights for rights in granted].count(True) == 2
    assert all(Right.SEE_NAMES in rights for rights in granted if Right.SHARE in rights)


@pytest.mark.long
def test_a_link_shows_what_its_new_maker_may_read(sealed: Sealed, colleague: User, client: Client) -> None:
    assignment = sealed.world.assignment
    alice = assignment.course.owner
    share = shared_report(sealed.report, alice)
    assert any(secret in get_page(client, shared_pairs(share)).html for secret in SECRETS)
    people.transfer(assignment.course, assignment.course.memberships.get(user=colleague), alice)
    remove(alice)
    assert client.get(shared_pairs(share)).status_code == 410
    shares.take_over_share(share, colleague)
    text = get_page(client, shared_pairs(share)).html
    assert not [secret for secret in SECRETS if secret in text]
    assert client.get(link_to(share, sealed.withheld.left_id, sealed.withheld.right_id)).status_code == 404


def test_only_who_may_share_takes_a_link_over_and_the_api_lists_it_without_its_address(
    share: Share, colleague: User, colleague_client: Client, charlie_client: Client, alice: User
) -> None:
    address = f"/api/v1/assignments/{share.assignment_id}/shares"
    assert api_client(alice).get(address).json()["items"][0]["url"]
    demote(colleague)
    for client, status in ((colleague_client, 403), (charlie_client, 404)):
        assert client.post(reverse("take_over_share", args=[share.pk])).status_code == status
    delete(colleague)
    [listed] = api_client(alice).get(address).json()["items"]
    assert (listed["url"], listed["created_by"], listed["revoked"]) == (None, "", None)


def test_the_owner_is_told_by_mail_once_and_not_of_links_that_expired_or_were_revoked(
    share: Share, colleague: User, alice: User, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    settings.MAIL = True
    alice.email = "alice@example.org"
    alice.save()
    revoked, late = (shared_report(share.assignment.reports.latest("pk"), colleague) for _ in range(2))
    shares.revoke_share(revoked)
    Share.objects.filter(pk=late.pk).update(expires=timezone.now() - timedelta(seconds=1))
    shares.tell_owners()
    assert mailoutbox == []
    remove(colleague)
    for _ in range(2):
        shares.tell_owners()
    [mail] = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert f"1 link to a report or pair of {share.assignment.course.name}" in mail.body
    assert share.assignment.name in mail.body
    assert Share.objects.filter(owner_told=True).get() == share


def test_no_address_behind_a_stopped_link_answers(world: World, client: Client) -> None:
    close(world.owner)
    shared = {name: address for name, address in addresses(world).items() if name.startswith("shared")}
    assert len(shared) > 4
    assert {client.get(address).status_code for address in shared.values()} == {410}
