"""Find the assignment to upload to by its name, or create it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moss.submitting.client import ServerRefused

if TYPE_CHECKING:
    from moss.submitting.client import Service


def assignment_named(service: Service, course: str, name: str) -> int:
    """Return the id of the assignment of this name in a course, which is named or known by its id.

    Where the course has none of this name, it is created.

    Raises
    ------
    ServerRefused
        When the token reads no such course, or several, or may not create the assignment.
    """
    path = f"/courses/{_course(service, course)}/assignments"
    found = [one for one in service.get(path)["items"] if one["name"] == name]
    return int((found[0] if found else service.post(path, {"name": name}))["id"])


def _course(service: Service, wanted: str) -> int:
    courses: list[dict[str, Any]] = service.get("/courses")["items"]
    named = [one["id"] for one in courses if one["name"] == wanted]
    found = named or [one["id"] for one in courses if str(one["id"]) == wanted]
    if len(found) == 1:
        return int(found[0])
    if found:
        raise ServerRefused(f"{len(found)} courses are called {wanted!r}: name one of the ids {found}.")
    names = ", ".join(f"{one['name']} ({one['id']})" for one in courses) or "none"
    raise ServerRefused(f"There is no course {wanted!r} for this token. There are: {names}.")
