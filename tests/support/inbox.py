"""A mail server on loopback that keeps what arrives."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message as Mail

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from pytest_django.fixtures import Settings

from tests.support.ports import free_port_number


class Inbox(Message):
    """Keep what arrives."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Mail] = []

    def handle_message(self, message: Mail) -> None:
        self.mails.append(message_from_bytes(message.as_bytes()))


@pytest.fixture
def inbox(settings: Settings) -> Iterator[Inbox]:
    handler = Inbox()
    server = Controller(handler, hostname="127.0.0.1", port=free_port_number())
    server.start()
    settings.MAIL, settings.EMAIL_BACKEND = True, "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_USE_TLS, settings.DEFAULT_FROM_EMAIL = False, "moss@example.org"
    yield handler
    server.stop()


def link_in(mail: Mail) -> str:
    match = re.search(r"http://testserver(\S+)", text_of(mail))
    assert match
    return match[1]


def text_of(mail: Mail) -> str:
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()
