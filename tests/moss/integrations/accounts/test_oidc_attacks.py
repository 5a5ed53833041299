"""Answers of OpenID Connect that are not ours sign nobody in; the provider says what a row says."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
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

from tests.support.campus import use_provider
from tests.support.html import page_of
from tests.support.keys import private_key

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


class Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        here = self.server.url
        self._answer(
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

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        digest = sha256(sent["code_verifier"][0].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.server.challenge
        self._answer({"access_token": "x", "token_type": "Bearer", "id_token": self.server.token()})

    def _answer(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with Provider() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        use_provider(settings, server.url)
        yield server
        server.shutdown()


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
    signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
        b".".join(parts), secret
    )
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


def test_an_honest_answer_signs_in(provider: Provider, client: Client) -> None:
    assert provider.sign_in(client).status_code == 302
    assert User.objects.get().username == "dora"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"}, {"iss": None}, {"iss": ["x"]}, {"iss": 5}, {"aud": "another"},
        {"aud": None}, {"aud": []}, {"aud": 5}, {"exp": 1}, {"exp": "x"}, {"exp": []}, {"exp": float("inf")},
        {"nbf": 9_999_999_999}, {"iat": 9_999_999_999}, {"sub": "eve"}, {"sub": None}, {"sub": 5},
        {"sub": ["dora"]},
    ],
    ids=str,
)  # fmt: skip
def test_a_token_with_other_claims_signs_nobody_in(
    claims: dict[str, Any], provider: Provider, client: Client
) -> None:
    provider.claims = claims
    assert_nobody(provider.sign_in(client), client)


@pytest.mark.parametrize(
    "sign",
    [
        lambda claims: jwt.encode(claims, "", "none", headers={"kid": "1"}),
        of_public_key,
        lambda claims: jwt.encode(claims, private_key(2), "RS256", headers={"kid": "1"}),
        lambda claims: jwt.encode(claims, private_key(1), "RS256", headers={"kid": "2"}),
        lambda claims: jwt.encode(claims, private_key(2), "RS256"),
        lambda claims: (
            jwt.encode(claims, private_key(1), "RS256", headers={"kid": "1"}).rpartition(".")[0] + "."
        ),
        lambda claims: jwt.encode(claims, private_key(1), "RS256", headers={"kid": "1"})[:-9] + "A" * 9,
        lambda _claims: "no token",
        lambda _claims: "",
    ],
)
def test_a_token_that_no_published_key_signed_signs_nobody_in(
    sign: Callable[[dict[str, Any]], str], provider: Provider, client: Client
) -> None:
    provider.sign = sign
    assert_nobody(provider.sign_in(client), client)


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


@pytest.mark.parametrize("user_info", [{"sub": "eve"}, {}, {"sub": 5}, {"sub": None}, {"sub": ["dora"]}])
def test_a_user_info_of_somebody_else_signs_nobody_in(
    user_info: dict[str, Any], provider: Provider, client: Client
) -> None:
    provider.user_info = user_info
    assert_nobody(provider.sign_in(client), client)


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
