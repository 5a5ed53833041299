"""The bases of all request schemas, which refuse fields that an endpoint does not have."""

from __future__ import annotations

from datetime import datetime
from functools import cache, wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from ninja import Field, File, Schema, UploadedFile
from ninja.signature import ViewSignature
from pydantic import BeforeValidator, ConfigDict, StrictBool, TypeAdapter

from moss.integrations.api.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from pydantic import BaseModel, GetCoreSchemaHandler
    from pydantic_core import CoreSchema

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
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
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
