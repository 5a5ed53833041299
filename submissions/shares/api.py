"""The API of share links, of withheld matches, and of requests to read them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from submissions.cases.read import pair_names
from submissions.core import api
from submissions.core.access import WithheldPair, find_assignment, find_share, withheld, withheld_pair, withheld_pairs
from submissions.core.mails import public_address
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Share
from submissions.pairs.read import find_pair
from submissions.reports.api import report_of
from submissions.shares import links as actions
from submissions.shares.links import create_share, revoke_share, share_token, shares_of
from submissions.shares.views import ShareForm

shares_router = Router()
PATH = "/assignments/{assignment_id}/shares"
PairId = Annotated[int, Field(ge=1, le=api.LARGEST_ID)]

withheld_router = Router()


class ShareOut(Schema):
    """A read-only link to a report, or to the pair of `left` and `right`.

    `url` is null once it ended, also because `created_by` may not share any more.
    """

    id: int
    url: str | None
    left: str
    right: str
    anonymous: bool
    created_by: str
    created: datetime
    expires: datetime
    revoked: datetime | None


class Shares(Schema):
    items: list[ShareOut]


class ShareIn(api.Body):
    """A link for a day, a week, a month or until a day; for one pair, `left_id` and `right_id` name it."""

    lasting: Literal["day", "week", "month", "date"] = "week"
    until: date | None = None
    anonymous: bool = True
    left_id: PairId | None = None
    right_id: PairId | None = None


@shares_router.get(PATH, response=Shares, summary="List links", url_name="api_shares")
def list_shares(request: HttpRequest, assignment_id: api.Id) -> Shares:
    listed = shares_of(find_assignment(api.user_of(request), assignment_id, Right.SHARE))
    working = [_share_out(request, one) for one in listed.working]
    stopped = [_share_out(request, one, ended=True) for one in (*listed.stopped, *listed.ended)]
    return Shares(items=working + stopped)


@shares_router.post(PATH, response={201: ShareOut}, summary="Create a link", url_name="api_shares")
def add_share(request: HttpRequest, assignment_id: api.Id, body: ShareIn) -> Status[ShareOut]:
    user = api.user_of(request)
    assignment = find_assignment(user, assignment_id, Right.SHARE)
    of_user = withheld(assignment, User.objects.get(pk=user.pk)).copies
    if assignment.withheld.copies - of_user:
        raise api.Problem(403, "The link would show work of courses that this token is not for.")
    form = ShareForm(body.dict())
    api.require_valid(form)
    pair = None
    if body.left_id or body.right_id:
        if not (body.left_id and body.right_id):
            raise api.Problem(422, "A pair has two ids: send left_id and right_id, or neither for the report.")
        pair = pair_names(assignment, body.left_id, body.right_id)
    data = form.cleaned_data
    share = create_share(assignment, user, data["expires"], pair=pair, anonymous=data["anonymous"])
    return Status(201, _share_out(request, share))


@shares_router.delete("/shares/{share_id}", response={204: None}, summary="Revoke a link", url_name="api_share")
def remove_share(request: HttpRequest, share_id: api.Id) -> Status[None]:
    revoke_share(find_share(api.user_of(request), share_id))
    return Status(204, None)


def _share_out(request: HttpRequest, share: Share, *, ended: bool = False) -> ShareOut:
    address = public_address(request, reverse("shared", args=[share_token(share)]))
    created_by = share.created_by.get_username() if share.created_by else ""
    return api.answer_of(ShareOut, share, url=None if ended else address, created_by=created_by)


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


@withheld_router.get("/assignments/{assignment_id}/withheld", response=WithheldMatches, summary="List withheld matches")
def list_withheld(
    request: HttpRequest, assignment_id: api.Id, cursor: api.Cursor = "", limit: api.Limit = api.A_PART
) -> WithheldMatches:
    """List the matches with work of other courses that you may not read."""
    assignment = find_assignment(api.user_of(request), assignment_id, Right.READ)
    report, (ranked, start) = report_of(assignment), api.numbers_of(cursor, 2)
    if ranked not in {0, report.pk}:
        raise api.Problem(409, "The assignment was ranked again meanwhile. Begin without a cursor.")
    names, pairs = api.names_of(request, assignment), withheld_pairs(report)
    following = api.cursor_of(report.pk, start + limit) if len(pairs) > start + limit else None
    items = [_withheld_out(one, names) for one in pairs[start : start + limit]]
    return WithheldMatches(report=report.pk, items=items, next=following)


@withheld_router.post(
    "/assignments/{assignment_id}/withheld/{left_id}/{right_id}/request",
    response={200: RequestOut, 201: RequestOut},
    summary="Ask to read a withheld match",
    url_name="api_reading_request",
)
def ask_to_read(request: HttpRequest, assignment_id: api.Id, left_id: api.Id, right_id: api.Id) -> Status[RequestOut]:
    """Ask the owner of the other course; 200 with the state where nothing is left to ask."""
    user = api.user_of(request)
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
        address = public_address(request, reverse("people", args=[pair.course.pk]) + "#requests")
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
