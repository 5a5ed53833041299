"""Deleting a course by the API."""

from urllib.parse import quote

import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment, AuditEntry, Course
from tests.support.api import api_client, problem_of, send

pytestmark = pytest.mark.services


def test_a_course_is_deleted_by_its_name_and_not_under_a_hold(alice: User, assignment: Assignment) -> None:
    caller, course = api_client(alice), assignment.course
    path, named = f"/courses/{course.pk}", f"?name={quote(course.name)}"
    for query in ("", "?name=", "?name=another"):
        assert problem_of(send(caller, "delete", path + query))["status"] == 422, query
    send(caller, "patch", f"/assignments/{assignment.pk}", {"hold": "An appeal."})
    held = problem_of(send(caller, "delete", path + named))
    assert (held["status"], assignment.name in held["detail"]) == (409, True)
    send(caller, "patch", f"/assignments/{assignment.pk}", {"hold": ""})
    assert send(caller, "delete", path + named).status_code == 204
    assert not Course.objects.exists()
    assert not Assignment.objects.exists()
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action, entry.course) == ("alice", "deleted", course.name)
