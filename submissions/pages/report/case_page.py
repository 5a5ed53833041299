"""The page of one case: its matrix, its timeline, and its strongest pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.models import SubmissionFile
from submissions.pages.exports.copies import PrintedCase
from submissions.pages.report.charts import case_graph
from submissions.pages.source_view.excerpts import SourceExcerpt, documents, source_excerpt
from submissions.queries.case_core import case_core
from submissions.queries.cases import case_history, pairs_between
from submissions.queries.decisions import stored_decisions
from submissions.queries.flags import partly_read
from submissions.queries.pairs import displayed_pair, find_pair
from submissions.queries.withheld import readable_pairs, readable_submissions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.models import Decision, Pair, Report, Submission
    from submissions.pages.report.cases import Case, TimedMember
    from submissions.pseudonyms.names import Names

# Members that the matrix has rows for; a larger one cannot be read.
MATRIX_MEMBERS = 20
# Least distance of two labels of the timeline, in percent of its width: two numbers fit on a telephone.
LABEL_PERCENT = 12


class MatrixCell(NamedTuple):
    """The similarity of two members; None where their pair is not stored, or both are the same member."""

    other: Submission
    similarity: float | None
    is_same: bool


class MatrixRow(NamedTuple):
    number: int
    member: Submission
    cells: list[MatrixCell]


class TimelineMark(NamedTuple):
    """A member on the timeline, `place` percent of the way from the first to the last time.

    `label` has the numbers of the member and of those that follow too closely for labels of their own.
    """

    member: TimedMember
    place: float
    label: str = ""


class PairExcerpt(NamedTuple):
    """One side of the longest passage of a pair."""

    submission: Submission
    path: str
    excerpt: SourceExcerpt


def case_context(report: Report, case: Case, names: Names) -> dict[str, Any]:
    """Return the context of `_case.html`."""
    strongest = find_pair(report, *case.links[0][:2])
    return {
        "case": case,
        "report": report,
        "graph": case_graph(case),
        "core": case_core(report, [member.submission for member in case.members]),
        "matrix": similarity_matrix(report, case),
        "matrix_left_out": max(0, len(case.members) - MATRIX_MEMBERS),
        "timeline": timeline(case),
        "strongest": displayed_pair(strongest, names) if strongest else None,
        "excerpts": _excerpts(strongest, names) if strongest else [],
        "identical": identical_members(report, case, names),
        "own_decisions": _decisions_inside(report, case, names),
        "partly_read": partly_read(readable_submissions(report).filter(name__in=case.names)),
    }


def pairs_of_case(report: Report, case: Case, threshold: float) -> list[Pair]:
    """Return the stored pairs of a case at or above its threshold, most similar first, without passages."""
    members = [member.submission.pk for member in case.members]
    pairs = readable_pairs(report).filter(left__in=members, right__in=members, similarity__gte=threshold)
    return list(pairs.select_related("left__batch", "right__batch").defer("passages"))


def printed_case(report: Report, case: Case, threshold: float, names: Names) -> PrintedCase:
    """Return a case, of which pairs of a threshold and more are one, as its document has it."""
    identical = identical_members(report, case, names)
    decision = case.decision if case.decision.pk else None
    return PrintedCase(
        case.number,
        threshold,
        case.members,
        [[one.pk for one in group] for group in identical],
        decision,
        case_history(case.decided) if decision else [],
        core=case_core(report, [member.submission for member in case.members]),
    )


def similarity_matrix(report: Report, case: Case) -> list[MatrixRow]:
    """Return the similarities of the first members with each other, in the order of the members."""
    members = [member.submission for member in case.members[:MATRIX_MEMBERS]]
    similarities = pairs_between(report, [member.pk for member in members])
    return [
        MatrixRow(number, one, [_cell(one, other, similarities) for other in members])
        for number, one in enumerate(members, 1)
    ]


def _cell(one: Submission, other: Submission, similarities: Mapping[frozenset[int], float]) -> MatrixCell:
    return MatrixCell(other, similarities.get(frozenset((one.pk, other.pk))), one == other)


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


def identical_members(report: Report, case: Case, names: Names) -> list[list[Submission]]:
    """Return the members that handed in the same bytes, in groups, each in the order of the members."""
    groups = [group.submissions for group in report.duplicates if group.sameness == "identical"]
    same = [
        [member.submission for member in case.members if member.submission.pk in group] for group in groups
    ]
    same.sort(key=lambda group: (-len(group), *(names.display_name(one.name) for one in group[:1])))
    return [group for group in same if len(group) > 1]


def _excerpts(pair: Pair, names: Names) -> list[PairExcerpt]:
    """Return both sides of a pair's longest passage; nothing where a file cannot be read."""
    if not pair.passages:
        return []
    passage = pair.passages[0]
    sides = [
        (pair.left, passage.left_file, passage.left_token),
        (pair.right, passage.right_file, passage.right_token),
    ]
    if not names.in_order(pair.left.name, pair.right.name):
        sides.reverse()
    files = SubmissionFile.objects.in_bulk([file for _, file, _ in sides])
    by_id = documents(file.document_id for file in files.values())
    if len(files) < len(sides) or any(file.document_id not in by_id for file in files.values()):
        return []
    return [
        PairExcerpt(
            submission,
            files[file].path,
            source_excerpt(by_id[files[file].document_id], token, token + passage.tokens, names),
        )
        for submission, file, token in sides
    ]


def _decisions_inside(report: Report, case: Case, names: Names) -> list[Decision]:
    """Return the decisions on single pairs of members, which do not follow the case."""
    members = set(case.names)
    decided: Iterable[Decision] = stored_decisions(report.assignment).values()
    inside = [one for one in decided if one.state != "undecided" and {one.left, one.right} <= members]
    return sorted(inside, key=lambda one: sorted(map(names.display_name, (one.left, one.right))))
