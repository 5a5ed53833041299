"""Receivers that an installation sends to in `tests.faults`: of webhooks, and of mail.

Each answers slowly, so that a process can be killed while it waits.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus

from aiosmtpd.controller import Controller
from django.conf import settings

from tests.support.inbox import Inbox
from tests.support.loopback import serving
from tests.support.receiver import Receiver

# Seconds before an answer.
DELAY = 0.3


class SlowReceiver(Receiver):
    """A receiver of webhooks that always gives one answer."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__()
        self.statuses = [status]

    def next_status(self) -> int:
        time.sleep(DELAY)
        return super().next_status()


class SlowInbox(Inbox):
    """A mail server that keeps what arrives."""

    def handle_message(self, message: Message) -> None:
        super().handle_message(message)
        time.sleep(DELAY)


@dataclass
class Neighbours:
    """`receiver` takes what webhooks send, `gone` says that it is no more."""

    receiver: SlowReceiver = field(default_factory=lambda: SlowReceiver(HTTPStatus.OK))
    gone: SlowReceiver = field(default_factory=lambda: SlowReceiver(HTTPStatus.GONE))
    inbox: SlowInbox = field(default_factory=SlowInbox)


@contextmanager
def running_neighbours() -> Iterator[Neighbours]:
    """Run them in threads of this process; the mail server has the port that the settings name."""
    neighbours = Neighbours()
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    mail = Controller(neighbours.inbox, hostname=settings.EMAIL_HOST, port=settings.EMAIL_PORT)
    with ExitStack() as running:
        mail.start()
        running.callback(mail.stop)
        for server in (neighbours.receiver, neighbours.gone):
            running.enter_context(serving(server))
        yield neighbours
