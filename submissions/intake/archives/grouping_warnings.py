"""Warnings for an instructor to check before an upload is read as it was grouped."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake import warning_sentences as sentences
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


def listed(texts: Collection[str]) -> str:
    """Return the first texts in their order as one, and how many others there are."""
    first = sorted(texts)[:LISTED]
    others = len(texts) - len(first)
    names = ", ".join(first)
    return sentences.MORE.format(names=names, n=others) if others else names


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
            sentences.ONE_SUBMISSION.format(names=listed(submissions)),
            tuple(submissions),
        )


def misfit_warning(misfit: Misfit) -> GroupingWarning:
    return GroupingWarning(
        "layout",
        sentences.OTHER_LAYOUT.format(chosen=misfit.chosen.label, used=misfit.used.label),
    )


def list_warnings(loose: Iterable[str]) -> Iterator[GroupingWarning]:
    """Yield a warning for files beside the work of the students that may be a roster."""
    names = [path.rpartition("/")[2] for path in loose if is_list(path)]
    if names:
        yield GroupingWarning("list", sentences.LISTS.format(names=listed(names)))


def unknown_names(split: Collection[str], renamed: Collection[str]) -> Iterable[GroupingWarning]:
    """Yield a warning for names to split or to rename that no submission has."""
    for names, sentence in ((split, sentences.NOT_SPLIT), (renamed, sentences.NOT_RENAMED)):
        if names:
            yield GroupingWarning("unknown-name", sentence.format(names=listed(names)))


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
        text = sentences.ONE_NAME.format(names=listed(repeated))
        yield GroupingWarning("one-name", text, tuple(repeated))


def _named_like_files(
    choices: Choices, submissions: Mapping[str, GroupedSubmission]
) -> Iterable[GroupingWarning]:
    if choices.layout == "files" or choices.depth == 0:
        return
    names = sorted(filter(_is_file_name, submissions))
    if names:
        yield GroupingWarning(
            "file-names",
            sentences.FILE_NAMES.format(count=len(names), total=len(submissions), names=listed(names)),
            tuple(names),
        )


def _is_file_name(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(FILE_SUFFIXES) or lower in FILE_NAMES or lower in PROJECT_ENTRIES


def _times(submissions: Mapping[str, GroupedSubmission]) -> Iterable[GroupingWarning]:
    late = sorted(name for name, one in submissions.items() if one.late)
    if late:
        yield GroupingWarning("late", sentences.LATE.format(names=listed(late)), tuple(late))
    unknown = sorted(name for name, one in submissions.items() if not one.submitted)
    if unknown:
        yield GroupingWarning("no-time", sentences.NO_TIMES.format(names=listed(unknown)), tuple(unknown))


def roster_warnings(
    roster: Roster, submissions: Mapping[str, GroupedSubmission]
) -> Iterator[GroupingWarning]:
    """Yield the problems of a roster, whom it does not know, and who handed in nothing."""
    problems = [str(problem) for problem in roster.problems]
    for text in problems[:LISTED_PROBLEMS]:
        yield GroupingWarning("roster", sentences.OF_ROSTER.format(problem=text))
    if len(problems) > LISTED_PROBLEMS:
        more = len(problems) - LISTED_PROBLEMS
        yield GroupingWarning("roster", sentences.MORE_ROSTER_PROBLEMS.format(n=more))
    if not roster.students:
        return
    students = dict.fromkeys(student for one in submissions.values() for student in one.students)
    unknown = [
        f"{one.name} ({one.identifier})" if one.identifier else one.name
        for one in students
        if not roster.find(one)
    ]
    if unknown:
        text = sentences.NOT_IN_ROSTER.format(count=len(unknown), names=listed(unknown))
        yield GroupingWarning("roster-unknown", text)
    if absent := [row.display_name for row in roster.absent(students)]:
        text = sentences.ABSENT.format(count=len(absent), names=listed(absent))
        yield GroupingWarning("roster-absent", text)
