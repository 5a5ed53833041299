"""The health check and the metrics of an installation."""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from importlib.metadata import version
from itertools import groupby, product
from math import inf
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import redis
from celery.signals import task_postrun, task_prerun
from celery.states import RETRY, SUCCESS
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from moss.operations.database import schema_problem
from moss.operations.maintenance import is_maintained
from submissions.models import Batch, Duration, Entry, Job, Source, Upload
from submissions.work import heartbeats
from submissions.work.jobs import LIMITS, WORK, count_duration, queue_lengths
from submissions.work.kinds import QUEUES

if TYPE_CHECKING:
    from celery import Task

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

# Of the second within which the health check answers.
HEALTH_SECONDS = 0.8
# An answer is recent for so long, and counts while the next one takes less than this.
RECENT_SECONDS, SILENT_SECONDS = 60.0, 5.0
# Anybody may ask; the comparison takes some 15 ms of the database.
SCHEMA_SECONDS = 60.0

logger = logging.getLogger(__name__)


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
        if "moss.warming" in request.META:
            return response
        method = request.method if request.method in METHODS else OTHER
        # The refusal of a middleware has no name.
        address = (request.resolver_match and request.resolver_match.view_name) or OTHER
        DURATION.labels(method, address, response.status_code).observe(time.perf_counter() - start)
        return response


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


class PartCheck:
    """Asks parts of the installation in a thread, so that one that hangs holds nobody up.

    Who asks while an answer is awaited gets the same one, so that no more than one thread waits for it. A
    recent answer counts while the next one takes less than SILENT_SECONDS, as on a busy machine.
    """

    def __init__(self, ask: Callable[[], dict[str, Any]], silent: dict[str, Any]) -> None:
        self._ask, self._silent = ask, silent
        self._lock, self._answer = Lock(), Future[dict[str, Any]]()
        self._answer.set_result(silent)
        self._last, self._asked, self._answered = silent, 0.0, float("-inf")

    def begin(self) -> Future[dict[str, Any]]:
        with self._lock:
            if self._answer.done():
                self._answer, self._asked = Future(), time.monotonic()
                Thread(target=self._run, args=(self._answer,), name="health", daemon=True).start()
            return self._answer

    def wait(self, answer: Future[dict[str, Any]], started: float) -> dict[str, Any]:
        """Return the answer to who began at `started`; that of a silent part where none comes in time."""
        is_recent = started < self._answered + RECENT_SECONDS
        try:
            return answer.result(max(0.0, started + HEALTH_SECONDS - time.monotonic()))
        except TimeoutError:
            is_asked = time.monotonic() < self._asked + SILENT_SECONDS
            return self._last if is_recent and is_asked else self._silent

    def _run(self, answer: Future[dict[str, Any]]) -> None:
        try:
            self._last, self._answered = self._ask(), time.monotonic()
            answer.set_result(self._last)
        except Exception:
            logger.exception("a part could not be asked")
            answer.set_result(self._silent)


def _ask_database() -> dict[str, Any]:
    """Ask by a connection beside those that requests share, which may all be in use."""
    own = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    connections[DEFAULT_DB_ALIAS] = own
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT 1")
        return {"database": True, "schema": _schema_fits(int(time.monotonic() / SCHEMA_SECONDS))}
    except DatabaseError:
        return NO_DATABASE
    finally:
        own.close()


def _ask_broker() -> dict[str, Any]:
    if not broker_answers():
        return NO_BROKER
    parts = {"broker": True, "workers": workers_answer(), "maintenance": is_maintained()}
    return {**parts, "queues": queue_lengths()}


@lru_cache(maxsize=1)
def _schema_fits(_minute: int) -> bool:
    return not schema_problem()


def broker_answers() -> bool:
    try:
        with heartbeats.connected() as valkey:
            return bool(valkey.ping())
    except redis.RedisError:
        return False


def workers_answer() -> bool:
    """Return whether each queue has a worker that gave a sign of life lately; a busy worker does too."""
    served = {queue for worker in heartbeats.workers() if worker.answers for queue in worker.queues}
    return served >= {*QUEUES}


NO_DATABASE: dict[str, Any] = {"database": False, "schema": False}
NO_BROKER: dict[str, Any] = {"broker": False, "workers": False, "maintenance": False, "queues": {}}
DATABASE, BROKER = PartCheck(_ask_database, NO_DATABASE), PartCheck(_ask_broker, NO_BROKER)


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Report which parts answer, as JSON: status 200 if the database and the broker do, else 503.

    It answers within a second, usually at once. `schema` is false, and the status 503, when the tables are not those of
    this version: pages would fail. The status does not depend on the workers: without one, pages can still be read and
    uploads are queued. `workers` is false when no worker answers for one of the queues, so that nothing in it is read
    or ranked; `maintenance` when lost work is not re-enqueued. `queues` has the number of messages that wait in each.
    """
    started = time.monotonic()
    database, broker = DATABASE.begin(), BROKER.begin()
    parts = DATABASE.wait(database, started) | BROKER.wait(broker, started)
    return JsonResponse(parts, status=200 if parts["schema"] and parts["broker"] else 503)


class ServiceCollector(Collector):
    """The figures of one scrape; what cannot be asked is missing, and `moss_up` says so."""

    def collect(self) -> Iterator[Metric]:
        build = InfoMetricFamily("moss", "The version of this installation.")
        build.add_metric([], {"version": version("moss-server")})
        yield build
        yield from _disk()
        queues = queue_lengths()
        yield from _broker(queues)
        try:
            figures = service_figures()
        except DatabaseError as error:
            logger.warning("the database cannot be asked for its figures: %s", error)
            figures = None
        if figures:
            yield from _work(figures)
            yield from _durations(figures.durations)
        up = GaugeMetricFamily("moss_up", "1 where this part answers, else 0.", labels=["part"])
        up.add_metric(["database"], float(figures is not None))
        up.add_metric(["broker"], float(bool(queues)))
        yield up


def _broker(queues: dict[str, int]) -> Iterator[Metric]:
    """Yield the lengths of the queues and the ages of the signs of life; nothing where none is known."""
    length = GaugeMetricFamily("moss_queue_messages", "Messages that wait in a queue.", labels=["queue"])
    for queue, messages in queues.items():
        length.add_metric([queue], messages)
    yield length
    now, workers = timezone.now(), heartbeats.workers() if queues else []
    seen = {worker.name: worker.last_seen for worker in workers}
    if queues and (maintained := heartbeats.last_end(heartbeats.MAINTENANCE)):
        seen[heartbeats.MAINTENANCE] = maintained
    age = GaugeMetricFamily(
        "moss_heartbeat_age_seconds",
        "Time since the last sign of life of a worker, or since the last round of maintenance.",
        labels=["process"],
    )
    for process, moment in seen.items():
        age.add_metric([process], (now - moment).total_seconds())
    yield age
    backup = GaugeMetricFamily(
        "moss_backup_age_seconds", "Time since a backup was written or failed.", labels=["outcome"]
    )
    for outcome in (heartbeats.WRITTEN, heartbeats.FAILED):
        if queues and (ended := heartbeats.last_end(outcome)):
            backup.add_metric([outcome.removeprefix("backup_")], (now - ended).total_seconds())
    yield backup
    processes = GaugeMetricFamily("moss_worker_processes", "Processes of a worker that answers.", labels=["process"])
    for worker in workers:
        processes.add_metric([worker.name], worker.processes if worker.answers else 0)
    yield processes


def _disk() -> Iterator[Metric]:
    disk = shutil.disk_usage(settings.MOSS_HOME)
    yield GaugeMetricFamily("moss_disk_free_bytes", "Free room on the disk with MOSS_HOME.", disk.free)
    yield GaugeMetricFamily("moss_disk_bytes", "Size of the disk with MOSS_HOME.", disk.total)


def _work(figures: ServiceFigures) -> Iterator[Metric]:
    work = GaugeMetricFamily(
        "moss_work", "Stored uploads, rankings and other work, by its state.", labels=["kind", "state"]
    )
    for (kind, state), count in figures.work.items():
        work.add_metric([kind, state], count)
    yield work
    for name, text, value in (
        ("moss_files", "Files of the stored uploads.", figures.files),
        ("moss_files_read", "Files of the stored uploads that a worker has done with.", figures.read),
        ("moss_entries_refused", "Entries of the stored uploads that were refused.", figures.refused),
        ("moss_database_bytes", "Size of the database.", figures.database_bytes),
        ("moss_waiting_bytes", "Size of the uploaded files that wait to be unpacked.", figures.waiting_bytes),
        ("moss_source_bytes", "Size of the stored files of students.", figures.source_bytes),
    ):
        yield GaugeMetricFamily(name, text, value)


def _durations(durations: list[Duration]) -> Iterator[Metric]:
    """Yield the histograms of all tasks and of all states that were left, since the database was made."""
    tasks = HistogramMetricFamily("moss_task_seconds", "How long tasks took that ended.", labels=["task", "outcome"])
    states = HistogramMetricFamily(
        "moss_state_seconds", "How long work was in a state that it left.", labels=["kind", "state"]
    )
    families = {Duration.Measure.TASK: tasks, Duration.Measure.STATE: states}
    for (measure, *labels), rows in groupby(durations, lambda row: (row.measure, row.name, row.detail)):
        classes = list(rows)
        buckets = [
            (str(limit) if limit < inf else "+Inf", sum(row.count for row in classes if row.at_most <= limit))
            for limit in LIMITS
        ]
        families[Duration.Measure(measure)].add_metric(labels, buckets, sum(row.seconds for row in classes))
    yield from families.values()


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with all figures in Prometheus's text format; 404 without a token in the settings."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        refusal = "The header Authorization must be: Bearer and the value of MOSS_METRICS_TOKEN.\n"
        answer = HttpResponse(refusal, status=HTTPStatus.UNAUTHORIZED, content_type="text/plain")
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer
    registry = CollectorRegistry()
    registry.register(request_collector())
    registry.register(ServiceCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """Figures of one moment.

    `work` has the number of rows by kind and state, each state of each kind included. `files` and `read` are
    the files of all uploads and those that were read or refused by a reader; `refused` are the entries of
    uploads that were not accepted. The sizes are bytes: of the database, of files that wait to be unpacked,
    and of the stored sources. `durations` are all of them since the database was made, by class.
    """

    work: dict[tuple[str, str], int]
    files: int
    read: int
    refused: int
    database_bytes: int
    waiting_bytes: int
    source_bytes: int
    durations: list[Duration]


def service_figures() -> ServiceFigures:
    files = Batch.objects.aggregate(all=Sum("documents_total"), done=Sum("documents_done"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
    return ServiceFigures(
        work={key: count for kind, model in WORK.items() for key, count in _states(kind, model).items()} | _jobs(),
        files=files["all"] or 0,
        read=files["done"] or 0,
        refused=Entry.objects.filter(accepted=False).count(),
        database_bytes=size,
        waiting_bytes=Upload.objects.aggregate(sum=Sum("size"))["sum"] or 0,
        source_bytes=Source.objects.aggregate(sum=Sum("size"))["sum"] or 0,
        durations=list(Duration.objects.order_by("measure", "name", "detail", "at_most")),
    )


def _jobs() -> dict[tuple[str, str], int]:
    rows = Job.objects.order_by().values_list("kind", "state").annotate(count=Count("pk"))
    counts = {(kind, state): count for kind, state, count in rows}
    keys = product(settings.WORK_KINDS, Job.State.values)
    return {key: counts.get(key, 0) for key in keys}


def _states(kind: str, model: Any) -> dict[tuple[str, str], int]:
    counts = dict(model.objects.order_by().values_list("state").annotate(count=Count("pk")))
    return {(kind, state): counts.get(state, 0) for state in model.State.values}
