from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from submissions import actions, queries
from submissions.pages.forms.assignments import AssignmentForm
from submissions.pages.forms.courses import CourseForm

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import SignedIn


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


@login_required
@require_http_methods(["GET", "POST"])
def rename(request: SignedIn, pk: int) -> HttpResponse:
    found = queries.course(request.user, pk)
    form = CourseForm(found.owner, request.POST or None, instance=found)
    if form.is_valid():
        return redirect(form.save())
    # The form writes what was typed into its instance; the page goes on calling the course by its name.
    context = {"form": form, "course": queries.course(request.user, pk) if form.errors else found}
    return render(request, "submissions/course_rename.html", context, status=_status(form))


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: SignedIn, pk: int) -> HttpResponse:
    """Ask, then delete a course with all its assignments."""
    found = queries.course(request.user, pk)
    if request.method == "POST":
        actions.delete_course(found)
        messages.info(request, f"{found.name} was deleted with all its assignments.")
        return redirect("courses")
    context = {
        "what": "course",
        "name": found.name,
        "course": found,
        "lost": queries.lost_with_course(found),
        "back": found.get_absolute_url(),
    }
    return render(request, "submissions/delete.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def delete_assignment(request: SignedIn, pk: int) -> HttpResponse:
    """Ask, then delete an assignment with its uploads, reports and decisions."""
    of = queries.assignment(request.user, pk)
    if request.method == "POST":
        actions.delete_assignment(of)
        messages.info(request, f"{of.name} was deleted with everything that belonged to it.")
        return redirect(of.course)
    context = {
        "what": "assignment",
        "name": of.name,
        "assignment": of,
        "lost": queries.lost_with_assignment(of),
        "back": of.get_absolute_url(),
    }
    return render(request, "submissions/delete.html", context)


def _status(form: CourseForm | AssignmentForm) -> int:
    return 422 if form.errors else 200
