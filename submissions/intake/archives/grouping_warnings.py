"""Warnings for an instructor to check before an upload is read as it was grouped."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.archives.submission_names import plain_name
from submissions.intake.layouts.fields import is_list
from submissions.intake.layouts.root import PROJECT_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.regrouping import GroupedSubmission
    from submissions.intake.archives.submission_names import Submitters
    from submissions.intake.layouts.places import Layout, Student
    from submissions.intake.rosters import Roster

# Names that a warning lists; it counts the others.
LISTED = 5
# Problems of a roster that are listed; the others are counted.
LISTED_PROBLEMS = 10
FILE_SUFFIXES = (
    ".py", ".java", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".js", ".ts", ".html", ".css", ".md", ".txt",
    ".pdf", ".docx", ".ipynb", ".r", ".m", ".sql", ".php", ".rb", ".go", ".rs", ".kt", ".swift", ".scala",
    ".hs", ".ml", ".sh", ".asm", ".xml", ".json", ".yml", ".yaml", ".csv", ".zip", ".class", ".jar",
)  # fmt: skip
FILE_NAMES = frozenset({"makefile", "dockerfile", "readme", "license"})


class GroupingWarning(NamedTuple):
    """A sentence for the instructor, and the names of the submissions that it is about."""

    kind: str
    text: str
    submissions: tuple[str, ...] = ()


class Misfit(NamedTuple):
    """The layout that was chosen although it names no student in the upload, and the one that is used."""

    chosen: Layout
    used: Layout


def listed(names: Collection[str]) -> str:
    """Return the first names in their order as a text, and how many others there are."""
    first = sorted(names)[:LISTED]
    others = len(names) - len(first)
    return ", ".join(first) + (f" and {others} more" if others else "")


def grouping_warnings(
    choices: Choices,
    names: Mapping[Submitters, str],
    students: Mapping[Submitters, tuple[Student, ...]],
    submissions: Mapping[str, GroupedSubmission],
) -> Iterable[GroupingWarning]:
    """Yield what is unusual about the submissions of an upload.

    `names` and `students` are as grouped by the layout, `submissions` as the instructor then changed them.
    """
    yield from _one_name(names, students, submissions)
    yield from _named_like_files(choices, submissions)
    if choices.due:
        yield from _times(submissions)
    if len(submissions) == 1:
        yield GroupingWarning(
            "one-submission",
            f"All files are one submission, {listed(submissions)}. If they are of several students, choose"
            " another layout or depth.",
            tuple(submissions),
        )


def misfit_warning(misfit: Misfit) -> GroupingWarning:
    return GroupingWarning(
        "layout",
        f"Nothing in this upload is named as in {misfit.chosen.label}, so it is read as {misfit.used.label}.",
    )


def list_warnings(loose: Iterable[str]) -> Iterator[GroupingWarning]:
    """Yield a warning for files beside the work of the students that may be a roster."""
    names = [path.rpartition("/")[2] for path in loose if is_list(path)]
    if names:
        yield GroupingWarning(
            "list",
            f"Beside the work of the students: {listed(names)}. If it lists them, add it as the roster.",
        )


def unknown_names(split: Collection[str], renamed: Collection[str]) -> Iterable[GroupingWarning]:
    """Yield a warning for names to split or to rename that no submission has."""
    for names, action in ((split, "split"), (renamed, "renamed")):
        if names:
            yield GroupingWarning(
                "unknown-name", f"No submission has these names, so they are not {action}: {listed(names)}."
            )


def _one_name(
    names: Mapping[Submitters, str],
    students: Mapping[Submitters, tuple[Student, ...]],
    submissions: Mapping[str, GroupedSubmission],
) -> Iterable[GroupingWarning]:
    same: dict[str, list[str]] = defaultdict(list)
    for key, members in students.items():
        if names[key] in submissions:
            same[plain_name(members)].append(names[key])
    repeated = sorted(name for group in same.values() if len(group) > 1 for name in group)
    if repeated:
        yield GroupingWarning(
            "one-name",
            f"Several students have the same name; their ids or numbers tell them apart: {listed(repeated)}.",
            tuple(repeated),
        )


def _named_like_files(
    choices: Choices, submissions: Mapping[str, GroupedSubmission]
) -> Iterable[GroupingWarning]:
    if choices.layout == "files" or choices.depth == 0:
        return
    names = sorted(filter(_is_file_name, submissions))
    if names:
        yield GroupingWarning(
            "file-names",
            f"{len(names)} of {len(submissions)} submissions are named like files or parts of a project:"
            f" {listed(names)}. If these are no students, choose another layout or depth.",
            tuple(names),
        )


def _is_file_name(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(FILE_SUFFIXES) or lower in FILE_NAMES or lower in PROJECT_ENTRIES


def _times(submissions: Mapping[str, GroupedSubmission]) -> Iterable[GroupingWarning]:
    late = sorted(name for name, one in submissions.items() if one.late)
    if late:
        yield GroupingWarning(
            "late", f"Handed in after the due date, and compared all the same: {listed(late)}.", tuple(late)
        )
    unknown = sorted(name for name, one in submissions.items() if not one.submitted)
    if unknown:
        yield GroupingWarning(
            "no-time",
            f"The upload does not say when these were handed in, so the due date does not apply to them:"
            f" {listed(unknown)}.",
            tuple(unknown),
        )


def roster_warnings(
    roster: Roster, submissions: Mapping[str, GroupedSubmission]
) -> Iterator[GroupingWarning]:
    """Yield the problems of a roster, whom it does not know, and who handed in nothing."""
    problems = [str(problem) for problem in roster.problems]
    for text in problems[:LISTED_PROBLEMS]:
        yield GroupingWarning("roster", f"Roster: {text}")
    if len(problems) > LISTED_PROBLEMS:
        yield GroupingWarning("roster", f"Roster: {len(problems) - LISTED_PROBLEMS} more problems.")
    if not roster.students:
        return
    students = dict.fromkeys(student for one in submissions.values() for student in one.students)
    unknown = [
        f"{one.name} ({one.identifier})" if one.identifier else one.name
        for one in students
        if not roster.find(one)
    ]
    if unknown:
        yield GroupingWarning(
            "roster-unknown", f"Students whom the roster does not know ({len(unknown)}): {listed(unknown)}."
        )
    if absent := [row.display_name for row in roster.absent(students)]:
        yield GroupingWarning(
            "roster-absent",
            f"Students of the roster who handed in nothing ({len(absent)}): {listed(absent)}.",
        )
