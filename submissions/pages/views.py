"""Views of the service: themes, languages, hints, and for staff its state and the tokens of all accounts.

The state has queues, workers, versions, and work that goes on or has failed.
"""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import django
import redis
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from fingerprint import engine
from submissions.core.accounts import all_tokens, dismiss_hint, note_tokens, revoke_tokens
from submissions.core.names import ANONYMOUS
from submissions.models import Batch, Job, Report, Submission, Upload
from submissions.pages.language import BROWSER, HINTS, SYSTEM, THEMES, languages, remember_language, remember_theme
from submissions.pages.requests import AuthenticatedRequest, is_path_of_this_site, signed_in, staff_only
from submissions.reports.cohort import TOO_LARGE
from submissions.uploads import change as uploads
from submissions.work import heartbeats
from submissions.work.jobs import GAVE_UP, queue_lengths
from submissions.work.kinds import BROKEN, OUT_OF_TIME, QUEUES
from submissions.work.locks import Work, session_names

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from submissions.work.heartbeats import Worker

    FailedBatch = WithAnnotations[Batch, "FailedAnnotations"]
    FailedReport = WithAnnotations[Report, "FailedAnnotations"]

# Started work whose rows did not change for this time is shown as stuck; maintenance ends it at its limit.
QUIET = timedelta(minutes=2)
STUCK = timedelta(minutes=10)
# Reasons that the service itself wrote. Others can hold the name of a file.
SERVICE_REASONS = (OUT_OF_TIME, BROKEN, GAVE_UP)
WORK = {
    "unpack": gettext_lazy("unpacks upload"),
    "rank": gettext_lazy("ranks assignment"),
    "score_shard": gettext_lazy("scores shard"),
    "change_language": gettext_lazy("carries out language change"),
}
LOCKED = {Work.DOCUMENT: gettext_lazy("reads document"), Work.CORPUS: gettext_lazy("works on corpus")}

ROWS_A_PAGE = 25


@signed_in("POST")
def switch_theme(request: AuthenticatedRequest) -> HttpResponse:
    """Remember a theme, and go back to the page that the form was on."""
    theme = request.POST.get("theme", "")
    response = _back_to(request.POST.get("next", ""))
    remember_theme(response, theme if theme in THEMES else SYSTEM)
    return response


@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Remember a language, signed in or not, and go back to the page that the form was on."""
    language = request.POST.get("language", "")
    response = _back_to(request.POST.get("next", ""))
    remember_language(response, language if language in languages() else BROWSER)
    return response


@signed_in("POST")
def dismiss(request: AuthenticatedRequest) -> HttpResponse:
    """Dismiss a hint: htmx puts the empty answer in its place, another browser goes back to the page."""
    if (name := request.POST.get("hint", "")) in HINTS:
        dismiss_hint(request.user, name)
    return HttpResponse() if request.htmx else _back_to(request.POST.get("next", ""))


@signed_in("POST")
def switch_names(request: AuthenticatedRequest) -> HttpResponse:
    """Turn aliases on or off for this session, and go back to the page that the form was on."""
    request.session[ANONYMOUS] = request.POST.get("names") == "made-up"
    return _back_to(request.POST.get("next", ""))


def _back_to(page: str) -> HttpResponse:
    # Not redirect(page): it would look up a page that is no path among the names of the URL patterns.
    return HttpResponseRedirect(page) if is_path_of_this_site(page) else redirect("courses")


class FailedAnnotations(TypedDict):
    can_retry: bool


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue: messages in it, and uploads and rankings that wait in it and that were started."""

    name: str
    messages: int | None
    waiting: int
    started: int


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker, and a sentence for each piece of work that its processes have locked."""

    worker: Worker
    work: list[str]


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of the service; `free` and `total` are bytes of the disk with `MOSS_HOME`."""

    queues: list[QueueState]
    workers: list[WorkerState]
    maintenance: datetime | None
    free: int
    total: int
    database: int
    versions: dict[str, str]


def service_state() -> ServiceState:
    disk = shutil.disk_usage(settings.MOSS_HOME)
    messages = queue_lengths()
    return ServiceState(
        queues=[QueueState(queue, messages.get(queue), *_counts(queue)) for queue in QUEUES],
        workers=_workers(),
        maintenance=heartbeats.last_end(heartbeats.MAINTENANCE),
        free=disk.free,
        total=disk.total,
        database=int(str(_database_value("SELECT pg_database_size(current_database())"))),
        versions=_versions(),
    )


def _counts(queue: str) -> tuple[int, int]:
    jobs = Job.objects.filter(queue=queue).order_by().values("kind", "subject").distinct()
    started = jobs.filter(state__in=(Job.State.RUNNING, Job.State.PARTS))
    return jobs.filter(state=Job.State.QUEUED).count(), started.count()


def _workers() -> list[WorkerState]:
    held = session_names()
    jobs = Job.objects.in_bulk([pk for _, kind, pk in held if kind == Work.JOB])
    return [
        WorkerState(
            worker,
            [
                f"{WORK.get(jobs[pk].kind, jobs[pk].kind)} {jobs[pk].subject}"
                if kind == Work.JOB
                else f"{LOCKED[Work(kind)]} {pk}"
                for session, kind, pk in held
                if session == worker.session_name and (kind in LOCKED or (kind == Work.JOB and pk in jobs))
            ],
        )
        for worker in heartbeats.workers()
    ]


def _versions() -> dict[str, str]:
    return {
        "moss": version("moss-server"),
        "Score": str(engine.SCORE_VERSION),
        "Python": platform.python_version(),
        "Django": django.__version__,
        "Celery": version("celery"),
        "Postgres": str(_database_value("SHOW server_version")),
        "Valkey": _valkey_version(),
    }


def _database_value(query: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


def _valkey_version() -> str:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=heartbeats.TIMEOUT_SECONDS) as valkey:
            info = valkey.info("server")
    except redis.RedisError:
        return _("does not answer")
    return str(info.get("valkey_version") or info["redis_version"])


def _with_jobs(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    jobs = Job.objects.filter(kind__in=("unpack", "read_documents"), subject=OuterRef("pk"))
    return batches.select_related("assignment").annotate(**_of_newest(jobs))


def _with_rankings(reports: QuerySet[Report]) -> QuerySet[Report]:
    jobs = Job.objects.filter(kind="rank", subject=OuterRef("assignment"))
    return reports.select_related("assignment").annotate(**_of_newest(jobs))


def _of_newest(jobs: QuerySet[Job]) -> dict[str, Any]:
    """Return the queue and the attempts of the newest of these jobs; none without one."""
    newest = jobs.order_by("-pk")
    attempts = Coalesce(Subquery(newest.values("attempts")[:1]), 0)
    return {"queue": Subquery(newest.values("queue")[:1]), "attempts": attempts}


def reports_under_way() -> QuerySet[Report]:
    """Return the unfinished reports, the one that did not change for longest first."""
    unfinished = Report.objects.filter(state__in=Report.UNFINISHED)
    return _with_rankings(unfinished).order_by("touched", "pk")


def is_stuck(work: Batch | Report) -> bool:
    """Return whether started work did not change for longer than usual."""
    if isinstance(work, Report):  # A ranking changes its row only at its end.
        return work.state == Report.State.RUNNING and timezone.now() - work.touched > STUCK
    return work.state in Batch.STARTED and timezone.now() - work.touched > QUIET


def failed_batches() -> QuerySet[FailedBatch]:
    """Return the failed uploads, newest first, with `can_retry`."""
    files = Upload.objects.filter(batch=OuterRef("pk"))
    submissions = Submission.objects.filter(batch=OuterRef("pk"))
    failed = _with_jobs(Batch.objects.filter(state=Batch.State.FAILED))
    return failed.annotate(can_retry=Exists(files) | Exists(submissions)).order_by("-touched", "-pk")


def failed_reports() -> QuerySet[FailedReport]:
    """Return the failed reports, newest first, with `can_retry`."""
    newer = Report.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    failed = _with_rankings(Report.objects.filter(state=Report.State.FAILED))
    return failed.annotate(can_retry=~Exists(newer)).order_by("-touched", "-pk")


def failure_reason(work: Batch | Report) -> str:
    """Return why work failed, unless the reason can hold the name of a file."""
    is_from_service = work.message in SERVICE_REASONS or work.message.startswith(TOO_LARGE)
    return work.message if is_from_service else ""


@staff_only
@require_GET
def service(request: AuthenticatedRequest) -> HttpResponse:
    failed = _pages(request, {"failed_uploads": failed_batches(), "failed_rankings": failed_reports()})
    return render(request, "submissions/service/service.html", {**_now(request), **failed})


@staff_only
@require_GET
def now(request: AuthenticatedRequest) -> HttpResponse:
    """Return the fragment with the current state, which the page polls every five seconds.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one.
    """
    context = _now(request)
    if request.GET.get("was") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "submissions/service/_service_now.html", context)


def _now(request: AuthenticatedRequest) -> dict[str, Any]:
    unfinished = Batch.objects.filter(state__in=Batch.RUNNING)
    lists = {"uploads": _with_jobs(unfinished).order_by("touched", "pk"), "rankings": reports_under_way()}
    context: dict[str, Any] = {"state": service_state(), **_pages(request, lists)}
    displayed = render_to_string("submissions/service/_service_now.html", context, request)
    return context | {"version": f"{crc32(displayed.encode()):08x}"}


def _pages(request: AuthenticatedRequest, lists: dict[str, Any]) -> dict[str, Any]:
    return {
        name: Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get(f"{name}_page")) for name, rows in lists.items()
    }


@staff_only
@require_POST
def retry_batch(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    if uploads.retry_batch(get_object_or_404(Batch, pk=pk)):
        messages.info(request, _("Upload {number} is tried again.").format(number=pk))
    else:
        messages.warning(request, _("Upload {number} cannot be tried again: upload its files again.").format(number=pk))
    return redirect("service")


@staff_only
@require_POST
def retry_report(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    if uploads.retry_report(get_object_or_404(Report, pk=pk)):
        messages.info(request, _("Ranking {number} is tried again.").format(number=pk))
    else:
        messages.warning(request, _("Ranking {number} is not the newest of its assignment any more.").format(number=pk))
    return redirect("service")


@staff_only
@require_http_methods(["GET", "POST"])
def tokens(request: AuthenticatedRequest) -> HttpResponse:
    """List the tokens that were not revoked, by account, and revoke those chosen."""
    rows = all_tokens()
    if request.method != "POST":
        return render(request, "submissions/department/tokens.html", {"tokens": rows})
    keys = set(request.POST.getlist("token"))
    chosen = [one for one in rows if str(one.pk) in keys]
    for one in chosen:
        revoke_tokens(one.user, [one.pk])
    note_tokens(request.user.get_username(), request.audit_address, "revoked", chosen)
    number = len(chosen)
    text = ngettext("%(n)d token was revoked.", "%(n)d tokens were revoked.", number)
    messages.success(request, text % {"n": number})
    return redirect("all_tokens")
