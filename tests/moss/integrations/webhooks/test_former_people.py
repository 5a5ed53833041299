"""A webhook sends nothing once its maker may not share the course, and its owner may take it over."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.webhooks import sending
from moss.integrations.webhooks.models import Delivery, Webhook
from submissions.models import Assignment, Job
from tests.submissions.shares.test_stopped_links import ENDS
from tests.support.html import get_page
from tests.support.jobs import carry_out
from tests.support.receiver import Receiver, webhook_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def webhook(assignment: Assignment, colleague: User, receiver: Receiver) -> Webhook:
    """Return a webhook that an instructor of Alice's course made."""
    return sending.create(assignment.course, colleague, receiver.url(), ["pair.decided"])


@pytest.mark.parametrize("end", ENDS)
def test_what_waits_is_not_sent_once_the_right_of_its_maker_ended(
    end: Callable[[User], None], webhook: Webhook, colleague: User, receiver: Receiver
) -> None:
    delivery = sending.send_test(webhook)
    end(colleague)
    carry_out("deliver", delivery.pk)
    assert receiver.received == []
    with pytest.raises(sending.NotActive):
        sending.send_test(webhook)


@pytest.mark.parametrize("end", ENDS)
def test_it_is_stopped_and_the_owner_is_told_once(
    end: Callable[[User], None],
    webhook: Webhook,
    colleague: User,
    settings: Settings,
    mailoutbox: list[EmailMessage],
) -> None:
    settings.MAIL = True
    sending.send_test(webhook)
    sending.stop_without_right()
    assert Webhook.objects.get().state == Webhook.State.ACTIVE
    end(colleague)
    for _ in range(2):
        sending.stop_without_right()
        carry_out("tell_owner", webhook.pk)
    assert Webhook.objects.get().state == Webhook.State.STOPPED
    assert Delivery.objects.get().state == Delivery.State.GIVEN_UP
    [mail] = mailoutbox
    assert mail.to == [webhook.course.owner.email]
    assert "because colin added its address and may no longer share this course" in mail.body


@pytest.mark.parametrize("end", ENDS)
def test_the_owner_sees_it_and_takes_it_over(
    end: Callable[[User], None], webhook: Webhook, colleague: User, alice: User, alice_client: Client
) -> None:
    end(colleague)
    sending.stop_without_right()
    course = webhook.course
    said = "A webhook was stopped: the person who made it may no longer share this course"
    assert said in get_page(alice_client, course.get_absolute_url()).text("main")
    address = reverse("webhook", args=[course.pk, webhook.pk])
    assert "To take it over, choose to send events" in get_page(alice_client, address).text(".notice")
    alice_client.post(address, {"events": ["pair.decided"], "active": "on"})
    taken = Webhook.objects.get()
    assert (taken.state, taken.maker, taken.created_by) == (Webhook.State.ACTIVE, alice, "alice")
    assert said not in get_page(alice_client, course.get_absolute_url()).text("main")


def test_a_paused_webhook_of_a_former_instructor_is_stopped_too(webhook: Webhook, colleague: User) -> None:
    sending.change(webhook, colleague, webhook.events, active=False)
    colleague.delete()
    sending.stop_without_right()
    assert Webhook.objects.get().state == Webhook.State.STOPPED
    assert Job.objects.filter(kind="tell_owner").count() == 1


def test_a_webhook_of_the_owner_and_of_an_instructor_work(
    webhook: Webhook, assignment: Assignment, receiver: Receiver
) -> None:
    of_owner = webhook_to(receiver.url(), assignment.course)
    sending.stop_without_right()
    assert {*Webhook.objects.working()} == {webhook, of_owner}
