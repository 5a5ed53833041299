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
    return {
        name: [place.path for place in grouping.places.values() if place.submission == name] for name in names
    }


def attempts(*days: int, student: str = "Ada") -> list[str]:
    return [f"{student} - 2026-03-{day:02}T12:00:00/main.py" for day in days]


def text(grouping: Grouping, kind: str) -> str:
    return " ".join(warning.text for warning in grouping.warnings if warning.kind == kind)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (
            0,
            {
                "A-ada-main.py": ["main.py"],
                "A-ada-src-area.py": ["area.py"],
                "A-ben-main.py": ["main.py"],
                "B-ada-main.py": ["main.py"],
                "B-cleo.py": ["cleo.py"],
                "README.md": ["README.md"],
            },
        ),
        (1, {"A": ["ada/main.py", "ada/src/area.py", "ben/main.py"], "B": ["ada/main.py", "cleo.py"]}),
        (
            2,
            {
                "ada (A)": ["main.py", "src/area.py"],
                "ada (B)": ["main.py"],
                "ben": ["main.py"],
                "cleo.py": ["cleo.py"],
            },
        ),
        (
            3,
            {
                "main.py (A-ada)": ["main.py"],
                "main.py (A-ben)": ["main.py"],
                "main.py (B-ada)": ["main.py"],
                "src": ["area.py"],
            },
        ),
    ],
)
def test_a_depth_makes_each_folder_or_file_there_a_submission(
    depth: int, expected: dict[str, list[str]]
) -> None:
    assert files(grouped(SECTIONS, Choices(depth=depth))) == expected


def test_files_above_the_chosen_depth_are_ignored_with_a_reason() -> None:
    grouping = grouped(SECTIONS, Choices(depth=2))
    assert grouping.ignored == {"class/README.md": "beside the folders that contain those of the students"}


def test_the_last_attempt_counts_and_says_which_it_is() -> None:
    grouping = grouped(attempts(1, 2, 3), Choices())
    assert list(grouping.places) == attempts(3)
    ada = grouping.submissions["Ada"]
    assert (ada.attempt, ada.attempts, ada.submitted, ada.late) == (3, 3, datetime(2026, 3, 3, 12), False)  # noqa: DTZ001
    assert {grouping.reason(path) for path in attempts(1, 2)} == {"an earlier attempt of Ada"}


def test_of_all_attempts_each_is_a_submission_that_says_whose_it_is() -> None:
    grouping = grouped(attempts(1, 2) + attempts(1, student="Ben"), Choices(attempts="all"))
    assert list(grouping.submissions) == ["Ada (attempt 1)", "Ada (attempt 2)", "Ben"]
    assert {one.students for one in grouping.submissions.values()} == {
        (Student("Ada"),), (Student("Ben"),),
    }  # fmt: skip
    assert [(one.attempt, one.attempts) for one in grouping.submissions.values()] == [(1, 2), (2, 2), (1, 1)]
    assert not grouping.ignored


def test_an_attempt_keeps_its_name_when_a_later_one_is_handed_in() -> None:
    first = grouped(attempts(1, 2), Choices(attempts="all")).submissions.keys()
    assert first < grouped(attempts(1, 2, 3), Choices(attempts="all")).submissions.keys()


def test_attempts_of_several_parts_are_apart() -> None:
    files = {f"inbound/ada+{part}+2026-03-0{day} 12:00:00 UTC/p.ipynb": "{}"
             for part, days in (("ps1", 2), ("ps2", 1)) for day in range(1, days + 1)}  # fmt: skip
    grouping = group_files(listing_of(files), Choices(attempts="all"))
    assert list(grouping.submissions) == ["ada", "ada (ps1, attempt 1)", "ada (ps1, attempt 2)"]


def test_the_last_attempt_before_the_due_date_counts() -> None:
    grouping = grouped(attempts(1, 2, 4), Choices(due=MARCH + timedelta(days=2)))
    assert list(grouping.places) == attempts(2)
    assert grouping.reason(attempts(1)[0]) == "an earlier attempt of Ada"
    assert grouping.reason(attempts(4)[0]) == "a late attempt of Ada"
    assert not grouping.submissions["Ada"].late


def test_of_a_student_with_only_late_attempts_the_last_counts_and_is_marked_as_late() -> None:
    grouping = grouped(attempts(4, 5) + attempts(1, student="Ben"), Choices(due=MARCH + timedelta(days=2)))
    assert list(grouping.places) == attempts(5) + attempts(1, student="Ben")
    assert {name: one.late for name, one in grouping.submissions.items()} == {"Ada": True, "Ben": False}
    assert "after the due date" in text(grouping, "late")
    assert "Ada" in text(grouping, "late")


def test_a_time_without_a_zone_is_in_that_of_the_due_date() -> None:
    due = datetime(2026, 3, 2, 12, 30, tzinfo=timezone(timedelta(hours=9)))
    assert list(grouped(attempts(1, 2), Choices(due=due)).places) == attempts(2)
    assert list(grouped(attempts(1, 2), Choices(due=due - timedelta(hours=1))).places) == attempts(1)


def test_a_due_date_does_not_apply_where_no_times_are_known_and_that_is_said() -> None:
    grouping = grouped(["ada/main.py", "ben/main.py"], Choices(due=MARCH))
    assert "does not apply to them: ada, ben" in text(grouping, "no-time")


def test_a_section_is_split_into_its_students() -> None:
    split = Choices(depth=1, split=frozenset({"A"}))
    assert files(grouped(SECTIONS, split)) == {
        "B": ["ada/main.py", "cleo.py"],
        "ada": ["main.py", "src/area.py"],
        "ben": ["main.py"],
    }


def test_parts_with_the_name_of_a_submission_have_the_whole_after_it() -> None:
    both = Choices(depth=1, split=frozenset({"A", "B"}))
    assert list(grouped(SECTIONS, both).submissions) == ["ada", "ada (B)", "ben", "cleo.py"]


def test_a_part_is_split_next_and_a_folder_without_folders_into_its_files() -> None:
    twice = Choices(depth=1, split=frozenset({"A", "ada"}))
    assert files(grouped(SECTIONS, twice))["main.py"] == ["main.py"]
    assert files(grouped(SECTIONS, twice))["src"] == ["area.py"]
    students = grouped(SECTIONS, twice).submissions["src"].students
    assert students == (Student("src"),)


def test_a_renamed_submission_keeps_its_students() -> None:
    grouping = group_files(
        listing_of(SAMPLES["gradescope-broken"]), Choices(renames={"submission_77000": "Ada"})
    )
    assert grouping.submissions["Ada"].students == (Student("submission_77000", "submission_77000"),)


def test_two_submissions_of_one_name_are_merged_without_losing_a_file() -> None:
    merged = Choices(depth=2, renames={"ada (A)": "Ada Byron", "ada (B)": "Ada Byron"})
    grouping = grouped(SECTIONS, merged)
    assert files(grouping)["Ada Byron"] == ["main.py", "src/area.py", "class/B/ada/main.py"]
    assert grouping.submissions["Ada Byron"].students == (Student("ada (A)"), Student("ada (B)"))


def test_a_submission_renamed_to_another_is_merged_with_it_and_two_can_exchange_names() -> None:
    paths = ["ada/a.py", "ben/b.py"]
    assert files(grouped(paths, Choices(renames={"ada": "ben"}))) == {"ben": ["a.py", "b.py"]}
    swapped = grouped(paths, Choices(renames={"ada": "ben", "ben": "ada"}))
    assert files(swapped) == {"ada": ["b.py"], "ben": ["a.py"]}


def test_the_earlier_attempts_of_a_renamed_submission_have_its_name() -> None:
    grouping = grouped(attempts(1, 2), Choices(renames={"Ada": "Ada Byron"}))
    assert grouping.reason(attempts(1)[0]) == "an earlier attempt of Ada Byron"
    split = grouped(attempts(1, 2), Choices(split=frozenset({"Ada"})))
    assert split.reason(attempts(1)[0]) == "an earlier attempt"


def test_names_that_no_submission_has_are_said() -> None:
    grouping = grouped(["ada/a.py", "ben/b.py"], Choices(split=frozenset({"A"}), renames={"cleo": "Cleo"}))
    assert "not split: A." in text(grouping, "unknown-name")
    assert "not renamed: cleo." in text(grouping, "unknown-name")


def test_team_mates_and_those_who_handed_in_together_are_known_by_name_and_id() -> None:
    grouping = group_files(listing_of(SAMPLES["gradescope"]))
    (team,) = (one for one in grouping.submissions.values() if len(one.students) > 1)
    assert team.students == (
        Student("Ada Byron", "20261234"),
        Student("Bruno Popeșcu", "bpopescu@example.edu"),
    )
    assert team.identifier == "20261234, bpopescu@example.edu"


def test_a_chosen_layout_that_names_no_student_is_not_used_and_that_is_said() -> None:
    grouping = grouped(["ada/a.py", "ben/b.py"], Choices("moodle"))
    assert list(grouping.submissions) == ["ada", "ben"]
    assert text(grouping, "layout") == (
        "Nothing in this upload is named as in a Moodle export,"
        " so it is read as a folder or file for each student."
    )


def test_students_of_one_name_are_said_with_their_ids() -> None:
    grouping = group_files(listing_of(SAMPLES["moodle"]))
    assert "Ada Byron (Participant 1001), Ada Byron (Participant 1005)" in text(grouping, "one-name")


def test_a_name_that_was_split_or_renamed_is_no_longer_said_to_be_that_of_several_students() -> None:
    first = "Ada Byron (Participant 1001)"
    for choices in (Choices(split=frozenset({first})), Choices(renames={first: "Ada B."})):
        grouping = group_files(listing_of(SAMPLES["moodle"]), choices)
        assert first not in grouping.submissions
        assert not text(grouping, "one-name")


def test_names_like_those_of_files_are_said_unless_files_were_chosen() -> None:
    paths = ["ada/a.py", "ben/b.py", "cleo.py", "setup.py", "j.smith"]
    assert "2 of 5 submissions are named like files" in text(grouped(paths, Choices()), "file-names")
    assert "cleo.py, setup.py" in text(grouped(paths, Choices()), "file-names")
    assert not text(grouped(paths, Choices("files")), "file-names")


def test_an_upload_of_one_submission_is_said() -> None:
    grouping = grouped(["ada/src/a.py", "ada/src/b.py"], Choices("project"))
    assert "All files are one submission, ada." in text(grouping, "one-submission")


def test_what_a_roster_knows_of_a_student_is_her_name() -> None:
    roster = {"popescubruno": Student("Bruno Popescu", "4711")}
    paths = ["popescubruno_1_22_Main.java", "okaforchidi_2_33_Main.java"]
    listing = listing_of(dict.fromkeys(paths, "x"))
    grouping = group_files(listing, identify=lambda student: roster.get(student.name, student))
    assert {name: one.identifier for name, one in grouping.submissions.items()} == {
        "Bruno Popescu": "4711",
        "okaforchidi": "2",
    }
