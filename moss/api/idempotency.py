"""Answer a request that is sent again with the same idempotency key as the first time."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils import timezone

from moss.api.problems import Problem
from submissions.models import ApiAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

    from submissions.models import ApiToken

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
# A request that was not answered after this time was lost with its process.
LONGEST_REQUEST = timedelta(minutes=15)
LONGEST_KEY = 255
SERVER_ERROR = 500


def begin(request: HttpRequest, token: ApiToken) -> ApiAnswer | HttpResponse | None:
    """Note a request with a key; return the note, or else the answer to give instead.

    Return None for a request without a key.
    """
    key = request.headers.get(HEADER, "")
    if request.method != "POST" or not key:
        return None
    if len(key) > LONGEST_KEY or not key.isprintable():
        return Problem(422, f"The {HEADER} has at most {LONGEST_KEY} printable characters.").response()
    _forget_old()
    digest = _digest(request)
    try:
        with transaction.atomic():
            return ApiAnswer.objects.create(token=token, key=key, request=digest)
    except IntegrityError:
        return _stored(token, key, digest)


def finish(note: ApiAnswer, response: HttpResponse) -> None:
    """Store the answer to a request with a key; one that failed by no fault of its own may be tried again."""
    if response.status_code >= SERVER_ERROR or response.streaming:
        note.delete()
        return
    note.status, note.content_type = response.status_code, response.headers.get("Content-Type", "")
    note.body = response.content.decode()
    note.save(update_fields=["status", "content_type", "body"])


def _stored(token: ApiToken, key: str, digest: str) -> HttpResponse:
    note = ApiAnswer.objects.filter(token=token, key=key).first()
    if note and note.request != digest:
        return Problem(422, f"This {HEADER} was used for another request. Choose a new one.").response()
    if not note or note.status is None:
        text = "The first request with this key is still worked on."
        return Problem(409, text, {"Retry-After": "5"}).response()
    response = HttpResponse(note.body, status=note.status, content_type=note.content_type)
    response.headers["Idempotency-Replayed"] = "true"
    return response


def _forget_old() -> None:
    now = timezone.now()
    ApiAnswer.objects.filter(created__lt=now - KEPT).delete()
    ApiAnswer.objects.filter(created__lt=now - LONGEST_REQUEST, status=None).delete()


def _digest(request: HttpRequest) -> str:
    """Return a digest of what is asked for; files count by their content, however their parts are divided."""
    digest = sha256()
    for part in _parts(request):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def _parts(request: HttpRequest) -> Iterator[bytes]:
    yield f"{request.method} {request.get_full_path()}".encode(errors="surrogatepass")
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
