"""Pages of uploads: creating a batch, its preview, its progress, cancelling and deleting it; boilerplate.

The preview says who handed in what, before anything is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from submissions.core.access import (
    find_assignment,
    find_batch,
    find_boilerplate,
    find_boilerplate_upload,
    find_resumable,
)
from submissions.core.accounts import QuotaExceeded
from submissions.core.names import Names, names_for
from submissions.core.rights import Right
from submissions.core.submitters import course_roster
from submissions.courses.change import replace_roster
from submissions.courses.forms import PatternFields
from submissions.courses.retention import Held, delete_batch, lost_with_batch, shown_holds
from submissions.intake.choices import BadChoices, Choices
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS
from submissions.intake.limits import BadArchive
from submissions.intake.preview import NO_PREVIEW, Preview, PreviewedSubmission, SkippedGroup
from submissions.intake.warnings import languages_read, reading_warnings
from submissions.matches.groups import natural_key
from submissions.models import Assignment, Batch
from submissions.pages.language import fixed_text
from submissions.pages.requests import AuthenticatedRequest, changed_meanwhile, gone_as_410, signed_in, takes_files
from submissions.pairs.read import partly_read
from submissions.reports import views as assignments
from submissions.reports.page import boilerplate_context
from submissions.reports.progress import activity_of, ranking_progress, uploads_before
from submissions.reports.read import report_state
from submissions.uploads import change, lifecycle
from submissions.uploads.files import delete_resumable, expiry
from submissions.uploads.forms import DEPTH, PreviewForm, RosterForm, StatementForm, SubmissionsForm, UploadForm
from submissions.uploads.lifecycle import cancel_batch
from submissions.uploads.read import (
    NotYet,
    absent_students,
    batch_submissions,
    displayed_entries,
    left_out_kinds,
    preview_of,
    read_files,
    taken_entries,
    uncompared_files,
)

if TYPE_CHECKING:
    from django.forms import Form

    from submissions.intake.rosters import Roster

ROWS_A_PAGE = 200
STEPS = (
    (Batch.State.QUEUED, gettext_lazy("Waiting")), (Batch.State.UNPACKING, gettext_lazy("Unpacking")),
    (Batch.State.LISTED, gettext_lazy("Check")), (Batch.State.FINGERPRINTING, gettext_lazy("Reading")),
    (Batch.State.RANKING, gettext_lazy("Ranking")), (Batch.State.DONE, gettext_lazy("Done")),
)  # fmt: skip

# Primary keys have fewer digits.
MAX_DIGITS = 20

DEPTHS = (
    (0, gettext_lazy("Each file")), (1, gettext_lazy("Each folder at the top")),
    (2, gettext_lazy("Each folder in those")), (3, gettext_lazy("One deeper")),
)  # fmt: skip


@takes_files
@signed_in("POST")
def upload(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    form = SubmissionsForm(request.POST, request.FILES, auto_id="upload_%s")
    if not form.is_valid():
        return assignments.assignment_page(request, assignment, "uploads", upload_form=form)
    try:
        data, preview = form.cleaned_data, "preview" in request.POST
        batch = change.create_batch(assignment, request.user, data["files"], preview=preview, role=data["role"])
        request.audit_subject = batch.name
        return redirect(batch)
    except QuotaExceeded as refusal:
        form.add_error("files", str(refusal))
        return assignments.assignment_page(request, assignment, "uploads", upload_form=form)


@signed_in("POST")
def delete_unfinished(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Delete what arrived of an upload whose rest was not sent."""
    upload = find_resumable(request.user, pk)
    delete_resumable(upload)
    messages.info(request, _("What had arrived of {name} was deleted.").format(name=upload.name))
    return redirect("uploads", upload.assignment_id)


@signed_in("GET")
@gone_as_410
def batch(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the progress of an upload, its submissions, and its skipped and unreadable files.

    Of an upload that waits for its uploader it shows the preview.
    """
    batch = find_batch(request.user, pk, Right.READ)
    names = names_for(request, batch.assignment)
    lists: dict[str, Any] = {
        "skipped": displayed_entries(batch.entries.filter(accepted=False), names),
        "uncompared": uncompared_files(batch, names),
        "submissions": batch_submissions(batch, names),
        "taken": taken_entries(batch, names),
    }
    pages = {
        name: Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get(f"{name}_page")) for name, rows in lists.items()
    }
    context = {**_progress_context(request, batch), **pages, "left_out": left_out_kinds(batch)}
    read = read_files(batch)
    context |= {
        "names": names,
        "languages": languages_read(file.language for file in read),
        "reading_warnings": list(reading_warnings(read)),
        "partly_read": partly_read(batch.submissions.all()),
    }
    if batch.is_listed:
        context |= preview_context(request, batch)
    return render(request, "submissions/uploads/batch.html", context)


@signed_in("GET")
@gone_as_410
def progress(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with a batch's progress, which the page polls every second.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one. When the batch has ended, the answer leads to the report; where something of the upload
    is to be read on its page, or there is no report, it makes the page reload.
    """
    batch = find_batch(request.user, pk, Right.READ)
    is_done = batch.state == Batch.State.DONE and not batch.message
    leads_to_report = is_done and report_state(batch.assignment).report is not None
    if request.htmx and not batch.is_running and not leads_to_report:
        return HttpResponseClientRefresh()
    context = {**_progress_context(request, batch), "leads_to_report": leads_to_report}
    if request.GET.get("was") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "submissions/uploads/_progress_now.html", context)


def _progress_context(request: AuthenticatedRequest, batch: Batch) -> dict[str, object]:
    states = [state for state, _ in STEPS]
    step = states.index(Batch.State(batch.state)) if batch.state in states else -1
    ranking = ranking_progress(batch.assignment) if batch.state == Batch.State.RANKING else None
    before = uploads_before(batch)
    displayed = (batch.state, batch.message, batch.documents_done, batch.documents_total, ranking, before)
    return {
        "batch": batch,
        "assignment": batch.assignment,
        "names": names_for(request, batch.assignment),
        "ranking": ranking,
        "before": before,
        "steps": [(label, index - step) for index, (_, label) in enumerate(STEPS)],
        "version": f"{crc32(repr(displayed).encode()):08x}",
    }


@signed_in("POST")
@gone_as_410
def cancel(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    batch = find_batch(request.user, pk, Right.CHANGE)
    cancel_batch(batch)
    return redirect(batch)


@signed_in("POST")
@gone_as_410
def count_rule(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Let the files count that a rule leaves out: of this upload if it is not read yet, or of later ones."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    rule = request.POST.get("rule", "")
    if rule in REASONS:
        change.count_rule(batch.assignment, rule)
        if not change.list_again(batch):
            text = _("Counts from the next upload on: {rule}. To count it here, upload these files again.")
            messages.info(request, text.format(rule=fixed_text(REASONS[rule])))
    return redirect(batch)


@signed_in("GET", "POST")
@gone_as_410
def delete(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then delete a batch with everything that came from it."""
    batch = find_batch(request.user, pk, Right.DELETE)
    name = names_for(request, batch.assignment).redact_text(batch.name)
    if request.method == "POST":
        try:
            delete_batch(batch)
        except Held as held:
            return changed_meanwhile(request, str(held), batch.assignment.get_absolute_url())
        messages.info(request, _("{name} was deleted with everything that came from it.").format(name=name))
        return redirect(batch.assignment)
    context = {
        "kind": "upload",
        "name": name,
        "assignment": batch.assignment,
        "losses": lost_with_batch(batch),
        "held": shown_holds(request, Q(pk=batch.assignment_id)),
        "consequence": _("Every pair they are in goes too, and the remaining submissions are ranked again."),
        "cancel_url": batch.get_absolute_url(),
    }
    return render(request, "submissions/courses/delete.html", context)


@signed_in("GET")
def activity(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with an assignment's activity; the page polls it every second while work goes on.

    In the query, `seen` is the id of the report that the page displays, and `was` the version of the fragment
    that it has: the answer is 204 if that is still the current one.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    current = activity_of(assignment, report_state(assignment))
    if request.GET.get("was") == current.version:
        return HttpResponse(status=204)
    seen = request.GET.get("seen", "")
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "activity": current,
        "seen": int(seen) if seen.isdecimal() and len(seen) < MAX_DIGITS else 0,
        "report_url": request.htmx.current_url_abs_path or assignment.get_absolute_url(),
    }
    return render(request, "submissions/activity/_activity_now.html", context)


@signed_in("POST")
def cancel_ranking(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    if not lifecycle.cancel_ranking(assignment):
        messages.info(request, _("The ranking had ended already."))
    return redirect(assignment)


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
    context = preview_context(request, batch, **changed)
    return render(request, context["preview_template"], context)


def _preview(batch: Batch) -> tuple[Preview, str]:
    """Return the preview, or an empty one and why there is none."""
    try:
        return preview_of(batch), ""
    except BadArchive as refusal:
        return NO_PREVIEW, str(refusal)


def _summary(preview: Preview) -> str:
    count = len(preview.submissions)
    skipped = sum(group.entries for group in (*preview.ignored, *preview.left_out, *preview.refused))
    count_text = ngettext("{n} submission found, read as {layout}", "{n} submissions found, read as {layout}", count)
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
    return [(label, [(value, text, value == chosen) for value, text in rows]) for label, rows in groups.items() if rows]


@signed_in("GET")
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


@signed_in("POST")
@gone_as_410
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Group a listed upload as chosen; answer htmx with the preview. With `do=read`, have it read."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    error = ""
    try:
        choices = PreviewForm(request.POST).change(batch.grouping_choices)
        waited = change.group_as(batch, choices)
    except BadChoices as refusal:
        error, waited = str(refusal), batch.is_listed
    batch.refresh_from_db()
    if not waited:
        messages.info(request, _("This upload was read, cancelled or deleted meanwhile."))
        return _reload(request, batch)
    if request.POST.get("do") == "read" and not error:
        change.read_listed(batch)
        return _reload(request, batch)
    if request.htmx:
        return _answer(request, batch, error=error)
    if error:
        messages.warning(request, error)
    return redirect(batch)


@signed_in("POST")
@gone_as_410
def filter_files(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Set the patterns of files that count, and answer with the preview or with the upload's progress."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    form = PatternFields(request.POST)
    if batch.is_listed and form.is_valid():
        change.set_patterns(batch, request.user, form.cleaned_data)
        batch = find_batch(request.user, pk, Right.CHANGE)
    if not batch.is_listed:
        return _reload(request, batch)
    if request.htmx:
        return _answer(request, batch, patterns=form)
    for error in (str(error) for errors in form.errors.values() for error in errors):
        messages.warning(request, error)
    return redirect(batch)


@takes_files
@signed_in("POST")
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


@takes_files
@signed_in("POST")
def add(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    is_statement = bool(request.POST.get("statement"))
    if is_statement:
        form: UploadForm = StatementForm(request.POST, request.FILES, auto_id="statement_%s")
    else:
        form = UploadForm(request.POST, request.FILES, auto_id="boilerplate_%s")
    if form.is_valid():
        try:
            change.add_boilerplate(assignment, form.cleaned_data["files"], statement=is_statement)
            return _redirect_to_boilerplate(assignment)
        except QuotaExceeded as refusal:
            form.add_error("files", str(refusal))
    return assignments.assignment_page(request, assignment, "ignored", boilerplate_form=form)


def _redirect_to_boilerplate(assignment: Assignment) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('ignored', args=[assignment.pk])}#boilerplate-heading")


@signed_in("GET")
def boilerplate_progress(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with an assignment's boilerplate, which the page polls while some of it is read.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    names = names_for(request, assignment)
    context = boilerplate_context(assignment, names)
    if request.GET.get("was") == context["boilerplate_version"]:
        return HttpResponse(status=204)
    context |= {"assignment": assignment, "names": names}
    return render(request, "submissions/uploads/_boilerplate_now.html", context)


@signed_in("POST")
def dismiss(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Stop displaying what became of uploaded boilerplate."""
    upload = find_boilerplate_upload(request.user, pk, Right.CHANGE)
    change.dismiss_boilerplate_upload(upload)
    return _redirect_to_boilerplate(upload.assignment)


@signed_in("POST")
def remove(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    boilerplate = find_boilerplate(request.user, pk, Right.CHANGE)
    change.remove_boilerplate(boilerplate)
    name = names_for(request, boilerplate.assignment).redact_text(boilerplate.name)
    text = _("{name} counts again; the pairs are being ranked without it as boilerplate.")
    messages.info(request, text.format(name=name))
    return _redirect_to_boilerplate(boilerplate.assignment)
