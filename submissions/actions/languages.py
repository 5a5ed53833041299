"""Change the language of an assignment; a worker reads the files again that are affected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions import language_changes

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, LanguageChange


@transaction.atomic
def change_language(assignment: Assignment, user: User | None, language: str) -> LanguageChange:
    """Set the language of an assignment, and enqueue reading its files again.

    The last report stays until all of them are read. A change that is not finished is given up for this one.
    """
    return language_changes.queue(assignment, user, language)
