"""Change the language of an assignment; a worker reads the files again that are affected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions import language_changes
from submissions.intake.archives.languages import ChosenLanguages

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, LanguageChange


@transaction.atomic
def change_language(
    assignment: Assignment, user: User | None, language: str, patterns: str | None = None
) -> LanguageChange:
    """Set the language of an assignment, and enqueue reading its files again.

    `patterns` are its languages by name, see `ChosenLanguages`; with None they stay.
    The last report stays until all of them are read. A change that is not finished is given up for this one.
    """
    kept = assignment.language_patterns if patterns is None else patterns
    return language_changes.queue(assignment, user, ChosenLanguages(language, kept))
