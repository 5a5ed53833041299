"""Number and duration of the requests that this web server answered, and of the tasks that workers did.

Those of requests are kept by the processes of the web server, those of tasks in the database.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from celery.signals import task_postrun, task_prerun
from celery.states import RETRY, SUCCESS
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from prometheus_client import Histogram
from prometheus_client.multiprocess import MultiProcessCollector

from submissions.models import Duration
from submissions.work.jobs import count_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Task
    from django.http import HttpRequest, HttpResponse
    from prometheus_client.registry import Collector

# Names of addresses and of methods are few; anything else that a client sends has one name.
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
OTHER = "other"
# Upper limits of the classes, in seconds: a page takes some hundredths, a large upload half a minute.
BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
DURATION = Histogram(
    "moss_request_seconds",
    "Time until the answer to a request was ready to be sent.",
    labelnames=["method", "address", "status"],
    buckets=BUCKETS,
)
OUTCOMES = {SUCCESS: "done", RETRY: "retried"}
# When the tasks of this process were started, by their ids.
_starts: dict[str, float] = {}


class RequestMetrics:
    """Note the duration of each request, where MOSS_METRICS_TOKEN is set.

    `address` is the name of the address in urls.py, which has no number, no name and no key in it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        method = request.method if request.method in METHODS else OTHER
        DURATION.labels(method, _address(request), response.status_code).observe(time.perf_counter() - start)
        return response


def _address(request: HttpRequest) -> str:
    """Return the name of the address that answered; a refusal of a middleware has none."""
    return (request.resolver_match and request.resolver_match.view_name) or OTHER


def request_collector() -> Collector:
    """Return the collector of the requests, of all processes of gunicorn or of this one alone."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        return MultiProcessCollector(None)  # type: ignore[no-untyped-call]
    return DURATION


@task_prerun.connect
def start_clock(task_id: str, **_: object) -> None:
    _starts[task_id] = time.perf_counter()


@task_postrun.connect
def count_task(task_id: str, task: Task[..., object], state: str | None = None, **_: object) -> None:
    """Count a task that has ended. An error of the database is logged by Celery, and changes no task."""
    seconds = time.perf_counter() - _starts.pop(task_id)
    name = task.name.rpartition(".")[2]
    count_duration(Duration.Measure.TASK, name, OUTCOMES.get(state or "", "failed"), seconds)
