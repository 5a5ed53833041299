"""Headers of every answer: pages, files, redirects and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

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
