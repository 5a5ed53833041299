"""The preview of an upload: who handed in what, before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from submissions.actions.rosters import replace_roster
from submissions.actions.uploads import group_as, read_listed, set_patterns
from submissions.comparison.orders import natural_key
from submissions.enrolment import course_roster
from submissions.ingest.later import NotYet
from submissions.ingest.releasing import expiry
from submissions.intake.archives.choices import BadChoices
from submissions.intake.archives.preview import NO_PREVIEW
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS
from submissions.intake.limits import BadArchive
from submissions.pages.fixed_texts import fixed_text
from submissions.pages.forms.assignments import PatternFields
from submissions.pages.forms.previews import DEPTH, PreviewForm, RosterForm
from submissions.pages.request_bodies import takes_files
from submissions.pages.views.access import gone_as_410
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_batch
from submissions.queries.previews import absent_students, preview_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.forms import Form

    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.preview import Preview, PreviewedSubmission, SkippedGroup
    from submissions.intake.rosters import Roster
    from submissions.models import Batch
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names

ROWS_A_PAGE = 200
DEPTHS = (
    (0, gettext_lazy("Each file")),
    (1, gettext_lazy("Each folder at the top")),
    (2, gettext_lazy("Each folder in those")),
    (3, gettext_lazy("One deeper")),
)


def preview_context(
    request: AuthenticatedRequest,
    batch: Batch,
    error: str = "",
    patterns: PatternFields | None = None,
    roster_form: RosterForm | None = None,
) -> dict[str, Any]:
    """Return the context of `preview_template`, which is in it."""
    try:
        preview, refusal = _preview(batch)
    except NotYet:
        return _pending_context(batch, error, patterns, roster_form)
    names = names_for(request, batch.assignment)
    number = request.POST.get("submissions_page") or request.GET.get("submissions_page")
    roster = course_roster(batch.assignment.course)
    page = Paginator(_sorted(preview, roster, names), ROWS_A_PAGE).get_page(number)
    return {
        "preview_template": "submissions/uploads/_preview.html",
        "batch": batch,
        "assignment": batch.assignment,
        "names": names,
        "preview": preview,
        "summary": _summary(preview),
        "page": page,
        "rows": [(row, _names_in(roster, row)) for row in page],
        "has_roster": roster is not None,
        "absent": absent_students(roster, preview) if roster and not names.hidden else [],
        "expiry": expiry(batch),
        "layouts": _layouts(preview, batch.grouping_choices),
        "has_attempts": any((one.grouped.attempts or 1) > 1 for one in preview.submissions)
        or batch.grouping_choices.attempts == "all",
        "has_times": any(one.grouped.submitted for one in preview.submissions),
        "choices": batch.grouping_choices,
        "not_counted": _not_counted(preview),
        "roster_form": roster_form or RosterForm(auto_id="roster_%s"),
        "patterns": patterns or PatternFields(initial=_patterns(batch)),
        "error": error or refusal,
    }


def _not_counted(preview: Preview) -> list[tuple[SkippedGroup, str]]:
    """Return what does not count, with the rule that leaves it out, which may be switched off."""
    rules = {reason: rule for rule, reason in REASONS.items()}
    groups = (*preview.ignored, *preview.left_out, *preview.refused)
    return [(group, rules.get(group.reason, "")) for group in groups]


def _pending_context(batch: Batch, error: str, *forms: Form | None) -> dict[str, Any]:
    """Return the context while the preview is being computed, with what was wrong in the forms."""
    errors = [str(one) for form in forms if form for messages in form.errors.values() for one in messages]
    template = "submissions/uploads/_preview_pending.html"
    errors = [*filter(None, [error]), *errors]
    return {"preview_template": template, "preview_pending": True, "batch": batch, "errors": errors}


def _answer(request: AuthenticatedRequest, batch: Batch, **changed: Any) -> HttpResponse:
    """Return the preview for htmx."""
    context = preview_context(request, batch, **changed)
    return render(request, context["preview_template"], context)


def _preview(batch: Batch) -> tuple[Preview, str]:
    """Return the preview, or an empty one and why there is none."""
    try:
        return preview_of(batch), ""
    except BadArchive as refusal:
        return NO_PREVIEW, str(refusal)


def _summary(preview: Preview) -> str:
    """Return `Preview.summary` in the language of the page."""
    count = len(preview.submissions)
    skipped = sum(group.entries for group in (*preview.ignored, *preview.left_out, *preview.refused))
    count_text = ngettext(
        "{n} submission found, read as {layout}", "{n} submissions found, read as {layout}", count
    )
    text = count_text.format(n=count, layout=fixed_text(preview.grouping.layout.label))
    if not skipped:
        return text
    left_out = ngettext("{n} entry does not count", "{n} entries do not count", skipped)
    return f"{text}; {left_out.format(n=skipped)}"


def _sorted(preview: Preview, roster: Roster | None, names: Names) -> Sequence[PreviewedSubmission]:
    """Return the submissions by the names that they will have; where names are hidden, as they are."""
    if names.hidden:
        return preview.submissions
    return sorted(preview.submissions, key=lambda row: natural_key(_names_in(roster, row) or row.name))


def _patterns(batch: Batch) -> dict[str, str]:
    assignment = batch.assignment
    return {name: getattr(assignment, name) for name in PatternFields.base_fields}


def _names_in(roster: Roster | None, row: PreviewedSubmission) -> str:
    """Return the names that the roster has for the students of a submission; empty if it lacks one."""
    listed = [roster.find(student) if roster else None for student in row.grouped.students]
    return ", ".join(student.name for student in listed if student) if all(listed) else ""


def _layouts(preview: Preview, choices: Choices) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return groups of (value, label, whether it is chosen) for the list of layouts."""
    best = preview.layouts[0].layout if preview.layouts else preview.grouping.layout
    fitting = [one.layout for one in preview.layouts[1:]]
    others = [layout for layout in LAYOUTS.values() if layout not in (best, *fitting)]
    chosen = f"{DEPTH}{choices.depth}" if choices.depth is not None else choices.layout
    groups = {
        _("Recognised"): [("", _("{layout} (fits best)").format(layout=fixed_text(best.label)))],
        _("Fits as well"): [(layout.key, fixed_text(layout.label)) for layout in fitting],
        _("A submission is"): [(f"{DEPTH}{depth}", str(label)) for depth, label in DEPTHS],
        _("Other platforms"): [(layout.key, fixed_text(layout.label)) for layout in others],
    }
    return [
        (label, [(value, text, value == chosen) for value, text in rows])
        for label, rows in groups.items()
        if rows
    ]


@login_required
@require_GET
@gone_as_410
def show(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Answer with the preview, for which the page asks every second; with 204 while it is not computed."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    if not batch.is_listed:
        return HttpResponseClientRefresh() if request.htmx else redirect(batch)
    context = preview_context(request, batch)
    if "preview_pending" in context:
        return HttpResponse(status=204)
    return render(request, context["preview_template"], context)


@login_required
@require_POST
@gone_as_410
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Group a listed upload as chosen; answer htmx with the preview. With `do=read`, have it read."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    error = ""
    try:
        choices = PreviewForm(request.POST).change(batch.grouping_choices)
        waited = group_as(batch, choices)
    except BadChoices as refusal:
        error, waited = str(refusal), batch.is_listed
    batch.refresh_from_db()
    if not waited:
        messages.info(request, _("This upload was read, cancelled or deleted meanwhile."))
        return _reload(request, batch)
    if request.POST.get("do") == "read" and not error:
        read_listed(batch)
        return _reload(request, batch)
    if request.htmx:
        return _answer(request, batch, error=error)
    if error:
        messages.warning(request, error)
    return redirect(batch)


@login_required
@require_POST
@gone_as_410
def filter_files(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Set the patterns of files that count, and answer with the preview or with the upload's progress."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    form = PatternFields(request.POST)
    if batch.is_listed and form.is_valid():
        set_patterns(batch, request.user, form.cleaned_data)
        batch = find_batch(request.user, pk, Right.CHANGE)
    if not batch.is_listed:
        return _reload(request, batch)
    if request.htmx:
        return _answer(request, batch, patterns=form)
    for error in (str(error) for errors in form.errors.values() for error in errors):
        messages.warning(request, error)
    return redirect(batch)


@takes_files
@login_required
@require_POST
@gone_as_410
def add_roster(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Add or replace the roster of the course, and answer with the preview, which has its names."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    form = RosterForm(request.POST, request.FILES, auto_id="roster_%s")
    if form.is_valid():
        name = form.cleaned_data["file"].name or "roster"
        replace_roster(batch.assignment.course, name, form.roster)
    if not batch.is_listed:
        return _reload(request, batch)
    if request.htmx:
        return _answer(request, batch, roster_form=form if form.errors else None)
    for error in form.errors.get("file", []):
        messages.warning(request, str(error))
    return redirect(batch)


def _reload(request: AuthenticatedRequest, batch: Batch) -> HttpResponse:
    return HttpResponseClientRedirect(batch.get_absolute_url()) if request.htmx else redirect(batch)
