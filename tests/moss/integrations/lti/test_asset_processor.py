"""The Asset Processor from end to end: attached to an activity, its reports opened, its students erased."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse

from moss.integrations.lti.models import AttachedActivity, DeepLinkRequest, PushedSubmission
from submissions.models import Assignment, Batch, Job, Report, Submission
from submissions.students.erasing import ask_for_erasure
from submissions.students.exporting import write_export
from submissions.students.scope import scope
from submissions.work.running import sweep_jobs
from tests.conftest import wait_until
from tests.support.every_column import places_of
from tests.support.html import get_page, page_of
from tests.support.jobs import carry_out, let_time_pass
from tests.support.platform import ASSISTANT, LEARNER
from tests.support.pushed import CODE

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from tests.support.platform import LearningPlatform
    from tests.support.pushed import Gather, Pusher
    from tests.support.uploads import Committing

pytestmark = pytest.mark.services

State = PushedSubmission.State


def test_a_platform_that_asks_for_a_processor_gets_one_and_is_told_where_notices_go(pusher: Pusher) -> None:
    item = pusher.item()
    custom = {"moss_assignment": str(pusher.assignment.pk)}
    assert (item["type"], item["title"], item["custom"]) == ("ltiAssetProcessor", "Sheet 1", custom)
    assert item["report"] == {
        "url": "http://testserver/lti/launch/",
        "custom": custom,
        "supportedTypes": ["moss"],
        "released": False,
        "indicator": False,
    }
    (handler,) = pusher.lms.server.handlers
    assert handler == {
        "notice_type": "LtiAssetProcessorSubmissionNotice",
        "handler": "http://testserver/lti/notices/",
    }
    attached = AttachedActivity.objects.get()
    assert (attached.activity, attached.assignment) == ("activity-1", pusher.assignment)


@pytest.mark.parametrize(
    ("accepted", "activity", "kind"),
    [
        (["ltiResourceLink", "ltiAssetProcessor"], {"id": "a"}, "ltiAssetProcessor"),
        (["ltiResourceLink", "ltiAssetProcessor"], None, "ltiResourceLink"),
        (["ltiResourceLink"], {"id": "a"}, "ltiResourceLink"),
        (["ltiAssetProcessor"], None, "ltiAssetProcessor"),
    ],
)
def test_a_processor_is_only_handed_to_a_platform_that_takes_it(
    accepted: list[str], activity: dict[str, str] | None, kind: str, lms: LearningPlatform, client: Client
) -> None:
    asked = lms.deep_linking(accept_types=accepted)
    address = lms.launch(client, **asked, activity=activity).headers["Location"]
    lms.server.tool_keys = client.get("/lti/keys/").json()
    response = client.post(address, {"make": "1", "new-name": "Sheet 1"})
    token = str(page_of(response).one("main input[name=JWT]").attributes["value"])
    claims = lms.server.read(token, "https://lms.example")
    items = claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]
    assert [item["type"] for item in items] == [kind]
    assert bool(lms.server.handlers) == (kind == "ltiAssetProcessor")


@pytest.mark.parametrize(
    ("service", "words"),
    [
        (None, "does not tell this service of submissions"),
        ({"notice_types_supported": ["LtiHelloWorldNotice"]}, "does not tell this service of submissions"),
        ({"platform_notification_service_url": "https://evil.example/"}, "other addresses: https://evil"),
    ],
)
def test_a_platform_without_notices_of_submissions_is_said(
    service: dict[str, Any] | None, words: str, lms: LearningPlatform, client: Client
) -> None:
    usual = lms.claims("")["https://purl.imsglobal.org/spec/lti/claim/platformnotificationservice"]
    asked = lms.deep_linking(accept_types=["ltiAssetProcessor"])
    response = lms.launch(client, **asked, platformnotificationservice=service and usual | service)
    assert response.status_code == 403
    assert words in page_of(response).text("main")
    assert not DeepLinkRequest.objects.exists()


def test_a_platform_that_takes_no_address_for_notices_gets_no_processor(
    lms: LearningPlatform, client: Client
) -> None:
    asked = lms.deep_linking(accept_types=["ltiAssetProcessor"])
    address = lms.launch(client, **asked).headers["Location"]
    DeepLinkRequest.objects.update(notices_url=f"{lms.url}/nowhere")
    lms.server.tool_keys = client.get("/lti/keys/").json()
    response = client.post(address, {"make": "1", "new-name": "Sheet 1"})
    assert response.status_code == 422
    assert "did not take the address for its notices" in page_of(response).text(".notices")
    assert not Assignment.objects.exists()
    DeepLinkRequest.objects.update(notices_url=f"{lms.url}/notice-handlers")
    assert client.post(address, {"make": "1", "new-name": "Sheet 1"}).status_code == 200


def review(pusher: Pusher, client: Client, **changes: Any) -> Any:
    """Open the report of student 1 in the platform; return the answer to the launch."""
    asked = {
        "message_type": "LtiReportReviewRequest",
        "submission": {"id": "submission-1"},
        "asset": {"id": "asset-1.py"},
        "assetreport_type": "moss",
        "for_user": {"user_id": "student-1"},
        "activity": {"id": "activity-1"},
    }
    return pusher.lms.launch(client, **asked | changes)


def test_an_instructor_opens_the_submission_of_a_report_and_a_student_does_not(
    pusher: Pusher, gathered: Gather
) -> None:
    for student in (1, 2):
        pusher.push(student, pusher.asset(f"{student}.py"))
    before = review(pusher, pusher.client)
    assert before.headers["Location"] == pusher.assignment.get_absolute_url()
    gathered()
    submission = Submission.objects.get(name="Student 1")
    address = reverse("submission", args=[pusher.assignment.pk, submission.pk])
    assert review(pusher, pusher.client).headers["Location"] == address
    assert pusher.client.get(address).status_code == 200
    assert review(pusher, Client(), sub="2", roles=[ASSISTANT]).headers["Location"] == address
    refused = review(pusher, Client(), sub="student-1", roles=[LEARNER])
    assert refused.status_code == 403
    assert "Students have no access" in page_of(refused).text("main")


def test_a_report_of_another_course_or_of_nothing_opens_the_course(pusher: Pusher) -> None:
    pusher.push(1, pusher.asset("1.py"))
    for changes in (
        {"submission": {"id": "another"}},
        {"submission": None},
        {"context": {"id": "course-2", "title": "Other"}},
    ):
        response = review(pusher, pusher.client, **changes)
        page = get_page(pusher.client, response.headers["Location"])
        assert "is not known here" in page.text(".notices")


def test_the_settings_of_a_processor_open_its_assignment(pusher: Pusher) -> None:
    changes = {"message_type": "LtiAssetProcessorSettingsRequest", "custom": pusher.item()["custom"]}
    opened = pusher.lms.launch(pusher.client, **changes)
    assert opened.headers["Location"] == pusher.assignment.get_absolute_url()


@pytest.mark.long
def test_nothing_that_was_pushed_of_an_erased_student_is_left(
    pusher: Pusher, gathered: Gather, django_capture_on_commit_callbacks: Committing
) -> None:
    person = {"user_id": "zq-77123456", "name": "Zebulon Quartzovsky"}
    for number in (1, 2):
        pusher.push(number, pusher.asset(f"{number}.py"))
    pusher.push(3, pusher.asset("zebulon-quartzovsky.py"), for_user=person)
    gathered()
    failed = pusher.asset("4.py", filename="Zebulon Quartzovsky.py", sha256_checksum="wrong")
    waiting = pusher.asset("5.py", CODE + b"zq = 77123456")
    pusher.push(4, failed, for_user=person)
    pusher.push(5, waiting, for_user=person)
    for row in PushedSubmission.objects.filter(state=State.WAITING):
        carry_out("fetch_submission", row.pk)
    traces = ("Zebulon Quartzovsky", "zebulon-quartzovsky", "zq-77123456", "zq = 77123456")
    assert {"lti_pushedsubmission.name", "lti_pushedsubmission.detail", "lti_pushedfile.data"} <= places_of(
        traces
    )
    target = BytesIO()
    write_export(scope("zq-77123456"), target)
    exported = zipfile.ZipFile(target).read("data.json").decode()
    assert exported.count('"subject": "zq-77123456"') == 3
    assert "student-2" not in exported
    with django_capture_on_commit_callbacks(execute=True):
        ask_for_erasure(scope("zq-77123456"), "admin", "A letter.")
    assert places_of(traces) == set()
    assert sorted(PushedSubmission.objects.values_list("name", flat=True)) == ["Student 1", "Student 2"]


@pytest.mark.long
@pytest.mark.usefixtures("celery_worker_process")
def test_a_real_worker_takes_a_class_from_its_notices_to_the_report_and_tells_the_platform(
    lms: LearningPlatform, client: Client, settings: Settings
) -> None:
    from tests.support.pushed import Pusher  # noqa: PLC0415 - its fixture would begin before the worker

    pusher = Pusher(lms, client)
    claims = [
        pusher.claims(number, pusher.asset(f"{number}/main.py", CODE + b"x = %d\n" % number))
        for number in range(1, 5)
    ]
    assert pusher.send(*claims).json() == {"taken": 4, "refused": []}
    fetched = PushedSubmission.objects.filter(state=State.FETCHED)
    wait_until(lambda: fetched.count() == 4, what="the files")
    wait_until(lambda: not Job.objects.filter(kind="report_submission").exists(), what="the first reports")
    let_time_pass("gather_submissions")
    sweep_jobs()
    done = Report.objects.filter(state=Report.State.DONE)
    wait_until(done.exists, what="the report")
    batch = Batch.objects.get()
    assert (batch.submissions.count(), done.get().pairs.count()) == (4, 6)

    def has_reports() -> bool:
        sweep_jobs()
        return {one.get("processingProgress") for one in lms.server.reports[-4:]} == {"Processed"}

    wait_until(has_reports, what="the reports")
    assert {one["assetId"] for one in lms.server.reports[-4:]} == {f"asset-{n}/main.py" for n in range(1, 5)}
