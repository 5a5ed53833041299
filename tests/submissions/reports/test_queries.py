from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import Http404
from django.utils import timezone

from submissions.core.access import find_assignment, find_batch, find_course
from submissions.core.names import Names
from submissions.core.rights import Right, courses_with
from submissions.courses.read import listed_assignments
from submissions.models import Assignment, Batch, Course, Pair, Report
from submissions.pairs.read import find_pair, ignored_tokens, pair_files
from submissions.reports.read import SORT_FIELDS, PairFilter, ranked_pairs, report_state
from submissions.uploads.read import batch_submissions, failed_files
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.uploads import CountQueries, HandIn

pytestmark = pytest.mark.services


def names(pairs: object) -> list[tuple[str, str]]:
    assert hasattr(pairs, "__iter__")
    return [(pair.left.name, pair.right.name) for pair in pairs]


def test_charlie_finds_nothing_of_alices(charlie: User, batch: Batch, report: Report) -> None:
    assert not courses_with(charlie, Right.READ).exists()
    for query, pk in (
        (find_course, batch.assignment.course_id),
        (find_assignment, batch.assignment_id),
        (find_batch, batch.pk),
    ):
        with pytest.raises(Http404):
            query(charlie, pk, Right.READ)


def test_staff_manage_every_course_and_read_none(admin: User, alice: User, bob: User) -> None:
    for teacher in (alice, bob):
        Course.objects.create(owner=teacher, name="Programming")
    assert courses_with(admin, Right.MANAGE).count() == 2
    assert not courses_with(admin, Right.READ).exists()
    assert courses_with(alice, Right.READ).get().owner == alice


def test_an_assignment_is_listed_with_its_cohort_and_pairs(batch: Batch, hand_in: HandIn) -> None:
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint(1)\n"}))
    listed = listed_assignments(batch.assignment.course).get()
    assert listed.submission_count == 3
    assert listed.pair_count == Pair.objects.count() > 0


def test_an_assignment_without_uploads_has_no_pair_count(assignment: Assignment) -> None:
    listed = listed_assignments(assignment.course).get()
    assert (listed.submission_count, listed.pair_count) == (0, None)


def test_a_later_upload_of_a_name_supersedes_the_earlier_one(batch: Batch, hand_in: HandIn) -> None:
    later = hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"]}))
    superseded = {submission.name: submission.superseded for submission in batch_submissions(batch, Names())}
    assert superseded == {"ada": True, "ben": False, "cleo": False}
    assert not any(submission.superseded for submission in batch_submissions(later, Names()))


def test_a_cancelled_upload_supersedes_nothing(batch: Batch, hand_in: HandIn) -> None:
    later = hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"]}))
    Batch.objects.filter(pk=later.pk).update(state=Batch.State.CANCELLED)
    assert not any(submission.superseded for submission in batch_submissions(batch, Names()))


def test_the_best_pair_comes_first_and_every_column_sorts_both_ways(report: Report) -> None:
    assert names(ranked_pairs(report, PairFilter()))[0] == ("ada", "ben")
    for key, field in SORT_FIELDS.items():
        values = list(ranked_pairs(report, PairFilter(sort=key)).values_list(field, flat=True))
        assert values == sorted(values)
        descending = ranked_pairs(report, PairFilter(sort=f"-{key}")).values_list(field, flat=True)
        assert list(descending) == values[::-1]


def test_pairs_are_filtered_by_every_word_in_either_name(report: Report) -> None:
    assert names(ranked_pairs(report, PairFilter(text="BEN ada"))) == [("ada", "ben")]
    assert not ranked_pairs(report, PairFilter(text="ada nobody")).exists()


def test_pairs_below_the_threshold_are_left_out(report: Report) -> None:
    best = report.pairs.order_by("-similarity").first()
    assert best is not None
    assert names(ranked_pairs(report, PairFilter(threshold=best.similarity))) == [("ada", "ben")]


def test_the_newest_finished_report_is_shown_while_another_is_made(report: Report) -> None:
    newer = Report.objects.create(assignment=report.assignment)
    state = report_state(report.assignment)
    assert (state.report, state.pending, state.failed) == (report, True, None)
    Report.objects.filter(pk=newer.pk).update(state=Report.State.FAILED)
    state = report_state(report.assignment)
    assert (state.report, state.pending, state.failed) == (report, False, newer)


def test_boilerplate_that_awaits_its_ranking_makes_a_report_pending(
    report: Report, starter: Callable[[], None]
) -> None:
    starter()
    assert not report_state(report.assignment).pending
    report.assignment.boilerplate.update(created=timezone.now())
    assert report_state(report.assignment).pending


def test_boilerplate_of_an_assignment_without_submissions_awaits_no_ranking(
    report: Report, starter: Callable[[], None]
) -> None:
    starter()
    report.assignment.boilerplate.update(created=timezone.now())
    report.assignment.batches.update(state=Batch.State.FAILED)
    assert not report_state(report.assignment).pending


def test_ignored_tokens_are_read_for_all_files_at_once(
    report: Report, starter: Callable[[], None], django_assert_num_queries: CountQueries
) -> None:
    starter()
    newest = report_state(report.assignment).report
    assert newest is not None
    pair = find_pair(newest, *Pair.objects.filter(report=newest).values_list("left", "right")[0])
    assert pair is not None
    files = pair_files(pair)
    assert len(files) == 2
    assert set(ignored_tokens(newest, files)) == {file.document_id for file in files}


def test_files_that_no_front_end_could_read_are_listed_with_their_reason(batch: Batch) -> None:
    file = batch.submissions.get(name="cleo").files.get()
    file.document.state, file.document.reason = "failed", "its lexer broke"
    file.document.save()
    assert [(failed.path, failed.document.reason) for failed in failed_files(batch, Names())] == [
        (file.path, "its lexer broke")
    ]


def test_a_loose_file_is_a_submission(hand_in: HandIn) -> None:
    batch = hand_in(loose("ada.py", CLASS["ada/main.py"]), loose("ben.py", CLASS["ben/main.py"]))
    assert [submission.file_count for submission in batch_submissions(batch, Names())] == [1, 1]
