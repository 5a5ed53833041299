"""A receiver of webhooks on loopback, by HTTP or HTTPS, and webhooks that lead to it."""

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import Event as WebhookEvent, Webhook
from submissions.models import Assignment, Course
from tests.support.loopback import Handler, serving


class Received(NamedTuple):
    """A request: its path, its headers in small letters, and its body."""

    path: str
    headers: dict[str, str]
    body: str


class Receiver(ThreadingHTTPServer):
    """Answer with the next of `statuses`, and with the last one from then on; keep what came.

    A status of 0 is no answer at all; -1 is one that comes in drops without an end.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.received: list[Received] = []
        self.statuses = [200]
        self.ended = Event()
        self.scheme = "http"

    def url(self, path: str = "/hook", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.server_port}{path}"

    def next_status(self) -> int:
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that went away, or that trusts no such certificate."""


class Answers(Handler):
    server: Receiver

    def post(self) -> None:
        body = self.body().decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(self.path, headers, body))
        status = self.server.next_status()
        if status <= 0:
            self._keep_waiting(drops=status < 0)
            return
        moved = {"Location": self.server.url("/elsewhere")} if status in range(300, 400) else {}
        self.answer(status=status, **moved)

    def _keep_waiting(self, *, drops: bool) -> None:
        if drops:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.server.ended.is_set():
            if drops:
                self.wfile.write(b"x")
            time.sleep(0.2)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a receiver that runs."""
    with _running(Receiver()) as server:
        yield server


@pytest.fixture
def encrypted_receiver(tmp_path: Path) -> Iterator[Receiver]:
    """Return a receiver with a certificate for localhost, from the authority in tmp_path/authority.pem."""
    server = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_make_certificates(tmp_path))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.scheme = "https"
    with _running(server):
        yield server


@contextmanager
def _running(server: Receiver) -> Iterator[Receiver]:
    with serving(server):
        yield server
        server.ended.set()


def _make_certificates(folder: Path) -> Path:
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _certificate("authority", authority_key, "authority", authority_key, is_authority=True)
    certificate = _certificate("localhost", key, "authority", authority_key, is_authority=False)
    encoding = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(authority.public_bytes(encoding))
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "own.pem").write_bytes(private + certificate.public_bytes(encoding))
    return folder / "own.pem"


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    now = datetime.now(UTC)
    key_id = x509.SubjectKeyIdentifier.from_public_key
    issuer_id = x509.AuthorityKeyIdentifier.from_issuer_public_key
    builder = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named(issuer))
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=2))
    builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    builder = builder.add_extension(_key_usage(is_authority=is_authority), critical=True)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    builder = builder.add_extension(key_id(key.public_key()), critical=False)
    builder = builder.add_extension(issuer_id(issuer_key.public_key()), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _key_usage(*, is_authority: bool) -> x509.KeyUsage:
    """Return the usage of a key, which Python 3.13 and newer ask of an authority (RFC 5280, 4.2.1.3)."""
    others = "content_commitment key_encipherment data_encipherment key_agreement encipher_only decipher_only"
    own = {"digital_signature": not is_authority, "key_cert_sign": is_authority, "crl_sign": is_authority}
    return x509.KeyUsage(**own, **dict.fromkeys(others.split(), False))


def webhook_to(url: str, course: Course, *events: WebhookEvent) -> Webhook:
    """Store a webhook of a course, by its owner, for some events or for all."""
    return actions.create(course, course.owner, url, events or WebhookEvent.values)


@pytest.fixture
def webhook(assignment: Assignment, receiver: Receiver) -> Webhook:
    """Return a webhook of Alice's course that leads to the receiver."""
    return webhook_to(receiver.url(), assignment.course)
