"""Change the state of work: each change is a line of the log, and the time in the old state is counted."""

from __future__ import annotations

import logging
from bisect import bisect_left
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.db.models import Case, F, TextChoices, When
from django.utils import timezone

from submissions.events import state_changed
from submissions.models import Batch, BoilerplateUpload, Duration, LanguageChange, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import Model, QuerySet

logger = logging.getLogger(__name__)

LIMITS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, inf)  # in seconds
# What people wait for, by the name that it has in the figures.
WORK: dict[str, type[Model]] = {
    "upload": Batch,
    "ranking": Report,
    "boilerplate": BoilerplateUpload,
    "language_change": LanguageChange,
}
KINDS = {model: kind for kind, model in WORK.items()}
# Work that has ended stays in its state; how long is no duration of the work.
ENDED = ("done", "failed", "cancelled")


@transaction.atomic
def change_rows(kind: str, rows: QuerySet[Any], reason: str, *, state: TextChoices, **fields: Any) -> bool:
    """Set `rows` to a state; return whether there were any."""
    changed = list(rows.select_for_update(of=("self",)).values_list("pk", "assignment_id", "state", "since"))
    now, moved = timezone.now(), [row for row in changed if row[2] != state]
    # What stays in its state is in it since the same time.
    since = Case(When(state=state, then=F("since")), default=now)
    keys = [pk for pk, *_ in changed]
    rows.model.objects.filter(pk__in=keys).update(touched=now, state=state, since=since, **fields)
    for pk, assignment, before, _ in changed:
        log_change(f"{kind} {pk} of assignment {assignment}", before, state.value, reason)
        state_changed.send(rows.model, pk=pk, assignment_id=assignment, state=state)
    left = [(before, (now - entered).total_seconds()) for *_, before, entered in moved if before not in ENDED]
    count_when_committed(KINDS[rows.model], left)
    return bool(changed)


def log_change(what: str, before: str, after: str, reason: str) -> None:
    """Write the line of the log that docs/do/stuck-batch.md explains."""
    logger.info("%s: %s -> %s%s", what, before, after, reason and f" ({reason})")


def count_when_committed(kind: str, left: Sequence[tuple[str, float]]) -> None:
    """Count how many seconds work was in the states that it left; outside of a transaction, as it must be."""
    transaction.on_commit(partial(_count_states, kind, left), robust=True)


def _count_states(kind: str, left: Sequence[tuple[str, float]]) -> None:
    for state, seconds in left:
        count_duration(Duration.Measure.STATE, kind, state, max(0.0, seconds))


def count_duration(measure: Duration.Measure, name: str, detail: str, seconds: float) -> None:
    """Add one duration to its class.

    Two processes that count in transactions of their own could wait for each other: call it outside of one.
    """
    # One statement, so that no count of another process is lost.
    query = """
        INSERT INTO submissions_duration (measure, name, detail, at_most, count, seconds)
        VALUES (%(measure)s, %(name)s, %(detail)s, %(at_most)s, 1, %(seconds)s)
        ON CONFLICT (measure, name, detail, at_most) DO UPDATE
        SET count = submissions_duration.count + 1, seconds = submissions_duration.seconds + excluded.seconds
    """
    at_most = LIMITS[bisect_left(LIMITS, seconds)]
    values = {"measure": measure.value, "name": name, "detail": detail}
    with connection.cursor() as cursor:
        cursor.execute(query, {**values, "at_most": at_most, "seconds": seconds})
