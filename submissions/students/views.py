"""Export or erase one student over all courses, for administrators, with a stated reason."""

from __future__ import annotations

import json
import tempfile
from typing import Any, cast

from django import forms
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from submissions.audit.models import AuditAction
from submissions.courses.forms import LONGEST_REASON, SHORTEST_REASON
from submissions.models import Erasure
from submissions.pages.requests import AuthenticatedRequest, staff_only
from submissions.students.erasing import ask_for_erasure
from submissions.students.exporting import note, note_export, write_export
from submissions.students.finding import Decided, Near, find, near_matches
from submissions.students.naming import digest
from submissions.students.register import OWN_REASONS, SOMEBODY_ELSE, receipt_of
from submissions.students.scope import NotFound, Scope, scope

LONGEST_NAME = 400
RECEIPTS_LISTED = 100
# A larger export is written to a file until it is sent.
IN_MEMORY = 5_000_000


@staff_only
@require_http_methods(["GET", "POST"])
def student_data(request: AuthenticatedRequest) -> HttpResponse:
    """Find a student, show what is stored of this person, and export or erase it."""
    form = StudentForm(request.POST or None)
    if not form.is_valid():
        return _page(request, form, status=422 if form.errors else 200)
    text = form.cleaned_data["student"]
    courses = find(text)
    work = Scope(text, tuple(courses), near=tuple(near_matches(text, courses)))
    act = request.POST.get("act")
    if not (work.chosen or work.near) or act not in {"export", "erase"}:
        return _page(request, form, work=work, chosen_form=ChosenForm(work, initial=form.cleaned_data))
    chosen = ChosenForm(work, request.POST)
    if chosen.is_valid():
        try:
            decided = scope(text, chosen.courses, chosen.decided)
            return (_export if act == "export" else _erase)(request, decided, chosen.cleaned_data["reason"])
        except NotFound as error:
            chosen.add_error(None, str(error))
    return _page(request, form, work=work, chosen_form=chosen, status=422)


def _page(request: AuthenticatedRequest, form: StudentForm, status: int = 200, **more: Any) -> HttpResponse:
    work: Scope | None = more.get("work")
    if work:
        who, reason = request.user.get_username(), form.cleaned_data["reason"]
        note(work, who, reason, request.audit_address, action=AuditAction.SAW, page="student_data")
    context = {
        "form": form,
        "rows": [(one, work.figures(one)) for one in work.chosen] if work else [],
        "erased": Erasure.objects.filter(digests__contains=[digest(work.text)]) if work else [],
        "receipts": Erasure.objects.all()[:RECEIPTS_LISTED],
        **more,
    }
    return render(request, "submissions/department/student_data.html", context, status=status)


def _export(request: AuthenticatedRequest, work: Scope, reason: str) -> HttpResponse:
    target = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the response closes it
    write_export(work, target)
    note_export(work, request.user.get_username(), reason, request.audit_address)
    target.seek(0)
    sent = FileResponse(target, as_attachment=True, filename="student.zip", content_type="application/zip")
    return cast("HttpResponse", sent)  # as every view says


def _erase(request: AuthenticatedRequest, work: Scope, reason: str) -> HttpResponse:
    erasure = ask_for_erasure(work, request.user.get_username(), reason, request.audit_address)
    return redirect("erasure", erasure.pk)


@staff_only
@require_GET
def erasure(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the receipt of an erasure, or that it is being carried out."""
    row = get_object_or_404(Erasure, pk=pk)
    receipt = receipt_of(row)
    whys = {SOMEBODY_ELSE: "is_other", OWN_REASONS: "is_reason"}
    left = [{**one, whys.get(one["why"], ""): True} for one in receipt["left"]]
    context = {"erasure": row, "receipt": receipt, "left": left}
    response = render(request, "submissions/department/erasure.html", context)
    if row.state == Erasure.State.QUEUED:
        response.headers["Refresh"] = "3"
    return response


@staff_only
@require_GET
def receipt_file(request: AuthenticatedRequest, pk: int) -> HttpResponse:  # noqa: ARG001 - every view has it
    """Return the receipt of an erasure as JSON."""
    row = get_object_or_404(Erasure, pk=pk)
    content = json.dumps(receipt_of(row), ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": f'attachment; filename="receipt-{pk}.json"'}
    return HttpResponse(content, content_type="application/json", headers=headers)


SAME, OTHER = "same", "other"
SAME_OR_OTHER = ((SAME, _("This student")), (OTHER, _("Somebody else")))


class StudentForm(forms.Form):
    """A name or id; it is sent in the body of a request, so that no address has it."""

    student = forms.CharField(
        label=_("Name or id of the student"),
        max_length=LONGEST_NAME,
        help_text=_("As a submission or a roster has it. An id finds one person; a name may be that of several."),
    )
    reason = forms.CharField(
        label=_("Why?"),
        min_length=SHORTEST_REASON,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The audit log keeps the search and the reason, with your name and the time."),
    )


class ChosenForm(StudentForm):
    """The chosen courses of a student that was found, what similar names are, and the reason."""

    def __init__(self, work: Scope, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "chosen_%s", **kwargs})
        self.work = work
        self.fields["student"].widget = forms.HiddenInput()
        courses = forms.MultipleChoiceField(
            label=_("Courses"),
            widget=forms.CheckboxSelectMultiple,
            choices=[(one.course.pk, one.course.name) for one in work.chosen],
            required=bool(work.chosen) and not work.near,
            initial=[one.course.pk for one in work.chosen if not one.is_ambiguous],
        )
        self.fields["courses"] = courses
        for match in work.near:
            self.fields[match.key] = forms.ChoiceField(widget=forms.RadioSelect, choices=SAME_OR_OTHER, required=False)

    def clean(self) -> dict[str, Any]:
        """Ask for a decision on each similar name, but in courses that were left out."""
        for match in self.work.near:
            if self._is_asked(match) and not self.cleaned_data.get(match.key):
                self.add_error(match.key, _("Say whose this is."))
        return self.cleaned_data

    @property
    def courses(self) -> list[int]:
        return [int(pk) for pk in self.cleaned_data["courses"]]

    @property
    def decided(self) -> Decided:
        """The decisions on similar names; those of courses that were left out do not count."""
        asked = [match for match in self.work.near if self._is_asked(match)]
        answers = {
            answer: {match.key for match in asked if self.cleaned_data[match.key] == answer} for answer in (SAME, OTHER)
        }
        return Decided.of(asked, answers[SAME], answers[OTHER])

    def _is_asked(self, match: Near) -> bool:
        known = {one.course.pk for one in self.work.chosen}
        chosen = {int(pk) for pk in self.cleaned_data.get("courses", ())}
        return match.course.pk not in known - chosen

    def matches(self) -> list[tuple[Near, forms.BoundField]]:
        """Return the similar names, each with its field."""
        return [(match, self[match.key]) for match in self.work.near]
