"""The address `/metrics`: closed unless MOSS_METRICS_TOKEN is set, and to everybody without that token."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from moss.metrics.requests import request_collector
from moss.metrics.service import ServiceCollector

if TYPE_CHECKING:
    from django.http import HttpRequest


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with all figures in Prometheus's text format; 404 without a token in the settings."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(
        request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"
    ):
        refusal = "The header Authorization must be: Bearer and the value of MOSS_METRICS_TOKEN.\n"
        answer = HttpResponse(refusal, status=HTTPStatus.UNAUTHORIZED, content_type="text/plain")
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer
    registry = CollectorRegistry()
    registry.register(request_collector())
    registry.register(ServiceCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
