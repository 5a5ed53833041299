"""Share links."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from moss.integrations.api.inputs import Body
from moss.integrations.api.objects import LARGEST_ID, Id, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.cases.read import pair_names
from submissions.core.access import find_assignment, find_share, withheld
from submissions.core.rights import Right
from submissions.models import Assignment, Share
from submissions.shares.links import create_share, revoke_share, share_token, shares_of
from submissions.shares.views import ShareForm

router = Router()
PATH = "/assignments/{assignment_id}/shares"
PairId = Annotated[int, Field(ge=1, le=LARGEST_ID)]


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


class ShareIn(Body):
    """A link for a day, a week, a month or until a day; for one pair, `left_id` and `right_id` name it."""

    lasting: Literal["day", "week", "month", "date"] = "week"
    until: date | None = None
    anonymous: bool = True
    left_id: PairId | None = None
    right_id: PairId | None = None


@router.get(PATH, response=Shares, summary="List links", url_name="api_shares")
def list_shares(request: HttpRequest, assignment_id: Id) -> Shares:
    listed = shares_of(find_assignment(user_of(request), assignment_id, Right.SHARE))
    working = [_share_out(request, one) for one in listed.working]
    stopped = [_share_out(request, one, ended=True) for one in (*listed.stopped, *listed.ended)]
    return Shares(items=working + stopped)


@router.post(PATH, response={201: ShareOut}, summary="Create a link", url_name="api_shares")
def add_share(request: HttpRequest, assignment_id: Id, body: ShareIn) -> Status[ShareOut]:
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.SHARE)
    _require_all_that_it_shows(user, assignment)
    form = ShareForm(body.dict())
    if not form.is_valid():
        raise invalid_form(form)
    pair = None
    if body.left_id or body.right_id:
        if not (body.left_id and body.right_id):
            raise Problem(422, "A pair has two ids: send left_id and right_id, or neither for the report.")
        pair = pair_names(assignment, body.left_id, body.right_id)
    data = form.cleaned_data
    share = create_share(assignment, user, data["expires"], pair=pair, anonymous=data["anonymous"])
    return Status(201, _share_out(request, share))


@router.delete("/shares/{share_id}", response={204: None}, summary="Revoke a link", url_name="api_share")
def remove_share(request: HttpRequest, share_id: Id) -> Status[None]:
    revoke_share(find_share(user_of(request), share_id))
    return Status(204, None)


def _require_all_that_it_shows(user: User, assignment: Assignment) -> None:
    """Refuse a token for some courses where a link, which shows what its user may read, would show more."""
    of_user = withheld(assignment, User.objects.get(pk=user.pk)).copies
    if assignment.withheld.copies - of_user:
        raise Problem(403, "The link would show work of courses that this token is not for.")


def _share_out(request: HttpRequest, share: Share, *, ended: bool = False) -> ShareOut:
    address = request.build_absolute_uri(reverse("shared", args=[share_token(share)]))
    return ShareOut(
        id=share.pk,
        url=None if ended else address,
        left=share.left,
        right=share.right,
        anonymous=share.anonymous,
        created_by=share.created_by.get_username() if share.created_by else "",
        created=share.created,
        expires=share.expires,
        revoked=share.revoked,
    )
