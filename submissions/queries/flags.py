"""What is worth knowing of a pair before it is opened: identical, handed in late, by one team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

from django.db.models.functions import Coalesce

from submissions import teams
from submissions.models import Submission

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Assignment, Pair, Report

    TimedPair = WithAnnotations[Pair, "Times"]

K = TypeVar("K")

# Of a filter, in the order of its choices; `apart` are the pairs without `team`.
FLAGS = ("identical", "renamed", "late", "team", "apart")


class Times(TypedDict):
    left_came: datetime
    right_came: datetime


class Side(NamedTuple):
    """A submission of a pair: its id, its name, and when it came in."""

    pk: int
    name: str
    came: datetime


class Flag(NamedTuple):
    """`kind` is one of `FLAGS`; `late` says which sides are."""

    kind: str
    left: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Flags:
    """What a report and its assignment tell of submissions, by id or by the key of their name."""

    identical: dict[int, int]
    renamed: dict[int, int]
    teams: dict[str, int]
    due: datetime | None

    @classmethod
    def of(cls, report: Report) -> Flags:
        same = {name: _numbered(groups) for name, groups in _sameness(report).items()}
        of = report.assignment
        return cls(same["identical"], same["renamed"], teams.teams(of.teams), of.due)

    @property
    def kinds(self) -> list[str]:
        """What may be asked for at all: a class without teams has none together and none apart."""
        held = (self.identical, self.renamed, self.due, self.teams, self.teams)
        return [kind for kind, known in zip(FLAGS, held, strict=True) if known]

    def between(self, left: Side, right: Side) -> list[Flag]:
        """Give the flags of a pair, the most telling first."""
        found = []
        if _together(self.identical, left.pk, right.pk):
            found.append(Flag("identical"))
        elif _together(self.renamed, left.pk, right.pk):
            found.append(Flag("renamed"))
        late = [self.due is not None and side.came > self.due for side in (left, right)]
        if any(late):
            found.append(Flag("late", *late))
        if _together(self.teams, teams.key(left.name), teams.key(right.name)):
            found.append(Flag("team"))
        return found


def _sameness(report: Report) -> dict[str, list[list[int]]]:
    groups: dict[str, list[list[int]]] = {"identical": [], "lexical": [], "fingerprints": []}
    for group in report.duplicates:
        groups[group.sameness].append(group.submissions)
    identical = report.findings.identical if report.findings else groups["identical"]
    return {"identical": identical, "renamed": groups["lexical"]}


def _numbered(groups: list[list[int]]) -> dict[int, int]:
    return {pk: number for number, group in enumerate(groups) for pk in group}


def _together(groups: Mapping[K, int], left: K, right: K) -> bool:
    return left in groups and groups[left] == groups.get(right)


def with_times(pairs: QuerySet[Pair]) -> QuerySet[TimedPair]:
    """Add `left_came` and `right_came`: when a file was handed in, or else when its upload was."""
    return pairs.annotate(
        left_came=Coalesce("left__handed_in", "left__batch__created"),
        right_came=Coalesce("right__handed_in", "right__batch__created"),
    )


def sides(pair: TimedPair) -> tuple[Side, Side]:
    """Give both sides of a pair that `with_times` read with its submissions."""
    return (
        Side(pair.left_id, pair.left.name, pair.left_came),
        Side(pair.right_id, pair.right.name, pair.right_came),
    )


def flagged(report: Report, kind: str) -> list[int]:
    """Give the ids of a report's pairs with a flag, or for `apart` of those without `team`."""
    columns = ("left_id", "left__name", "left_came", "right_id", "right__name", "right_came")
    flags, wanted = Flags.of(report), "team" if kind == "apart" else kind
    found = []
    for pk, *row in with_times(report.pairs.order_by()).values_list("pk", *columns):
        has = any(flag.kind == wanted for flag in flags.between(Side(*row[:3]), Side(*row[3:])))
        if has != (kind == "apart"):
            found.append(pk)
    return found


def unknown_members(of: Assignment) -> list[str]:
    """Give the names in an assignment's teams that are no submission's, once there are submissions."""
    names = set(Submission.objects.filter(batch__assignment=of).values_list("name", flat=True))
    return teams.unknown(of.teams, names) if names else []
