"""The API of reports, and their tables as files."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router, Schema, Status

from submissions.cases.read import case_count, pairs_above
from submissions.core.access import find_assignment, readable_pairs, readable_submissions
from submissions.core.api import Id, Problem, Threshold, answer_of, names_of, user_of
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Assignment, Report
from submissions.pairs.read import bands_of, moved_threshold, other_classes, suggested_threshold, threshold_of
from submissions.pairs.source_view import documents, source_excerpt
from submissions.reports import read as reports
from submissions.reports.exports import table_response
from submissions.reports.progress import ranking_progress
from submissions.reports.read import report_state
from submissions.uploads.change import rerank

router = Router()

TABLE = {"type": "string", "format": "binary"}
# The same table in two formats.
TABLES = {"responses": {200: {"content": {"text/csv": {"schema": TABLE}, "application/json": {"schema": {}}}}}}


class OtherClassesOut(Schema):
    """The pairs within the assignments that were chosen to compare with, by their newest reports.

    `suspected` ones were found suspicious or confirmed, and are in no other figure. `highest` is the greatest
    similarity; `above` counts pairs that reach the suggested `threshold`.
    """

    assignments: int
    pairs: int
    suspected: int
    highest: float
    above: int
    threshold: float


class ThresholdOut(Schema):
    """The similarity, from 0 to 1, from which on pairs should be read, and why; and the suggested one.

    The reason is `chosen` where the query or the assignment has a threshold of its own. Pairs are to
    be looked at from `look` on and stand out from `stands_out` on. `suggested_before` is what
    the ranking before suggested where it differs by more than 0.05, else null. `others` is null where no
    other assignment was chosen that has a report by the same rules.
    """

    value: float
    reason: str
    suggested: float
    suggested_before: float | None
    look: float
    stands_out: float
    others: OtherClassesOut | None


class RankingOut(Schema):
    """The stage of a ranking; `total` is 0 where its items are not counted.

    `note` says which workers take no part because they are of another version; it is empty without any.
    """

    stage: str
    done: int
    total: int
    note: str


class SharedPassageOut(Schema):
    """Lines of one of the submissions that share them; names in `text` are replaced where hidden."""

    first_line: int
    last_line: int
    text: str


class SharedLinesOut(Schema):
    """`lines` lines that so many `submissions` of `all` share, and that are treated as common code."""

    submissions: int
    all: int
    lines: int
    passages: list[SharedPassageOut]


class ReportOut(Schema):
    """The state of an assignment's newest ranking, and the newest report that is finished.

    The fields from `finished` on are those of the finished report, and null without one; `above` is how many
    pairs reach the threshold; `incomplete` says that not all of an upload was read.
    """

    state: Literal["none", "pending", "done", "failed", "cancelled"]
    message: str
    ranking: RankingOut | None
    id: int | None = None
    finished: datetime | None = None
    submissions: int | None = None
    pairs: int | None = None
    threshold: ThresholdOut | None = None
    above: int | None = None
    cases: int | None = None
    shared_lines: SharedLinesOut | None = None
    incomplete: bool | None = None


@router.get("/assignments/{assignment_id}/report", response=ReportOut, summary="Get the summary")
def get_report(request: HttpRequest, assignment_id: Id, threshold: Threshold = 0) -> ReportOut:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    return _report_out(assignment, names_of(request, assignment), threshold)


@router.post("/assignments/{assignment_id}/report", response={202: ReportOut}, summary="Rank again")
def rank_again(request: HttpRequest, assignment_id: Id) -> Status[ReportOut]:
    assignment = find_assignment(user_of(request), assignment_id, Right.CHANGE)
    rerank(assignment)
    return Status(202, _report_out(assignment, names_of(request, assignment), 0))


@router.get(
    "/assignments/{assignment_id}/exports/{table}.{suffix}",
    summary="Download a table",
    openapi_extra=TABLES,
    url_name="api_table",
)
def get_table(
    request: HttpRequest, assignment_id: Id, table: Literal["pairs", "submissions"], suffix: Literal["csv", "json"]
) -> StreamingHttpResponse:
    """Download the pairs or the submissions; the query filters them as on the pages."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    return table_response(assignment, table, suffix, request.GET, names_of(request, assignment))


def _report_out(assignment: Assignment, names: Names, threshold: int) -> ReportOut:
    state = report_state(assignment)
    ranking = ranking_out(assignment) if state.pending else None
    message = state.failed.message if state.failed else ""
    stage = _state(state)
    if not state.report:
        return ReportOut(state=stage, message=message, ranking=ranking)
    value = threshold / 100 or threshold_of(state.report)
    return ReportOut(
        state=stage,
        message=message,
        ranking=ranking,
        id=state.report.pk,
        finished=state.report.finished,
        submissions=readable_submissions(state.report).count(),
        pairs=readable_pairs(state.report).count(),
        threshold=_threshold_out(state.report, value, is_chosen=bool(threshold)),
        above=pairs_above(state.report, value),
        cases=case_count(state.report, threshold / 100 or None),
        shared_lines=_shared_lines_out(state.report, names),
        incomplete=state.report.is_incomplete,
    )


def _shared_lines_out(report: Report, names: Names) -> SharedLinesOut | None:
    shared = report.findings.shared if report.findings else None
    if not shared:
        return None
    by_id = documents(passage.document for passage in shared.passages)
    excerpts = [
        source_excerpt(by_id[one.document], one.first, one.after, names)
        for one in shared.passages
        if one.document in by_id
    ]
    return answer_of(SharedLinesOut, shared, passages=[answer_of(SharedPassageOut, one) for one in excerpts])


def _threshold_out(report: Report, value: float, *, is_chosen: bool) -> ThresholdOut:
    is_chosen |= report.assignment.threshold is not None
    # Pages and documents call independent what the engine calls unrelated.
    stated = str(report.parameters["threshold"]["reason"]).replace("unrelated", "independent")
    reason = "chosen" if is_chosen else stated
    moved, others, bands = moved_threshold(report), other_classes(report), bands_of(report, value)
    return ThresholdOut(
        value=value,
        reason=reason,
        suggested=suggested_threshold(report),
        suggested_before=moved.before if moved else None,
        look=bands.look,
        stands_out=bands.stands_out,
        others=OtherClassesOut(**others._asdict()) if others else None,
    )


def _state(state: reports.ReportState) -> Literal["none", "pending", "done", "failed", "cancelled"]:
    if state.pending:
        return "pending"
    if state.failed:
        return "failed"
    if state.cancelled:
        return "cancelled"
    return "done" if state.report else "none"


def report_of(assignment: Assignment) -> Report:
    """Return the newest finished report; raise Problem when there is none yet."""
    report = report_state(assignment).report
    if not report:
        raise Problem(404, "There is no finished report yet. Its state says what is going on.")
    return report


def ranking_out(assignment: Assignment) -> RankingOut:
    """Return the progress of an assignment's queued or running ranking."""
    return answer_of(RankingOut, ranking_progress(assignment))
