"""Pages of share links, pages behind a link, which need no account, and requests to read old work."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy as _
from django.views.decorators.http import require_safe

from submissions.cases.case_list import listed_case
from submissions.cases.read import PairNames, pair_names
from submissions.cases.views import case_context
from submissions.core.access import find_assignment, find_share, withheld_pair
from submissions.core.mails import public_address
from submissions.core.names import Names, anonymous_names, asks_of_people, names_for, real_names
from submissions.core.rights import Right
from submissions.pages.requests import AuthenticatedRequest, hide_address, signed_in
from submissions.pairs.read import find_pair
from submissions.pairs.views import best_lines, pair_context
from submissions.reports.read import ReportState, report_state
from submissions.reports.views import filtered_response, report_page_context
from submissions.shares import links, links as actions

if TYPE_CHECKING:
    from submissions.models import Assignment, Course, Pair, ReadingRequest, Share


class ShareRow(NamedTuple):
    """A valid share link, with its absolute address."""

    share: Share
    url: str


@signed_in("GET", "POST")
def shares(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List an assignment's links, and create one: for the report, or for the pair that the address names."""
    assignment = find_assignment(request.user, pk, Right.SHARE)
    pair = _parse_pair(assignment, request.GET.get("pair", ""))
    form = ShareForm(request.POST or None)
    if form.is_valid():
        data = form.cleaned_data
        share = links.create_share(assignment, request.user, data["expires"], pair=pair, anonymous=data["anonymous"])
        messages.success(request, gettext("The link is ready: copy it and send it on."))
        return redirect(f"{reverse('shares', args=[pk])}#share-{share.pk}")
    listed = links.shares_of(assignment)
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "pair": pair,
        "form": form,
        "share_rows": [ShareRow(share, _address(request, share)) for share in listed.working],
        "stopped_shares": listed.stopped,
        "ended_shares": listed.ended,
        "has_report": report_state(assignment).report is not None,
    }
    return render(request, "submissions/shares/shares.html", context, status=422 if form.errors else 200)


def _parse_pair(assignment: Assignment, value: str) -> PairNames | None:
    """Return the pair of `value`, two ids as `left-right`; None for an empty value, the whole report.

    Raises Http404 when it is no pair of submissions of the assignment.
    """
    if not value:
        return None
    left, _, right = value.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (left, right)):  # noqa: PLR2004 - bigint
        raise Http404("No such pair.")
    return pair_names(assignment, int(left), int(right))


def _address(request: HttpRequest, share: Share) -> str:
    return public_address(request, reverse("shared", args=[links.share_token(share)]))


@signed_in("POST")
def revoke(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    share = find_share(request.user, pk)
    links.revoke_share(share)
    messages.info(request, gettext("The link was revoked. Whoever opens it is only told so."))
    return redirect("shares", share.assignment_id)


@signed_in("POST")
def take_over(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    share = find_share(request.user, pk)
    links.take_over_share(share, request.user)
    messages.success(request, gettext("The link is yours: it shows what you may read."))
    return redirect(f"{reverse('shares', args=[share.assignment_id])}#share-{share.pk}")


def _with_share(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass the share of the address's token to the view, or return a page that says why it is invalid."""

    @require_safe
    @wraps(view)
    def wrapper(request: HttpRequest, token: str, **sides: int | str) -> HttpResponse:
        try:
            response = view(request, links.share_of_token(token), **sides)
        except links.ForgedToken:
            response = render(request, "submissions/shares/shared_forged.html", {"readonly": True}, status=403)
        except links.ShareEnded as ended:
            context = {"readonly": True, "reason": str(ended)}
            response = render(request, "submissions/shares/shared_ended.html", context, status=410)
        except Http404:
            response = render(
                request, "submissions/shares/shared_unknown.html", {"readonly": True, "token": token}, status=404
            )
        return hide_address(response)

    return wrapper


@_with_share
def report(request: HttpRequest, share: Share, tab: str = "cases") -> HttpResponse:
    """Show a tab of the newest report, or the one pair that the link is for."""
    if share.left and tab != "cases":
        raise Http404("No report behind this link.")
    if share.left:
        state = report_state(share.assignment)
        pair = links.pair_by_names(state.report, share.left, share.right) if state.report else None
        if not pair:
            raise links.ShareEnded(gettext("This link was to a pair that is not in the newest report any more."))
        return _pair_page(request, share, state, pair)
    if request.GET.get("decision") or request.GET.get("assignee") or asks_of_people(request.GET.get("q", "")):
        raise Http404("What was decided, by whom, and who is in which team is not shared.")
    extra_context = _share_context(request, share)
    names = _names(share)
    if part := filtered_response(request, share.assignment, names, tab):
        return part
    context = report_page_context(request, share.assignment, names, tab) | extra_context
    return render(request, "submissions/shares/shared_report.html", context)


@_with_share
def pair(request: HttpRequest, share: Share, left_id: int, right_id: int) -> HttpResponse:
    """Show a pair of the report; a link to one pair shows no other."""
    state = report_state(share.assignment)
    pair = find_pair(state.report, left_id, right_id) if state.report else None
    if not pair or (share.left and (pair.left.name, pair.right.name) != (share.left, share.right)):
        raise Http404("No such pair.")
    return _pair_page(request, share, state, pair)


@_with_share
def case(request: HttpRequest, share: Share, submission_id: int) -> HttpResponse:
    """Show a case of the report; a link to one pair shows no case."""
    report = report_state(share.assignment).report
    names = _names(share)
    case = listed_case(report, request.GET, names, submission_id) if report and not share.left else None
    if not report or not case:
        raise Http404("No such case.")
    context = {"assignment": share.assignment, "names": names, "query": request.GET}
    context |= case_context(report, case, names, request.GET) | _share_context(request, share)
    return render(request, "submissions/shares/shared_case.html", context)


def _pair_page(request: HttpRequest, share: Share, state: ReportState, pair: Pair) -> HttpResponse:
    if best := best_lines(request, pair, _names(share)):
        return best
    context = pair_context(request, state, pair, _names(share)) | _share_context(request, share)
    return render(request, "submissions/shares/shared_pair.html", context)


def _names(share: Share) -> Names:
    return anonymous_names(share.assignment) if share.anonymous else real_names(share.assignment)


def _share_context(request: HttpRequest, share: Share) -> dict[str, Any]:
    match = request.resolver_match
    token = match.kwargs["token"] if match else ""
    return {"readonly": True, "token": token, "share": share}


class RequestRow(NamedTuple):
    """A request to read work of a course; `student` is the course's own, as the reader may see the name."""

    request: ReadingRequest
    student: str
    answers: list[str]


@signed_in("POST")
def ask(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Ask the owner of another course to let the readers of this one read a pair with its work."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    report = report_state(assignment).report
    pair = withheld_pair(report, left_id, right_id) if report else None
    if not pair:
        if not report or not find_pair(report, left_id, right_id):
            raise Http404("No such pair.")
        messages.info(request, gettext("You may read this pair."))
        return redirect("pair", pk, left_id, right_id)
    if actions.ask_to_read(pair, request.user):
        address = public_address(request, reverse("people", args=[pair.course.pk]) + "#requests")
        sent = settings.MAIL and actions.announce_request(pair, request.user, address)
        messages.success(request, gettext("You asked. The pair opens here when they agree."))
        if not sent:
            messages.info(request, gettext("No mail was sent: tell them that your request waits in their course."))
    return redirect(reverse("pairs", args=[pk]) + "#withheld")


@signed_in("POST")
def answer(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Agree to a request, refuse it, or withdraw an agreement."""
    reading_request = links.find_request(request.user, pk)
    course = reading_request.old.batch.assignment.course
    if actions.answer_request(reading_request, request.user, request.POST.get("state", "")):
        asking = reading_request.new.batch.assignment_id
        if settings.MAIL:
            address = public_address(request, reverse("pairs", args=[asking]))
            actions.announce_answer(reading_request, address)
        messages.success(request, gettext("Your answer was stored."))
    return redirect(reverse("people", args=[course.pk]) + "#requests")


def request_rows(request: AuthenticatedRequest, course: Course) -> list[RequestRow]:
    """Return the requests to read work of a course, newest first, as who may answer them sees them."""
    rows = list(links.requests_of(course))
    assignments = {row.old.batch.assignment_id: row.old.batch.assignment for row in rows}
    names = {pk: names_for(request, assignment) for pk, assignment in assignments.items()}
    return [
        RequestRow(
            row,
            names[row.old.batch.assignment_id].display_name(row.old.name),
            sorted(actions.ANSWERS[row.State(row.state)]),
        )
        for row in rows
    ]


class ShareForm(forms.Form):
    """The duration of a share link, and whether its pages show aliases."""

    lasting = forms.ChoiceField(
        choices=[("day", _("1 day")), ("week", _("1 week")), ("month", _("1 month")), ("date", _("until a date"))],
        initial="week",
        widget=forms.RadioSelect,
        label=_("Valid for"),
    )
    until = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "aria-label": _("Last day")}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    anonymous = forms.BooleanField(required=False, initial=True, label=_("Replace all names with made-up ones"))

    def clean(self) -> dict[str, Any]:
        """Set `expires` to the time at which the link ends."""
        data = self.cleaned_data
        if (lasting := data.get("lasting")) in links.DURATIONS:
            data["expires"] = timezone.now() + links.DURATIONS[lasting]
        elif lasting and "until" not in self.errors:
            self._set_expiry(data)
        return data

    def _set_expiry(self, data: dict[str, Any]) -> None:
        today = timezone.localdate()
        until, latest = data.get("until"), today + links.LONGEST
        if not until:
            self.add_error("until", _("Choose the last day on which the link works."))
        elif until < today:
            self.add_error("until", _("That day has passed; choose today or a later one."))
        elif until > latest:
            day = date_format(latest, "d F Y")
            message = _("A link lasts a year at most; choose {day} or earlier.")
            self.add_error("until", message.format(day=day))
        else:
            data["expires"] = links.end_of_day(until)
