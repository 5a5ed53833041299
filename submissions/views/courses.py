from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from submissions import queries
from submissions.forms import AssignmentForm, CourseForm

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.views.access import SignedIn


@login_required
@require_http_methods(["GET", "POST"])
def index(request: SignedIn) -> HttpResponse:
    """Courses, and a new one."""
    form = CourseForm(request.user, request.POST or None)
    if form.is_valid():
        return redirect(form.save())
    rows = queries.listed_courses(request.user)
    return render(request, "submissions/courses.html", {"form": form, "courses": rows}, status=_status(form))


@login_required
@require_http_methods(["GET", "POST"])
def course(request: SignedIn, pk: int) -> HttpResponse:
    """One course's assignments, and a new one."""
    found = queries.course(request.user, pk)
    form = AssignmentForm(found, request.POST or None)
    if form.is_valid():
        return redirect(form.save())
    context = {"form": form, "course": found, "assignments": queries.listed_assignments(found)}
    return render(request, "submissions/course.html", context, status=_status(form))


def _status(form: CourseForm | AssignmentForm) -> int:
    return 422 if form.errors else 200
