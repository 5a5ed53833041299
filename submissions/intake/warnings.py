"""Warnings for an instructor: of how an upload was grouped, and of files that were read badly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import choices
from submissions.intake import sentences
from submissions.intake.choices import Choices, GroupedSubmission, Submitters, plain_name
from submissions.intake.file_languages import family_of, likely_language
from submissions.intake.layouts.fields import is_list
from submissions.intake.layouts.places import PROJECT_ENTRIES, Layout, Student

if TYPE_CHECKING:
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

PROSE = "text"
# A file of which less became tokens is listed.
LEAST_SHARE = 0.5


class GroupingWarning(NamedTuple):
    """A sentence for the instructor, and the names of the submissions that it is about."""

    kind: str
    text: str
    submissions: tuple[str, ...] = ()


class Misfit(NamedTuple):
    """The chosen layout, which names no student in the upload, and the layout that is used instead."""

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
            "one-submission", sentences.ONE_SUBMISSION.format(names=listed(submissions)), tuple(submissions)
        )


def misfit_warning(misfit: Misfit) -> GroupingWarning:
    return GroupingWarning("layout", sentences.OTHER_LAYOUT.format(chosen=misfit.chosen.label, used=misfit.used.label))


def list_warnings(loose: Iterable[str]) -> Iterator[GroupingWarning]:
    """Yield a warning for files beside the work of the students that may be a roster."""
    names = [path.rpartition("/")[2] for path in loose if is_list(path)]
    if names:
        yield GroupingWarning("list", sentences.LISTS.format(names=listed(names)))


def unmatched_patterns(patterns: Collection[str]) -> Iterator[GroupingWarning]:
    """Yield a warning for patterns that match no file."""
    if patterns:
        yield GroupingWarning("unmatched", sentences.NO_FILE_MATCHES.format(names=listed(patterns)))


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


def _named_like_files(choices: Choices, submissions: Mapping[str, GroupedSubmission]) -> Iterable[GroupingWarning]:
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


def roster_warnings(roster: Roster, submissions: Mapping[str, GroupedSubmission]) -> Iterator[GroupingWarning]:
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
        f"{one.name} ({one.identifier})" if one.identifier else one.name for one in students if not roster.find(one)
    ]
    if unknown:
        text = sentences.NOT_IN_ROSTER.format(count=len(unknown), names=listed(unknown))
        yield GroupingWarning("roster-unknown", text)
    if absent := [row.display_name for row in roster.absent(students)]:
        text = sentences.ABSENT.format(count=len(absent), names=listed(absent))
        yield GroupingWarning("roster-absent", text)


class ReadFile(NamedTuple):
    """A file that is compared: its submission, path and language, and how much of it became tokens.

    `share` is the part of its code that became tokens; `unclosed` is the first line, from 1, in which a
    string or comment begins that never ends; `disguised` is the number of characters that nobody sees or that
    look like others. A file that is not read yet has the defaults of these fields and
    of `tokens`.
    """

    submission: str
    path: str
    language: str
    tokens: int | None = None
    share: float = 1.0
    unclosed: int | None = None
    disguised: int = 0

    @property
    def name(self) -> str:
        return self.path if self.path.startswith(self.submission) else f"{self.submission}/{self.path}"


def languages_read(languages: Iterable[str]) -> str:
    """Return the languages of files, the most frequent first: `48 Java, 2 read as prose`."""
    titles = dict(choices())
    counted = sorted(Counter(languages).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{files:,} {sentences.PROSE if name == PROSE else titles.get(name, name)}" for name, files in counted
    )


def reading_warnings(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    """Yield what an instructor should look at: where absence of a match is no finding."""
    yield from _read_otherwise(files)
    yield from _without_code(files)
    few = [file for file in files if file.tokens and file.share < LEAST_SHARE]
    if few:
        names = listed([file.name for file in few])
        yield _warning("few-tokens", sentences.FEW_TOKENS.format(names=names), few)
    unclosed = [file for file in files if file.unclosed]
    if unclosed:
        names = listed([f"{file.name} {sentences.OPENED.format(n=file.unclosed)}" for file in unclosed])
        yield _warning("unclosed", sentences.UNCLOSED.format(names=names), unclosed)
    disguised = [file for file in files if file.disguised]
    if disguised:
        names = listed([sentences.DISGUISED_IN.format(n=file.disguised, name=file.name) for file in disguised])
        yield _warning("disguised", sentences.DISGUISED.format(names=names), disguised)


def _read_otherwise(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    likely = likely_language(file.language for file in files)
    others = [file for file in files if file.language not in family_of(likely)] if likely else []
    if others:
        titles = dict(choices())
        names = listed([f"{file.name} ({titles.get(file.language, file.language)})" for file in others])
        title = titles.get(likely, likely)
        text = sentences.OTHER_LANGUAGE.format(language=title, names=names)
        yield _warning("read-otherwise", text, others)


def _without_code(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    with_code = {file.submission for file in files if file.tokens != 0}
    empty = [file for file in files if file.submission not in with_code]
    if empty:
        names = listed({file.submission for file in empty})
        yield _warning("without-code", sentences.WITHOUT_CODE.format(names=names), empty)


def _warning(kind: str, text: str, files: Iterable[ReadFile]) -> GroupingWarning:
    return GroupingWarning(kind, text, tuple(sorted({file.submission for file in files})))
