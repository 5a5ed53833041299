"""Submissions that are not compared: of one student, of one team, or both of earlier work.

Earlier work of a student of the class is compared with what the same student hands in now; such
pairs are a kind of their own.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from fingerprint.engine import Groups, count_pairs
from submissions.comparison.mates import EARLIER_WORK, STUDENT, TEAM, Key, group_numbers
from submissions.mates import mate_keys
from submissions.models import Batch, Submission
from submissions.models.records import NotCompared, NotComparedPair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.models import Assignment

    Reason = Literal["student", "team"]

# Pairs that a report lists as not compared; all are counted.
MAX_LISTED = 200


class Mates(NamedTuple):
    """The keys of the groups of each submission, by kind; the submissions of a group are not compared."""

    students: list[set[Key]]
    teams: list[set[Key]]
    earlier: list[set[Key]]

    @property
    def groups(self) -> Groups:
        """All groups, as numbers for the engine."""
        return Groups.from_lists(group_numbers(map(set.union, self.students, self.teams, self.earlier)))

    def is_one_group(self, members: Sequence[int]) -> bool:
        """Return whether all of these submissions, by index, have a group in common."""
        keys = (self.students[one] | self.teams[one] | self.earlier[one] for one in members)
        return bool(set.intersection(*keys))

    def not_compared(self, submissions: Sequence[Submission]) -> NotCompared:
        """Return the pairs of one student and of one team, counted and in part listed."""
        either = map(set.union, self.students, self.teams)
        of_students, together = (
            count_pairs(Groups.from_lists(group_numbers(keys))) for keys in (self.students, either)
        )
        pairs = islice(self._pairs(), MAX_LISTED)
        return NotCompared(
            students=of_students,
            teams=together - of_students,
            earlier=sum(map(bool, self.earlier)),
            pairs=[
                NotComparedPair(left=submissions[left].pk, right=submissions[right].pk, reason=reason)
                for (left, right), reason in pairs
            ],
        )

    def _pairs(self) -> Iterator[tuple[tuple[int, int], Reason]]:
        """Yield the pairs of one student, then those of one team, each pair once, with the kind."""
        seen: set[tuple[int, int]] = set()
        reasons: tuple[tuple[Reason, list[set[Key]]], ...] = (
            ("student", self.students),
            ("team", self.teams),
        )
        for reason, keys in reasons:
            members: dict[Key, list[int]] = defaultdict(list)
            for number, keys_of_one in enumerate(keys):
                for key in keys_of_one:
                    members[key].append(number)
            for key in sorted(members):
                for pair in combinations(members[key], 2):
                    if pair not in seen:
                        seen.add(pair)
                        yield pair, reason


def find_mates(assignment: Assignment, submissions: Sequence[Submission]) -> Mates:
    """Return the groups of `submissions`; without `compare_mates` also those of students and of teams.

    Submissions of other assignments are earlier work, too.
    """
    in_class = set(assignment.batches.filter(role=Batch.Role.CLASS).values_list("pk", flat=True))
    earlier: list[set[Key]] = [set() if one.batch_id in in_class else {EARLIER_WORK} for one in submissions]
    if assignment.compare_mates:
        nobody: list[set[Key]] = [set() for _ in submissions]
        return Mates(nobody, nobody, earlier)
    of_class = [one.pk for one in submissions if one.batch_id in in_class]
    keys = mate_keys(assignment, Submission.objects.filter(pk__in=of_class))
    students, of_teams = (
        [{key for key in keys.get(one.pk, ()) if key[0] == kind} for one in submissions]
        for kind in (STUDENT, TEAM)
    )
    return Mates(students, of_teams, earlier)
