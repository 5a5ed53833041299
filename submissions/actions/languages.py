"""Change the language of an assignment; a worker reads the files again that are affected."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions import language_changes, language_tasks
from submissions.work.queues import INTERACTIVE, send

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, LanguageChange


@transaction.atomic
def change_language(assignment: Assignment, user: User | None, language: str) -> LanguageChange:
    """Set the language of an assignment, and enqueue reading its files again.

    The last report stays until all of them are read. A change that is not finished is given up for this one.
    """
    change = language_changes.queue(assignment, user, language)
    transaction.on_commit(partial(send, language_tasks.change_language, INTERACTIVE, change.pk))
    return change
