"""Mail: forgotten passwords, invitations and reports that are ready, sent to a server on loopback."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.accounts.models import MailChoice
from submissions.models import Assignment, Batch, Membership, Report
from submissions.uploads import lifecycle
from tests.conftest import running_worker, wait_until
from tests.moss.test_logged_data import send
from tests.support.html import get_page, page_of
from tests.support.inbox import Inbox, link_in, text_of
from tests.support.jobs import work_off
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

NEW = "a wholly new secret of mine"


def test_an_unknown_address_gets_no_mail_and_the_same_answer(inbox: Inbox, client: Client, alice: User) -> None:
    answers = [
        client.post(reverse("account_reset_password"), {"email": address}).headers["Location"]
        for address in (alice.email, "nobody@example.org")
    ]
    assert len({*answers}) == 1
    assert [mail["To"] for mail in inbox.mails] == [alice.email]


def test_nobody_is_flooded_with_mails_about_a_new_password(inbox: Inbox, client: Client, alice: User) -> None:
    address, sender = reverse("account_reset_password"), "198.51.100.7"
    statuses = [client.post(address, {"email": alice.email}, REMOTE_ADDR=sender).status_code for _ in range(8)]
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


Ranked = Callable[..., None]

EARLIER = timedelta(minutes=2)


@pytest.fixture
def ranked(assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing) -> Ranked:
    """Return a function that has a report made of an upload by a user some time ago."""

    def rank(user: User | None, ago: timedelta = EARLIER) -> None:
        batch = assignment.batches.create(name="ada.zip", uploaded_by=user, state=Batch.State.RANKING)
        Batch.objects.filter(pk=batch.pk).update(created=timezone.now() - ago)
        report = Report.objects.create(assignment=assignment)
        report.submissions.add(batch.submissions.create(name="Ada Lovelace"))
        with django_capture_on_commit_callbacks(execute=True):
            lifecycle.finish_report(report)

    return rank


@pytest.mark.long
@pytest.mark.usefixtures("transactional_db")
def test_a_worker_sends_who_uploaded_a_mail_without_the_name_of_a_student(
    alice: User, assignment: Assignment, inbox: Inbox, settings: Settings, tmp_path: Path
) -> None:
    queues = {"MOSS_TEST_QUEUES": f"test-{uuid4()}:"}
    mail = {"MOSS_MAIL_HOST": "127.0.0.1", "MOSS_MAIL_PORT": str(settings.EMAIL_PORT),
            "MOSS_MAIL_SECURITY": "none", "MOSS_MAIL_FROM": "moss@example.org",
            "MOSS_URL": "https://moss.example.org/"}  # fmt: skip
    with web_server(**queues) as port:
        assert send(port, alice, assignment, zipped(CLASS)) == 302
    Batch.objects.update(created=timezone.now() - EARLIER)
    with running_worker(tmp_path / "worker.log", **queues, **mail):
        wait_until(lambda: bool(inbox.mails), 120, what="the mail")
        wait_until(lambda: not Batch.objects.filter(state__in=Batch.RUNNING).exists())
    [mail_sent] = inbox.mails
    assert (mail_sent["To"], mail_sent["Subject"]) == (alice.email, "The report of Statistics is ready")
    text = text_of(mail_sent)
    assert f"https://moss.example.org{assignment.get_absolute_url()}" in text
    names = Report.objects.get().submissions.values_list("name", flat=True)
    assert len(names) == len(CLASS)
    assert not [name for name in names if name in text]


def test_who_waited_is_told_although_a_newer_report_came_before_the_mail(
    assignment: Assignment, alice: User, inbox: Inbox
) -> None:
    batch = assignment.batches.create(name="ada.zip", uploaded_by=alice, state=Batch.State.RANKING)
    Batch.objects.filter(pk=batch.pk).update(created=timezone.now() - EARLIER)
    first = Report.objects.create(assignment=assignment)
    first.submissions.add(batch.submissions.create(name="Ada Lovelace"))
    lifecycle.finish_report(first)
    first.delete()
    Report.objects.create(assignment=assignment, state=Report.State.DONE)
    work_off("mail_report")
    [mail_sent] = inbox.mails
    assert mail_sent["Subject"] == "The report of Statistics is ready"


def test_the_mail_is_in_the_language_of_the_last_sign_in(
    inbox: Inbox, ranked: Ranked, alice: User, client: Client
) -> None:
    address, secret = reverse("login"), {"username": "alice", "password": "correct horse battery staple"}
    client.post(address, secret, headers={"Accept-Language": "de"})
    ranked(alice)
    assert inbox.mails[0]["Subject"] == "Der Bericht von Statistics ist fertig"


def test_who_chose_no_mail_gets_none_and_others_do(
    inbox: Inbox, ranked: Ranked, alice: User, alice_client: Client, colleague: User
) -> None:
    page = get_page(alice_client, reverse("account"))
    assert "checked" in page.one("input[name=reports]").attributes
    alice_client.post(reverse("choose_mail"), {})
    assert "checked" not in get_page(alice_client, reverse("account")).one("input[name=reports]").attributes
    ranked(alice)
    ranked(colleague)
    assert [mail["To"] for mail in inbox.mails] == [colleague.email]
    alice_client.post(reverse("choose_mail"), {"reports": "on"})
    assert MailChoice.objects.get(user=alice).reports


def test_who_may_not_read_the_course_any_more_gets_none(inbox: Inbox, ranked: Ranked, colleague: User) -> None:
    Membership.objects.filter(user=colleague).delete()
    ranked(colleague)
    assert inbox.mails == []


def test_a_report_that_came_at_once_is_not_announced(inbox: Inbox, ranked: Ranked, alice: User) -> None:
    ranked(alice, ago=timedelta(seconds=5))
    assert inbox.mails == []


def test_an_account_without_an_address_is_told_so_and_gets_no_mail(
    inbox: Inbox, ranked: Ranked, alice: User, alice_client: Client
) -> None:
    User.objects.update(email="")
    ranked(alice)
    assert inbox.mails == []
    page = get_page(alice_client, reverse("account"))
    assert "no mail is sent to you" in page.text("#mail + p")


def test_where_no_mail_is_set_the_page_offers_none(alice_client: Client, ranked: Ranked, alice: User) -> None:
    ranked(alice)
    assert not get_page(alice_client, reverse("account")).has("#mail")


def test_a_mail_server_that_is_away_fails_no_report(
    inbox: Inbox, settings: Settings, ranked: Ranked, alice: User
) -> None:
    settings.EMAIL_PORT = 1
    ranked(alice)
    assert Report.objects.get().state == Report.State.DONE


def test_a_forgotten_password_is_replaced_by_mail_whose_link_is_used_once(
    inbox: Inbox, client: Client, alice: User, alice_client: Client
) -> None:
    assert reverse("account_reset_password") in get_page(client, reverse("login")).links()
    client.post(reverse("account_reset_password"), {"email": alice.email})
    (mail,) = inbox.mails
    assert (mail["To"], mail["From"]) == (alice.email, "moss@example.org")
    form = page_of(client.get(link_in(mail), follow=True))
    action = form.values("form.card", "action")[0]
    client.post(action, {"password1": NEW, "password2": NEW})
    assert "This link was used or has expired." in page_of(client.get(link_in(mail), follow=True)).text("main")
    signed_in = client.post(reverse("login"), {"username": "alice", "password": NEW})
    assert signed_in.headers["Location"] == reverse("courses")
    assert alice_client.get(reverse("courses")).status_code == 302, "the sessions before have ended"
