"""The page of one submission."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from submissions.comparison.source_html import count_lines
from submissions.models import Submission
from submissions.pages.rendered import RENDERED, part_key, render_part
from submissions.pages.report import charts
from submissions.pages.report.cases import cases
from submissions.pages.report.report_page import Address
from submissions.pages.report.submission_rank import decision_rows, submission_matches, submission_rank
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries import cases as case_queries
from submissions.queries.access import find_assignment
from submissions.queries.course_of_student import assignments_of_student
from submissions.queries.flags import partly_read
from submissions.queries.lists import displayed_entries
from submissions.queries.pairs import displayed_pair, threshold_of
from submissions.queries.reports import PairFilter, ordered_pairs, report_state
from submissions.queries.statements import listed_statements
from submissions.queries.submissions import (
    files_with_sources,
    find_submission,
    listed_duplicates,
    ranked_ids,
    refused_entries,
    replaced_by,
    submission_decisions,
    submission_files,
    submission_pairs,
)
from submissions.queries.versions import decisions_version
from submissions.queries.withheld import withheld_pairs

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from django.db.models import QuerySet
    from django.http import HttpResponse

    from submissions.models import Assignment, Report, SubmissionFile
    from submissions.pages.report.submission_rank import SubmissionDecision
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names

PAIRS_A_PAGE = 50
FILES_A_PAGE = 50


@never_cache
@login_required
@require_GET
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
    parts = RENDERED.get((*key, decisions, *seen, *address.key), render_all)
    # The other assignments of somebody with a made-up name would help to find out who it is.
    theirs = [] if names.hidden else assignments_of_student(assignment, submission, request.user)
    course = charts.sparkline(theirs)
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


def _report_context(
    report: Report, submission: Submission, names: Names, number: str | None
) -> dict[str, object]:
    """Return a submission's context from a report; `number` is the number of the page of its pairs."""
    pairs = ordered_pairs(submission_pairs(report, submission), PairFilter(), names)
    page = Paginator(pairs, PAIRS_A_PAGE).get_page(number)
    page.object_list = [displayed_pair(pair, names) for pair in page.object_list]
    best = [displayed_pair(pair, names) for pair in pairs[:1]]
    cohort = charts.histogram(report)
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
    """Return the files of a submission, by displayed path."""
    files = submission_files(submission)
    return sorted(files, key=lambda file: names.redact_text(file.path)) if names.hidden else files


def _decisions(
    assignment: Assignment, report: Report | None, submission: Submission
) -> list[SubmissionDecision]:
    decisions = submission_decisions(assignment, submission)
    names = {name for pair in decisions for name in pair}
    ids = ranked_ids(report, names) if report and names else {}
    return decision_rows(submission, decisions, ids)


def _line_counts(files: list[SubmissionFile]) -> dict[int, int]:
    """Return the number of lines of every file's text, as its front-end extracts it, by the file's id."""
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.storage.listings import file_text  # noqa: PLC0415

    return {file.pk: count_lines(file_text(file)) for file in files_with_sources(files)}
