"""Matches with work of courses that the user of a token may not read, and requests to read them."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Router, Schema, Status

from moss.integrations.api.cursors import A_PART, Cursor, Limit, cursor_of, numbers_of
from moss.integrations.api.objects import Id, names_of, report_of, user_of
from moss.integrations.api.problems import Problem
from submissions.core.access import WithheldPair, find_assignment, withheld_pair, withheld_pairs
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.pairs.read import find_pair
from submissions.shares import links as actions

router = Router()


class WithheldOut(Schema):
    """A match with work that you may not read: a submission of the class, and whom to ask.

    `left_id` is that submission, `right_id` stands for the other. `request` is empty before somebody asks.
    """

    left_id: int
    right_id: int
    left: str
    similarity: float
    ask: str
    email: str
    request: str


class WithheldMatches(Schema):
    """A part of the withheld matches of the report `report`, the most similar first."""

    report: int
    items: list[WithheldOut]
    next: str | None


class RequestOut(Schema):
    """The state of a request: asked, agreed, refused or withdrawn; or `readable`, where none is needed."""

    state: str


@router.get(
    "/assignments/{assignment_id}/withheld", response=WithheldMatches, summary="List withheld matches"
)
def list_withheld(
    request: HttpRequest, assignment_id: Id, cursor: Cursor = "", limit: Limit = A_PART
) -> WithheldMatches:
    """List the matches with work of other courses that you may not read."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report, (ranked, start) = report_of(assignment), numbers_of(cursor, 2)
    if ranked not in {0, report.pk}:
        raise Problem(409, "The assignment was ranked again meanwhile. Begin without a cursor.")
    names, pairs = names_of(request, assignment), withheld_pairs(report)
    following = cursor_of(report.pk, start + limit) if len(pairs) > start + limit else None
    items = [_withheld_out(one, names) for one in pairs[start : start + limit]]
    return WithheldMatches(report=report.pk, items=items, next=following)


@router.post(
    "/assignments/{assignment_id}/withheld/{left_id}/{right_id}/request",
    response={200: RequestOut, 201: RequestOut},
    summary="Ask to read a withheld match",
    url_name="api_reading_request",
)
def ask_to_read(request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id) -> Status[RequestOut]:
    """Ask the owner of the other course; 200 with the state where nothing is left to ask."""
    user = user_of(request)
    report = report_of(find_assignment(user, assignment_id, Right.DECIDE))
    pair = withheld_pair(report, left_id, right_id)
    if not pair:
        if find_pair(report, left_id, right_id):
            return Status(200, RequestOut(state="readable"))
        raise Http404("No such match.")
    stored = actions.ask_to_read(pair, user)
    if not stored:
        return Status(200, RequestOut(state=pair.request.state if pair.request else "asked"))
    if settings.MAIL:
        address = request.build_absolute_uri(reverse("people", args=[pair.course.pk]) + "#requests")
        actions.announce_request(pair, user, address)
    return Status(201, RequestOut(state=stored.state))


def _withheld_out(pair: WithheldPair, names: Names) -> WithheldOut:
    owner = pair.course.owner
    return WithheldOut(
        left_id=pair.submission.pk,
        right_id=pair.copy.pk,
        left=names.display_name(pair.submission.name),
        similarity=pair.similarity,
        ask=owner.get_full_name() or owner.get_username(),
        email=owner.email,
        request=pair.request.state if pair.request else "",
    )
