"""The page of an assignment with its report and its settings, and the page of one submission."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_htmx.http import push_url

from submissions.cases import read as case_queries
from submissions.cases.case_list import cases
from submissions.cases.read import listed_statements, submission_decisions, submission_pairs
from submissions.core.access import find_assignment, unfinished_uploads, withheld_pairs
from submissions.core.names import Names, names_for
from submissions.core.rights import Right, may
from submissions.courses.forms import SettingsForm, changes_patterns, save_settings, take_back_languages
from submissions.matches.source_html import count_lines
from submissions.models import Assignment, Batch, Decision, Pair, Report, Submission, SubmissionFile
from submissions.pages.rendered import RENDERED, decisions_version, part_key, render_part
from submissions.pages.requests import AuthenticatedRequest, right_for, signed_in
from submissions.pairs.read import displayed_pair, partly_read, threshold_of, unknown_team_members
from submissions.reports.address import Address, ReportPage
from submissions.reports.change import choose_threshold
from submissions.reports.charts import Histogram, histogram, sparkline
from submissions.reports.forms import ThresholdForm
from submissions.reports.identical import listed_duplicates
from submissions.reports.ignoring import StarterOffer, starter_offers
from submissions.reports.old_work import comparable_assignments
from submissions.reports.page import FILTERED, boilerplate_context, filtered_part, report_parts, tabs
from submissions.reports.progress import activity_of
from submissions.reports.read import PairFilter, assignments_of_student, ordered_pairs, report_state
from submissions.uploads import change as upload_actions
from submissions.uploads.forms import StatementForm, SubmissionsForm, UploadForm
from submissions.uploads.read import (
    displayed_entries,
    files_with_sources,
    find_submission,
    listed_batches,
    ranked_ids,
    refused_entries,
    replaced_by,
    submission_files,
)
from submissions.uploads.rereading import change_language, changes_of_language, rereading_of

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails


PAIRS_A_PAGE = 50
FILES_A_PAGE = 50

# Names that a message lists, and messages that a page displays about skipped entries.
MAX_LISTED = 10
UPLOADS_A_PAGE = 50
# The tabs that offer to register starter code.
OFFERING = ("cases", "ignored")


class SubmissionMatch(NamedTuple):
    """A pair from the side of one of its submissions: the other one, its own share and the other's share.

    Both shares also with common code.
    """

    pair: Pair
    other: Submission
    share: float
    other_share: float
    with_common: float
    other_with_common: float


def submission_matches(submission: Submission, pairs: Iterable[Pair]) -> list[SubmissionMatch]:
    return [_match(pair, is_left=pair.left_id == submission.pk) for pair in pairs]


def _match(pair: Pair, *, is_left: bool) -> SubmissionMatch:
    left = pair.left_share, pair.left_with_common
    right = pair.right_share, pair.right_with_common
    (share, with_common), (other_share, other_with_common) = (left, right) if is_left else (right, left)
    other = pair.right if is_left else pair.left
    return SubmissionMatch(pair, other, share, other_share, with_common, other_with_common)


class SubmissionDecision(NamedTuple):
    """The decision on a pair from the side of one of its submissions.

    `other` is the name of the other submission, `pk` its id, or None if the report does not rank it.
    """

    other: str
    pk: int | None
    decision: Decision


def decision_rows(
    submission: Submission, decisions: Mapping[tuple[str, str], Decision], ids: Mapping[str, int]
) -> list[SubmissionDecision]:
    """Return the decisions on pairs of `submission`, newest first.

    `decisions` are by the names of the pair, and `ids` are the ids of the names that the report ranks.
    """
    others = {left if right == submission.name else right: decision for (left, right), decision in decisions.items()}
    rows = [SubmissionDecision(other, ids.get(other), decision) for other, decision in others.items()]
    return sorted(rows, key=lambda row: row.decision.updated, reverse=True)


class SubmissionRank(NamedTuple):
    """The rank of a submission's best match among those of its cohort.

    Rank 1 is the highest similarity; `ties` other submissions have the same rank, `total` counts the whole
    class, and `lower_share` is the share of the other submissions whose best match is lower, in [0, 1].
    Earlier and other work has no rank, 0.
    """

    similarity: float
    match: int | None
    rank: int
    ties: int
    total: int
    lower_share: float


def submission_rank(report: Report, cohort: Histogram, submission: Submission) -> SubmissionRank | None:
    """Return the rank of a submission, from the best matches of its report; None if it was not ranked."""
    best = report.findings.best if report.findings else []
    nearest = next((match for match in best if match.submission == submission.pk), None)
    if nearest is None:
        return None
    if submission.batch.role != Batch.Role.CLASS:
        return SubmissionRank(nearest.similarity, nearest.match, 0, 0, 0, 0.0)
    total = len(cohort.values)
    lower, up_to = (bisect_left(cohort.values, nearest.similarity), bisect_right(cohort.values, nearest.similarity))
    return SubmissionRank(
        nearest.similarity,
        nearest.match,
        rank=total - up_to + 1,
        ties=up_to - lower - 1,
        total=total,
        lower_share=lower / (total - 1) if total > 1 else 0.0,
    )


@never_cache
@signed_in("GET")
def submission(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Show one submission: its pairs, its rank in the cohort, its files and its skipped entries."""
    assignment = find_assignment(request.user, pk, Right.READ)
    submission = find_submission(assignment, submission_id)
    names = names_for(request, assignment)
    state = report_state(assignment)
    address = Address.from_request(request, assignment.course)
    decisions = decisions_version(assignment, submission.name)
    pairs = withheld_pairs(state.report) if state.report else []
    withheld = [pair for pair in pairs if pair.submission == submission]
    seen = submission.handed_in, len(withheld)
    key = part_key("submission", assignment, state, names)
    context = {"assignment": assignment, "names": names, "state": state, "submission": submission}
    context |= {"withheld": withheld}
    render_all = partial(_rendered, context, address, key)
    parts = RENDERED.get((*key, decisions, *seen, *address.key), render_all, address.reader)
    # The other assignments of somebody with a made-up name would help to find out who it is.
    theirs = [] if names.hidden else assignments_of_student(assignment, submission, request.user)
    course = sparkline(theirs)
    return render(
        request,
        "submissions/submission/submission.html",
        {
            **context,
            "parts": parts,
            "course": course,
            "statements": listed_statements(assignment, {submission.name: submission.pk}),
        },
    )


def _rendered(page: dict[str, Any], address: Address, key: tuple[Hashable, ...]) -> dict[str, str]:
    """Return the page's content, and `charted`, which is not empty where the content has a chart.

    `key` is what all pages of submissions depend on.
    """
    assignment, names, state, submission, _withheld = page.values()
    files = Paginator(_files(submission, names), FILES_A_PAGE)
    skipped = Paginator(displayed_entries(refused_entries(submission), names), FILES_A_PAGE)
    files_page = files.get_page(address.query.get("files"))
    context = {
        **page,
        **address.context,
        "replaced_by": replaced_by(submission),
        "partly_read": partly_read(Submission.objects.filter(pk=submission.pk)),
        "files": files_page,
        "line_counts": {} if submission.released else _line_counts(list(files_page)),
        "skipped": skipped.get_page(address.query.get("skipped")),
        "decisions": _decisions(assignment, state.report, submission),
    }
    if state.report:
        context |= _report_context(state.report, submission, names, address.query.get("page"))
        context["cases"] = _cases(state.report, submission, names, key)
    charted = "yes" if context.get("rank") else ""
    return {"content": render_part("submissions/submission/_submission.html", context), "charted": charted}


def _report_context(report: Report, submission: Submission, names: Names, number: str | None) -> dict[str, object]:
    """Return a submission's context from a report; `number` is the number of the page of its pairs."""
    pairs = ordered_pairs(submission_pairs(report, submission), PairFilter(), names)
    page = Paginator(pairs, PAIRS_A_PAGE).get_page(number)
    page.object_list = [displayed_pair(pair, names) for pair in page.object_list]
    best = [displayed_pair(pair, names) for pair in pairs[:1]]
    cohort = histogram(report)
    return {
        "threshold": threshold_of(report),
        "pairs": page,
        "matches": submission_matches(submission, page),
        "best": next(iter(submission_matches(submission, best)), None),
        "histogram": cohort,
        "rank": submission_rank(report, cohort, submission) if cohort else None,
        "duplicates": listed_duplicates(report, names, member=submission.pk),
    }


def _cases(report: Report, submission: Submission, names: Names, key: tuple[Hashable, ...]) -> str:
    """Return the case of a submission as HTML, empty where it is in none; its members' pages share it."""
    case_key = case_queries.case_key(report, submission.pk)
    return RENDERED.get((*key, "case", case_key), partial(_rendered_cases, report, names, case_key))["cases"]


def _rendered_cases(report: Report, names: Names, member: int) -> dict[str, str]:
    context = {
        "assignment": report.assignment,
        "names": names,
        "threshold": threshold_of(report),
        "cases": cases(report, names=names, member=member),
    }
    return {"cases": render_part("submissions/submission/_cases.html", context).strip()}


def _files(submission: Submission, names: Names) -> Sequence[SubmissionFile] | QuerySet[SubmissionFile]:
    files = submission_files(submission)
    return sorted(files, key=lambda file: names.redact_text(file.path)) if names.hidden else files


def _decisions(assignment: Assignment, report: Report | None, submission: Submission) -> list[SubmissionDecision]:
    decisions = submission_decisions(assignment, submission)
    names = {name for pair in decisions for name in pair}
    ids = ranked_ids(report, names) if report and names else {}
    return decision_rows(submission, decisions, ids)


def _line_counts(files: list[SubmissionFile]) -> dict[int, int]:
    """Return the number of lines of every file's text, as its front-end extracts it, by the file's id."""
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.uploads.stored_documents import file_text  # noqa: PLC0415

    return {file.pk: count_lines(file_text(file)) for file in files_with_sources(files)}


@never_cache
@signed_in("GET")
def assignment(request: AuthenticatedRequest, pk: int, tab: str = "cases") -> HttpResponse:
    """Show a tab of an assignment's report; without a report, the uploads and the boilerplate."""
    assignment = find_assignment(request.user, pk, Right.READ)
    names = names_for(request, assignment)
    return filtered_response(request, assignment, names, tab) or assignment_page(request, assignment, tab)


def filtered_response(request: HttpRequest, assignment: Assignment, names: Names, tab: str) -> HttpResponse | None:
    """Return the part of a report that the threshold and the filter change; None if the whole page is needed.

    Only htmx requests the part.
    """
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if not htmx or htmx.history_restore_request or (htmx.boosted and htmx.target != "findings"):
        return None
    state = report_state(assignment)
    if not state.report or tab not in FILTERED:
        return None
    address = Address.from_request(request, assignment.course)
    part = filtered_part(ReportPage.at(address, assignment, names, state), tab)
    response = HttpResponse(part["html"])
    patch_vary_headers(response, ("HX-Request",))
    return push_url(response, request.path + part["query"])


def assignment_page(
    request: AuthenticatedRequest,
    assignment: Assignment,
    tab: str,
    upload_form: SubmissionsForm | None = None,
    boilerplate_form: UploadForm | None = None,
) -> HttpResponse:
    """Return a tab of the assignment's page, with the errors of an invalid form.

    `boilerplate_form` may be that of the statement.
    """
    names = names_for(request, assignment)
    context = report_page_context(request, assignment, names, tab)
    if not context["report"] and tab != "cases" and request.method == "GET":
        return redirect(assignment)
    report = context["report"]
    statement_form = boilerplate_form if isinstance(boilerplate_form, StatementForm) else None
    context |= {
        **_uploads_context(request, assignment, listed=tab == "uploads" or not (report and report.cohort_size)),
        "activity": activity_of(assignment, context["state"]),
        "withheld": withheld_pairs(report) if report else [],
        "starter_offers": _starter_offers(request, assignment, report, tab),
        "upload_form": upload_form or SubmissionsForm(auto_id="upload_%s"),
        "boilerplate_form": (not statement_form and boilerplate_form) or UploadForm(auto_id="boilerplate_%s"),
        "statement_form": statement_form or StatementForm(auto_id="statement_%s"),
    }
    status = _status(upload_form, boilerplate_form)
    response = render(request, "submissions/assignments/assignment.html", context, status=status)
    # The same address answers htmx with a part of the page; a browser must not take that from its cache.
    patch_vary_headers(response, ("HX-Request",))
    return response


def _starter_offers(
    request: AuthenticatedRequest, assignment: Assignment, report: Report | None, tab: str
) -> list[StarterOffer]:
    """Return the code that a reader who may register it is asked about."""
    if report is None or tab not in OFFERING or not may(request.user, Right.CHANGE, assignment.course):
        return []
    return starter_offers(report, names_for(request, assignment))


def _uploads_context(request: AuthenticatedRequest, assignment: Assignment, *, listed: bool) -> dict[str, Any]:
    """Return the uploads of an assignment; if not `listed`, a report says that there are some."""
    if not listed:
        return {"has_uploads": True}
    uploads = Paginator(listed_batches(assignment), UPLOADS_A_PAGE).get_page(request.GET.get("uploads"))
    unfinished = unfinished_uploads(request.user, assignment)
    return {"has_uploads": bool(uploads), "batches": uploads, "unfinished": unfinished}


def report_page_context(request: HttpRequest, assignment: Assignment, names: Names, tab: str) -> dict[str, Any]:
    """Return the context that a tab of a report has for everybody, its `parts` among it."""
    state = report_state(assignment)
    address = Address.from_request(request, assignment.course)
    return {
        "tab": tab,
        "tabs": tabs(address, assignment),
        "assignment": assignment,
        "names": names,
        "state": state,
        "report": state.report,
        "parts": report_parts(ReportPage.at(address, assignment, names, state), tab) if state.report else {},
        **(boilerplate_context(assignment, names) if tab == "ignored" or not state.report else {}),
    }


def _status(*forms: UploadForm | None) -> int:
    return 422 if any(form and form.errors for form in forms) else 200


@signed_in("GET", "POST")
def change(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the settings of an assignment; what decides which pairs are ranked starts a new ranking."""
    assignment = find_assignment(request.user, pk, right_for(request, Right.CHANGE))
    names = names_for(request, assignment)
    stored = assignment.chosen_languages
    form = SettingsForm(assignment.course, request.POST or None, instance=assignment)
    form.offer_assignments(comparable_assignments(assignment, request.user), assignment)
    form.offer_archive(assignment)
    if names.hidden:
        form.hide_names()
    if not may(request.user, Right.CHANGE, assignment.course):
        form.only_show()
    if form.is_valid():
        chosen = take_back_languages(assignment, stored)
        rereading = rereading_of(assignment, chosen) if chosen != stored else None
        confirmed = request.POST.get("confirmed") == chosen.key
        if rereading and not rereading.changes_nothing and not confirmed:
            context = {"assignment": assignment, "form": form, "names": names, "rereading": rereading}
            context |= {"chosen": chosen}
            return render(request, "submissions/assignments/language.html", context)
        save_settings(form, request.user, chosen if rereading else None)
        if changes_patterns(form) and assignment.batches.exists():
            messages.info(request, _("The file patterns apply to the next upload. Upload the affected files again."))
        if not names.hidden and (unknown := unknown_team_members(assignment)):
            warning = _("In the teams, but no submission's name: {names}.")
            messages.warning(request, warning.format(names=_shortened_list(unknown)))
        return redirect(assignment)
    status = 422 if form.errors else 200
    context = {"assignment": assignment, "form": form, "names": names} | {
        "language_changes": changes_of_language(assignment)[:MAX_LISTED]
    }
    return render(request, "submissions/assignments/settings.html", context, status=status)


def _shortened_list(names: list[str]) -> str:
    text = ", ".join(name[:100] for name in names[:MAX_LISTED])
    if len(names) <= MAX_LISTED:
        return text
    return _("{names} and {n} more").format(names=text, n=len(names) - MAX_LISTED)


@signed_in("POST")
def read_again(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Try again to have the files read in the language of an assignment, after that failed."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    change_language(assignment, request.user, assignment.language)
    return redirect(assignment)


@signed_in("POST")
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Store the threshold of an assignment, or go back to the suggested one."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    form = ThresholdForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("The threshold is a whole number from 1 to 100.", content_type="text/plain")
    choose_threshold(assignment, request.user, form.cleaned_data["percent"])
    return redirect("pairs" if form.cleaned_data["tab"] == "pairs" else "assignment", pk)


@signed_in("POST")
def rerank(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    upload_actions.rerank(assignment)
    return redirect(assignment)
