"""Submissions of one student or one team, and earlier work, are not compared with each other."""

from itertools import combinations

import pytest
from django.contrib.auth.models import User
from hypothesis import given, settings, strategies as st

from submissions.cases.read import report_cases
from submissions.courses.change import replace_roster
from submissions.courses.read import roster_of
from submissions.intake.rosters import parse_roster
from submissions.models import Assignment, Batch, Report, Submission, SubmissionStudent
from submissions.reports.cohort import Mates
from submissions.uploads.change import create_batch, rerank
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.uploads import Committing, HandIn

FOUR = {"ada/m.py": COPIED, "ben/m.py": COPIED, "cleo/m.py": RENAMED, "dora/m.py": COPIED + HONEST}


def newest(assignment: Assignment) -> Report:
    report = assignment.reports.filter(state=Report.State.DONE).first()
    assert report
    return report


def pairs(report: Report) -> set[tuple[str, str]]:
    return set(report.pairs.values_list("left__name", "right__name"))


def rank_again(assignment: Assignment, committing: Committing) -> Report:
    with committing(execute=True):
        rerank(assignment)
    return newest(assignment)


def all_pairs(names: str) -> set[tuple[str, str]]:
    return set(combinations(names.split(), 2))


@pytest.fixture
def ranked(hand_in: HandIn, assignment: Assignment) -> Report:
    stored("four submissions", lambda: hand_in(zipped(FOUR)))
    return newest(assignment)


@pytest.mark.long
def test_without_teams_every_pair_is_compared(ranked: Report) -> None:
    assert pairs(ranked) == all_pairs("ada ben cleo dora")
    assert ranked.findings
    assert ranked.findings.not_compared.model_dump() == {
        "students": 0,
        "teams": 0,
        "earlier": 0,
        "models": 0,
        "pairs": [],
    }


def test_team_mates_are_not_compared_but_counted_and_listed(
    ranked: Report, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    assignment.teams = "Ada, BEN, cleo"
    assignment.save()
    report = rank_again(assignment, django_capture_on_commit_callbacks)
    assert pairs(report) == {("ada", "dora"), ("ben", "dora"), ("cleo", "dora")}
    assert report.findings
    assert (report.findings.not_compared.teams, report.findings.not_compared.students) == (3, 0)
    listed = {(pair.left, pair.right, pair.reason) for pair in report.findings.not_compared.pairs}
    names = dict(report.submissions.values_list("pk", "name"))
    assert {tuple(sorted((names[left], names[right]))) for left, right, _ in listed} == all_pairs(
        "ada ben cleo"
    )
    assert {reason for *_, reason in listed} == {"team"}
    assert report.duplicates == []


def test_teams_of_one_name_in_two_sections_are_two_teams(
    ranked: Report, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    rows = "Name,Section,Team\nada,A,1\nben,a,1\ncleo,B,1\ndora,B,\n"
    with django_capture_on_commit_callbacks(execute=True):
        replace_roster(assignment.course, "class.csv", parse_roster(rows.encode()))
    report = newest(assignment)
    assert pairs(report) == all_pairs("ada ben cleo dora") - {("ada", "ben")}
    stored = roster_of(assignment.course)
    assert stored
    assert vars(stored)["team_count"] == 2


def test_submissions_of_one_student_are_not_compared(
    ranked: Report, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    for name in ("ada", "ben"):
        submission = Submission.objects.get(name=name)
        SubmissionStudent.objects.create(submission=submission, name="Amara Okafor", identifier="AOkafor")
    report = rank_again(assignment, django_capture_on_commit_callbacks)
    assert pairs(report) == all_pairs("ada ben cleo dora") - {("ada", "ben")}
    assert report.findings
    assert (report.findings.not_compared.teams, report.findings.not_compared.students) == (0, 1)


def test_team_mates_are_compared_where_the_assignment_says_so(
    ranked: Report, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    assignment.teams, assignment.compare_mates = "ada, ben", True
    assignment.save()
    report = rank_again(assignment, django_capture_on_commit_callbacks)
    assert pairs(report) == all_pairs("ada ben cleo dora")
    assert [group.sameness for group in report.duplicates] == ["identical", "names"]


def hand_in_as(
    role: str, assignment: Assignment, alice: User, committing: Committing, **files: dict[str, str]
) -> Batch:
    [(name, contents)] = files.items()
    with committing(execute=True):
        batch = create_batch(assignment, alice, [zipped(contents, f"{name}.zip")], role=role)
    batch.refresh_from_db()
    return batch


@pytest.mark.long
def test_earlier_work_is_compared_with_the_class_and_not_among_itself(
    hand_in: HandIn,
    assignment: Assignment,
    alice: User,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    old = {"ada/m.py": COPIED, "gus/m.py": COPIED, "hal/m.py": RENAMED}
    hand_in_as("earlier", assignment, alice, django_capture_on_commit_callbacks, lab_2024=old)
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": COPIED}))
    report = newest(assignment)
    assert set(report.submissions.values_list("name", flat=True)) == {
        "ada", "ben", "ada (lab_2024)", "gus (lab_2024)", "hal (lab_2024)"
    }  # fmt: skip
    assert pairs(report) == {
        ("ada", "ada (lab_2024)"), ("ada", "ben"), ("ada", "gus (lab_2024)"), ("ada", "hal (lab_2024)"),
        ("ada (lab_2024)", "ben"), ("ben", "gus (lab_2024)"), ("ben", "hal (lab_2024)"),
    }  # fmt: skip
    assert report.findings
    assert (report.findings.not_compared.students, report.findings.not_compared.earlier) == (0, 3)


@pytest.mark.long
def test_a_students_own_earlier_work_is_a_pair_of_its_own_kind_and_no_case(
    hand_in: HandIn,
    assignment: Assignment,
    alice: User,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    committing = django_capture_on_commit_callbacks
    hand_in_as("earlier", assignment, alice, committing, lab_2024={"ada/m.py": COPIED})
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": HONEST}))
    report = newest(assignment)
    pair = report.pairs.get(left__name="ada", right__name="ada (lab_2024)")
    assert pair.similarity >= report.parameters["threshold"]["value"]
    assert pair.same_student
    assert not report.pairs.exclude(pk=pair.pk).filter(same_student=True).exists()
    assert report.findings
    assert (report.findings.above, report.findings.cases, report_cases(report)) == (0, [], [])


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


def test_co_submitters_of_an_export_are_known_and_not_compared_with_their_own_work(
    hand_in: HandIn, assignment: Assignment
) -> None:
    folders = ("Doe, Jane(jdoe); Roe, Rita(rroe)", "Roe, Rita(rroe)", "Poe, Paul(ppoe)")
    hand_in(zipped({f"Lab 1/{who}/Submission attachment(s)/m.py": COPIED for who in folders}))
    students = SubmissionStudent.objects.values_list("submission__name", "name", "identifier")
    assert ("Jane Doe, Rita Roe", "Rita Roe", "rroe") in students
    report = newest(assignment)
    assert pairs(report) == {("Jane Doe, Rita Roe", "Paul Poe"), ("Paul Poe", "Rita Roe")}
    assert report.findings
    assert report.findings.not_compared.students == 1
