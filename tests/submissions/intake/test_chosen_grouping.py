"""Grouping by an instructor's choices: depth, attempts, due date, split, renamed and merged submissions."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from submissions.intake.choices import Choices
from submissions.intake.grouping import Grouping, group_files
from submissions.intake.layouts.places import Student
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.submissions.intake.layouts.test_layouts import listing_of

SECTIONS = ["class/A/ada/main.py", "class/A/ada/src/area.py", "class/A/ben/main.py", "class/B/ada/main.py",
            "class/B/cleo.py", "class/README.md"]  # fmt: skip
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def grouped(paths: Iterable[str], choices: Choices) -> Grouping:
    return group_files(listing_of(dict.fromkeys(paths, "x = 1\n")), choices)


def files(grouping: Grouping) -> dict[str, list[str]]:
    names = sorted(grouping.submissions)
    return {name: [place.path for place in grouping.places.values() if place.submission == name] for name in names}


def attempts(*days: int, student: str = "Ada") -> list[str]:
    return [f"{student} - 2026-03-{day:02}T12:00:00/main.py" for day in days]


def text(grouping: Grouping, kind: str) -> str:
    return " ".join(warning.text for warning in grouping.warnings if warning.kind == kind)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, {path.removeprefix("class/").replace("/", "-"): [path.rpartition("/")[2]] for path in SECTIONS}),
        (1, {"A": ["ada/main.py", "ada/src/area.py", "ben/main.py"], "B": ["ada/main.py", "cleo.py"]}),
        (2, {"ada (A)": ["main.py", "src/area.py"], "ada (B)": ["main.py"], "ben": ["main.py"],
             "cleo.py": ["cleo.py"]}),
        (3, {"main.py (A-ada)": ["main.py"], "main.py (A-ben)": ["main.py"], "main.py (B-ada)": ["main.py"],
             "src": ["area.py"]}),
    ],
)  # fmt: skip
def test_a_depth_makes_each_folder_or_file_a_submission(depth: int, expected: dict[str, list[str]]) -> None:
    assert files(grouped(SECTIONS, Choices(depth=depth))) == expected


def test_the_last_attempt_counts_and_what_does_not_has_a_reason() -> None:
    grouping = grouped(SECTIONS, Choices(depth=2))
    assert grouping.ignored == {"class/README.md": "beside the folders that contain those of the students"}
    grouping = grouped(attempts(1, 2, 3), Choices())
    assert list(grouping.places) == attempts(3)
    ada = grouping.submissions["Ada"]
    assert (ada.attempt, ada.attempts, ada.submitted, ada.late) == (3, 3, datetime(2026, 3, 3, 12), False)  # noqa: DTZ001
    assert {grouping.reason(path) for path in attempts(1, 2)} == {"an earlier attempt of Ada"}


def test_of_all_attempts_each_is_a_submission_that_says_whose_it_is() -> None:
    grouping = grouped(attempts(1, 2) + attempts(1, student="Ben"), Choices(attempts="all"))
    assert list(grouping.submissions) == ["Ada (attempt 1)", "Ada (attempt 2)", "Ben"]
    assert {one.students for one in grouping.submissions.values()} == {(Student("Ada"),), (Student("Ben"),)}
    assert [(one.attempt, one.attempts) for one in grouping.submissions.values()] == [(1, 2), (2, 2), (1, 1)]
    assert not grouping.ignored
    later = grouped(attempts(1, 2, 3), Choices(attempts="all")).submissions.keys()
    assert {"Ada (attempt 1)", "Ada (attempt 2)"} < later
    files = {f"inbound/ada+{part}+2026-03-0{day} 12:00:00 UTC/p.ipynb": "{}"
             for part, days in (("ps1", 2), ("ps2", 1)) for day in range(1, days + 1)}  # fmt: skip
    grouping = group_files(listing_of(files), Choices(attempts="all"))
    assert list(grouping.submissions) == ["ada", "ada (ps1, attempt 1)", "ada (ps1, attempt 2)"]


def test_the_last_attempt_before_the_due_date_in_its_zone_counts() -> None:
    grouping = grouped(attempts(1, 2, 4), Choices(due=MARCH + timedelta(days=2)))
    assert list(grouping.places) == attempts(2)
    assert grouping.reason(attempts(1)[0]) == "an earlier attempt of Ada"
    assert grouping.reason(attempts(4)[0]) == "a late attempt of Ada"
    assert not grouping.submissions["Ada"].late
    due = datetime(2026, 3, 2, 12, 30, tzinfo=timezone(timedelta(hours=9)))
    assert list(grouped(attempts(1, 2), Choices(due=due)).places) == attempts(2)
    assert list(grouped(attempts(1, 2), Choices(due=due - timedelta(hours=1))).places) == attempts(1)
    grouping = grouped(["ada/main.py", "ben/main.py"], Choices(due=MARCH))
    assert "does not apply to them: ada, ben" in text(grouping, "no-time")


def test_of_a_student_with_only_late_attempts_the_last_counts_and_is_marked_as_late() -> None:
    grouping = grouped(attempts(4, 5) + attempts(1, student="Ben"), Choices(due=MARCH + timedelta(days=2)))
    assert list(grouping.places) == attempts(5) + attempts(1, student="Ben")
    assert {name: one.late for name, one in grouping.submissions.items()} == {"Ada": True, "Ben": False}
    assert "after the due date" in text(grouping, "late")
    assert "Ada" in text(grouping, "late")


def test_a_section_is_split_into_its_students_and_a_part_into_its_files() -> None:
    split = grouped(SECTIONS, Choices(depth=1, split=frozenset({"A"})))
    students = {"ada": ["main.py", "src/area.py"], "ben": ["main.py"]}
    assert files(split) == students | {"B": ["ada/main.py", "cleo.py"]}
    both = grouped(SECTIONS, Choices(depth=1, split=frozenset({"A", "B"})))
    assert list(both.submissions) == ["ada", "ada (B)", "ben", "cleo.py"]
    twice = grouped(SECTIONS, Choices(depth=1, split=frozenset({"A", "ada"})))
    assert files(twice)["main.py"] == ["main.py"]
    assert files(twice)["src"] == ["area.py"]
    assert twice.submissions["src"].students == (Student("src"),)


def test_a_renamed_submission_keeps_its_students_and_earlier_attempts() -> None:
    renamed = Choices(renames={"submission_77000": "Ada"})
    grouping = group_files(listing_of(SAMPLES["gradescope-broken"]), renamed)
    assert grouping.submissions["Ada"].students == (Student("submission_77000", "submission_77000"),)
    grouping = grouped(attempts(1, 2), Choices(renames={"Ada": "Ada Byron"}))
    assert grouping.reason(attempts(1)[0]) == "an earlier attempt of Ada Byron"
    split = grouped(attempts(1, 2), Choices(split=frozenset({"Ada"})))
    assert split.reason(attempts(1)[0]) == "an earlier attempt"
    unknown = Choices(split=frozenset({"A"}), renames={"cleo": "Cleo"})
    said = text(grouped(["ada/a.py", "ben/b.py"], unknown), "unknown-name")
    assert "not split: A." in said
    assert "not renamed: cleo." in said


def test_submissions_of_one_name_are_merged_without_losing_a_file_and_two_can_exchange_names() -> None:
    merged = Choices(depth=2, renames={"ada (A)": "Ada Byron", "ada (B)": "Ada Byron"})
    grouping = grouped(SECTIONS, merged)
    assert files(grouping)["Ada Byron"] == ["main.py", "src/area.py", "class/B/ada/main.py"]
    assert grouping.submissions["Ada Byron"].students == (Student("ada (A)"), Student("ada (B)"))
    paths = ["ada/a.py", "ben/b.py"]
    assert files(grouped(paths, Choices(renames={"ada": "ben"}))) == {"ben": ["a.py", "b.py"]}
    swapped = grouped(paths, Choices(renames={"ada": "ben", "ben": "ada"}))
    assert files(swapped) == {"ada": ["b.py"], "ben": ["a.py"]}


def test_team_mates_and_those_who_handed_in_together_are_known_by_name_and_id() -> None:
    grouping = group_files(listing_of(SAMPLES["gradescope"]))
    (team,) = (one for one in grouping.submissions.values() if len(one.students) > 1)
    assert team.students == (
        Student("Ada Byron", "20261234"),
        Student("Bruno Popeșcu", "bpopescu@example.edu"),
    )
    assert team.identifier == "20261234, bpopescu@example.edu"


def test_what_may_be_wrong_with_a_grouping_is_said() -> None:
    grouping = grouped(["ada/a.py", "ben/b.py"], Choices("moodle"))
    assert list(grouping.submissions) == ["ada", "ben"]
    assert text(grouping, "layout") == (
        "Nothing in this upload is named as in a Moodle export, so it is read as a folder or file for each student."
    )
    paths = ["ada/a.py", "ben/b.py", "cleo.py", "setup.py", "j.smith"]
    said = text(grouped(paths, Choices()), "file-names")
    assert "2 of 5 submissions are named like files" in said
    assert "cleo.py, setup.py" in said
    assert not text(grouped(paths, Choices("files")), "file-names")
    grouping = grouped(["ada/src/a.py", "ada/src/b.py"], Choices("project"))
    assert "All files are one submission, ada." in text(grouping, "one-submission")


def test_students_of_one_name_are_said_with_their_ids_until_they_are_split_or_renamed() -> None:
    first = "Ada Byron (Participant 1001)"
    grouping = group_files(listing_of(SAMPLES["moodle"]))
    assert f"{first}, Ada Byron (Participant 1005)" in text(grouping, "one-name")
    for choices in (Choices(split=frozenset({first})), Choices(renames={first: "Ada B."})):
        grouping = group_files(listing_of(SAMPLES["moodle"]), choices)
        assert first not in grouping.submissions
        assert not text(grouping, "one-name")


def test_what_a_roster_knows_of_a_student_is_her_name() -> None:
    roster = {"popescubruno": Student("Bruno Popescu", "4711")}
    paths = ["popescubruno_1_22_Main.java", "okaforchidi_2_33_Main.java"]
    listing = listing_of(dict.fromkeys(paths, "x"))
    grouping = group_files(listing, identify=lambda student: roster.get(student.name, student))
    assert {name: one.identifier for name, one in grouping.submissions.items()} == {
        "Bruno Popescu": "4711",
        "okaforchidi": "2",
    }
