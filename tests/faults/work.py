"""A person who causes every kind of background work during `tests.faults`."""

from __future__ import annotations

import contextlib
import http.client
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event

from django.db import connection
from django.utils import timezone

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import Event as WebhookEvent, Webhook
from submissions.models import Batch
from tests.faults.corpus import Archive
from tests.faults.neighbours import Neighbours
from tests.faults.person import HTTP_ERRORS, Person, account, retried, signed_in

Action = Callable[[], object]

# A ranking of so many programs is cut into shards; see MOSS_SHARD_SECONDS in `tests.faults`.
LARGE_CLASS = 60
# Who waits for longer than a minute for a report gets a mail.
LONG_AGO = timedelta(minutes=2)
BEFORE_RANKING = (Batch.State.QUEUED, Batch.State.UNPACKING, Batch.State.FINGERPRINTING)
REASON = "The student left the university."


@dataclass
class Asked:
    """Record of what the server was asked to send and to take besides uploads.

    `tests`: deliveries without content, by how the server answered; `stopped`: webhooks whose receiver is
    gone; `waiting`: batches whose report is told by mail.
    """

    tests: Counter[bool] = field(default_factory=Counter)
    stopped: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)


class BusyPerson(Person):
    """An instructor who has mail, webhooks and an archive, and may erase students."""

    def __init__(self, rng: random.Random, port: int, neighbours: Neighbours, folder: Path) -> None:
        super().__init__(rng, port)
        self.neighbours, self.asked = neighbours, Asked()
        self.archive = Archive(folder, rng)
        self.administrator = retried(lambda: signed_in(account("administrator", is_staff=True)))
        url = neighbours.receiver.url()
        self.webhook = retried(lambda: actions.create(self.course, self.user, url, WebhookEvent.values))
        # Names of things to do next; and nothing else, once that is set: what is wanted would wait for it.
        self.wanted, self.only_wanted = SimpleQueue[str](), Event()

    def upload_waiting(self) -> None:
        """Upload a class, and have waited long for its report."""
        pk = self.upload_class()
        if pk is None:
            return
        rows = Batch.objects.filter(pk=pk, state__in=BEFORE_RANKING)
        if retried(lambda: rows.update(created=timezone.now() - LONG_AGO)):
            self.asked.waiting.add(pk)

    def upload_large_class(self) -> None:
        self.upload_class(LARGE_CLASS)

    def erase_student(self) -> None:
        """Erase a student of an upload that was read, as an administrator."""
        pk = retried(self._read_upload)
        if pk is None:
            return
        name = self.acknowledged.leavers[pk]
        fields = {"act": "erase", "student": name, "courses": str(self.course.pk), "reason": REASON}
        answer = self.post("/department/students/", self.administrator, **fields)
        if answer.status == http.HTTPStatus.FOUND:
            self.acknowledged.erased.add(name)
        elif answer.status not in HTTP_ERRORS:
            self.acknowledged.perhaps_erased.add(name)

    def _read_upload(self) -> int | None:
        known = self.acknowledged
        gone = known.deleted | known.perhaps_deleted
        erased = known.erased | known.perhaps_erased
        keys = [pk for pk, name in known.leavers.items() if pk not in gone and name not in erased]
        read = Batch.objects.filter(pk__in=keys, state=Batch.State.DONE).order_by("pk")
        return read.values_list("pk", flat=True).first()

    def send_test(self) -> None:
        """Have a delivery sent that says nothing."""
        answer = self.post(self._address(self.webhook) + "test/")
        if answer.status not in HTTP_ERRORS:
            self.asked.tests[answer.status == http.HTTPStatus.FOUND] += 1

    def stop_webhook(self) -> None:
        """Send to a receiver that is gone: that stops the webhook, and a mail says so."""
        url = self.neighbours.gone.url()
        webhook = retried(lambda: actions.create(self.course, self.user, url, [WebhookEvent.CASE_DECIDED]))
        if self.post(self._address(webhook) + "test/").status == http.HTTPStatus.FOUND:
            self.asked.stopped.add(webhook.pk)

    def _address(self, webhook: Webhook) -> str:
        return f"/courses/{self.course.pk}/webhooks/{webhook.pk}/"

    def add_to_corpus(self) -> None:
        self.archive.add()

    def work(self) -> None:
        """Do everything once, what is wanted first, and then one thing after another, until `stopped`."""
        things: list[Action] = [self.add_boilerplate, self.rank_again, self.change_language]
        things += [self.decide, self.export, self.upload_waiting, self.delete_upload, self.upload_large_class]
        things += [self.send_test, self.stop_webhook, self.add_to_corpus, self.erase_student]
        things += [self.propose_to_ignore, self.list_repositories]
        first = self.rng.sample(things, len(things))
        try:
            while not self.stopped.is_set():
                self._next(first, things)()
                time.sleep(self.rng.uniform(0.1, 0.8))
        finally:
            connection.close()

    def _next(self, first: list[Action], things: list[Action]) -> Action:
        with contextlib.suppress(Empty):
            action: Action = getattr(self, self.wanted.get_nowait())
            return action
        if first:
            return first.pop()
        return (lambda: None) if self.only_wanted.is_set() else self.rng.choice(things)
