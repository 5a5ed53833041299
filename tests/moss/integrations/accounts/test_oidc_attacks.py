"""Answers of OpenID Connect that are not ours sign nobody in; the provider says what a row says."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from jwt.algorithms import RSAAlgorithm
from pytest_django.fixtures import Settings
from requests import Response

from submissions.models import Assignment, CampusGroup, Membership
from tests.support.campus import use_provider
from tests.support.html import Page, page_of
from tests.support.keys import private_key
from tests.support.loopback import Handler, serving
from tests.support.oidc_provider import OidcProvider, Visitor

pytestmark = pytest.mark.django_db
CALLBACK = "/accounts/oidc/campus/login/callback/"


def published(number: int, **fields: str) -> dict[str, Any]:
    """Return a public key as providers publish it."""
    return {**RSAAlgorithm.to_jwk(private_key(number).public_key(), as_dict=True), **fields}


class Provider(ThreadingHTTPServer):
    """Its token, user info and keys; a code is `dora`, and the verifier of PKCE is checked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.claims: dict[str, Any] = {}
        self.user_info: dict[str, Any] = {"sub": "dora", "preferred_username": "dora"}
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.challenge, self.asked = "", list[str]()
        self.keys: list[dict[str, Any]] = [published(1, kid="1", alg="RS256")]

    def signed(self, claims: dict[str, Any], key: int = 1, **head: Any) -> str:
        return jwt.PyJWS().encode(json.dumps(claims).encode(), private_key(key), "RS256", {"kid": "1"} | head)

    def token(self) -> str:
        now = int(time.time())
        honest = {"iss": self.url, "aud": "moss", "sub": "dora", "iat": now, "exp": now + 60}
        return self.sign({key: value for key, value in (honest | self.claims).items() if value is not None})

    def begin(self, client: Client) -> dict[str, str]:
        """Begin to sign in; return what the browser takes to the provider."""
        address = client.get("/accounts/oidc/campus/login/").headers["Location"]
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert query["code_challenge_method"] == "S256"
        self.challenge = query["code_challenge"]
        return query

    def sign_in(self, client: Client) -> HttpResponseBase:
        return client.get(CALLBACK, {"state": self.begin(client)["state"], "code": "dora"})


class Answers(Handler):
    server: Provider

    def get(self) -> None:
        here = self.server.url
        self.answer(
            {
                "/user": self.server.user_info,
                "/keys": {"keys": self.server.keys},
            }.get(
                self.path,
                {
                    "issuer": here, "authorization_endpoint": f"{here}/auth",
                    "token_endpoint": f"{here}/token",
                    "userinfo_endpoint": f"{here}/user", "jwks_uri": f"{here}/keys",
                },
            )
        )  # fmt: skip

    def post(self) -> None:
        self.server.asked.append(self.path)
        sent = parse_qs(self.body().decode())
        digest = sha256(sent["code_verifier"][0].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.server.challenge
        self.answer({"access_token": "x", "token_type": "Bearer", "id_token": self.server.token()})


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with serving(Provider()) as server:
        use_provider(settings, server.url)
        yield server


def assert_nobody(answer: HttpResponseBase, client: Client) -> None:
    assert answer.status_code in {200, 401, 403}
    assert "failed" in page_of(answer).text("main")
    assert "_auth_user_id" not in client.session
    assert not User.objects.exists()


def of_public_key(claims: dict[str, Any]) -> str:
    """Return a token signed by HMAC, whose secret is the public key of the provider."""
    secret = private_key(1).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in ({"alg": "HS256", "typ": "JWT", "kid": "1"}, claims)
    ]
    signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(b".".join(parts), secret)
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


CLAIMS: list[dict[str, Any]] = [
    {"iss": "https://other.example"}, {"iss": None}, {"iss": ["x"]}, {"iss": 5}, {"aud": "another"},
    {"aud": None}, {"aud": []}, {"aud": 5}, {"exp": 1}, {"exp": "x"}, {"exp": []}, {"exp": float("inf")},
    {"nbf": 9_999_999_999}, {"iat": 9_999_999_999}, {"sub": "eve"}, {"sub": None}, {"sub": 5},
    {"sub": ["dora"]},
]  # fmt: skip
SIGNATURES: list[Callable[[dict[str, Any]], str]] = [
    lambda claims: jwt.encode(claims, "", "none", headers={"kid": "1"}),
    of_public_key,
    lambda claims: jwt.encode(claims, private_key(2), "RS256", headers={"kid": "1"}),
    lambda claims: jwt.encode(claims, private_key(1), "RS256", headers={"kid": "2"}),
    lambda claims: jwt.encode(claims, private_key(2), "RS256"),
    lambda claims: jwt.encode(claims, private_key(1), "RS256", headers={"kid": "1"}).rpartition(".")[0] + ".",
    lambda claims: jwt.encode(claims, private_key(1), "RS256", headers={"kid": "1"})[:-9] + "A" * 9,
    lambda _claims: "no token",
    lambda _claims: "",
]


@pytest.mark.parametrize("fields", [{}, {"alg": "RS256"}, {"kid": "same"}], ids=str)
@pytest.mark.parametrize("key", [1, 2])
def test_every_published_key_that_a_token_may_be_signed_with_is_tried(
    key: int, fields: dict[str, str], provider: Provider, client: Client
) -> None:
    provider.keys = [published(number, **fields) for number in (1, 2)]
    head = {"kid": fields["kid"]} if "kid" in fields else {}
    provider.sign = lambda claims: jwt.encode(claims, private_key(key), "RS256", headers=head)
    assert provider.sign_in(client).status_code == 302
    provider.sign = lambda claims: jwt.encode(claims, private_key(3), "RS256", headers=head)
    User.objects.all().delete()
    stranger = Client()
    assert_nobody(provider.sign_in(stranger), stranger)


def test_a_state_counts_once_and_in_its_own_browser(provider: Provider, client: Client) -> None:
    sent = {"state": provider.begin(client)["state"], "code": "dora"}
    for query in (sent, {"code": "dora"}, sent | {"state": "x"}):
        stranger = Client()
        assert_nobody(stranger.get(CALLBACK, query), stranger)
    assert provider.asked == []
    assert client.get(CALLBACK, sent).status_code == 302
    client.logout()
    User.objects.all().delete()
    assert_nobody(client.get(CALLBACK, sent), client)
    assert provider.asked == ["/token"]


def text(response: Response) -> str:
    return Page(response.text).text("main")


def test_signing_in_creates_an_account_once(oidc_provider: OidcProvider, visitor: Visitor) -> None:
    oidc_provider.enrol("dora", email="dora@example.edu", email_verified=True)
    for person in (visitor, Visitor(visitor.service)):
        arrived = person.sign_in("dora")
        assert arrived.url == f"{visitor.service}/account/"
        assert "dora" in Page(arrived.text).text("header")
    user = User.objects.get()
    assert (user.username, user.email, user.has_usable_password()) == ("dora", "dora@example.edu", False)


@pytest.mark.parametrize("verified", ["verified", "not verified"])
def test_only_a_verified_address_leads_to_the_account_that_has_it(
    verified: str, oidc_provider: OidcProvider, visitor: Visitor, alice: User
) -> None:
    is_verified = verified == "verified"
    oidc_provider.enrol("a.liddell", email=alice.email, email_verified=is_verified)
    visitor.sign_in("a.liddell")
    alice.refresh_from_db()
    assert (alice.last_login is not None) is is_verified


def test_groups_let_in_make_administrators_and_give_roles(
    oidc_provider: OidcProvider, visitor: Visitor, assignment: Assignment, settings: Settings
) -> None:
    settings.CAMPUS_GROUPS, settings.CAMPUS_ADMINISTRATORS = ["staff"], ["admins"]
    CampusGroup.objects.create(course=assignment.course, group="tutors", role="assistant")
    oidc_provider.enrol("sam", groups=["students"])
    refused = visitor.sign_in("sam")
    assert refused.status_code == 403
    assert "is in no group that may use this service" in text(refused)
    for groups, is_staff, roles in (
        (["staff", "admins", "tutors"], True, ["assistant"]),
        (["staff"], False, []),
    ):
        oidc_provider.enrol("dora", groups=groups)
        Visitor(visitor.service).sign_in("dora")
        assert User.objects.get(username="dora").is_staff is is_staff
        memberships = Membership.objects.filter(user__username="dora", course=assignment.course)
        assert list(memberships.values_list("role", flat=True)) == roles


def test_a_wrong_client_secret_is_told_on_a_page(
    oidc_provider: OidcProvider, visitor: Visitor, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    oidc_provider.enrol("dora")
    use_provider(settings, oidc_provider.url, "not-the-secret")
    assert "Signing in with the campus account failed" in text(visitor.sign_in("dora"))
    assert "invalid_client" in caplog.text
    assert not User.objects.exists()


@pytest.mark.parametrize("step", ["sign-in", "consent"])
def test_who_cancels_at_the_provider_is_told_so(step: str, oidc_provider: OidcProvider, visitor: Visitor) -> None:
    oidc_provider.enrol("dora")
    page = visitor.choose_campus()
    if step == "consent":
        page = visitor.submit(page, login="dora", password="any")
    cancelled = visitor.follow(page, "a[href$='/abort']")
    assert "You cancelled signing in with your campus account." in text(cancelled)
    assert not User.objects.exists()


def test_signing_out_ends_the_session_here_and_not_at_the_provider(
    oidc_provider: OidcProvider, visitor: Visitor
) -> None:
    oidc_provider.enrol("dora")
    arrived = visitor.sign_in("dora")
    visitor.submit(arrived, "form[action='/accounts/logout/']")
    assert "/accounts/login/" in visitor.open("/account/").url
    # The provider still knows dora, and asks nothing.
    assert visitor.choose_campus().url == f"{visitor.service}/account/"


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        *(("claims", claims) for claims in CLAIMS),
        *(("sign", sign) for sign in SIGNATURES),
        *(("user_info", one) for one in ({"sub": "eve"}, {}, {"sub": 5}, {"sub": None}, {"sub": ["dora"]})),
    ],
)
def test_an_answer_with_other_claims_another_signature_or_other_user_info_signs_nobody_in(
    answer: str, value: Any, provider: Provider, client: Client
) -> None:
    setattr(provider, answer, value)
    assert_nobody(provider.sign_in(client), client)
