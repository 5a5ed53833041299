"""Finding the student whom a platform names."""

import time

import pytest
from hypothesis import given, strategies as st

from submissions.intake.layouts.places import Student
from submissions.intake.rosters import Roster, RosterStudent

BRUNO = RosterStudent("Bruno Marius Popescu", "00042", "bpopescu", "bruno.popescu@example.edu", other_ids=("1234",))
AMARA = RosterStudent("Amara Okafor", "1042", "aokafor", "amara.okafor@example.edu")
ROSTER = Roster((BRUNO, AMARA))


@pytest.mark.parametrize(
    "student",
    [
        Student("x", "00042"),
        Student("x", "42"),
        Student("x", "1234"),
        Student("x", "#00042"),
        Student("x", "BPopescu"),
        Student("x", "Bruno.Popescu@Example.edu"),
        Student("x", "bruno.popescu"),
        Student("x", "bpopescu@example.edu"),
        Student("bpopescu"),
        Student("bruno.popescu@example.edu"),
        Student("bruno  MARIUS popescu", "9417"),
        Student("Popescu, Bruno Marius"),
        Student("popescubrunomarius", "5511"),
        Student("brunomariuspopescu"),
    ],
    ids=str,
)
def test_a_student_is_found_by_anything_that_is_known(student: Student) -> None:
    assert ROSTER.find(student) == BRUNO


@pytest.mark.parametrize("student", [Student(""), Student("Bruno"), Student("x", "43"), Student("@", "#")], ids=str)
def test_nobody_is_found_by_what_nobody_has(student: Student) -> None:
    assert ROSTER.find(student) is None


def test_an_id_counts_before_a_name_and_what_several_students_have_finds_none_of_them() -> None:
    assert ROSTER.find(Student("Amara Okafor", "00042")) == BRUNO
    one = RosterStudent("Ana Silva", "7", email="ana@a.edu")
    other = RosterStudent("Ana Silva", "8", email="ana@b.edu")
    roster = Roster((one, other))
    assert roster.find(Student("Ana Silva")) is None
    assert roster.find(Student("x", "ana")) is None
    assert roster.find(Student("Ana Silva", "8")) == other
    assert roster.find(Student("x", "ana@a.edu")) == one
    padded, plain = RosterStudent("Ana", "0042"), RosterStudent("Ben", "42")
    roster = Roster((padded, plain))
    assert roster.find(Student("x", "0042")) == padded
    assert roster.find(Student("x", "42")) == plain
    assert roster.find(Student("x", "00042")) is None


WORDS = st.sampled_from(["ana", "Ana", "ben", "li", "an", "7", "07", "007", "ana@x.edu", "ben@x.edu", "ana@y.edu", ""])
STUDENTS = st.builds(RosterStudent, WORDS.filter(bool), WORDS, WORDS, WORDS)


@given(st.lists(STUDENTS, max_size=6), WORDS, WORDS)
def test_whoever_is_found_has_an_id_or_name(rows: list[RosterStudent], name: str, identifier: str) -> None:
    roster = Roster(tuple(dict.fromkeys(rows)))
    student = roster.find(Student(name, identifier))
    exact = [row for row in roster.students if identifier.casefold() in {one.casefold() for one in row.ids}]
    if identifier and len(exact) == 1:
        assert student == exact[0]
    if student:
        known = {part for one in (*student.ids, student.name) for part in (one, one.partition("@")[0])}
        keys = {one.casefold().lstrip("0") for one in known}
        asked = {part for one in (name, identifier) for part in (one, one.partition("@")[0])}
        assert keys & {one.casefold().lstrip("0") for one in asked}


@given(st.lists(STUDENTS, max_size=6, unique=True), WORDS, WORDS)
def test_the_order_of_rows_does_not_matter(rows: list[RosterStudent], name: str, identifier: str) -> None:
    student = Student(name, identifier)
    assert Roster(tuple(rows)).find(student) == Roster(tuple(reversed(rows))).find(student)


def test_a_class_is_joined_in_time_linear_in_its_size() -> None:
    rows = tuple(RosterStudent("Same Name", f"{number}", f"user{number}") for number in range(20_000))
    started = time.process_time()
    roster = Roster(rows)
    assert all(roster.find(Student("Same Name", row.login)) == row for row in rows)
    assert time.process_time() - started < 10
