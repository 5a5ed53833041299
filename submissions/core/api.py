"""What all parts of the API share: problems, lists in parts, request schemas, and the user of a request.

Errors are problem documents (RFC 9457). A cursor says where the next part of a list begins. Request schemas
refuse fields that an endpoint does not have.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, File, Path, Query, Schema, UploadedFile
from ninja.signature import ViewSignature
from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, StrictBool, TypeAdapter

from submissions.core.names import Names, anonymous_names, real_names
from submissions.core.rights import Right, limits_of, may

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

    from submissions.models import Assignment

Answer = TypeVar("Answer", bound=Schema)
Row = TypeVar("Row", bound=Model)

CONTENT_TYPE = "application/problem+json"
# What each status means here, as the page of the API explains it.
MEANINGS = {
    400: "The request cannot be parsed.",
    401: "The token is missing, unknown, expired or revoked, or its account is inactive.",
    403: "The token or the role of its user does not allow this.",
    404: "There is no such object, or the user has no right in its course.",
    405: "This address does not accept this method.",
    409: "The state of the object does not allow this, or it was changed meanwhile.",
    410: "The object was deleted.",
    412: "An upload in parts uses a version of the protocol that this service does not know.",
    413: "The body of the request is too large.",
    415: "This address does not accept the content type of the request.",
    422: "A value is missing or not allowed; `errors` says which.",
    429: "Too many requests with this token; `Retry-After` says how many seconds to wait.",
    500: "An error on the server; its log has the details.",
    503: "The service cannot answer just now; try again.",
    507: "The disk of the service is full.",
}

A_PART = 100
MOST = 500
LARGEST = 2**63 - 1

Limit = Annotated[int, Query(ge=1, le=MOST, description="Items of the answer, at most.")]
Cursor = Annotated[str, Query(max_length=100, description="`next` of the part before; empty for the first.")]

STRICT = {"bool", "int", "float"}
UNKNOWN = "There is no such field here."
# What the forms of the pages check, as the OpenAPI document says it.
Name = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 200, "pattern": r"\S"})]
# Pydantic alone takes numbers for seconds since 1970.
DATE = Annotated[str, Field(strict=True, pattern=r"^\d{4}-\d\d-\d\d")]
Time = Annotated[datetime, BeforeValidator(TypeAdapter(DATE).validate_python)]
# A Literal alone takes 0 for False.
No = Annotated[Literal[False], BeforeValidator(TypeAdapter(StrictBool).validate_python)]
Files = Annotated[list[UploadedFile], File(min_length=1)]

LARGEST_ID = 2**63 - 1
Id = Annotated[int, Path(ge=1, le=LARGEST_ID)]
Threshold = Annotated[
    int, Query(ge=0, le=100, description="Similarity in percent from which on pairs are looked at; 0: suggested.")
]


class Problem(Exception):
    """An error to answer with; `extra` are further members of the document."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.extra = status, detail, headers or {}, extra

    def response(self) -> HttpResponse:
        document = {
            "type": f"{reverse('api_docs')}#problem-{self.status}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.extra,
        }
        return HttpResponse(
            json.dumps(document), status=self.status, content_type=CONTENT_TYPE, headers=dict(self.headers)
        )


def require_valid(form: BaseForm) -> None:
    """Raise the problem of a form that is not valid."""
    if form.is_valid():
        return
    errors = [
        {"field": "" if field == "__all__" else field, "message": str(message)}
        for field, messages in form.errors.items()
        for message in messages
    ]
    raise Problem(422, "; ".join(error["message"] for error in errors), errors=errors)


def answer_of(schema: type[Answer], row: object, **others: object) -> Answer:
    """Return an answer with the `others` and, for its other fields, what the row has under their names."""
    return schema(**others, **{name: getattr(row, name) for name in schema.model_fields.keys() - others.keys()})


def part_of(rows: QuerySet[Row], limit: int) -> tuple[list[Row], str | None]:
    """Return the first `limit` of some rows, and the cursor of the last one if more rows follow."""
    part = list(rows[: limit + 1])
    return part[:limit], cursor_of(part[limit - 1].pk) if len(part) > limit else None


def from_response(response: HttpResponse) -> HttpResponse:
    """Return the problem that stands for an error page, with its headers that say what to do."""
    kept = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
    detail = MEANINGS.get(response.status_code, response.reason_phrase)
    if largest := getattr(response, "largest_body", 0):
        detail += f" It may have {largest:,} bytes here."
    return Problem(response.status_code, detail, kept).response()


def cursor_of(*numbers: int) -> str:
    """Return a cursor of some numbers; callers treat it as a text without meaning."""
    return urlsafe_b64encode(".".join(map(str, numbers)).encode()).decode().rstrip("=")


def numbers_of(cursor: str, count: int) -> list[int]:
    """Return the numbers of a cursor, `count` zeros for an empty one; raise Problem for any other text."""
    if not cursor:
        return [0] * count
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        numbers = [int(part) for part in urlsafe_b64decode(padded).decode("ascii").split(".")]
    except ValueError as error:
        raise _unknown() from error
    if len(numbers) != count or not all(0 <= number <= LARGEST for number in numbers):
        raise _unknown()
    return numbers


def _unknown() -> Problem:
    return Problem(422, "This is no cursor of this list. Send `next` as it was, or begin without a cursor.")


def _make_strict(schema: object) -> None:
    """Have each boolean and each number inside a schema refuse values of other types."""
    # `strict` for the whole body would refuse dates, which JSON has as texts only.
    if isinstance(schema, dict):
        if schema.get("type") in STRICT:
            schema["strict"] = True
        for part in schema.values():
            _make_strict(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            _make_strict(part)


class Input(Schema):
    """Fields that a client sends; one that is not among them is refused."""

    model_config = ConfigDict(extra="forbid")


class Body(Input):
    """A JSON body, whose values have the types of the OpenAPI document: 0 is no boolean, "3" no number."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _make_strict(schema)
        return schema


class _Names(NamedTuple):
    """The names that an endpoint takes in its query, and in a form with its files."""

    query: frozenset[str]
    form: frozenset[str]


def refuse_unknown(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an endpoint: answer 422 for fields of the query or the form that it does not take.

    Pydantic sees only the fields that ninja looks up in them; those of a JSON body it refuses by itself.
    """

    @cache
    def names() -> _Names:
        return _names(endpoint)

    @wraps(endpoint)
    def checked(request: HttpRequest, **values: Any) -> Any:
        query, form = names()
        sent = [*request.GET.keys() - query, *(request.POST.keys() | request.FILES.keys()) - form]
        if sent:
            errors = [{"field": name, "message": UNKNOWN} for name in sorted(sent)]
            raise Problem(422, "; ".join(f"{one['field']}: {UNKNOWN}" for one in errors), errors=errors)
        return endpoint(request, **values)

    return checked


def _names(endpoint: Callable[..., Any]) -> _Names:
    taken: dict[str, set[str]] = {"query": set(), "form": set(), "file": set()}
    for model in ViewSignature("", endpoint).models:
        source = str(model.__ninja_param_source__)
        taken.get(source, set()).update(getattr(model, "__ninja_flatten_map__", model.model_fields))
    return _Names(frozenset(taken["query"]), frozenset(taken["form"] | taken["file"]))


def user_of(request: HttpRequest) -> User:
    return cast("User", request.user)


def names_of(request: HttpRequest, assignment: Assignment) -> Names:
    """Return the names of an assignment as the user of a token may see them."""
    sees = may(user_of(request), Right.SEE_NAMES, assignment.course)
    return real_names(assignment) if sees else anonymous_names(assignment)


def require_writing(user: User) -> None:
    """Raise PermissionDenied where a token only reads, or is for some courses and this is about others."""
    limits = limits_of(user)
    if Right.CHANGE not in limits.rights or limits.courses is not None:
        raise PermissionDenied("This takes a token that may write and is for all courses.")
