"""Mail: forgotten passwords and invitations, sent through a mail server that runs on loopback."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from submissions.models import Assignment
from tests.support.html import get_page, page_of
from tests.support.inbox import Inbox, link_in

pytestmark = pytest.mark.services

NEW = "a wholly new secret of mine"


def test_a_forgotten_password_is_replaced_by_mail(
    inbox: Inbox, client: Client, alice: User, alice_client: Client
) -> None:
    assert reverse("account_reset_password") in get_page(client, reverse("login")).links()
    client.post(reverse("account_reset_password"), {"email": alice.email})
    (mail,) = inbox.mails
    assert (mail["To"], mail["From"]) == (alice.email, "moss@example.org")
    form = page_of(client.get(link_in(mail), follow=True))
    action = form.values("form.card", "action")[0]
    client.post(action, {"password1": NEW, "password2": NEW})
    signed_in = client.post(reverse("login"), {"username": "alice", "password": NEW})
    assert signed_in.headers["Location"] == reverse("courses")
    assert alice_client.get(reverse("courses")).status_code == 302, "the sessions before have ended"


def test_the_link_of_a_new_password_is_used_once(inbox: Inbox, client: Client, alice: User) -> None:
    client.post(reverse("account_reset_password"), {"email": alice.email})
    link = link_in(inbox.mails[0])
    action = page_of(client.get(link, follow=True)).values("form.card", "action")[0]
    client.post(action, {"password1": NEW, "password2": NEW})
    assert "This link was used or has expired." in page_of(client.get(link, follow=True)).text("main")


def test_an_unknown_address_gets_no_mail_and_the_same_answer(
    inbox: Inbox, client: Client, alice: User
) -> None:
    answers = [
        client.post(reverse("account_reset_password"), {"email": address}).headers["Location"]
        for address in (alice.email, "nobody@example.org")
    ]
    assert len({*answers}) == 1
    assert [mail["To"] for mail in inbox.mails] == [alice.email]


def test_nobody_is_flooded_with_mails_about_a_new_password(inbox: Inbox, client: Client, alice: User) -> None:
    address, sender = reverse("account_reset_password"), "198.51.100.7"
    statuses = [
        client.post(address, {"email": alice.email}, REMOTE_ADDR=sender).status_code for _ in range(8)
    ]
    assert (statuses[0], statuses[-1]) == (302, 429)
    assert len(inbox.mails) == statuses.count(302) < 8


def test_without_mail_no_page_offers_it(client: Client, db: None) -> None:
    assert not [link for link in get_page(client, reverse("login")).links() if "password" in link]
    assert client.get(reverse("account_reset_password")).status_code == 404


def test_an_invitation_is_sent_by_mail(
    inbox: Inbox, alice_client: Client, bob_client: Client, assignment: Assignment
) -> None:
    people = reverse("people", args=[assignment.course_id])
    page = page_of(alice_client.post(people, {"email": "bob@example.org", "role": "assistant"}, follow=True))
    assert "The invitation was sent to bob@example.org." in page.text(".notices")
    (mail,) = inbox.mails
    assert mail["Subject"] == f"Invitation to {assignment.course.name}"
    assert bob_client.post(link_in(mail)).status_code == 302
    assert assignment.course.memberships.get().role == "assistant"


def test_a_mail_server_that_does_not_answer_leaves_the_link_to_the_inviter(
    inbox: Inbox, settings: Settings, alice_client: Client, assignment: Assignment
) -> None:
    settings.EMAIL_PORT = 1
    people = reverse("people", args=[assignment.course_id])
    page = page_of(alice_client.post(people, {"email": "bob@example.org", "role": "assistant"}, follow=True))
    assert "The mail could not be sent" in page.text(".notices")
    assert page.has(".copy input")
