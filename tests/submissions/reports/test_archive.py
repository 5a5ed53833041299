"""The department's archive: which courses are in it, what is looked up, and how many queries that takes."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.courses.read import archive_languages, archive_size
from submissions.models import Assignment, Course, Document, SubmissionFile
from submissions.reports import results as rank
from submissions.reports.cohort import select_cohort
from submissions.reports.progress import Cancelled
from submissions.uploads import lifecycle
from submissions.uploads.change import create_batch
from tests.support.archive import Department
from tests.support.sample_class import CLASS, COPIED, loose, zipped
from tests.support.uploads import register_boilerplate

pytestmark = pytest.mark.services

BOTH = {"zacharias", "yvonne"}


@pytest.mark.long
def test_a_class_is_compared_with_the_courses_of_others_that_take_part(department: Department) -> None:
    department.hand_in(zipped(CLASS))
    assert department.old_names() == BOTH
    assert department.report.findings
    assert department.report.findings.compared == []
    archive = department.report.findings.archive
    assert archive
    assert (archive.assignments, archive.submissions, archive.comparable) == (1, 2, 2)
    assert not department.old.reports.latest("pk").submissions.filter(batch__role="other").exists()


def test_only_a_course_that_takes_part_is_compared_with_the_archive(department: Department) -> None:
    department.assignment.course.in_archive = False
    department.assignment.course.save()
    department.hand_in(zipped(CLASS))
    assert department.old_names() == set()


@pytest.mark.long
def test_a_course_that_joins_is_found_at_the_next_ranking_and_one_that_leaves_no_more(
    department: Department,
) -> None:
    course = department.old.course
    for takes_part, old_names in ((False, set()), (True, BOTH), (False, set())):
        course.in_archive = takes_part
        course.save()
        if not department.assignment.batches.exists():
            department.hand_in(zipped(CLASS))
        department.rank()
        assert department.old_names() == old_names


def test_a_report_keeps_what_it_found_while_the_next_one_is_cancelled(
    department: Department, monkeypatch: pytest.MonkeyPatch
) -> None:
    department.hand_in(zipped(CLASS))
    before = department.report
    Course.objects.filter(pk=department.old.course_id).update(in_archive=False)

    def cancel(*_: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(rank, "compute", cancel)
        assert department.rank() == before
    assert lifecycle.cancel_reports(department.assignment)
    assert department.old_names() == BOTH
    department.rank()
    assert not department.assignment.batches.filter(role="other").exists()


def test_a_course_is_not_in_its_own_archive_and_a_chosen_assignment_counts_once(
    department: Department, alice: User
) -> None:
    second = Course.objects.create(owner=alice, name="Second", in_archive=True)
    chosen = second.assignments.create(name="Chosen")
    for other in (chosen, department.assignment.course.assignments.create(name="Own")):
        with department.committing(execute=True):
            create_batch(other, alice, [zipped({f"{other.name}/main.py": COPIED})])
    department.assignment.compared_with.add(chosen)
    department.hand_in(zipped(CLASS))
    assert department.old_names() == {*BOTH, "Chosen"}
    findings = department.report.findings
    assert findings
    assert findings.archive
    assert [one.assignment for one in findings.compared] == [chosen.pk]
    assert findings.archive.submissions == 2


@pytest.mark.long
def test_files_of_another_version_are_counted_and_not_compared_or_read_again(department: Department) -> None:
    files = SubmissionFile.objects.filter(submission__batch__assignment=department.old)
    Document.objects.filter(pk__in=files.values("document")).update(profile="an earlier one")
    department.hand_in(zipped(CLASS))
    assert department.report.findings
    archive = department.report.findings.archive
    assert archive
    assert (archive.comparable, archive.another_version, archive.incomparable) == (0, 2, 0)
    assert not department.old.language_changes.exists()


@pytest.mark.long
def test_boilerplate_of_the_old_assignment_is_left_out(department: Department) -> None:
    register_boilerplate(department.old, loose("all.py", f"{COPIED}\nplanted_marker = 4711\n"))
    department.hand_in(zipped({name: text for name, text in CLASS.items() if "ada" not in name}))
    selected = select_cohort(department.assignment)
    assert department.old.boilerplate.get() in selected.old_work.boilerplate
    assert "zacharias" not in {one.name for one in selected.old_work.submissions.values()}


@pytest.mark.long
def test_a_label_stays_when_the_assignment_is_renamed(department: Department) -> None:
    department.hand_in(zipped(CLASS))
    Assignment.objects.filter(pk=department.old.pk).update(name="Renamed")
    department.rank()
    [batch] = department.assignment.batches.filter(role="other")
    assert (batch.name, batch.from_archive) == ("Sealed course, Sealed lab, michaelmas", True)


def test_the_number_of_queries_does_not_grow_with_the_courses_in_the_archive(
    department: Department, bob: User
) -> None:
    department.hand_in(zipped(CLASS))
    with CaptureQueriesContext(connection) as before:
        select_cohort(department.assignment)
    for number in range(12):
        course = Course.objects.create(owner=bob, name=f"Course {number}", in_archive=True)
        for name in ("Lab", "Project"):
            course.assignments.create(name=name)
        batch = course.assignments.earliest("pk").batches.create(name="a.zip", state="done")
        copied = department.old.batches.earliest("pk").submissions.first()
        assert copied
        submission = batch.submissions.create(name="zoe")
        for file in copied.files.all():
            submission.files.create(path=file.path, source=file.source, document=file.document)
    select_cohort(department.assignment)  # writes the labels of what is found first
    with CaptureQueriesContext(connection) as after:
        assert len(select_cohort(department.assignment).old_work.submissions) > 12
    assert len(after) == len(before)


def test_the_size_of_the_archive_is_counted_by_language_and_for_the_department(
    department: Department,
) -> None:
    assert [tuple(row) for row in archive_languages(department.assignment)] == [("python", 2)]
    assert tuple(archive_size()) == (2, 1, 2, ["michaelmas"])
