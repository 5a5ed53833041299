"""Submissions of the class and of earlier or other work, which is compared with the class only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from moss.check.inputs import SkippedInput, read_inputs, upload_name
from submissions.archives.grouping import DEFAULT_CHOICES
from submissions.archives.submission_names import DistinctNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from moss.check.inputs import InputOptions
    from submissions.archives.grouping_warnings import GroupingWarning
    from submissions.archives.regrouping import GroupedSubmission
    from submissions.archives.unpack import UnpackedEntry

# Characters of the name of a folder or archive that are added to the names of its submissions.
MAX_SUFFIX = 60


class AllInputs(NamedTuple):
    """The files and the students of each submission, by name, and what is not compared.

    The submissions of the class come first; `earlier` is the number of the others. `layout` is the label of
    the layout of the class.
    """

    groups: dict[str, list[UnpackedEntry]]
    submissions: list[GroupedSubmission]
    earlier: int
    skipped: list[SkippedInput]
    layout: str
    warnings: list[GroupingWarning]

    @property
    def first_earlier(self) -> int:
        """The index of the first submission of earlier work."""
        return len(self.submissions) - self.earlier

    def groups_apart(self, of_students: Sequence[list[int]]) -> list[list[int]]:
        """Return the groups of students and teams, by submission, and one of all earlier work."""
        number = max((one for own in of_students for one in own), default=-1) + 1
        return [
            [*own, number] if index >= self.first_earlier else own for index, own in enumerate(of_students)
        ]


def read_all(path: Path, earlier: Iterable[Path], options: InputOptions) -> AllInputs:
    """Return the submissions of a class, grouped as chosen, and of earlier work, as its layouts name them.

    Raises
    ------
    BadArchive
        When a path cannot be read, or an archive only in part and that is not allowed.
    """
    groups, skipped, grouping, warnings = read_inputs(path, options)
    groups, submissions = dict(groups), [grouping.submissions[name] for name in groups]
    count, names = len(groups), DistinctNames(groups)
    for folder in earlier:
        others = read_inputs(folder, replace(options, choices=DEFAULT_CHOICES))
        suffix = f" (earlier work, {upload_name(folder)[:MAX_SUFFIX]})"
        for name, files in others.groups.items():
            groups[names.add(name + suffix)] = files
            submissions.append(others.grouping.submissions[name])
        skipped += [SkippedInput(f"{folder}: {one.name}", one.reason) for one in others.skipped]
    return AllInputs(groups, submissions, len(groups) - count, skipped, grouping.layout.label, warnings)
