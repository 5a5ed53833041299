"""The roster of a course."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from submissions.actions.rosters import remove_roster, replace_roster
from submissions.pages.forms.previews import RosterForm
from submissions.pages.request_bodies import takes_files
from submissions.pages.views.access import right_for
from submissions.permissions import Right
from submissions.pseudonyms.names import hides_names
from submissions.queries.access import find_course
from submissions.queries.people import roster_by_assignment, roster_of, roster_students

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Course
    from submissions.pages.views.access import AuthenticatedRequest

STUDENTS_A_PAGE = 100


@never_cache
@takes_files
@login_required
@require_http_methods(["GET", "POST"])
def roster(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the roster of a course and how it fits what was handed in; add or replace it."""
    course = find_course(request.user, pk, right_for(request, Right.CHANGE))
    form = RosterForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        stored = replace_roster(course, form.cleaned_data["file"].name or "roster", form.roster)
        count = len(form.roster.students)
        text = ngettext("{n} student was read from {file}.", "{n} students were read from {file}.", count)
        messages.info(request, text.format(n=f"{count:,}", file=stored.name))
        return redirect("roster", pk=course.pk)
    context = {"course": course, "form": form} | _roster_context(request, course)
    return render(request, "submissions/courses/roster.html", context, status=422 if form.errors else 200)


def _roster_context(request: AuthenticatedRequest, course: Course) -> dict[str, Any]:
    """Return the context of a stored roster; without anything that names students where names are hidden."""
    roster = roster_of(course)
    hidden = hides_names(request, course)
    if not roster or hidden:
        return {"roster": roster, "hidden": hidden}
    students = Paginator(roster_students(roster), STUDENTS_A_PAGE)
    return {
        "roster": roster,
        "hidden": False,
        "students": students.get_page(request.GET.get("page")),
        "fits": roster_by_assignment(course, roster),
    }


@login_required
@require_POST
def remove(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Delete the roster of a course."""
    course = find_course(request.user, pk, Right.CHANGE)
    remove_roster(course)
    messages.info(request, _("The roster was removed. Submissions have the names of their uploads again."))
    return redirect("roster", pk=course.pk)
