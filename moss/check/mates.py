"""Mates: submissions of one student or one team, which are not compared with each other within the class.

A student's own earlier work is compared with the new, and is a pair of its own kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moss.check.roster import team_of
from submissions.intake.archives.submission_names import submitters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.archives.regrouping import GroupedSubmission
    from submissions.intake.rosters import Roster


def student_groups(submissions: Sequence[GroupedSubmission], roster: Roster) -> list[list[int]]:
    """Return the numbers of the groups of each submission: those with a student or a team in common."""
    numbers: dict[str, int] = {}
    groups: list[list[int]] = []
    for submission in submissions:
        keys = [key for student in submission.students for key in submitters((student,))]
        keys += [f"team {team}" for student in submission.students if (team := team_of(roster, student))]
        groups.append([numbers.setdefault(key, len(numbers)) for key in keys])
    sizes = [0] * len(numbers)
    for group in groups:
        for number in set(group):
            sizes[number] += 1
    return [[number for number in group if sizes[number] > 1] for group in groups]
