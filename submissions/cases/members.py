"""The members of a case: in the order of their times, and with their similarities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from submissions.cases.read import pairs_between

if TYPE_CHECKING:
    from submissions.cases.case_list import Case
    from submissions.core.names import Names
    from submissions.models import Report, Submission

# Members that the table of similarities of a case, and of a class, has rows for; a larger one cannot be read.
MATRIX_MEMBERS, CLASS_MEMBERS = 20, 30
MEMBERS_A_PAGE = 100
# Least distance of two labels of the timeline, in percent of its width: two numbers fit on a telephone.
LABEL_PERCENT = 12


class TimedMember(NamedTuple):
    """A submission of a case.

    `later` is the time between the case's first submission and this one, None where it is unknown.
    """

    submission: Submission
    later: timedelta | None


def members_by_time(submissions: Iterable[Submission], names: Names) -> list[TimedMember]:
    """Order by the time of handing in, then by the displayed name; those without a time come last.

    Where names are hidden, no time is used: it can reveal who handed in.
    """
    by_name = sorted(submissions, key=lambda submission: names.display_name(submission.name).casefold())
    if names.hidden:
        return [TimedMember(submission, None) for submission in by_name]
    timed = [(submission, submission.handed_in) for submission in by_name if submission.handed_in]
    timed.sort(key=lambda pair: pair[1])
    members = [TimedMember(submission, time - timed[0][1]) for submission, time in timed]
    return members + [TimedMember(submission, None) for submission in by_name if not submission.handed_in]


class MatrixCell(NamedTuple):
    """The similarity of two members; None where their pair is not stored, or both are the same member."""

    other: Submission
    similarity: float | None
    is_same: bool


class MatrixRow(NamedTuple):
    """A member of a case by its number, with its `TimedMember.later` and its similarities with all."""

    number: int
    member: Submission
    later: timedelta | None
    cells: list[MatrixCell]


def similarity_matrix(
    report: Report, members: Sequence[tuple[Submission, timedelta | None]], most: int = MATRIX_MEMBERS
) -> list[MatrixRow]:
    """Return the members in their order; the first `most` have similarities, with each other."""
    shown = [member for member, _ in members[:most]]
    known = pairs_between(report, [member.pk for member in shown])
    cells = [
        [MatrixCell(other, known.get(frozenset((one.pk, other.pk))), one == other) for other in shown] for one in shown
    ]
    return [
        MatrixRow(number, *member, cells[number - 1] if number <= len(cells) else [])
        for number, member in enumerate(members, 1)
    ]


def by_cluster(rows: Sequence[MatrixRow]) -> list[MatrixRow]:
    """Return the rows and their cells in an order in which members who share most are beside each other.

    The strongest pairs join groups first, as in single linkage.
    """
    similarities = {
        (one, other): cell.similarity
        for one, row in enumerate(rows)
        for other, cell in enumerate(row.cells[:one])
        if cell.similarity is not None
    }
    groups = {at: [at] for at in range(len(rows))}
    for one, other in sorted(similarities, key=lambda pair: (-similarities[pair], pair)):
        left, right = groups[one], groups[other]
        if left is not right:
            ends = left if left[-1] == one else left[::-1], right if right[0] == other else right[::-1]
            groups |= dict.fromkeys((*left, *right), ends[0] + ends[1])
    each = (group if group[0] <= group[-1] else group[::-1] for group in groups.values())
    order = list(dict.fromkeys(at for group in each for at in group))
    return [rows[at]._replace(cells=[rows[at].cells[other] for other in order]) for at in order]


class TimelineMark(NamedTuple):
    """A member on the timeline, `place` percent of the way from the first to the last time.

    `label` has the numbers of the member and of the members that follow too closely for their own labels.
    """

    member: TimedMember
    place: float
    label: str = ""


def timeline(case: Case) -> list[TimelineMark]:
    """Return the members whose time is known; nothing where fewer than two have one."""
    timed = [member for member in case.members if member.later is not None]
    if not case.timed:
        return []
    last = max(member.later.total_seconds() for member in timed if member.later is not None)
    marks = [
        TimelineMark(member, 100 * member.later.total_seconds() / last if last else 0.0)
        for member in timed
        if member.later is not None
    ]
    return labelled(marks)


def due_place(case: Case, due: datetime | None) -> float | None:
    """Return where work was due on the timeline, in percent; None without a due time or a timeline.

    Below 0 all members of the timeline were late, above 100 all were in time.
    """
    times = [one.submission.handed_in for one in case.members if one.later is not None]
    if not case.timed or due is None or times[0] is None or times[-1] is None:
        return None
    width = (times[-1] - times[0]).total_seconds()
    before = (due - times[0]).total_seconds()
    return 100 * before / width if width else (101.0 if before >= 0 else -1.0)


def labelled(marks: list[TimelineMark]) -> list[TimelineMark]:
    """Return the marks with the numbers of the list of members; close ones share a label."""
    firsts: list[int] = []
    for index, mark in enumerate(marks):
        if not firsts or mark.place - marks[firsts[-1]].place >= LABEL_PERCENT:
            firsts.append(index)
    ends = dict(zip(firsts, [*firsts[1:], len(marks)], strict=True))
    return [
        mark._replace(label=(f"{index + 1}" if ends[index] == index + 1 else f"{index + 1}-{ends[index]}"))
        if index in ends
        else mark
        for index, mark in enumerate(marks)
    ]
