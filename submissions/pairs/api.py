"""The API of pairs with their passages."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Schema

from submissions.core.access import find_assignment
from submissions.core.api import (
    A_PART,
    Cursor,
    Id,
    Input,
    Limit,
    Problem,
    answer_of,
    cursor_of,
    names_of,
    numbers_of,
    require_valid,
    user_of,
)
from submissions.core.rights import Right
from submissions.models import Pair
from submissions.pairs.read import find_pair
from submissions.pairs.views import SIDE_BY_SIDE_SLOTS
from submissions.reports.api import report_of
from submissions.reports.exports import PairExport, exported_pairs
from submissions.reports.forms import FilterForm, parse_pair_filter

router = Router()


class PairIds(Schema):
    """The primary keys of the submissions of a pair."""

    left_id: int
    right_id: int


class ReportedPair(PairExport, PairIds):
    """A pair with its figures, as in the table that the pages export; see docs/know/report.md."""


class Pairs(Schema):
    """A part of the pairs of the report `report`."""

    report: int
    items: list[ReportedPair]
    next: str | None


class Place(Schema):
    """The place of a passage: lines from 1, 0 in a file that is too large to be shown; `cells` in a notebook."""

    file: str
    first_line: int
    last_line: int
    cells: str = ""


class Passage(Schema):
    """Neighbouring equal code of both sides; `counted` of its tokens count for the shares.

    `submissions` is how many of the class contain its rarest part.
    """

    number: int
    left: Place
    right: Place
    tokens: int
    counted: int
    submissions: int
    common: bool


class PairOut(ReportedPair):
    """A pair with its heaviest passages, of which it has `passage_count`."""

    report: int
    passage_count: int
    passages: list[Passage]


class FilterIn(Input):
    """The filter of the pages: words of names, the least similarity in percent, and the order."""

    q: Annotated[str, Field(max_length=200)] = ""
    threshold: Annotated[int, Field(ge=0, le=100)] = 0
    flag: Literal[
        "", "identical", "layout", "names", "values", "files", "whole", "late", "team", "apart", "own", "model",
        "partly", "disguised",
    ] = ""  # fmt: skip
    work: Literal["", "class", "earlier", "model"] = ""
    decision: Literal["", "undecided", "clear", "suspicious", "confirmed"] = ""
    sort: Annotated[str, Field(max_length=30)] = ""


@router.get("/assignments/{assignment_id}/pairs", response=Pairs, summary="List pairs")
def list_pairs(
    request: HttpRequest, assignment_id: Id, asked: Query[FilterIn], cursor: Cursor = "", limit: Limit = A_PART
) -> Pairs:
    """List the pairs that pass the filter, in its order: the most similar first by default."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    form = FilterForm(asked.dict())
    require_valid(form)
    report, (ranked, start) = report_of(assignment), numbers_of(cursor, 2)
    if ranked not in {0, report.pk}:
        raise Problem(409, "The assignment was ranked again meanwhile. Begin without a cursor.")
    names, part = names_of(request, assignment), slice(start, start + limit + 1)
    rows = list(exported_pairs(report, parse_pair_filter(asked.dict()), names, part))
    following = cursor_of(report.pk, start + limit) if len(rows) > limit else None
    return Pairs(report=report.pk, items=[ReportedPair(**_row(*row)) for row in rows[:limit]], next=following)


@router.get(
    "/assignments/{assignment_id}/pairs/{left_id}/{right_id}",
    response=PairOut,
    summary="Get a pair with its passages",
    url_name="api_pair",
)
def get_pair(request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id) -> PairOut:
    """Get the pair of two submissions, in either order, from the newest report."""
    # Imported here because it loads the front-ends, which other answers do not need.
    from submissions.pairs.pair_view import view_pair  # noqa: PLC0415

    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report, names = report_of(assignment), names_of(request, assignment)
    pair = find_pair(report, left_id, right_id)
    if not pair:
        raise Http404("No such pair.")
    row = next(exported_pairs(report, parse_pair_filter({}), names, pk=pair.pk))
    with SIDE_BY_SIDE_SLOTS:
        view = view_pair(pair, names)
        passages = [_passage(one) for one in view.passages]
    return PairOut(**_row(*row), report=report.pk, passage_count=view.passage_count, passages=passages)


def _row(pair: Pair, row: PairExport) -> dict[str, Any]:
    return {"left_id": pair.left_id, "right_id": pair.right_id, **dict(row)}


def _passage(passage: Any) -> Passage:
    left, right = (
        Place(file=one.file.path, first_line=one.first_line, last_line=one.last_line, cells=one.cells)
        for one in passage.locations
    )
    return answer_of(Passage, passage, left=left, right=right)
