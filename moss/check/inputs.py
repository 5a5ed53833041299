"""Find the submissions of a class and of earlier work for `moss check`, and the entries not compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.intake.choices import Choices, DistinctNames, GroupedSubmission
from submissions.intake.entries import replace_invisible
from submissions.intake.grouping import DEFAULT_CHOICES, Grouping, group_submissions
from submissions.intake.left_out.listing import LeftOut, Listing, described
from submissions.intake.limits import BadArchive
from submissions.intake.rosters import Roster
from submissions.intake.unpacking import DEFAULT_LIMITS, DEFAULT_PATTERNS, archive_stem, unpack, walk
from submissions.intake.warnings import GroupingWarning, roster_warnings, unmatched_patterns
from submissions.matches.groups import EARLIER_WORK, TEAM, Identity, Key, student_key

if TYPE_CHECKING:
    from submissions.intake.entries import Entry
    from submissions.intake.layouts.places import Student
    from submissions.intake.left_out.patterns import FilePatterns

    Groups = dict[str, list[Entry]]

# Characters of the name of a folder or archive that are added to the names of its submissions.
MAX_SUFFIX = 60
NO_ROSTER = Roster()
YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")


class SkippedInput(NamedTuple):
    """A file or an entry of the archive that was not compared, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options of reading a folder or an archive.

    `patterns` are of files to count and to leave out; `partial` allows to compare an archive of which only a
    part could be read; `choices` say how files are grouped; `roster` has the students' names;
    `language_patterns` are those of `ChosenLanguages`.
    """

    patterns: FilePatterns = DEFAULT_PATTERNS
    partial: bool = False
    choices: Choices = DEFAULT_CHOICES
    roster: Roster = NO_ROSTER
    language_patterns: str = ""

    @property
    def identify(self) -> Callable[[Student], Student] | None:
        """A function from a student of the upload to that of the roster; None without a roster."""
        return self.roster.identify if self.roster.students else None


class Inputs(NamedTuple):
    """The files of each submission, named by the path inside it, what is not compared, and the grouping."""

    groups: Groups
    skipped: list[SkippedInput]
    grouping: Grouping
    warnings: list[GroupingWarning]


@dataclass(frozen=True)
class AllInputs:
    """The files and the students of each submission, by name, and what is not compared.

    The submissions of the class come first, then earlier work, of which `terms` says when each is from and
    `earlier_sizes` how many each path has, and last the model `solutions`, counted. `layout` is the label of
    the layout of the class, `warnings` are of it and of the `roster`.
    """

    groups: Groups
    submissions: list[GroupedSubmission]
    terms: list[str]
    earlier_sizes: list[int]
    solutions: int
    skipped: list[SkippedInput]
    layout: str
    warnings: list[GroupingWarning]
    roster: Roster

    @property
    def earlier(self) -> int:
        """Number of the submissions of earlier work."""
        return len(self.terms)

    @property
    def first_earlier(self) -> int:
        """The index of the first submission of earlier work, which is the number of those of the class."""
        return self.first_solution - self.earlier

    @property
    def first_solution(self) -> int:
        return len(self.submissions) - self.solutions

    @cached_property
    def mates(self) -> list[set[Key]]:
        """The keys of the students and teams of each submission; see `submissions.matches.groups`.

        All earlier work and all model solutions have one key and no other: a student's own earlier work is
        compared with the new.
        """
        of_class = map(self.mates_of, range(self.first_earlier))
        return [*of_class, *({EARLIER_WORK} for _ in self.submissions[self.first_earlier :])]

    def mates_of(self, number: int) -> set[Key]:
        """Return the keys of the students and teams of a submission, of earlier work too."""
        students = self.submissions[number].students
        teams = {self.roster.team_of(student) for student in students} - {""}
        return {student_key(one.name, one.identifier) for one in students} | {(TEAM, team) for team in teams}

    @cached_property
    def same_student(self) -> dict[frozenset[str], str]:
        """The pairs of a student and the same student's earlier work, by names, with its term.

        Students are the same by their identifiers, or by name where one of both has none.
        """
        identities = list(map(_identity, self.submissions))
        names, first = list(self.groups), self.first_earlier
        by_text: dict[str, list[int]] = defaultdict(list)
        for new, identity in enumerate(identities[:first]):
            for text in identity.ids | identity.names:
                by_text[text].append(new)
        return {
            frozenset((names[new], names[old])): self.terms[old - first]
            for old, identity in enumerate(identities[first : self.first_solution], first)
            for text in identity.ids | identity.names
            for new in by_text.get(text, ())
            if identities[new].is_student_of(identity)
        }


def read_all(path: Path, earlier: Iterable[Path], options: InputOptions, solutions: Iterable[Path] = ()) -> AllInputs:
    """Return the submissions of a class, grouped as chosen, and others, as their layouts name them.

    The others are of earlier work, and model solutions. Raises BadArchive when a path cannot be read, or an
    archive only in part and that is not allowed.
    """
    groups, skipped, grouping, warnings = read_inputs(path, options)
    submissions = [grouping.submissions[name] for name in groups]
    names, terms, sizes, of_class = DistinctNames(groups), list[str](), list[int](), len(groups)
    kinds = [*((path, "earlier work") for path in earlier), *((path, "model solution") for path in solutions)]
    for folder, kind in kinds:
        others = read_inputs(folder, replace(options, choices=DEFAULT_CHOICES))
        label = upload_name(folder)
        for name, files in others.groups.items():
            groups[names.add(f"{name} ({kind}, {label[:MAX_SUFFIX]})")] = files
            submissions.append(others.grouping.submissions[name])
        if kind == "earlier work":
            terms += [_term(label)] * len(others.groups)
            sizes.append(len(others.groups))
        place = replace_invisible(str(folder))
        skipped += [SkippedInput(f"{place}: {one.name}", one.reason) for one in others.skipped]
    layout, count = grouping.layout.label, len(submissions) - len(terms) - of_class
    return AllInputs(groups, submissions, terms, sizes, count, skipped, layout, warnings, options.roster)


def _term(name: str) -> str:
    """Return the year in the name of a folder or archive; the name where there is none, or more than one."""
    years = set(YEAR.findall(name))
    return years.pop() if len(years) == 1 else name[:MAX_SUFFIX]


def _identity(submission: GroupedSubmission) -> Identity:
    students = submission.students
    return Identity.of((one.identifier for one in students), (one.name for one in students))


def read_inputs(path: Path, options: InputOptions) -> Inputs:
    """Return the submissions of a folder or an archive, grouped as chosen.

    Raises BadArchive when the path cannot be read, or an archive only in part and that is not allowed.
    """
    entries = read_entries(path, options)
    grouping, groups = group_submissions(entries, upload_name(path), options.choices, options.identify)
    left_out = left_out_listing(entries, options.patterns).left_out(grouping.places)
    skipped = [
        SkippedInput(entry.name, entry.reason)
        for entry in entries
        if entry.reason and not left_out.replaces(entry.name, accepted=False)
    ]
    skipped += [SkippedInput(path, grouping.reason(path)) for path in sorted(grouping.ignored)]
    skipped += [SkippedInput(entry.name, entry.reason) for entry in left_out.entries]
    warnings = [
        *grouping.warnings,
        *unmatched_patterns(left_out.unmatched),
        *roster_warnings(options.roster, grouping.submissions),
    ]
    return Inputs(_counted(grouping, groups, left_out), skipped, grouping, warnings)


def upload_name(path: Path) -> str:
    """Return the name of a folder, or of an archive without its suffix."""
    name = replace_invisible(path.resolve().name)
    return name if path.is_dir() else archive_stem(name)


def read_entries(path: Path, options: InputOptions) -> list[Entry]:
    """Return the entries of a folder or an archive.

    Raises BadArchive when the path cannot be read, or an archive only in part and that is not allowed.
    """
    entries = list(entries_of(path, options.patterns))
    if not options.partial:
        check_complete(entries)
    return entries


def entries_of(path: Path, patterns: FilePatterns) -> Iterator[Entry]:
    """Yield the entries of a folder, an archive or a single file; raise BadArchive if it cannot be read."""
    if path.is_dir():
        yield from walk(path, DEFAULT_LIMITS, patterns, _unpack_in_child)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file, DEFAULT_LIMITS, patterns, in_child=_unpack_in_child)


def _unpack_in_child(*archive: Any) -> Iterator[Entry]:
    from submissions.intake.sandbox.archives import unpack_opened  # noqa: PLC0415 - most folders have no archives

    return unpack_opened(*archive)


def check_complete(entries: list[Entry]) -> None:
    """Raise BadArchive if only a part of an archive could be read."""
    for entry in entries:
        if entry.incomplete:
            raise BadArchive(
                f"{entry.name}: {entry.reason}. Nothing was compared, because only a part could be read. "
                "Unpack it and give the folder, or compare that part with --partial."
            )


def left_out_listing(entries: Iterable[Entry], patterns: FilePatterns) -> Listing:
    """Return the listing that decides which entries a tool wrote."""
    listing = Listing(patterns)
    for entry in entries:
        listing.add(described(entry, patterns))
    return listing


def _counted(grouping: Grouping, groups: Groups, left_out: LeftOut) -> Groups:
    """Return the files of each submission without those that are left out."""
    removed = {grouping.places[path] for path in left_out.paths}
    counted = {
        submission: [entry for entry in files if (submission, entry.name) not in removed]
        for submission, files in groups.items()
    }
    return {name: files for name, files in counted.items() if files}
