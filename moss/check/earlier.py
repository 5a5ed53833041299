"""Submissions of the class and of earlier or other work, which is compared with the class only."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from moss.check.inputs import SkippedInput, read_inputs, upload_name
from submissions.intake.archives.grouping import DEFAULT_CHOICES
from submissions.intake.archives.submission_names import DistinctNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from moss.check.inputs import InputOptions
    from submissions.intake.archives.grouping_warnings import GroupingWarning
    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.archives.regrouping import GroupedSubmission

# Characters of the name of a folder or archive that are added to the names of its submissions.
MAX_SUFFIX = 60
YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")


class AllInputs(NamedTuple):
    """The files and the students of each submission, by name, and what is not compared.

    The submissions of the class come first; `earlier` is the number of the others, and `terms` says when each
    of these is from. `layout` is the label of the layout of the class.
    """

    groups: dict[str, list[UnpackedEntry]]
    submissions: list[GroupedSubmission]
    earlier: int
    terms: list[str]
    skipped: list[SkippedInput]
    layout: str
    warnings: list[GroupingWarning]

    @property
    def first_earlier(self) -> int:
        """The index of the first submission of earlier work."""
        return len(self.submissions) - self.earlier

    @property
    def of_class(self) -> list[GroupedSubmission]:
        return self.submissions[: self.first_earlier]

    def groups_apart(self, of_students: Sequence[list[int]]) -> list[list[int]]:
        """Return the groups of students and teams of the class, by submission, and one of all earlier work.

        A student's own earlier work is in no group of the student: that pair is compared.
        """
        number = max((one for own in of_students for one in own), default=-1) + 1
        return [*of_students, *([number] for _ in range(self.earlier))]


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
    terms: list[str] = []
    for folder in earlier:
        others = read_inputs(folder, replace(options, choices=DEFAULT_CHOICES))
        suffix = f" (earlier work, {upload_name(folder)[:MAX_SUFFIX]})"
        for name, files in others.groups.items():
            groups[names.add(name + suffix)] = files
            submissions.append(others.grouping.submissions[name])
            terms.append(_term(upload_name(folder)))
        skipped += [SkippedInput(f"{folder}: {one.name}", one.reason) for one in others.skipped]
    return AllInputs(
        groups, submissions, len(groups) - count, terms, skipped, grouping.layout.label, warnings
    )


def _term(name: str) -> str:
    """Return the year in the name of a folder or archive; the name where there is none, or more than one."""
    years = set(YEAR.findall(name))
    return years.pop() if len(years) == 1 else name[:MAX_SUFFIX]


class _Identity(NamedTuple):
    """The identifiers and the names of the students of a submission, as they are compared."""

    ids: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, submission: GroupedSubmission) -> _Identity:
        """Return the identity of the students of a submission."""
        ids = frozenset(one.identifier.casefold() for one in submission.students if one.identifier)
        return cls(ids, frozenset(one.name.casefold() for one in submission.students))

    def is_student_of(self, other: _Identity) -> bool:
        """Return whether both are of one student; equal names are not enough where the ids differ."""
        if self.ids and other.ids:
            return not self.ids.isdisjoint(other.ids)
        return not self.names.isdisjoint(other.names)


def own_earlier_work(inputs: AllInputs) -> dict[frozenset[str], str]:
    """Return the pairs of a student and the same student's earlier work, by names, with when that is from.

    Students are the same by their identifiers, or by name where one of both has none.
    """
    identities = [_Identity.of(one) for one in inputs.submissions]
    names, first = list(inputs.groups), inputs.first_earlier
    by_text: dict[str, list[int]] = defaultdict(list)
    for new, identity in enumerate(identities[:first]):
        for text in identity.ids | identity.names:
            by_text[text].append(new)
    return {
        frozenset((names[new], names[old])): inputs.terms[old - first]
        for old, identity in enumerate(identities[first:], first)
        for text in identity.ids | identity.names
        for new in by_text.get(text, ())
        if identities[new].is_student_of(identity)
    }
