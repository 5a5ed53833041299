"""The result pages of MOSS clients, and renewing a user id; their addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import wraps
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, NamedTuple

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, re_path, reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _, override
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET

from fingerprint.engine import group_passages
from moss.integrations.moss_protocol.models import ClientResult, renew_user_id
from moss.integrations.moss_protocol.uploads import digest, record_reading
from submissions.core.access import Gone, find_assignment, for_reader, readable_pairs
from submissions.core.rights import Right
from submissions.intake.packed_readings import unpack_with_lines
from submissions.matches.ranked_pairs import whole_percent
from submissions.models import Entry, Pair, Report, SubmissionFile
from submissions.pages.requests import hide_address, signed_in
from submissions.pairs.read import add_contents, pair_files
from submissions.reports.read import listed_boilerplate_uploads, report_state
from submissions.uploads.stored_documents import file_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from submissions.reports.models import PassageRecord

    Lines = npt.NDArray[np.int32]

    class AuthenticatedRequest(HttpRequest):
        user: User


LEFT, RIGHT = 0, 1
# Characters of a page; more is only in the modern report.
MAX_CHARACTERS = 2_000_000

# Matches that a process reads at a time: each may have megabytes of sources.
RESULT_PAGE_SLOTS = BoundedSemaphore(2)
TEMPLATES = {"": "match", "-top": "match_top", "-0": "match_side", "-1": "match_side"}
# Clients ask again after this time, in seconds, where a report is not ready.
ASK_AGAIN = "30"

RESULT = r"^results/(?P<number>[0-9]{1,18})/(?P<key>[0-9]{38})"


class Match(NamedTuple):
    """A pair with its number on the old pages, and its sides as the client named them, with their shares."""

    number: int
    pair: Pair
    left: str
    right: str
    left_percent: int
    right_percent: int

    @property
    def plain_left(self) -> str:
        """The name without a percent sign, by which clients find the percentage."""
        return self.left.replace("%", "_")

    @property
    def plain_right(self) -> str:
        return self.right.replace("%", "_")


def client_result(pk: int, key: str) -> ClientResult:
    """Return the result of an address.

    Raises Http404 when there is none, or the key is another one. Raises Gone when its time is over.
    """
    result = ClientResult.objects.select_related("assignment__course").filter(pk=pk).first()
    if result is None or not constant_time_compare(result.key_digest, digest(key)):
        raise Http404("No such result.")
    days = settings.RESULTS_DAYS
    if days and result.created + timedelta(days=days) <= timezone.now():
        raise Gone(_("This page ended {n} days after the upload. Sign in to read the report.").format(n=days))
    return result


def newest_report(result: ClientResult) -> Report | None:
    return report_state(for_reader(result.assignment, None)).report


def matches(result: ClientResult, report: Report) -> list[Match]:
    """Return the pairs that the client asked for, most similar first."""
    return _named(result, list(enumerate(_pairs(report)[: result.shown])))


def _pairs(report: Report) -> Sequence[Pair]:
    """Return the pairs that share passages; the old pages show no others."""
    pairs = readable_pairs(report).filter(structure__gt=0, translated=False, lines__gt=0)
    return pairs.select_related("left", "right").defer("passages")  # type: ignore[return-value] # it is sliced


def _named(result: ClientResult, pairs: Iterable[tuple[int, Pair]]) -> list[Match]:
    pairs = list(pairs)
    names = _sent_names(result, {key for _, pair in pairs for key in (pair.left_id, pair.right_id)})
    return [
        Match(
            number,
            pair,
            names.get(pair.left_id, _without_blanks(pair.left.name)),
            names.get(pair.right_id, _without_blanks(pair.right.name)),
            whole_percent(pair.left_share),
            whole_percent(pair.right_share),
        )
        for number, pair in pairs
    ]


def _sent_names(result: ClientResult, submissions: set[int]) -> dict[int, str]:
    """Return the names by which the client knows submissions: of files, or of directories with a slash."""
    rows = Entry.objects.filter(submission__in=submissions, accepted=True).order_by("-pk")
    names: dict[int, str] = {}
    for submission, entry in rows.values_list("submission_id", "name"):
        top = entry.partition("/")[0] if result.directory else entry
        plain = f"{top}/" if result.directory else top
        names[submission] = _without_blanks(result.names.get(top, plain))
    return names


def _without_blanks(name: str) -> str:
    return "_".join(name.split())


class LineRange(NamedTuple):
    """A passage in one file: its first and last line, counted from 1."""

    file: int
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


class Passage(NamedTuple):
    number: int
    left: LineRange
    right: LineRange

    def side(self, side: int) -> LineRange:
        return self.right if side == RIGHT else self.left


class Part(NamedTuple):
    """A text between passages, or that of a passage, which has a number."""

    text: str
    passage: int | None = None


class FileTexts(NamedTuple):
    path: str
    parts: list[Part]


class MatchTexts(NamedTuple):
    """The passages of a match, and files of one side that have passages; `is_cut` if some are left out."""

    passages: list[Passage]
    files: list[FileTexts]
    is_cut: bool = False


def match_texts(pair: Pair, side: int | None = None) -> MatchTexts:
    """Return the passages of a pair, and the texts of a side if one is chosen."""
    rows = pair_files(pair)
    add_contents(rows)
    files = {file.pk: file for file in rows}
    blocks = group_passages(passage for passage in pair.passages if not passage.common)
    used = {key for block in blocks for key in (block[0].left_file, block[0].right_file)}
    lines = {key: _lines(files[key]) for key in used}
    passages = [
        Passage(number, _range(lines, block), _range(lines, [one.exchanged for one in block]))
        for number, block in enumerate(blocks)
    ]
    if side is None:
        return MatchTexts(passages, [])
    return _side(passages, files, side)


def _side(passages: list[Passage], files: dict[int, SubmissionFile], side: int) -> MatchTexts:
    keys = list(dict.fromkeys(passage.side(side).file for passage in passages))
    texts: list[FileTexts] = []
    characters = 0
    for key in sorted(keys, key=lambda key: files[key].path):
        if files[key].submission.released:
            texts.append(FileTexts(files[key].path, [Part(_("The sources were deleted."))]))
            continue
        text = file_text(files[key])
        characters += len(text)
        if characters > MAX_CHARACTERS:
            return MatchTexts(passages, texts, is_cut=True)
        of_file = [passage for passage in passages if passage.side(side).file == key]
        texts.append(FileTexts(files[key].path, parts_of(text, of_file, side)))
    return MatchTexts(passages, texts)


def parts_of(text: str, passages: Iterable[Passage], side: int) -> list[Part]:
    """Return the whole text in parts; a line in several passages is in the first of them."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")  # as tokens count lines
    lines = [f"{line}\n" for line in plain.split("\n")]
    parts: list[Part] = []
    at = 0
    for passage in sorted(passages, key=lambda passage: passage.side(side)[1:]):
        first, last = passage.side(side)[1:]
        parts.append(Part("".join(lines[at : first - 1])))
        at = max(at, first - 1)
        parts.append(Part("".join(lines[at:last]), passage.number))
        at = max(at, last)
    parts.append(Part("".join(lines[at:])))
    return [part for part in parts if part.text or part.passage is not None]


def _lines(file: SubmissionFile) -> Lines:
    return unpack_with_lines(bytes(file.document.tokens))[1]


def _range(lines: dict[int, Lines], block: Sequence[PassageRecord]) -> LineRange:
    file = block[0].left_file
    first = min(one.left_token for one in block)
    last = max(one.left_token + one.tokens for one in block) - 1
    return LineRange(file, int(lines[file][first]), int(lines[file][last]))


def _of_result(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass a view the result of its address; ask for an account that may read it where that is set."""

    @require_GET
    @wraps(view)
    def wrapper(request: HttpRequest, number: str, key: str, **part: str | None) -> HttpResponse:
        try:
            result = client_result(int(number), key)
        except Gone as gone:
            return hide_address(render(request, "410.html", {"reason": str(gone)}, status=410))
        if settings.RESULTS_SIGN_IN:
            if not request.user.is_authenticated:
                return hide_address(redirect_to_login(request.get_full_path()))
            find_assignment(request.user, result.assignment_id, Right.SEE_NAMES)
        return view(request, result, key, **part)

    return wrapper


@_of_result
def index(request: HttpRequest, result: ClientResult, key: str) -> HttpResponse:
    """List the pairs of an upload as the MOSS service did."""
    report = newest_report(result)
    if report is None:
        response = HttpResponse("The report is not ready yet.\n", "text/plain; charset=utf-8", 503)
        response.headers["Retry-After"] = ASK_AGAIN
        return hide_address(response)
    record_reading(request, result)
    created = timezone.localtime(result.created)
    entries = Entry.objects.filter(batch__assignment=result.assignment, accepted=False)[:50]
    uploads = listed_boilerplate_uploads(result.assignment)
    base = [f"base file {row.name}: {row.reason}" for upload in uploads for row in upload.refusals]
    context = {
        "matches": matches(result, report),
        "date": f"{created:%a %b} {created.day:2d} {created:%H:%M:%S %Z %Y}",
        "errors": [f"{entry.name}: {entry.reason}" for entry in entries] + base,
    }
    return _page(request, "index", result, key, context)


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
@_of_result
def match(request: HttpRequest, result: ClientResult, key: str, rank: str, part: str | None = None) -> HttpResponse:
    """Show a pair: the frames, the line ranges, or one of the two sides."""
    report = newest_report(result)
    if report is None:
        raise Http404("No report.")
    number = int(rank)
    pairs = _pairs(report)[number : number + 1] if number < result.shown else []
    if not pairs:
        raise Http404("No such match.")
    of_rank = _named(result, [(number, pairs[0])])[0]
    record_reading(request, result, "; ".join(sorted((of_rank.pair.left.name, of_rank.pair.right.name))))
    with RESULT_PAGE_SLOTS:
        return _page(request, TEMPLATES[part or ""], result, key, _match_context(of_rank, part or ""))


def _match_context(one: Match, part: str) -> dict[str, Any]:
    context: dict[str, Any] = {"match": one}
    if part:
        # Imported here because it loads the front-ends, which other pages do not need.

        side = {"-0": 0, "-1": 1}.get(part)
        context["texts"] = match_texts(one.pair, side)
        context["side"], context["other"] = side, 1 - (side or 0)
        context["name"] = one.right if side else one.left
    return context


def _page(request: HttpRequest, template: str, result: ClientResult, key: str, context: dict[str, Any]) -> HttpResponse:
    here = request.build_absolute_uri(reverse("client_result", kwargs={"number": result.pk, "key": key}))
    modern = request.build_absolute_uri(result.assignment.get_absolute_url())
    with override("en"):  # Programs read these pages.
        page = render(
            request, f"moss_protocol/{template}.html", {"result": result, "here": here, "modern": modern} | context
        )
    return hide_address(page)


@signed_in("POST")
def renew(request: AuthenticatedRequest) -> HttpResponse:
    """Replace the MOSS user id of the user."""
    renew_user_id(request.user)
    messages.success(request, _("You have a new MOSS user id. Scripts with the old one are refused."))
    return redirect("account")


urlpatterns = [
    re_path(rf"{RESULT}/{{0,2}}$", index, name="client_result"),
    re_path(rf"{RESULT}/{{1,2}}match(?P<rank>[0-9]{{1,9}})(?P<part>-top|-0|-1)?\.html$", match, name="client_match"),
    path("account/moss-user-id/", renew, name="renew_moss_user_id"),
]
