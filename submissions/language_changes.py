"""Change the language of an assignment: all state changes of a change, conditional and logged.

A change goes queued -> reading -> done, or fails, or is cancelled by the next one. When it is queued, nothing
is decided; while it is reading, the files that are read again have the documents that will replace theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.utils import timezone

from submissions.database_errors import WAITS_FOR_ROOM
from submissions.lifecycle import language_lock
from submissions.models import Assignment, LanguageChange
from submissions.work import jobs
from submissions.work.states import change_rows

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from submissions.intake.archives.languages import ChosenLanguages

State = LanguageChange.State
NEXT = "the language was changed again"


def queue(assignment: Assignment, user: User | None, chosen: ChosenLanguages) -> LanguageChange:
    """Set the languages of an assignment, and queue the change, in the caller's transaction."""
    language_lock(assignment.pk, change=True)
    stored = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    running = stored.language_changes.filter(state__in=LanguageChange.RUNNING)
    _change(running, State.CANCELLED, NEXT)
    change = LanguageChange.objects.create(
        assignment=stored,
        changed_by=user,
        before=stored.language,
        after=chosen.language,
        patterns=chosen.patterns,
    )
    jobs.enqueue("change_language", change.pk, user=user and user.pk)
    for one in (assignment, stored):
        one.language, one.language_patterns = chosen.language, chosen.patterns
    stored.save(update_fields=["language", "language_patterns"])
    return change


def start_reading(change_id: int) -> bool:
    """Let the chosen documents of a change be read. Return False when it was cancelled meanwhile."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.QUEUED), State.READING)


def count_read(change_id: int, number: int) -> bool:
    """Add to the number of documents that were read. Return False when the change has ended."""
    reading = LanguageChange.objects.filter(pk=change_id, state=State.READING)
    return bool(reading.update(documents_done=F("documents_done") + number, touched=timezone.now()))


def note_room(change_id: int, *, is_waited_for: bool) -> None:
    """Note whether a change waits for room on the disk."""
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    running.update(message=WAITS_FOR_ROOM if is_waited_for else "", touched=timezone.now())


def finish(change_id: int) -> bool:
    """Set a change whose documents were all read to done. Return whether the state allowed it."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.READING), State.DONE, message="")


def fail(change_id: int, message: str) -> None:
    """Fail a change with a `message` for the instructor."""
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    _change(running, State.FAILED, message, message=message)


def _change(rows: QuerySet[LanguageChange], state: State, reason: str = "", **fields: Any) -> bool:
    return change_rows("language change", rows, reason, state=state, **fields)
