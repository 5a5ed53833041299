"""Answer a request that is sent again with the same idempotency key as the first time."""

from __future__ import annotations

from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone

from moss.integrations.api.authentication import token_of
from moss.integrations.api.problems import Problem
from submissions.models import ApiAnswer
from submissions.work.locks import text_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpRequest

    from submissions.models import ApiToken

    View = Callable[..., HttpResponse]

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
LONGEST_KEY = 255
SERVER_ERROR = 500
# Headers that say what is asked for, with the address and the body: those of uploads in parts.
ASKING = "Upload-"


def idempotent(view: View) -> View:
    """Have a view do once what is sent again with the same key, and answer it again."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        key, token = request.headers.get(HEADER, ""), token_of(request)
        if request.method != "POST" or not key or not token:
            return view(request, *args, **kwargs)
        if len(key) > LONGEST_KEY or not key.isprintable():
            text = f"The {HEADER} has at most {LONGEST_KEY} printable characters."
            return Problem(422, text).response()
        ApiAnswer.objects.filter(created__lt=timezone.now() - KEPT).delete()
        return _once(request, token, key, lambda: view(request, *args, **kwargs))

    return wrapper


def _once(request: HttpRequest, token: ApiToken, key: str, act: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the stored answer, or do it and store its answer in one transaction with what it changes.

    A process that is lost meanwhile leaves neither; what failed by no fault of its own may be tried again.
    """
    digest = _digest(request)
    with transaction.atomic():
        if not text_lock(f"{HEADER} {token.pk} {key}"):
            text = "The first request with this key is still worked on."
            return Problem(409, text, {"Retry-After": "5"}).response()
        if stored := ApiAnswer.objects.filter(token=token, key=key).first():
            # What is answered again was written to the audit log the first time.
            request.__dict__.pop("audit_entry", None)
            return _again(stored, digest)
        response = act()
        if response.status_code >= SERVER_ERROR or response.streaming:
            transaction.set_rollback(True)
        else:
            _store(ApiAnswer(token=token, key=key, request=digest), response)
    return response


def _store(answer: ApiAnswer, response: HttpResponse) -> None:
    answer.status, answer.headers = response.status_code, dict(response.headers)
    answer.body = response.content.decode()
    answer.save()


def _again(answer: ApiAnswer, digest: str) -> HttpResponse:
    if answer.request != digest:
        return Problem(422, f"This {HEADER} was used for another request. Choose a new one.").response()
    if not answer.body:  # Every answer to a POST has one; this was sealed with a former SECRET_KEY.
        text = "This was done before; its answer cannot be read any more. Choose a new key for another one."
        return Problem(409, text).response()
    headers = answer.headers | {"Idempotency-Replayed": "true"}
    return HttpResponse(answer.body, status=answer.status, headers=headers)


def _digest(request: HttpRequest) -> str:
    """Return a digest of what is asked for; files count by their content, however their parts are divided."""
    digest = sha256()
    for part in _parts(request):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def _parts(request: HttpRequest) -> Iterator[bytes]:
    yield f"{request.method} {request.get_full_path()}".encode(errors="surrogatepass")
    for name, value in sorted(request.headers.items()):
        if name.startswith(ASKING):
            yield repr((name, value)).encode(errors="surrogatepass")
    if request.content_type != "multipart/form-data":
        yield request.body
        return
    for name, values in sorted(request.POST.lists()):
        yield repr((name, values)).encode(errors="surrogatepass")
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            yield repr((name, file.name, file.size)).encode(errors="surrogatepass")
            yield from file.chunks()
            file.seek(0)
