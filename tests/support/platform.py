"""A learning platform on loopback that signs real tokens, and the launches of its people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from html import escape
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from django.http import HttpResponseBase
from django.test import Client
from jwt.algorithms import RSAAlgorithm

from moss.integrations.lti.models import Platform, ToolKey
from moss.integrations.lti.tokens import pem_of
from tests.support.keys import private_key
from tests.support.loopback import Handler, serving

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
SPEC = "https://purl.imsglobal.org/spec/lti-"
CONTEXT_ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
INSTRUCTOR, LEARNER = f"{CONTEXT_ROLE}Instructor", f"{CONTEXT_ROLE}Learner"
ADMINISTRATOR = f"{CONTEXT_ROLE}Administrator"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"
CLIENT_ID, DEPLOYMENT = "moss-client", "deployment-1"
SCOPE = f"{SPEC}nrps/scope/contextmembership.readonly"
# What the platform answers a request for a token with.
TOKEN = "token-of-the-members"


class LearningPlatform:
    """A running platform. `launch` walks through a launch as a browser does."""

    def __init__(self, server: PlatformServer) -> None:
        self.server = server
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.row = Platform.objects.create(
            name="Example LMS",
            issuer="https://lms.example",
            client_id=CLIENT_ID,
            deployments=DEPLOYMENT,
            auth_url=f"{self.url}/auth",
            token_url=f"{self.url}/token",
            jwks_url=f"{self.url}/keys",
        )

    def begin(self, client: Client, **fields: str) -> dict[str, str]:
        """Begin a launch; return what the browser takes to the platform's sign-in."""
        sent = {"iss": "https://lms.example", "login_hint": "7", "client_id": CLIENT_ID} | fields
        response = client.post("/lti/login/", sent)
        assert response.status_code == 302, response.content.decode()
        address = urlsplit(response.headers["Location"])
        assert f"{address.scheme}://{address.netloc}{address.path}" == f"{self.url}/auth"
        return {name: values[0] for name, values in parse_qs(address.query).items()}

    def claims(self, nonce: str, /, **changes: Any) -> dict[str, Any]:
        """Return what the platform says of an instructor who opens its course 1."""
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": "https://lms.example",
            "aud": CLIENT_ID,
            "sub": "person-1",
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
            "name": "Ina Structor",
            "email": "ina@lms.example",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}target_link_uri": "http://testserver/lti/launch/",
            f"{CLAIM}resource_link": {"id": "link-1"},
            f"{CLAIM}roles": [INSTRUCTOR],
            f"{CLAIM}context": {"id": "course-1", "title": "Algorithms", "label": "CS 101"},
            f"{SPEC}nrps/claim/namesroleservice": {
                "context_memberships_url": f"{self.url}/members",
                "service_versions": ["2.0"],
            },
        }
        if settings := changes.pop("settings", None):
            claims[f"{SPEC}dl/claim/deep_linking_settings"] = settings
        for name, value in changes.items():
            key = name if name in {*claims, "azp", "email_verified"} else CLAIM + name
            claims = {key: value, **{other: kept for other, kept in claims.items() if other != key}}
        return {name: value for name, value in claims.items() if value is not None}

    def deep_linking(self, **settings: Any) -> dict[str, Any]:
        """Return the changes of the claims that make a launch a question for a link."""
        asked = {"deep_link_return_url": f"{self.url}/links", "accept_types": ["ltiResourceLink"]} | settings
        return {"message_type": "LtiDeepLinkingRequest", "settings": asked}

    def launch(self, client: Client, **changes: Any) -> HttpResponseBase:
        """Launch with these changes of the claims; return the answer to the signed token."""
        begun = self.begin(client)
        claims = self.claims(begun["nonce"], **changes)
        return self.send(client, begun["state"], self.server.sign(claims))

    def send(self, client: Client, state: str, token: str) -> HttpResponseBase:
        return client.post("/lti/launch/", {"state": state, "id_token": token})


class PlatformServer(ThreadingHTTPServer):
    """The addresses of a platform that tools ask: keys, access tokens and the people of a course."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.key_id, self.asked = 0, list[str]()
        # Pages of the list of people, the public keys of the tool, and what is answered instead of keys.
        self.members: list[list[dict[str, Any]]] = []
        self.tool_keys: dict[str, Any] = {}
        self.instead: bytes | None = None
        self.next_page = ""
        # What a browser gets for its sign-in and a page of a course, and the answers that it brought back.
        self.claims: dict[str, Any] = {}
        self.course_page = ""
        self.answers: list[str] = []
        # Its configuration for tools, where it differs from the usual one, and what they registered.
        self.configuration: dict[str, Any] = {}
        self.registered: list[dict[str, Any]] = []
        self.registration_answer: dict[str, Any] = {}
        self.rotate()

    def rotate(self) -> None:
        """Sign with a new key from now on; the old one is no longer published."""
        self.key_id += 1
        self.key = private_key(self.key_id)

    def sign(self, claims: dict[str, Any]) -> str:
        """Sign claims of any types, which `jwt.encode` would refuse."""
        headers = {"kid": f"key-{self.key_id}", "typ": "JWT"}
        return jwt.PyJWS().encode(json.dumps(claims).encode(), self.key, "RS256", headers)

    def configured(self) -> dict[str, Any]:
        """Return what the platform tells tools that want to be registered."""
        here = f"http://127.0.0.1:{self.server_port}"
        return {
            "issuer": here,
            "authorization_endpoint": f"{here}/auth",
            "token_endpoint": f"{here}/token",
            "jwks_uri": f"{here}/keys",
            "registration_endpoint": f"{here}/register",
            f"{SPEC}platform-configuration": {"product_family_code": "example", "version": "1"},
        } | self.configuration

    def published(self) -> dict[str, Any]:
        key = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": f"key-{self.key_id}", "alg": "RS256", "use": "sig"}]}

    def read(self, token: str, audience: str) -> dict[str, Any]:
        """Return what the tool says, by its public key."""
        key = jwt.PyJWK(self.tool_keys["keys"][0], "RS256")
        claims: dict[str, Any] = jwt.decode(token, key, ["RS256"], audience=audience)
        return claims


class Answers(Handler):
    server: PlatformServer

    def get(self) -> None:
        self.server.asked.append(self.path)
        address = urlsplit(self.path)
        if address.path == "/keys":
            self.answer(self.server.instead or self.server.published())
        elif address.path == "/auth":
            self.answer(self.signed_in(parse_qs(address.query)).encode(), Content_Type="text/html")
        elif address.path == "/configuration":
            self.answer(self.server.configured())
        elif address.path == "/course":
            self.answer(self.server.course_page.encode(), Content_Type="text/html")
        elif self.headers["Authorization"] == f"Bearer {TOKEN}" and address.path == "/members":
            self.members(int(parse_qs(address.query).get("page", ["0"])[0]))
        else:
            self.send_error(404)

    def signed_in(self, query: dict[str, list[str]]) -> str:
        """Return the page that takes the signed token back, as OpenID Connect's `form_post`."""
        token = self.server.sign(self.server.claims | {"nonce": query["nonce"][0]})
        fields = {"state": query["state"][0], "id_token": token}
        inputs = "".join(f'<input name="{name}" value="{escape(value)}">' for name, value in fields.items())
        action = escape(query["redirect_uri"][0])
        form = f'<form method="post" action="{action}">{inputs}</form>'
        return f"<!doctype html>{form}<script>document.forms[0].submit()</script>"

    def members(self, page: int) -> None:
        here = f"http://127.0.0.1:{self.server.server_port}"
        following = self.server.next_page or f"{here}/members?page={page + 1}"
        more = page + 1 < len(self.server.members)
        content = {"id": here, "context": {"id": "course-1"}, "members": self.server.members[page]}
        self.answer(content, 200, **({"Link": f'<{following}>; rel="next"'} if more else {}))

    def post(self) -> None:
        self.server.asked.append(self.path)
        body = self.body().decode()
        if self.path == "/register":
            self.register(json.loads(body))
            return
        sent = {name: values[0] for name, values in parse_qs(body).items()}
        if self.path == "/links":
            self.server.answers.append(sent["JWT"])
            self.answer(b"<!doctype html><h1>The link was added</h1>", Content_Type="text/html")
            return
        here = f"http://127.0.0.1:{self.server.server_port}/token"
        claims = self.server.read(sent["client_assertion"], here)
        granted = claims["iss"] == claims["sub"] == CLIENT_ID and sent["scope"] == SCOPE
        if self.path != "/token" or sent["grant_type"] != "client_credentials" or not granted:
            self.send_error(400)
            return
        self.answer({"access_token": TOKEN, "token_type": "Bearer"})

    def register(self, tool: dict[str, Any]) -> None:
        if self.headers["Authorization"] != "Bearer the-registration-token":
            self.send_error(401)
            return
        self.server.registered.append(tool)
        self.answer(tool | {"client_id": "tool-7"} | self.server.registration_answer)


@pytest.fixture
def lms(db: None) -> Iterator[LearningPlatform]:
    """A platform that is registered here. The service has its key pair already: to make one takes 50 ms."""
    ToolKey.objects.create(pk=1, private_key=pem_of(private_key(0)))
    with serving(PlatformServer()) as server:
        yield LearningPlatform(server)
