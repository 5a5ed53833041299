"""Refuse request bodies that are too large and files that nobody asked for, before anything is written.

Django parses a form at the first access to `request.POST`, which is before any view, and writes larger files
to the temporary folder meanwhile.
"""

from __future__ import annotations

from codecs import lookup
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.shortcuts import render
from django.utils.translation import gettext

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.core.files.uploadedfile import UploadedFile
    from django.http import HttpRequest, HttpResponse

    View = TypeVar("View", bound=Callable[..., HttpResponse])

TAKES_FILES = "takes_files"
# The boundaries and headers of a multipart body, up to a kilobyte for each file.
MULTIPART_HEADER_BYTES = 1_000


def too_much_at_once() -> str:
    """Return what somebody reads who sends more than one upload may have; the proxies say the same."""
    text = gettext("One upload may have {n} MB. Send fewer or smaller files at once.")
    return text.format(n=settings.MAX_UPLOAD_BYTES // 1_000_000)


def takes_files(view: View) -> View:
    """Let signed-in users send files to a view."""
    setattr(view, TAKES_FILES, True)
    return view


class RefuseFiles(FileUploadHandler):
    """Refuse every file at its header."""

    def new_file(self, *_header: object) -> None:
        raise RequestDataTooBig("A file was sent to an address that takes none, or without signing in.")

    def receive_data_chunk(self, _data: bytes, _start: int) -> None:
        return None

    def file_complete(self, _size: int) -> UploadedFile | None:
        return None


class RequestBodyLimits:
    """Limit every request body by its stated length, and files to the views that take them.

    A body without a stated length is empty for Django. This has to be listed before the middleware that reads
    forms, which is the one that checks the CSRF token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], _args: object, _kwargs: object
    ) -> HttpResponse | None:
        """Answer with a page that says what to do when the body is too large for its view.

        Raises
        ------
        BadRequest
            When a form is in another encoding than UTF-8: some of Python's decode it to lone surrogates.
        """
        if lookup(request.encoding or "utf-8").name != "utf-8":
            raise BadRequest("A form is sent in UTF-8.")
        files_allowed = getattr(view, TAKES_FILES, False) and request.user.is_authenticated
        limit = _largest_upload() if files_allowed else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if _stated_length(request) > (limit or 0):
            response = render(request, "413.html", {"limit": too_much_at_once()}, status=413)
            response.largest_body = limit  # type: ignore[attr-defined] # read by the API
            return response
        if not files_allowed:
            request.upload_handlers = [RefuseFiles(request)]
        return None


def _largest_upload() -> int:
    files = settings.DATA_UPLOAD_MAX_NUMBER_FILES or 0
    largest: int = settings.MAX_UPLOAD_BYTES + files * MULTIPART_HEADER_BYTES
    return largest


def _stated_length(request: HttpRequest) -> int:
    length = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() else 0
