"""Requests of pages: their types and middleware, where they may lead to, and limits of their bodies.

Request bodies that are too large and files that nobody asked for are refused before anything is written.
Deleted objects answer 410, conflicts and errors of the server have pages of their own. The address of a
client behind proxies is the one that trusted proxies state.
"""

from __future__ import annotations

import logging
import sys
from codecs import lookup
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from ipaddress import ip_address, ip_network
from threading import Condition
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit
from weakref import finalize

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, DisallowedHost, ObjectDoesNotExist, RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.db import InterfaceError, OperationalError, connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext as _
from django.views import defaults
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect
from psycopg.errors import LockNotAvailable

from submissions.core.access import Gone
from submissions.core.database import is_conflict, is_no_room
from submissions.core.rights import Right

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.http.response import HttpResponseBase
    from django_htmx.middleware import HtmxDetails

    View = TypeVar("View", bound=Callable[..., HttpResponseBase])

FORWARDED = (
    "HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
)  # fmt: skip

TAKES_FILES = "takes_files"
# The boundaries and headers of a multipart body, up to a kilobyte for each file.
MULTIPART_HEADER_BYTES = 1_000

ViewArgs = ParamSpec("ViewArgs")

logger = logging.getLogger(__name__)

READS = ("GET", "HEAD")
# What reading raises where a row that was read before is gone now.
GONE = (ObjectDoesNotExist, LookupError, StopIteration, AttributeError, TypeError)
SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"

RETRY_SECONDS = "5"
# Seconds that a request waits for others of the same reader.
PLACE_SECONDS = 5.0
# How much of the connections to the database one link, one account or one token may use at once.
LINKS_SHARE, ACCOUNTS_SHARE = 1 / 3, 3 / 4


class Middleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class TrustedProxies:
    """Drop the headers of proxies from requests that another address sent.

    This has to come before every middleware that asks whether the request came by HTTPS.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.networks = [ip_network(network) for network in settings.PROXY_ADDRESSES]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.PROXIES or not self._is_stated(request.META.get("REMOTE_ADDR", "")):
            for name in FORWARDED:
                request.META.pop(name, None)
        return self.get_response(request)

    def _is_stated(self, sender: str) -> bool:
        with suppress(ValueError):  # A sender without an address, such as a Unix socket, is no stated proxy.
            address = ip_address(sender)
            return any(address in network for network in self.networks)
        return False


def client_address(request: HttpRequest) -> str | None:
    """Return the address of the client, as the outermost of `MOSS_PROXIES` proxies saw it; None if unknown.

    A client can begin X-Forwarded-For with anything, so only the entries that the proxies added count.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-settings.PROXIES :]
    if settings.PROXIES and len(forwarded) == settings.PROXIES:
        with suppress(ValueError):  # Not an address: it was not a proxy that wrote it.
            return str(ip_address(forwarded[0].strip()))
    return request.META.get("REMOTE_ADDR") or None


def too_much_at_once() -> str:
    """Return the message for an upload that is too large; the proxies send the same message."""
    text = gettext("One upload may have {n} MB. Send fewer or smaller files at once.")
    return text.format(n=settings.MAX_UPLOAD_BYTES // 1_000_000)


def takes_files(view: View) -> View:
    """Let signed-in users send files to a view."""
    setattr(view, TAKES_FILES, True)
    return view


class RefuseFiles(FileUploadHandler):
    def new_file(self, *_header: object) -> None:
        raise RequestDataTooBig("A file was sent to an address that takes none, or without signing in.")

    def receive_data_chunk(self, _data: bytes, _start: int) -> None:
        return None

    def file_complete(self, _size: int) -> UploadedFile | None:
        return None


class RequestBodyLimits(Middleware):
    """Limit every request body by its stated length, and files to the views that take them.

    A body without a stated length is empty for Django. This has to be listed before `CsrfViewMiddleware`,
    which reads forms.
    """

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], _args: object, _kwargs: object
    ) -> HttpResponse | None:
        """Answer with a page that says what to do when the body is too large for its view.

        Raises BadRequest when a form is in another encoding than UTF-8: some of Python's decode it to lone surrogates.
        """
        if lookup(request.encoding or "utf-8").name != "utf-8":
            raise BadRequest("A form is sent in UTF-8.")
        files_allowed = getattr(view, TAKES_FILES, False) and request.user.is_authenticated
        limit = _largest_upload() if files_allowed else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > (limit or 0):
            response = render(request, "413.html", {"limit": too_much_at_once()}, status=413)
            response.largest_body = limit  # type: ignore[attr-defined] # read by the API
            return response
        if not files_allowed:
            request.upload_handlers = [RefuseFiles(request)]
        return None


class ReadersPlaces:
    """Let one link or account have few requests answered at once, so that connections are left for others.

    As many more requests of one reader wait for a moment; the others are refused at once, since each that
    waits holds a thread. So does a client that reads its answer slowly: the place is kept until it is closed,
    or until the request is deleted, where another answer took its place.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._changed = Condition()
        self._working: Counter[str] = Counter()
        self._present: Counter[str] = Counter()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response._resource_closers.extend(getattr(request, "places", ()))  # type: ignore[attr-defined] # noqa: SLF001 - as Django's own
        return response

    def process_view(
        self, request: HttpRequest, _view: object, _args: object, arguments: dict[str, Any]
    ) -> HttpResponse | None:
        places: list[Callable[[], object]] = []
        request.places = places  # type: ignore[attr-defined] # read by __call__
        for reader, share in _readers(request, arguments).items():
            if not self._enter(reader, max(1, int(settings.WEB_CONNECTIONS * share))):
                response = _page("503_places.html", 503)
                response.headers["Retry-After"] = RETRY_SECONDS
                return response
            places.append(finalize(request, self._leave, reader))
        return None

    def _enter(self, reader: str, most: int) -> bool:
        with self._changed:
            if self._present[reader] >= 2 * most:
                return False
            self._present[reader] += 1
            is_free = self._changed.wait_for(lambda: self._working[reader] < most, PLACE_SECONDS)
            if is_free:
                self._working[reader] += 1
            else:
                self._present[reader] -= 1
            return is_free

    def _leave(self, reader: str) -> None:
        with self._changed:
            for counts in (self._working, self._present):
                counts[reader] -= 1
                if not counts[reader]:
                    del counts[reader]
            self._changed.notify_all()


def _readers(request: HttpRequest, arguments: dict[str, Any]) -> dict[str, float]:
    """Return who reads, a link, all links, a token or an account, with its share of the connections."""
    if link := arguments.get("token") or arguments.get("key"):
        return {str(link): LINKS_SHARE, "links": ACCOUNTS_SHARE}
    if request.resolver_match and request.resolver_match.url_name == "healthz":
        return {}
    token = request.headers.get("Authorization", "")
    if token.startswith("Bearer ") and settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return {token: ACCOUNTS_SHARE}
    is_known = settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated
    return {f"account {request.user.pk}": ACCOUNTS_SHARE} if is_known else {}


def _largest_upload() -> int:
    files = settings.DATA_UPLOAD_MAX_NUMBER_FILES or 0
    largest: int = settings.MAX_UPLOAD_BYTES + files * MULTIPART_HEADER_BYTES
    return largest


class AuthenticatedRequest(HttpRequest):
    """The request of a view behind `login_required`."""

    user: User
    htmx: HtmxDetails
    # As the audit log notes it; `submissions.audit.log` sets it.
    audit_address: str | None
    # What was uploaded, or who got a course, for the audit log; `submissions.audit.log` reads it.
    audit_subject: str


def right_for(request: HttpRequest, right: Right) -> Right:
    """Return the right that a page with a form takes: `right` to send the form, to read for its display."""
    return right if request.method == "POST" else Right.READ


def is_path_of_this_site(address: str) -> bool:
    """Return whether an address is an absolute path that no browser reads as the address of another site."""
    return address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


def redirect_with_query(request: HttpRequest, name: str, *arguments: int) -> HttpResponse:
    query = request.META["QUERY_STRING"]
    return redirect(reverse(name, args=arguments) + (f"?{query}" if query else ""))


def changed_meanwhile(request: AuthenticatedRequest, reason: str, address: str) -> HttpResponse:
    """Refuse a change of something that is not what its page showed; htmx gets the reason as plain text."""
    if request.htmx:
        return HttpResponse(reason, status=409, content_type="text/plain; charset=utf-8")
    return render(request, "409.html", {"reason": reason, "address": address}, status=409)


def hide_address(response: HttpResponse) -> HttpResponse:
    """Keep a page out of search engines and caches, and its address, which opens it, out of referrers."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store, private"
    return response


def signed_in(*methods: str) -> Callable[[View], View]:
    """Let a view answer requests of these methods by users who signed in; others are asked to sign in."""

    def decorate(view: View) -> View:
        return login_required(require_http_methods([*methods])(view))

    return decorate


def staff_only(
    view: Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Ask for sign-in, and answer users who are no staff as if there was no such page."""

    @wraps(view)
    def wrapper(request: AuthenticatedRequest, /, *args: ViewArgs.args, **kwargs: ViewArgs.kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404("Only staff may see this.")
        return view(request, *args, **kwargs)

    return login_required(wrapper)


def gone_as_410(
    view: Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse],
) -> Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse]:
    """Answer with a 410 page and the reason when the view raises `Gone`: its object was deleted."""

    @wraps(view)
    def wrapper(request: AuthenticatedRequest, /, *args: ViewArgs.args, **kwargs: ViewArgs.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Gone as gone:
            return render(request, "410.html", {"reason": str(gone)}, status=410)

    return wrapper


class HtmxHttpRequest(HttpRequest):
    """A request that went through django-htmx's middleware."""

    htmx: HtmxDetails


class HtmxLoginRedirect:
    """Answer an htmx request that needs signing in with a redirect of the whole page.

    Otherwise htmx would follow the redirect and put the sign-in page in place of the fragment.
    """

    def __init__(self, get_response: Callable[[HtmxHttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HtmxHttpRequest) -> HttpResponse:
        response = self.get_response(request)
        redirects_to_login = urlsplit(response.headers.get("Location", "")).path == reverse("login")
        if not request.htmx or not redirects_to_login:
            return response
        page = request.htmx.current_url_abs_path or reverse("courses")
        return HttpResponseClientRedirect(redirect_to_login(page).url)


class ConflictAnswers(Middleware):
    """Read again from a snapshot if a row disappeared meanwhile; answer 409 if a row could not be stored.

    A mistake of the program raises the same error in the snapshot, and remains an error.
    """

    def process_exception(self, request: Any, error: Exception) -> HttpResponse | None:
        if request.method in READS:
            return _read_again(request, error) if isinstance(error, GONE) or is_conflict(error) else None
        if not isinstance(error, ObjectDoesNotExist) and not is_conflict(error):
            return None
        logger.warning("changed or deleted meanwhile: %s", error, exc_info=error)
        reason = _("Somebody created, changed or deleted this at the same moment.")
        return changed_meanwhile(request, reason, reverse("courses"))


def _read_again(request: HttpRequest, error: Exception) -> HttpResponse | None:
    match = request.resolver_match
    if not match or connection.in_atomic_block:
        return None
    logger.warning("read again, after %s: %s", type(error).__name__, error)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(SNAPSHOT)
        response: Any = match.func(request, *match.args, **match.kwargs)
    return response  # type: ignore[no-any-return]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer with 400; where the host name is not allowed, say which variable allows it."""
    template = "400_host.html" if isinstance(exception, DisallowedHost) else "400.html"
    return defaults.bad_request(request, exception, template)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer with 507 where a disk is full, 503 where the database does not answer in time, and else 500.

    Django calls this while it handles the error, and logs the error afterwards.
    """
    error = sys.exception()
    if is_no_room(error):
        for handler in request.upload_handlers:
            handler.upload_interrupted()  # deletes the file that was written in part
        return _page("507.html", 507)
    if isinstance(error, OperationalError | InterfaceError):
        busy = isinstance(error.__cause__, LockNotAvailable)
        response = _page("503_busy.html" if busy else "503.html", 503)
        response.headers["Retry-After"] = RETRY_SECONDS
        return response
    return defaults.server_error(request)


def _page(template: str, status: int) -> HttpResponse:
    # Without the request, whose user and messages may have to be read from the database.
    return render(None, template, status=status)
