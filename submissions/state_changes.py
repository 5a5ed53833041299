"""Change the state of work: each change is a line of the log, and the time in the old state is counted."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Case, F, TextChoices, When
from django.utils import timezone

from submissions.durations import KINDS, count_duration
from submissions.events import state_changed
from submissions.models import Duration

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)

# Work that has ended stays in its state; how long is no duration of the work.
ENDED = ("done", "failed", "cancelled")


@transaction.atomic
def change_rows(kind: str, rows: QuerySet[Any], reason: str, *, state: TextChoices, **fields: Any) -> bool:
    changed = list(rows.select_for_update(of=("self",)).values_list("pk", "assignment_id", "state", "since"))
    now, moved = timezone.now(), [row for row in changed if row[2] != state]
    # What stays in its state is in it since the same time.
    since = Case(When(state=state, then=F("since")), default=now)
    keys = [pk for pk, *_ in changed]
    rows.model.objects.filter(pk__in=keys).update(touched=now, state=state, since=since, **fields)
    for pk, assignment, before, _ in changed:
        _log(kind, pk, assignment, f"{before} -> {state.value}", reason)
        state_changed.send(rows.model, pk=pk, assignment_id=assignment, state=state)
    left = [(before, (now - entered).total_seconds()) for *_, before, entered in moved if before not in ENDED]
    transaction.on_commit(partial(_count, KINDS[rows.model], left), robust=True)
    return bool(changed)


def _log(kind: str, pk: int, assignment: int, change: str, reason: str) -> None:
    logger.info("%s %s of assignment %s: %s%s", kind, pk, assignment, change, reason and f" ({reason})")


def _count(kind: str, left: list[tuple[str, float]]) -> None:
    """Count how long work was in the states that it left; outside of a transaction, see `count_duration`."""
    for state, seconds in left:
        count_duration(Duration.Measure.STATE, kind, state, max(0.0, seconds))
