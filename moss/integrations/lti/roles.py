"""Roles of LTI, and the roles of this service that they become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models.people import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

# Roles in a context. Those of a whole institution or system give nothing: they say nothing of this course.
CONTEXT = "http://purl.imsglobal.org/vocab/lis/v2/membership"
ASSISTANT = "instructor#teachingassistant"
TEACHING = {"instructor", "administrator"}
LEARNER = "learner"


def role_of(roles: Iterable[str]) -> Role | None:
    """Return the role that LTI's roles give in a course; None for learners and for everybody else.

    Platforms name a teaching assistant as an instructor, too: the one with fewer rights counts.
    """
    named = {_context_role(role) for role in roles}
    if ASSISTANT in named or "teachingassistant" in named:
        return Role.ASSISTANT
    return Role.INSTRUCTOR if named & TEACHING else None


def is_learner(roles: Iterable[str]) -> bool:
    """Return whether these are the roles of a student."""
    named = {_context_role(role) for role in roles}
    return LEARNER in named and not named & {*TEACHING, ASSISTANT}


def _context_role(role: str) -> str:
    """Return `instructor` for `…/membership#Instructor` and for `Instructor`; empty for roles elsewhere."""
    if not role.startswith(("http:", "https:", "urn:")):
        return role.casefold()
    if not role.casefold().startswith(CONTEXT):
        return ""
    return role[len(CONTEXT) :].lstrip("/#").casefold()
