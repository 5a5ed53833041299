"""Earlier work and other assignments: which are compared, how they are labelled, who is never compared."""

from collections.abc import Callable
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given, settings, strategies as st

from submissions.cases.read import report_cases
from submissions.courses.change import replace_roster
from submissions.courses.read import archive_languages, archive_size, roster_of
from submissions.courses.retention import delete_assignment
from submissions.intake.rosters import parse_roster
from submissions.models import (
    Assignment,
    Batch,
    Course,
    Decision,
    Document,
    Report,
    Submission,
    SubmissionFile,
    SubmissionStudent,
)
from submissions.reports import old_work, results as rank
from submissions.reports.change import compare_with
from submissions.reports.cohort import Mates, select_cohort
from submissions.reports.progress import Cancelled
from submissions.reports.read import class_matches
from submissions.uploads import lifecycle
from submissions.uploads.change import add_boilerplate, create_batch, rerank
from tests.support.archive import Department
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, loose, zipped
from tests.support.shares import pair_page
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn, register_boilerplate

LABEL = "Programming 1, Lab 1, 2024"


PRESENT = {"ben/m.py": RENAMED, "cleo/m.py": HONEST}
NEW = PRESENT | {"gus/m.py": COPIED}
OLD = {"ada/m.py": COPIED, "gus/m.py": COPIED, "hal/m.py": HONEST}


@pytest.fixture
def old(assignment: Assignment, alice: User, eager_tasks: None, committing: Committing) -> Assignment:
    """Return an earlier assignment of the same course with three submissions, of which one is Gus's."""

    def store() -> None:
        old = Assignment.objects.create(course=assignment.course, name="Lab 1", term="2024")
        Assignment.objects.filter(pk=old.pk).update(created=assignment.created - timedelta(days=700))
        with committing(execute=True):
            create_batch(old, alice, [zipped(OLD)])

    stored("an earlier assignment", store)
    return Assignment.objects.get(name="Lab 1")


@pytest.fixture
def compared(assignment: Assignment, hand_in: HandIn, old: Assignment, committing: Committing) -> Report:
    """Return the report of a class that is compared with `old`."""

    def store() -> None:
        hand_in(zipped(NEW))
        with committing(execute=True):
            compare_with(assignment, [old], course=False)

    stored("a class that is compared with an earlier assignment", store)
    report = assignment.reports.filter(state="done").first()
    assert report
    return report


def settings_address(assignment: Assignment) -> str:
    return reverse("assignment_settings", args=[assignment.pk])


@pytest.mark.long
def test_other_assignments_are_chosen_in_the_settings_and_ranked_with(
    alice_client: Client, assignment: Assignment, hand_in: HandIn, old: Assignment, committing: Committing
) -> None:
    hand_in(zipped(NEW))
    page = get_page(alice_client, settings_address(assignment))
    assert page.texts("#id_compared_with option") == ["Lab 1, 2024 (Programming 1)"]
    with committing(execute=True):
        sent = {"name": "Statistics", "compare_course": "False", "compared_with": [str(old.pk)]}
        alice_client.post(settings_address(assignment), sent)
    assert list(assignment.compared_with.all()) == [old]
    assert get_page(alice_client, settings_address(assignment)).texts("#id_compared_with option[selected]") == [
        "Lab 1, 2024 (Programming 1)"
    ]
    assert f"ada ({LABEL})" in get_page(alice_client, tab(assignment, "pairs")).text("table.pairs")
    count = assignment.reports.order_by("-pk").values_list("pk", flat=True)[0]
    alice_client.post(settings_address(assignment), sent)
    assert assignment.reports.order_by("-pk").values_list("pk", flat=True)[0] == count


def test_assignments_of_other_owners_cannot_be_chosen(
    alice_client: Client, colleague_client: Client, assignment: Assignment, bob: User, old: Assignment
) -> None:
    bobs = Course.objects.create(owner=bob, name="Bob's").assignments.create(name="Secret")
    for client in (alice_client, colleague_client):
        page = get_page(client, settings_address(assignment))
        assert "Secret" not in page.html
        sent = {"name": "Statistics", "compared_with": [str(bobs.pk)]}
        assert client.post(settings_address(assignment), sent).status_code == 422
    assert not assignment.compared_with.exists()


@pytest.mark.long
def test_the_list_of_pairs_is_narrowed_to_the_class_or_to_earlier_work_or_to_repeaters(
    alice_client: Client, assignment: Assignment, compared: Report
) -> None:
    def listed(**query: str) -> list[tuple[str, str]]:
        page = get_page(alice_client, tab(assignment, "pairs"), **query)
        return list(zip(page.texts("table.pairs th[scope=row]"), page.texts("td.right"), strict=True))

    assert any(LABEL in left + right for left, right in listed())
    of_class, earlier = listed(work="class"), listed(work="earlier")
    assert of_class
    assert not any(LABEL in left + right for left, right in of_class)
    assert earlier
    assert all(LABEL in left + right for left, right in earlier)
    assert listed(flag="own") == [("gus", f"gus ({LABEL})")]
    page = get_page(alice_client, tab(assignment, "pairs"), flag="own")
    assert page.texts("td.flags .flag.own") == ["the same student, 2024"]
    assert page.text("td.case") == ""
    Batch.objects.exclude(role="class").delete()
    assert not get_page(alice_client, tab(assignment, "pairs")).has("#id_work")


def test_old_work_is_labelled_in_every_table_and_export_and_its_page_leads_to_what_it_is(
    alice_client: Client, assignment: Assignment, old: Assignment, compared: Report
) -> None:
    for name in ("assignment", "pairs", "students"):
        assert LABEL in get_page(alice_client, tab(assignment, name)).html, name
    for table, suffix, said in (
        ("pairs", "json", LABEL),
        ("submissions", "json", LABEL),
        ("pairs", "csv", "the same student 2024"),
    ):
        response = alice_client.get(reverse("table", args=[assignment.pk, table, suffix]))
        assert said in b"".join(response.streaming_content).decode(), table  # type: ignore[attr-defined]
    pair = compared.pairs.get(left__name="ben", right__name=f"gus ({LABEL})")
    assert LABEL in get_page(alice_client, pair_page(pair)).text()
    copy = compared.submissions.get(name=f"ada ({LABEL})")
    page = get_page(alice_client, reverse("submission", args=[assignment.pk, copy.pk]))
    assert reverse("submission", args=[old.pk, copy.origin_id]) in page.links()
    assert alice_client.get(reverse("batch", args=[copy.batch_id])).status_code == 404
    assert LABEL not in get_page(alice_client, tab(assignment, "uploads")).text()
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    table = get_page(alice_client, tab(assignment, "pairs")).text("table.pairs")
    assert "gus" not in table
    assert f"({LABEL})" in table


def test_the_pairs_tab_says_what_was_looked_up_and_what_was_deleted(
    alice_client: Client, assignment: Assignment, old: Assignment, compared: Report, committing: Committing
) -> None:
    row = get_page(alice_client, tab(assignment, "pairs")).text(".comparisons li")
    assert row.startswith(f"{LABEL} 3 submissions looked up, ")
    lost = get_page(alice_client, reverse("delete_assignment", args=[old.pk])).text()
    assert "in the reports of other assignments, with their pairs" in lost
    with committing(execute=True):
        delete_assignment(old)
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert "deleted since: its submissions and pairs are gone" in page.text(".comparisons li")
    assert LABEL not in page.text("table.pairs")


def newest(assignment: Assignment) -> Report:
    report = assignment.reports.filter(state=Report.State.DONE).first()
    assert report
    return report


def pairs(report: Report) -> set[tuple[str, str]]:
    return set(report.pairs.values_list("left__name", "right__name"))


@pytest.fixture
def hand_in_old(
    assignment: Assignment, alice: User, eager_tasks: None, committing: Committing
) -> Callable[..., Assignment]:
    """Return a function that hands in for an earlier assignment of the same course."""

    def hand_in(files: dict[str, str], name: str = "Lab 1", term: str = "2024") -> Assignment:
        old, _ = Assignment.objects.get_or_create(course=assignment.course, name=name, term=term)
        # A year before, whatever the clock of the test says.
        Assignment.objects.filter(pk=old.pk).update(created=assignment.created - timedelta(days=365))
        with committing(execute=True):
            create_batch(old, alice, [zipped(files)])
        return old

    return hand_in


@pytest.fixture
def compare(assignment: Assignment, committing: Committing) -> Callable[..., Report]:
    """Return a function that compares the assignment with others, and ranks it again."""

    def choose(*others: Assignment, course: bool = False) -> Report:
        with committing(execute=True):
            compare_with(assignment, others, course=course)
            rerank(assignment)
        return newest(assignment)

    return choose


@pytest.mark.long
def test_old_submissions_are_compared_with_new_ones_and_not_among_themselves_while_they_are_chosen(
    bob: User,
    assignment: Assignment,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
) -> None:
    old = hand_in_old(OLD)
    hand_in(zipped(PRESENT))
    report = compare(old)
    names = set(report.submissions.values_list("name", flat=True))
    assert names >= {"ben", "cleo", f"ada ({LABEL})", f"gus ({LABEL})"}
    assert {(f"ada ({LABEL})", "ben"), ("ben", f"gus ({LABEL})")} <= pairs(report)
    assert not {pair for pair in pairs(report) if pair[0].endswith(")") and pair[1].endswith(")")}
    assert report.findings
    [row] = report.findings.compared
    assert (row.assignment, row.label, row.submissions, row.comparable) == (old.pk, LABEL, 3, 3)
    first = report.submissions.get(name=f"gus ({LABEL})")
    hand_in_old({"gus/m.py": COPIED + "\n\nprint('later')\n"})
    hand_in_old({"ida/m.py": COPIED}, name="Lab 2", term="2023")
    report = compare(course=True)
    assert {("ben", f"gus ({LABEL})"), ("ben", "ida (Programming 1, Lab 2, 2023)")} <= pairs(report)
    assert report.submissions.get(name=f"gus ({LABEL})").origin_id != first.origin_id
    assert not Submission.objects.filter(pk=first.pk).exists()
    assert set(compare().submissions.values_list("name", flat=True)) == {"ben", "cleo"}
    assert not Submission.objects.filter(origin__isnull=False).exists()
    # An assignment of somebody else's course is never compared.
    Assignment.objects.filter(pk=old.pk).update(course=Course.objects.create(owner=bob, name="Bob's"))
    assert set(compare(old).submissions.values_list("name", flat=True)) == {"ben", "cleo"}


@pytest.mark.long
def test_figures_of_old_work_are_those_of_an_upload_and_depend_on_no_other_old_work(
    assignment: Assignment,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
    committing: Committing,
) -> None:
    def of_gus(report: Report, *figures: str) -> set[tuple[float, ...]]:
        return set(report.pairs.filter(right__name__startswith="gus").values_list(*figures))

    old, alone = hand_in_old(OLD), hand_in_old({"gus/m.py": OLD["gus/m.py"]}, name="Lab 2")
    hand_in(zipped(PRESENT))
    with_others = compare(old)
    passages, similarity = (
        of_gus(with_others, "tokens", "lines", "longest"),
        of_gus(with_others, "similarity"),
    )
    assert passages
    assert of_gus(compare(alone), "similarity") == similarity != {(0,)}
    compare()
    with committing(execute=True):
        create_batch(assignment, None, [zipped(OLD, "lab.zip")], role="earlier")
    assert of_gus(newest(assignment), "tokens", "lines", "longest") == passages


@pytest.mark.long
def test_at_most_so_many_old_submissions_a_new_one_are_aligned(
    monkeypatch: pytest.MonkeyPatch,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
) -> None:
    monkeypatch.setattr(old_work, "MAX_CANDIDATES", 2)
    old = hand_in_old({f"old-{n}/m.py": COPIED for n in range(6)})
    hand_in(zipped(PRESENT))
    report = compare(old)
    assert len([pair for pair in pairs(report) if "ben" in pair and "cleo" not in pair]) == 2
    assert report.submissions.filter(origin__isnull=False).count() <= 4


@pytest.mark.long
def test_decisions_of_the_old_assignment_stay_and_those_on_new_pairs_survive_another_ranking(
    assignment: Assignment,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
    committing: Committing,
) -> None:
    old = hand_in_old(OLD)
    Decision.objects.create(assignment=old, left="ada", right="gus", state="confirmed")
    hand_in(zipped(PRESENT))
    report = compare(old)
    before = set(old.reports.values_list("pk", flat=True))
    copy = report.submissions.get(name=f"gus ({LABEL})")
    Decision.objects.create(assignment=assignment, left="ben", right=copy.name, state="confirmed")
    old.name = "Renamed"
    old.save()
    with committing(execute=True):
        rerank(assignment)
    again = newest(assignment)
    # The label stays although the assignment was renamed, and so does the copy.
    assert again.submissions.get(name=copy.name).pk == copy.pk
    assert old.decisions.get().state == "confirmed"
    assert set(old.reports.values_list("pk", flat=True)) == before
    assert set(newest(old).submissions.values_list("name", flat=True)) == {"ada", "gus", "hal"}


@pytest.mark.long
def test_an_old_assignment_that_is_deleted_takes_its_pairs_with_it_and_is_still_named(
    assignment: Assignment,
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
    committing: Committing,
) -> None:
    old = hand_in_old({"gus/only.py": COPIED})
    hand_in(zipped(PRESENT))
    report = compare(old)
    assert ("ben", f"gus ({LABEL})") in pairs(report)
    with committing(execute=True):
        delete_assignment(old)
    assert pairs(report) == {("ben", "cleo")} & pairs(report)
    assert not report.submissions.filter(name__contains=LABEL).exists()
    assert report.findings
    assert [one.label for one in report.findings.compared] == [LABEL]
    with committing(execute=True):
        rerank(assignment)
    assert not Batch.objects.filter(assignment=assignment, role="other").exists()
    # Nothing of it is left.
    assert Document.objects.filter(files=None, boilerplate=None).count() == 0


def test_work_of_another_language_is_not_compared_and_counted(
    hand_in: HandIn, hand_in_old: Callable[..., Assignment], compare: Callable[..., Report]
) -> None:
    java = "class M { int f(int a) { int b = 0; for (int i = 0; i < a; i++) { b += i; } return b; } }\n"
    old = hand_in_old({"gus/M.java": java, "hal/m.py": COPIED})
    hand_in(zipped(PRESENT))
    report = compare(old)
    assert report.findings
    [compared] = report.findings.compared
    assert (compared.submissions, compared.comparable, compared.another_version) == (2, 1, 0)
    assert not report.submissions.filter(name__startswith="gus").exists()


def test_work_that_an_earlier_version_read_is_read_again_and_compared_then(
    assignment: Assignment, hand_in: HandIn, hand_in_old: Callable[..., Assignment], committing: Committing
) -> None:
    old = hand_in_old({"gus/m.py": COPIED + "\n"})
    Decision.objects.create(assignment=old, left="gus", right="hal", state="confirmed")
    of_old = Document.objects.filter(files__submission__batch__assignment=old)
    of_old.update(profile="python.0-k9w4-e1")
    hand_in(zipped(PRESENT))
    assignment.compared_with.add(old)
    with committing(execute=True):
        rerank(assignment)
    findings = newest(assignment).findings
    assert findings
    [compared] = findings.compared
    assert (compared.submissions, compared.comparable, compared.another_version) == (1, 0, 1)
    assignment.compared_with.clear()
    with committing(execute=True):
        compare_with(assignment, [old], course=False)
    assert old.language_changes.get().state == "done"
    assert not of_old.filter(profile="python.0-k9w4-e1").exists()
    assert ("ben", f"gus ({LABEL})") in pairs(newest(assignment))
    assert old.decisions.get().state == "confirmed"


@pytest.mark.long
def test_boilerplate_of_the_old_assignment_counts_in_no_pair(
    hand_in: HandIn,
    hand_in_old: Callable[..., Assignment],
    compare: Callable[..., Report],
    committing: Committing,
) -> None:
    old = hand_in_old({"gus/m.py": COPIED})
    with committing(execute=True):
        add_boilerplate(old, [loose("m.py", COPIED)])
    hand_in(zipped(PRESENT))
    report = compare(old)
    assert not report.pairs.filter(right__name__startswith="gus").exists()


BOTH = {"zacharias", "yvonne"}


@pytest.mark.long
def test_a_class_is_compared_with_the_courses_of_others_while_both_take_part(department: Department) -> None:
    department.hand_in(zipped(CLASS))
    assert department.old_names() == BOTH
    assert department.report.findings
    assert department.report.findings.compared == []
    archive = department.report.findings.archive
    assert archive
    assert (archive.assignments, archive.submissions, archive.comparable) == (1, 2, 2)
    assert not department.old.reports.latest("pk").submissions.filter(batch__role="other").exists()
    Assignment.objects.filter(pk=department.old.pk).update(name="Renamed")
    department.rank()
    [batch] = department.assignment.batches.filter(role="other")
    assert (batch.name, batch.from_archive) == ("Sealed course, Sealed lab, michaelmas", True)
    Course.objects.filter(pk=department.assignment.course_id).update(in_archive=False)
    department.rank()
    assert department.old_names() == set()


@pytest.mark.long
def test_a_course_that_joins_is_found_and_one_that_leaves_no_more(department: Department) -> None:
    course = department.old.course
    Course.objects.filter(pk=course.pk).update(in_archive=False)
    department.hand_in(zipped({name: text for name, text in CLASS.items() if "ada" not in name}))
    assert department.old_names() == set()
    for takes_part, names in ((True, BOTH), (False, set())):
        Course.objects.filter(pk=course.pk).update(in_archive=takes_part)
        department.rank()
        assert department.old_names() == names
    Course.objects.filter(pk=course.pk).update(in_archive=True)
    register_boilerplate(department.old, loose("all.py", f"{COPIED}\nplanted_marker = 4711\n"))
    selected = select_cohort(department.assignment)
    assert department.old.boilerplate.get() in selected.old_work.boilerplate
    assert "zacharias" not in {one.name for one in selected.old_work.submissions.values()}


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


def test_a_course_is_not_in_its_archive_and_a_choice_counts_once(department: Department, alice: User) -> None:
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


def test_queries_do_not_grow_with_courses_in_the_archive(department: Department, bob: User) -> None:
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


def test_the_size_of_the_archive_is_counted_by_language(department: Department) -> None:
    assert [tuple(row) for row in archive_languages(department.assignment)] == [("python", 2)]
    assert tuple(archive_size()) == (2, 1, 2, ["michaelmas"])


FOUR = {"ada/m.py": COPIED, "ben/m.py": COPIED, "cleo/m.py": RENAMED, "dora/m.py": COPIED + HONEST}


def rank_again(assignment: Assignment, committing: Committing, **fields: Any) -> Report:
    Assignment.objects.filter(pk=assignment.pk).update(**fields)
    assignment.refresh_from_db()
    with committing(execute=True):
        rerank(assignment)
    return newest(assignment)


def all_pairs(names: str) -> set[tuple[str, str]]:
    return set(combinations(names.split(), 2))


@pytest.fixture
def ranked(hand_in: HandIn, assignment: Assignment) -> Report:
    stored("four submissions", lambda: hand_in(zipped(FOUR)))
    return newest(assignment)


def test_team_mates_and_submissions_of_one_student_are_counted_and_compared_only_if_asked(
    ranked: Report, assignment: Assignment, committing: Committing
) -> None:
    report = rank_again(assignment, committing, teams="Ada, BEN, cleo")
    assert pairs(report) == {("ada", "dora"), ("ben", "dora"), ("cleo", "dora")}
    assert report.findings
    not_compared = report.findings.not_compared
    assert (not_compared.teams, not_compared.students) == (3, 0)
    names = dict(report.submissions.values_list("pk", "name"))
    listed = {tuple(sorted((names[pair.left], names[pair.right]))) for pair in not_compared.pairs}
    assert listed == all_pairs("ada ben cleo")
    assert {pair.reason for pair in not_compared.pairs} == {"team"}
    assert report.duplicates == []
    report = rank_again(assignment, committing, compare_mates=True)
    assert pairs(report) == all_pairs("ada ben cleo dora")
    assert [group.sameness for group in report.duplicates] == ["identical", "names"]
    for one in Submission.objects.filter(name__in=["ada", "ben"]):
        SubmissionStudent.objects.create(submission=one, name="Amara Okafor", identifier="AOkafor")
    report = rank_again(assignment, committing, teams="", compare_mates=False)
    assert pairs(report) == all_pairs("ada ben cleo dora") - {("ada", "ben")}
    assert report.findings
    not_compared = report.findings.not_compared
    assert (not_compared.teams, not_compared.students) == (0, 1)


def test_teams_of_one_name_are_two(ranked: Report, assignment: Assignment, committing: Committing) -> None:
    rows = "Name,Section,Team\nada,A,1\nben,a,1\ncleo,B,1\ndora,B,\n"
    with committing(execute=True):
        replace_roster(assignment.course, "class.csv", parse_roster(rows.encode()))
    report = newest(assignment)
    assert pairs(report) == all_pairs("ada ben cleo dora") - {("ada", "ben")}
    stored = roster_of(assignment.course)
    assert stored
    assert vars(stored)["team_count"] == 2


@pytest.mark.long
def test_earlier_work_is_compared_with_the_class_and_a_students_own_makes_no_case(
    hand_in: HandIn, assignment: Assignment, alice: User, committing: Committing
) -> None:
    old = {"ada/m.py": COPIED, "gus/m.py": COPIED, "hal/m.py": RENAMED}
    with committing(execute=True):
        create_batch(assignment, alice, [zipped(old, "lab_2024.zip")], role="earlier")
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": HONEST}))
    report = newest(assignment)
    earlier = [f"{name} (lab_2024)" for name in ("ada", "gus", "hal")]
    assert set(report.submissions.values_list("name", flat=True)) == {"ada", "ben", *earlier}
    assert pairs(report) == {("ada", name) for name in earlier}
    assert report.findings
    assert (report.findings.not_compared.students, report.findings.not_compared.earlier) == (0, 3)
    pair = report.pairs.get(left__name="ada", right__name="ada (lab_2024)")
    assert pair.similarity >= report.parameters["threshold"]["value"]
    assert report.pairs.filter(same_student=True).get() == pair
    case = sorted(one.pk for one in report.submissions.filter(name__in=["ada", *earlier[1:]]))
    assert (report.findings.above, report.findings.cases) == (2, [case])
    assert [[*one.ids] for one in report_cases(report)] == [case]


def keys(kind: str) -> st.SearchStrategy[set[tuple[str, int]]]:
    return st.sets(st.tuples(st.just(kind), st.integers(0, 3)), max_size=3)


@settings(deadline=None)
@given(st.lists(st.tuples(keys("student"), keys("team")), max_size=8))
def test_pairs_are_counted_by_the_first_reason(
    key_sets: list[tuple[set[tuple[str, int | str]], set[tuple[str, int | str]]]],
) -> None:
    submissions = [Submission(pk=number) for number in range(len(key_sets))]
    mates = Mates([one for one, _ in key_sets], [one for _, one in key_sets], [set() for _ in key_sets])
    numbered = list(combinations(range(len(key_sets)), 2))
    students = {(a, b) for a, b in numbered if key_sets[a][0] & key_sets[b][0]}
    team = {(a, b) for a, b in numbered if key_sets[a][1] & key_sets[b][1]} - students
    counts = mates.not_compared(submissions)
    assert (counts.students, counts.teams) == (len(students), len(team))
    assert {(pair.left, pair.right) for pair in counts.pairs if pair.reason == "student"} == students
    assert {(pair.left, pair.right) for pair in counts.pairs if pair.reason == "team"} == team


def test_co_submitters_are_not_compared_with_their_own_work(hand_in: HandIn, assignment: Assignment) -> None:
    folders = ("Doe, Jane(jdoe); Roe, Rita(rroe)", "Roe, Rita(rroe)", "Poe, Paul(ppoe)")
    hand_in(zipped({f"Lab 1/{who}/Submission attachment(s)/m.py": COPIED for who in folders}))
    students = SubmissionStudent.objects.values_list("submission__name", "name", "identifier")
    assert ("Jane Doe, Rita Roe", "Rita Roe", "rroe") in students
    report = newest(assignment)
    assert pairs(report) == {("Jane Doe, Rita Roe", "Paul Poe"), ("Paul Poe", "Rita Roe")}
    assert report.findings
    assert report.findings.not_compared.students == 1


def test_no_match_of_earlier_work_is_one_of_the_class_where_members_left(compared: Report) -> None:
    assert compared.findings
    of_class = class_matches(compared)
    assert len(compared.findings.best) > len(of_class) > 1
    compared.findings.best[:] = [match for match in compared.findings.best if match not in of_class[1:]]
    assert class_matches(compared) == of_class[:1]
