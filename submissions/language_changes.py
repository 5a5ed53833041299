"""Change the language of an assignment: all state changes of a change, conditional and logged.

A change goes queued -> reading -> done, or fails, or is cancelled by the next one. When it is queued, nothing
is decided; while it is reading, the files that are read again have the documents that will replace theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.utils import timezone

from submissions.disk_space import NO_ROOM, WAITS_FOR_ROOM
from submissions.models import Assignment, LanguageChange
from submissions.work.jobs import GAVE_UP
from submissions.work.kinds import MAX_ATTEMPTS
from submissions.work.locks import language_lock
from submissions.work.states import change_rows

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

State = LanguageChange.State
NEXT = "the language was changed again"


def queue(assignment: Assignment, user: User | None, language: str) -> LanguageChange:
    """Set the language of an assignment, and queue the change, in the caller's transaction."""
    language_lock(assignment.pk, change=True)
    stored = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    running = stored.language_changes.filter(state__in=LanguageChange.RUNNING)
    _change(running, State.CANCELLED, NEXT)
    change = LanguageChange.objects.create(
        assignment=stored, changed_by=user, before=stored.language, after=language
    )
    assignment.language = stored.language = language
    stored.save(update_fields=["language"])
    return change


def start(change_id: int) -> bool:
    """Count an attempt to carry out a queued change. Return False where it has ended, or after too many."""
    queued = LanguageChange.objects.filter(pk=change_id, state=State.QUEUED)
    tired = queued.filter(attempts__gte=MAX_ATTEMPTS)
    if _change(tired, State.FAILED, "too many attempts", message=GAVE_UP):
        return False
    return _change(queued, State.QUEUED, "started", attempts=F("attempts") + 1)


def postpone(change_id: int) -> None:
    """Take back an attempt: the assignment is locked by a ranking."""
    LanguageChange.objects.filter(pk=change_id, state=State.QUEUED).update(attempts=F("attempts") - 1)


def requeue(change_id: int, reason: str) -> bool:
    """Note that a queued change is enqueued again. Return whether it is queued."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.QUEUED), State.QUEUED, reason)


def start_reading(change_id: int, queue_name: str) -> bool:
    """Let the chosen documents of a change be read. Return False when it was cancelled meanwhile."""
    queued = LanguageChange.objects.filter(pk=change_id, state=State.QUEUED)
    return _change(queued, State.READING, queue=queue_name, attempts=0)


def count_read(change_id: int, number: int) -> bool:
    """Add to the number of documents that were read. Return False when the change has ended."""
    reading = LanguageChange.objects.filter(pk=change_id, state=State.READING)
    return bool(reading.update(documents_done=F("documents_done") + number, touched=timezone.now()))


def wait_for_room(change_id: int) -> None:
    """Note that a full disk stopped a change; the sweep tries it again, until it was tried too often."""
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    tired = running.filter(attempts__gte=2 * MAX_ATTEMPTS)
    if not _change(tired, State.FAILED, NO_ROOM, message=NO_ROOM):
        running.update(attempts=F("attempts") + 1, message=WAITS_FOR_ROOM, touched=timezone.now())


def finish(change_id: int) -> bool:
    """Set a change whose documents were all read to done. Return whether the state allowed it."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.READING), State.DONE, message="")


def fail(change_id: int, message: str, reason: str = "") -> None:
    """Fail a change with a `message` for the instructor; the log gets `reason`, or else the message."""
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    _change(running, State.FAILED, reason or message, message=message)


def _change(rows: QuerySet[LanguageChange], state: State, reason: str = "", **fields: Any) -> bool:
    return change_rows("language change", rows, reason, state=state, **fields)
