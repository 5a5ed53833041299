"""Reports to a platform of the submissions that it pushed: how far they are, not how similar."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from moss.integrations.lti.models import PushedSubmission
from moss.integrations.lti.reporting import WAITS
from submissions.models import Job
from submissions.uploads.lifecycle import cancel_batch
from submissions.work import jobs
from submissions.work.running import restart_lost
from tests.support.jobs import carry_out, due_in, let_time_pass
from tests.support.pushed import CODE
from tests.support.sample_class import zipped

if TYPE_CHECKING:
    from tests.support.pushed import Gather, Pusher

pytestmark = pytest.mark.services

State = PushedSubmission.State


def reported(pusher: Pusher) -> list[dict[str, Any]]:
    """Tell the platform what is due; return the reports that it got since the last call."""
    for row in PushedSubmission.objects.order_by("pk"):
        carry_out("report_submission", row.pk)
    new = pusher.lms.server.reports[pusher.seen :]
    pusher.seen += len(new)
    return new


def states(reports: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(one["processingProgress"], one.get("errorCode")) for one in reports]


@pytest.mark.long
def test_a_submission_is_reported_as_processing_and_then_as_ready_for_the_instructor(
    pusher: Pusher, gathered: Gather
) -> None:
    row = pusher.push(1, pusher.asset("main.py"), pusher.asset("more.py"))
    assert reported(pusher) == []
    carry_out("fetch_submission", row.pk)
    assert states(reported(pusher)) == [("Processing", None)] * 2
    gathered()
    first, second = reported(pusher)
    assert (first["assetId"], second["assetId"]) == ("asset-main.py", "asset-more.py")
    assert (first["processingProgress"], first["type"], first["priority"]) == ("Processed", "moss", 0)
    assert first["comment"] == "Ready to be read by the instructor."
    assert first["visibleToOwner"] is False
    assert datetime.fromisoformat(first["timestamp"]).tzinfo
    assert not {"result", "indicationColor", "indicationAlt", "scoreGiven"} & first.keys()
    assert reported(pusher) == []


@pytest.mark.long
def test_nothing_that_is_reported_differs_between_a_copy_and_work_of_ones_own(
    pusher: Pusher, gathered: Gather
) -> None:
    honest = b"def primes(n):\n    return [k for k in range(2, n) if all(k % d for d in range(2, k))]\n" * 2
    for student, code in ((1, CODE), (2, CODE), (3, honest)):
        pusher.push(student, pusher.asset(f"{student}.py", code))
    gathered()
    reports_sent = [{**one, "assetId": "", "timestamp": ""} for one in reported(pusher)]
    assert reports_sent[:1] * 3 + reports_sent[-1:] * 3 == reports_sent


@pytest.mark.long
def test_a_file_of_which_nothing_is_used_is_said_and_an_archive_with_one_used_file_is_not(
    pusher: Pusher, gathered: Gather
) -> None:
    packed = zipped({"a/main.py": CODE.decode()}).read()
    photo = pusher.asset("photo.png", b"\x89PNG\r\n\x1a\n\0\0")
    pusher.push(1, pusher.asset("work.zip", packed), photo)
    gathered()
    assert states(reported(pusher))[-2:] == [("Processed", None), ("Failed", "UNSUPPORTED_ASSET_TYPE")]


def test_a_file_that_cannot_be_fetched_is_reported_so_that_the_platform_offers_it_again(
    pusher: Pusher,
) -> None:
    pusher.push(1, pusher.asset("1.py", sha256_checksum="wrong"))
    pusher.push(2, pusher.asset("2.py", size=10**12))
    for row in PushedSubmission.objects.all():
        carry_out("fetch_submission", row.pk)
    assert states(reported(pusher)) == [("Failed", "DOWNLOAD_FAILED"), ("Failed", "ASSET_TOO_LARGE")]


def test_an_upload_that_was_cancelled_and_a_submission_that_was_replaced_are_said(pusher: Pusher) -> None:
    for student in (1, 2):
        pusher.push(student, pusher.asset("main.py"))
    batch = pusher.assignment.batches.create(name="pushed.zip")
    first, second = PushedSubmission.objects.order_by("pk")
    PushedSubmission.objects.filter(pk=first.pk).update(state=State.READ, batch=batch)
    PushedSubmission.objects.filter(pk=second.pk).update(state=State.REPLACED)
    jobs.enqueue("report_submission", second.pk)
    assert cancel_batch(batch)
    reports_sent = reported(pusher)
    assert states(reports_sent) == [("Failed", "DOWNLOAD_FAILED"), ("Processed", None)]
    assert "later submission" in reports_sent[1]["comment"]


def test_a_platform_that_takes_no_report_is_asked_again_but_not_for_ever(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("main.py"))
    carry_out("fetch_submission", row.pk)
    pusher.lms.server.report_status = 503
    waits = []
    for _ in range(len(WAITS) + 1):
        reported(pusher)
        waits.append(due_in("report_submission", row.pk))
    assert waits == [*WAITS, None]
    pusher.lms.server.report_status = 201
    pusher.push(1, pusher.asset("main.py"))
    assert states(reported(pusher)) == [("Processing", None)]


def test_a_newer_report_of_the_platform_ends_it(pusher: Pusher) -> None:
    carry_out("fetch_submission", pusher.push(1, pusher.asset("main.py")).pk)
    pusher.lms.server.report_status = 409
    reported(pusher)
    assert not Job.objects.filter(kind="report_submission").exists()


def test_a_platform_without_the_service_is_told_nothing(pusher: Pusher) -> None:
    carry_out("fetch_submission", pusher.push(1, pusher.asset("main.py"), assetreport=None).pk)
    reported(pusher)
    assert not Job.objects.filter(kind="report_submission").exists()
    assert "/reports" not in pusher.lms.server.asked


def test_maintenance_has_reports_sent_that_are_due(
    pusher: Pusher, empty_queues: None, eager_tasks: None
) -> None:
    carry_out("fetch_submission", pusher.push(1, pusher.asset("main.py")).pk)
    let_time_pass()
    restart_lost("report_submission")
    assert states(pusher.lms.server.reports) == [("Processing", None)]
