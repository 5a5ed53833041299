"""NUL and lone surrogates, in whatever text that comes from outside, break nothing and are stored nowhere."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from allauth.core import context
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction
from django.forms.forms import BaseForm
from django.test import Client
from django.urls import get_resolver

from moss.integrations.api import api
from submissions.models import Course, CourseRoster, EnrolledStudent
from tests.support.api import api_client, problem_of, send
from tests.support.campus import Campus
from tests.support.every_page import World, address_of, api_places, patterns
from tests.support.identity_provider import IdentityProvider
from tests.support.long_rows import rest_is_long
from tests.support.platform import LearningPlatform

pytestmark = pytest.mark.services

NUL, SURROGATE = "a\0b", "a\ud800b"
STORED = "a\ufffdb"
both = pytest.mark.parametrize("text", [NUL, SURROGATE], ids=["nul", "surrogate"])
# Decoded with this, which a form may name, ASCII bytes become lone surrogates.
ESCAPES = "unicode_escape"
BOUNDARY = "aBoundary"
ESCAPED = f"multipart/form-data; boundary={BOUNDARY}; charset={ESCAPES}"
TEXTS = (models.CharField, models.TextField)
SOURCES = [
    *Path("moss").rglob("views*.py"),
    *Path("moss").rglob("*pages.py"),
    *Path("submissions/pages").rglob("*.py"),
]
READ_BY_NAME = re.compile(r"""(?:POST|GET)(?:\.get\(|\.getlist\(|\[)\s*f?["'](\w+)["']""")


# The database


@pytest.mark.django_db
@both
def test_every_column_of_text_can_be_asked_for_any_text(text: str) -> None:
    asked = 0
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, TEXTS):
                assert not model._default_manager.filter(**{field.name: text}).exists(), field
                asked += 1
            elif isinstance(field, ArrayField) and isinstance(field.base_field, TEXTS):
                assert not model._default_manager.filter(**{field.name: [text]}).exists(), field
                asked += 1
    assert asked > 50


@both
def test_what_cannot_be_stored_is_replaced_in_texts_lists_and_json(alice: User, text: str) -> None:
    Course.objects.create(owner=alice, name=text)
    Course.objects.bulk_create([Course(owner=alice, name=f"{text} 2")])
    assert set(Course.objects.values_list("name", flat=True)) == {STORED, f"{STORED} 2"}
    roster = CourseRoster.objects.create(course=Course.objects.earliest("pk"), name=text)
    student = EnrolledStudent.objects.create(roster=roster, name=text, other_ids=[text])
    student.refresh_from_db()
    assert (student.name, student.other_ids) == (STORED, [STORED])
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb", [models.JSONField().get_db_prep_value(_deep(text), connection)])
        assert json.loads(cursor.fetchone()[0]) == _deep(STORED)


def test_texts_that_can_be_stored_stay_as_they_are(alice: User) -> None:
    for text in ("größer", "大きい", "😀", "\\u0000", "\\ud800", "\ufffd", "\x01'\"\\"):
        Course.objects.create(owner=alice, name=text)
        assert Course.objects.get(name=text).name == text
        with connection.cursor() as cursor:
            value = models.JSONField().get_db_prep_value({text: [text, 1.5]}, connection)
            cursor.execute("SELECT %s::jsonb", [value])
            assert json.loads(cursor.fetchone()[0]) == {text: [text, 1.5]}


def _deep(text: str) -> dict[str, Any]:
    return {text: [{"in": [text, 1, None]}]}


# The API


def test_no_endpoint_takes_a_body_with_a_text_that_cannot_be_stored(world: World) -> None:
    client, places = api_client(world.owner), api_places(world, world.owner)
    # All go through one parser: each field has one of the texts as its value and the other one inside of it.
    texts = cycle([(NUL, SURROGATE), (SURROGATE, NUL)])
    asked = 0
    for path, method, operation in _operations():
        for field in _body_fields(operation):
            text, key = next(texts)
            for value in (text, {"b": [{key: "c"}]}):
                with _undone():
                    response = send(client, method, path.format(**places), {field: value})
                problem = problem_of(response)
                assert (problem["status"], "surrogate" in problem["detail"]) == (422, True), (path, field)
                assert problem["errors"][0]["field"].startswith(field)
                asked += 1
    assert asked > 50


def test_no_endpoint_breaks_at_a_query_with_nul(world: World) -> None:
    client, places = (
        api_client(world.owner),
        api_places(world, world.owner) | {"table": "pairs", "suffix": "csv"},
    )
    for path, method, operation in _operations():
        names = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
        for name in (*names, "q"):
            with _undone():
                response = send(client, method, f"{path.format(**places)}?{name}=a%00b", {})
            assert response.status_code < 500, (path, name)
            if name in names:
                assert problem_of(response)["status"] == 422


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method, operation in operations.items():
            if method != "head":
                yield path.removeprefix("/api/v1"), method, operation


def _body_fields(operation: dict[str, Any]) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schemas = api.get_openapi_schema()["components"]["schemas"]
    return list(schemas[name]["properties"]) if name else []


@contextmanager
def _undone() -> Iterator[None]:
    """Undo what a request stored."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# The pages


@pytest.mark.parametrize("asked", rest_is_long(["each third address in all ways", "every address"]))
def test_no_page_breaks_at_a_form_or_a_query_with_such_a_text(asked: str, world: World) -> None:
    world.owner.is_staff = world.owner.is_superuser = True
    world.owner.save()
    client = Client(raise_request_exception=False)
    names = sorted(_field_names())
    assert {"name", "email", "q", "notes", "next", "username", "password"} <= {*names}
    nul = dict.fromkeys(names, NUL)
    for number, address in enumerate(_addresses(world)):
        ways: list[Callable[[], Any]] = [
            partial(client.post, address, nul),
            partial(client.get, address, nul),
            partial(client.generic, "POST", address, _escaped(names), ESCAPED),
        ]
        for send_text in ways if asked == "every address" or not number % 3 else ways[:1]:
            with _undone():
                client.force_login(world.owner)
                assert send_text().status_code < 500, address


def _addresses(world: World) -> list[str]:
    of_patterns = [address_of(world, name) for name in patterns()]
    others = [f"/{one}" for one in _plain_addresses(get_resolver()) if not one.startswith(("api/", "^"))]
    return list(dict.fromkeys(of_patterns + others))


def _plain_addresses(resolver: Any) -> Iterator[str]:
    """Yield the addresses outside the admin that take no argument."""
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            if not str(pattern.pattern).startswith("admin"):
                yield from (f"{pattern.pattern}{one}" for one in _plain_addresses(pattern))
        elif not pattern.pattern.converters:
            yield str(pattern.pattern)


def _field_names() -> set[str]:
    """Return the names of the fields of all forms, and of those that views read without one."""
    read = {name for path in SOURCES for name in READ_BY_NAME.findall(path.read_text())}
    return read | {name for form in _forms(BaseForm) for name in getattr(form, "base_fields", {})}


def _forms(form: Any) -> Iterator[Any]:
    yield form
    for one in form.__subclasses__():
        yield from _forms(one)


def _escaped(names: list[str]) -> bytes:
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\na\\ud800b\r\n' for name in names]
    return "".join([*parts, f"--{BOUNDARY}--\r\n"]).encode()


# Accounts of the campus and people of learning platforms


NAMES = ("preferred_username", "name", "given_name", "family_name", "nickname", "other")


def test_a_campus_account_with_nul_in_its_names_signs_in(campus: Campus, client: Client, db: None) -> None:
    mail = {"email": f"{NUL}@example.edu", "email_verified": True, "groups": [NUL]}
    campus.enrol("dora", **dict.fromkeys(NAMES, NUL), **mail)
    assert campus.sign_in(client, "dora", next="/account/").headers["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert User.objects.get().first_name == STORED


@pytest.mark.usefixtures("campus")
def test_a_campus_account_with_a_surrogate_in_its_names_signs_in(client: Client, db: None) -> None:
    # The provider of the tests cannot send one.
    request: Any = client.get("/account/").wsgi_request
    claims = dict.fromkeys(NAMES, SURROGATE) | {"sub": "7", "groups": [SURROGATE]}
    provider = get_adapter().get_provider(request, "campus")
    login = provider.sociallogin_from_response(request, {"userinfo": claims, "id_token": {}})
    with context.request_context(request):
        assert complete_social_login(request, login).status_code == 302
    user = User.objects.get()
    assert (request.user, user.first_name) == (user, STORED)
    assert SocialAccount.objects.get().extra_data["userinfo"]["name"] == STORED


@pytest.mark.parametrize("reference", ["&#0;", "&#xD800;"])
def test_a_saml_response_with_such_a_text_is_refused(
    identity_provider: IdentityProvider, client: Client, reference: str, db: None
) -> None:
    identity_provider.enrol("dora", "dora@example.edu")
    asked = identity_provider.ask(client)
    assertion = identity_provider.assertion(asked, "dora").replace(">dora<", f">do{reference}ra<")
    client.raise_request_exception = False
    response = identity_provider.send(client, identity_provider.response(asked, assertion))
    assert response.status_code < 500
    assert not User.objects.exists()


@pytest.mark.parametrize("text", rest_is_long([NUL, SURROGATE]), ids=["nul", "surrogate"])
def test_a_launch_with_any_text_in_any_claim_is_taken_or_refused(lms: LearningPlatform, text: str) -> None:
    client = Client(raise_request_exception=False)
    claims = lms.claims("n")
    for name in claims.keys() - {"iss", "aud", "nonce", "iat", "exp"}:
        for value in (text, {"id": "1", "title": text, text: [text]}):
            begun = lms.begin(client)
            token = lms.server.sign({**lms.claims(begun["nonce"]), name: value})
            with _undone():
                response = lms.send(client, begun["state"], token)
                assert response.status_code in {302, 403}, (name, value)
                if response.status_code == 302:
                    assert client.get(response.headers["Location"]).status_code == 200


@both
def test_a_launch_is_begun_by_any_text(lms: LearningPlatform, text: str) -> None:
    client = Client(raise_request_exception=False)
    for name in ("iss", "client_id", "login_hint", "target_link_uri", "lti_message_hint"):
        sent = {"iss": "https://lms.example", "login_hint": "7", "client_id": "moss-client", name: text}
        kept = {key: value.encode("utf-8", "replace").decode() for key, value in sent.items()}
        assert client.post("/lti/login/", kept).status_code in {302, 403}, name
