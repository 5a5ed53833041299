"""Number and duration of the tasks of all workers, counted in the database at the end of each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from celery.signals import task_postrun, task_prerun
from celery.states import RETRY, SUCCESS

from submissions.models import Duration
from submissions.work.states import count_duration

if TYPE_CHECKING:
    from celery import Task

OUTCOMES = {SUCCESS: "done", RETRY: "retried"}
# When the tasks of this process were started, by their ids.
_starts: dict[str, float] = {}


@task_prerun.connect
def start_clock(task_id: str, **_: object) -> None:
    _starts[task_id] = time.perf_counter()


@task_postrun.connect
def count_task(task_id: str, task: Task[..., object], state: str | None = None, **_: object) -> None:
    """Count a task that has ended. An error of the database is logged by Celery, and changes no task."""
    seconds = time.perf_counter() - _starts.pop(task_id)
    name = task.name.rpartition(".")[2]
    count_duration(Duration.Measure.TASK, name, OUTCOMES.get(state or "", "failed"), seconds)
