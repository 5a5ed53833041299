"""Pushed submissions become uploads: one for all that came in some minutes, read as any other."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from moss.integrations.lti.models import PushedFile, PushedSubmission
from moss.integrations.lti.pushed import forget_old
from submissions.models import Batch, CourseRoster, Report, Submission
from submissions.reports.cohort import cohort_submissions
from submissions.work.running import restart_lost
from tests.support.jobs import carry_out, let_time_pass
from tests.support.pushed import CODE
from tests.support.sample_class import zipped

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from tests.support.pushed import Gather, Pusher
    from tests.support.uploads import Committing

pytestmark = pytest.mark.services

State, Problem = PushedSubmission.State, PushedSubmission.Problem


def names(batch: Batch) -> list[str]:
    return sorted(batch.submissions.values_list("name", flat=True))


@pytest.mark.long
def test_the_submissions_of_some_minutes_are_one_upload_with_one_report(
    pusher: Pusher, gathered: Gather
) -> None:
    for student in (1, 2, 3):
        pusher.push(student, pusher.asset(f"{student}/main.py", CODE + b"\nx = %d\n" % student))
    batch = gathered()
    assert (batch.state, names(batch)) == (Batch.State.DONE, ["Student 1", "Student 2", "Student 3"])
    assert Report.objects.get().pairs.count() == 3
    assert [one.identifier for one in batch.submissions.order_by("name")][:1] == ["student-1"]
    assert {row.state for row in PushedSubmission.objects.all()} == {State.READ}
    assert not PushedFile.objects.exists()


@pytest.mark.long
def test_an_archive_is_unpacked_within_the_limits_of_any_upload(pusher: Pusher, gathered: Gather) -> None:
    inner = zipped({"src/main.py": CODE.decode(), "../evil.py": CODE.decode()}).read()
    pusher.push(1, pusher.asset("work.zip", inner), pusher.asset("photo.png", b"\x89PNG\r\n\x1a\n\0\0"))
    batch = gathered()
    submission = batch.submissions.get()
    assert [one.path for one in submission.files.all()] == ["work/src/main.py"]
    refused = {one.name.rpartition("/")[2]: one.reason for one in batch.entries.filter(accepted=False)}
    assert {"evil.py", "photo.png"} <= set(refused)
    assert all(refused.values())


@pytest.mark.long
def test_a_later_submission_replaces_the_earlier_one_of_its_student(pusher: Pusher, gathered: Gather) -> None:
    pusher.push(1, pusher.asset("main.py"))
    pusher.push(2, pusher.asset("b/main.py"))
    gathered()
    later = {"submission": {"id": "submission-1-2"}}
    pusher.push(1, pusher.asset("c/main.py", timestamp="2026-03-02T10:00:00Z"), **later)
    second = gathered()
    assert names(second) == ["Student 1"]
    newest = {one.name: one.batch_id for one in cohort_submissions(pusher.assignment)}
    assert newest["Student 1"] == second.pk
    assert Report.objects.latest("pk").submissions.count() == 2


def test_of_attempts_in_one_upload_the_last_before_the_due_date_counts(
    pusher: Pusher, gathered: Gather
) -> None:
    pusher.assignment.due = datetime.fromisoformat("2026-03-02T00:00:00+00:00")
    pusher.assignment.save()
    for day in (3, 1):
        asset = pusher.asset(f"{day}/day{day}.py", timestamp=f"2026-03-0{day}T10:00:00Z")
        pusher.push(1, asset, submission={"id": f"attempt-{day}"})
    batch = gathered()
    assert [one.path for one in batch.submissions.get().files.all()] == ["day1.py"]
    assert "a late attempt" in batch.entries.get(name__endswith="day3.py").reason


def test_an_earlier_submission_that_comes_late_does_not_replace_a_later_one(
    pusher: Pusher, gathered: Gather
) -> None:
    pusher.push(1, pusher.asset("main.py", timestamp="2026-03-02T10:00:00Z"))
    gathered()
    row = pusher.push(1, pusher.asset("old.py"), submission={"id": "older"})
    gathered()
    row.refresh_from_db()
    assert (row.state, Batch.objects.count()) == (State.REPLACED, 1)


@pytest.mark.long
def test_two_students_of_one_name_are_two(pusher: Pusher, gathered: Gather) -> None:
    for student in (1, 2):
        person = {"user_id": f"id-{student}", "name": "Kim Lee"}
        pusher.push(student, pusher.asset(f"{student}.py"), for_user=person)
        gathered()
    assert sorted(Submission.objects.values_list("name", flat=True)) == ["Kim Lee", "Kim Lee (id-2)"]
    assert Report.objects.latest("pk").submissions.count() == 2


@pytest.mark.long
def test_a_platform_that_keeps_names_to_itself_gets_those_of_the_roster(
    pusher: Pusher, gathered: Gather
) -> None:
    roster = CourseRoster.objects.create(course=pusher.assignment.course, name="Example LMS")
    roster.students.create(name="Ada Byron", identifier="1001", other_ids=["student-1"])
    for student in (1, 2):
        pusher.push(student, pusher.asset(f"{student}.py"), for_user={"user_id": f"student-{student}"})
    assert names(gathered()) == ["Ada Byron", "student-2"]
    roster.students.create(name="Ben Ode", identifier="1002", other_ids=["student-2"])
    pusher.push(2, pusher.asset("2.py"), for_user={"user_id": "student-2"}, submission={"id": "again"})
    assert names(gathered()) == ["student-2"]  # As before, so that it replaces the earlier one.


@pytest.mark.long
def test_names_that_are_paths_or_empty_are_cleaned(pusher: Pusher, gathered: Gather) -> None:
    asset = pusher.asset("main.py", filename="../../etc/x.py")
    pusher.push(1, asset, for_user={"user_id": "a/b", "name": "/"})
    batch = gathered()
    assert names(batch) == ["-"]
    assert batch.entries.filter(accepted=True).get().name.endswith("/-..-etc-x.py")


def test_an_upload_holds_no_more_than_any_other_and_the_rest_is_the_next_one(
    pusher: Pusher, gathered: Gather, settings: Settings
) -> None:
    for student in (1, 2, 3):
        pusher.push(student, pusher.asset(f"{student}.py"))
    settings.MAX_UPLOAD_BYTES = 2 * len(CODE) + 10
    gathered()
    assert sorted(len(names(batch)) for batch in Batch.objects.all()) == [1, 2]


def test_what_does_not_fit_into_the_room_of_the_owner_fails_with_the_limit(
    pusher: Pusher, gathered: Gather, settings: Settings
) -> None:
    settings.STORAGE_BYTES = 10
    row = pusher.push(1, pusher.asset("main.py"))
    carry_out("fetch_submission", row.pk)
    carry_out("gather_submissions", pusher.assignment.pk)
    row.refresh_from_db()
    assert (row.state, row.problem, Batch.objects.count()) == (State.FAILED, Problem.NO_ROOM, 0)
    assert "at most 10 bytes" in row.detail
    assert not PushedFile.objects.exists()


@pytest.mark.long
def test_it_waits_for_more_until_the_time_is_over(
    pusher: Pusher, eager_tasks: None, settings: Settings, django_capture_on_commit_callbacks: Committing
) -> None:
    settings.LTI_GATHER_TIME = timedelta(minutes=10)
    pusher.push(1, pusher.asset("1.py"))
    pusher.push(2, pusher.asset("2.py"))
    for row in PushedSubmission.objects.all():
        carry_out("fetch_submission", row.pk)
    with django_capture_on_commit_callbacks(execute=True):
        restart_lost("gather_submissions")
    assert {row.state for row in PushedSubmission.objects.all()} == {State.FETCHED}
    let_time_pass("gather_submissions")
    with django_capture_on_commit_callbacks(execute=True):
        restart_lost("gather_submissions")
    assert names(Batch.objects.get()) == ["Student 1", "Student 2"]


def test_maintenance_forgets_what_never_came_after_a_month(pusher: Pusher) -> None:
    states: list[Any] = [State.FAILED, State.REPLACED, State.READ, State.WAITING]
    for number, state in enumerate(states):
        row = pusher.push(number, pusher.asset("main.py"))
        old = {"state": state, "created": timezone.now() - timedelta(days=31)}
        PushedSubmission.objects.filter(pk=row.pk).update(**old)
    forget_old()
    assert {row.state for row in PushedSubmission.objects.all()} == {State.READ, State.WAITING}
