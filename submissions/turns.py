"""The order in which waiting uploads and rankings are started: by turns among the users.

They wait in the database. A message in a queue says that one of them can be started, and the worker that
receives it chooses. So a user with fifty uploads does not delay the only upload of another one.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from submissions.models import Batch, Report, SubmissionFile
from submissions.work.locks import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.models import Assignment


class Turn(NamedTuple):
    """A waiting batch or report; `number` counts the work of its user that comes before it or was started."""

    pk: int
    number: int


@contextmanager
def choosing() -> Iterator[None]:
    """Choose what to start in a transaction, one worker at a time, so that no two choose the same."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s::int, 0)", [int(Work.CHOICE)])
        yield


def report_turns(queue: str) -> list[Turn]:
    """Return the reports that wait in a queue, in the order in which they will be ranked."""
    reports = Report.objects.filter(queue=queue).order_by("pk")
    running = reports.filter(state=Report.State.RUNNING).values_list("assignment__course__owner", flat=True)
    waiting = reports.filter(state=Report.State.QUEUED).values_list("pk", "assignment__course__owner")
    return _by_turns(waiting, running)


def startable_reports(queue: str) -> list[int]:
    """Return the reports to rank next, in order, without those that wait for another of their assignment."""
    ranked = Report.objects.filter(state=Report.State.RUNNING).values_list("assignment", flat=True)
    blocked = set(Report.objects.filter(assignment__in=ranked).values_list("pk", flat=True))
    return [turn.pk for turn in report_turns(queue) if turn.pk not in blocked]


def cohort_size(assignment: Assignment) -> tuple[int, int]:
    """Return the number of files and of tokens of the batches that an assignment's ranking will load."""
    files = SubmissionFile.objects.filter(
        submission__batch__assignment=assignment, submission__batch__state__in=Batch.FULLY_READ
    )
    sizes = files.aggregate(files=Count("pk"), tokens=Coalesce(Sum("document__token_count"), 0))
    return sizes["files"], sizes["tokens"]


def place(turns: list[Turn], pk: int) -> int:
    """Return how many of `turns` come before the one of `pk`."""
    return next((index for index, turn in enumerate(turns) if turn.pk == pk), 0)


def _by_turns(waiting: Iterable[tuple[int, int | None]], started: Iterable[int | None]) -> list[Turn]:
    counts = Counter(started)
    turns = []
    for pk, user in waiting:
        turns.append(Turn(pk, counts[user]))
        counts[user] += 1
    return sorted(turns, key=lambda turn: turn.number)
