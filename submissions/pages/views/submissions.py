from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from submissions import queries
from submissions.pages.report import charts
from submissions.pages.report.standing import matches, standing, verdicts
from submissions.pages.source_view.render import line_starts
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Assignment, Report, Submission, SubmissionFile
    from submissions.pages.report.standing import Verdict
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names

PAIRS_A_PAGE = 50
FILES_A_PAGE = 50


@never_cache
@login_required
@require_GET
def submission(request: SignedIn, pk: int, submission_id: int) -> HttpResponse:
    """Show one submission: its pairs, how it stands in its cohort, its files, what was not taken."""
    of = queries.assignment(request.user, pk)
    found = queries.submission(of, submission_id)
    names = names_for(request, of)
    state = queries.report_state(of)
    files = Paginator(queries.files_of_submission(found), FILES_A_PAGE).get_page(request.GET.get("files"))
    refused = Paginator(queries.refused_entries(found), FILES_A_PAGE).get_page(request.GET.get("skipped"))
    context = {
        "assignment": of,
        "names": names,
        "state": state,
        "submission": found,
        "replaced_by": queries.replaced_by(found),
        "files": files,
        "lines": _line_counts(list(files)),
        "refused": refused,
        "verdicts": _verdicts(of, state.shown, found),
    }
    if state.shown:
        context |= _ranked(state.shown, found, names, request.GET.get("page"))
    return render(request, "submissions/submission.html", context)


def _ranked(report: Report, found: Submission, names: Names, number: str | None) -> dict[str, object]:
    """Give what a report has on a submission."""
    pages = Paginator(queries.pairs_of(report, found), PAIRS_A_PAGE)
    page = pages.get_page(number)
    cohort = charts.histogram(report)
    line = float(report.parameters["threshold"]["value"])
    near = charts.clusters(report, line, names)
    return {
        "line": line,
        "pairs": page,
        "matches": matches(found, page),
        "best": next(iter(matches(found, queries.pairs_of(report, found)[:1])), None),
        "histogram": cohort,
        "standing": standing(report, cohort, found) if cohort else None,
        "clusters": [one for one in near if any(m.submission.pk == found.pk for m in one.members)],
        "same": [group for group in queries.same_groups(report, names) if found in group.submissions],
    }


def _verdicts(of: Assignment, report: Report | None, found: Submission) -> list[Verdict]:
    decided = queries.decisions_about(of, found)
    names = {name for both in decided for name in both}
    return verdicts(found, decided, queries.cohort_ids(report, names) if report and names else {})


def _line_counts(files: list[SubmissionFile]) -> dict[int, int]:
    """Count the lines of the texts that front-ends show, by the files' ids."""
    # The front-ends and their lexers are loaded by the first page that shows a text, not by every page.
    from submissions.storage.sources import text_of  # noqa: PLC0415

    return {file.pk: len(line_starts(text_of(file))) for file in queries.with_sources(files)}
