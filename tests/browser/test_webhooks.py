"""A webhook from its form to what arrived, in a real browser."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from moss.integrations.webhooks.models import Delivery, Webhook
from submissions.models import Assignment
from tests.conftest import wait_until
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.receiver import Receiver

pytestmark = pytest.mark.services


@pytest.mark.long
@pytest.mark.usefixtures("celery_worker_process")
def test_a_webhook_is_added_and_a_test_arrives(
    alice: User, assignment: Assignment, receiver: Receiver, sign_in: SignIn, shoot: Shoot
) -> None:
    page = sign_in(alice)
    page.goto(assignment.course.get_absolute_url())
    page.click("text=Webhooks")
    page.fill(
        "input[name=url]", receiver.url("/a-rather-long-address/that-names/a-channel?key=0123456789abcdef")
    )
    page.uncheck("input[value='upload.failed']")
    page.click("text=Add the webhook")
    secret = page.input_value("#secret")
    webhook = Webhook.objects.get()
    assert secret == webhook.secret
    check_every_layout(page, shoot, "page-webhook-created")
    page.click(".rows a")
    receiver.statuses = [500, 200]
    with page.expect_navigation():
        page.click("text=Send a test")
    wait_until(lambda: webhook.deliveries.get().status == 500, what="the first attempt")
    page.reload()
    page.click("table button")
    wait_until(lambda: webhook.deliveries.get().state == Delivery.State.ARRIVED, what="the second")
    webhook.deliveries.create(event="report.ready", body="{}", attempts=2, problem="no answer")
    page.goto(reverse("webhook", args=[webhook.course_id, webhook.pk]))
    assert page.locator("tbody tr").count() == 2
    check_every_layout(page, shoot, "page-webhook-sent")
