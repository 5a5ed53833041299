"""Headers of every answer, and the id of each request, also for its lines and tasks in the log.

The policies for scripts, framing and referrers, and HSTS, are settings (`moss.settings`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.core.signals import request_finished
from django.dispatch import receiver

from moss.log_lines import REQUEST, TASK

if TYPE_CHECKING:
    from celery import Task
    from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# What a client may choose: enough for a UUID or a trace id, and nothing that means something in a log.
SAFE = re.compile(r"[0-9A-Za-z_.-]{8,64}")
TASK_HEADER = "moss_request_id"


class RequestIds:
    """Take over the id that a proxy or a client gave a request, or make one; state it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = request.headers.get(HEADER, "")
        if not SAFE.fullmatch(request_id):
            request_id = uuid4().hex
        REQUEST.set(request_id)
        response = self.get_response(request)
        response.headers[HEADER] = request_id
        return response


@receiver(request_finished)
def end_request(**_: object) -> None:
    """Forget the id once the answer is closed: Django logs its status after the last middleware."""
    REQUEST.set("")


@before_task_publish.connect
def name_cause(headers: dict[str, Any], **_: object) -> None:
    """Send the id of the request with a task; a task that a task sends has the same one."""
    if name := REQUEST.get():
        headers[TASK_HEADER] = name


@task_prerun.connect
def begin_task(task_id: str, task: Task[..., object], **_: object) -> None:
    TASK.set((task.name, task_id))
    # A task that runs where it was sent, as in tests, keeps the request of that place.
    if name := task.request.get(TASK_HEADER):
        REQUEST.set(name)


@task_postrun.connect
def end_task(task: Task[..., object], **_: object) -> None:
    TASK.set(None)
    if task.request.get(TASK_HEADER):
        REQUEST.set("")


# What a page could ask of the device; none of it is used.
UNUSED = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
DEFAULTS = {
    # Whatever the service writes may be about students; static files have a header of their own.
    "Cache-Control": "no-store, private",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
}


class DefaultHeaders:
    """Set the default headers of answers that do not set them themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in DEFAULTS.items():
            response.headers.setdefault(name, value)
        return response
