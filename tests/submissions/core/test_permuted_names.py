"""The answers to a reader of aliases depend on aliases and contents only: not on who is behind an alias."""

import io
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import cast

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Substr
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from submissions.cases.read import PairNames
from submissions.core.names import ensure_aliases
from submissions.models import Alias, Assignment, Entry, Report, Share, Submission, SubmissionFile
from submissions.shares import links as shares
from submissions.uploads.change import rerank
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

FIRST_NAMES = ("anouk", "bogdan", "chidi", "dorota", "emre", "farid", "gudrun", "hamza", "ines", "jarek")
ROSTER = [f"{first}-{last}" for first in FIRST_NAMES for last in ("kowalczyk", "zulfikar")]
PROGRAMS = (STARTER + COPIED, STARTER + RENAMED, STARTER + HONEST, COPIED + HONEST, HONEST + RENAMED)
HANDED_IN = datetime(2026, 3, 1, 3, 17, tzinfo=UTC)
PAIRS_READ = 12
# The tabs of a report, and those behind a share link.
TABS = ("assignment", "pairs", "students", "ignored", "uploads")
SHARED_TABS = ("shared", "shared_pairs", "shared_ignored")
# What differs between two readings of a page: tokens, checksums that need the secret of the server, keys of
# the report, and when it was ranked or made.
CHANGING = re.compile(
    r'csrfmiddlewaretoken" value="\w+"|"x-csrftoken": "\w+"|decided_on" value="\w+"'
    r'|/shared/[^/"]+/|share-\d+|shares/\d+/'
    r"|seen=\d+&amp;was=\w+|name=\"seen\" value=\"\d+\"|\d{1,2} \w+ \d{4}, \d\d:\d\d( UTC)?"
    r"|\d{4}-\d\d-\d\dT[\d:.+]+"
)


def programs() -> dict[str, str]:
    """Return the program of each student: some equal, some renamed, some with a function of their own."""
    return {
        f"{name}/main.py": PROGRAMS[n % 5]
        + f"\ndef own_{n % 10}(x):\n    return [x + {n % 10}, x]\n" * (n % 4)
        for n, name in enumerate(ROSTER)
    }


@dataclass(frozen=True)
class Attacker:
    """Somebody who reads everything that is shown with made-up names: signed in, and by a share link."""

    client: Client
    assignment: Assignment
    share: Share
    pair_ids: list[tuple[int, int]]

    def read_everything(self) -> dict[str, str]:
        """Return every page, table and document, without what differs from one reading to the next."""
        read = {name: self._get(address, query) for name, (address, query) in self._requests().items()}
        return {name: CHANGING.sub("…", text) for name, text in read.items()}

    def _requests(self) -> dict[str, tuple[str, dict[str, str]]]:
        pk, batch = self.assignment.pk, self.assignment.batches.get()
        token = shares.share_token(self.share)
        exports = reverse("exports", args=[pk])
        document = {"names": "made-up", "decision": "on", "sources": "on"}
        requests: dict[str, tuple[str, dict[str, str]]] = {
            "batch": (reverse("batch", args=[batch.pk]), {}),
            "shares": (reverse("shares", args=[pk]), {}),
            "next": (reverse("next_undecided", args=[pk]), {}),
            **{f"tab {name}": (reverse(name, args=[pk]), {}) for name in TABS},
            **{
                f"pairs by {key}": (reverse("pairs", args=[pk]), {"sort": key})
                for key in ("similarity", "left", "-right", "left_share")
            },
            "students, second page": (reverse("students", args=[pk]), {"page": "2"}),
            "cases from 30 %": (reverse("assignment", args=[pk]), {"threshold": "30"}),
            **{name: (reverse(name, args=[token]), {}) for name in SHARED_TABS},
            **{suffix: (exports, document | {"format": suffix}) for suffix in ("html", "pdf")},
        }
        for table in ("pairs", "submissions"):
            for suffix in ("csv", "json"):
                requests[f"{table}.{suffix}"] = reverse("table", args=[pk, table, suffix]), {}
        for submission in Submission.objects.filter(batch=batch):
            requests[f"submission {submission.pk}"] = reverse("submission", args=[pk, submission.pk]), {}
            requests[f"case {submission.pk}"] = reverse("case", args=[pk, submission.pk]), {}
            requests[f"shared case {submission.pk}"] = reverse("shared_case", args=[token, submission.pk]), {}
        for ids in self.pair_ids:
            for left, right in (ids, ids[::-1]):
                requests[f"pair {left} {right}"] = reverse("pair", args=[pk, left, right]), {}
                requests[f"shared {left} {right}"] = reverse("shared_pair", args=[token, left, right]), {}
                requests[f"export {left} {right}"] = reverse("export_pair", args=[pk, left, right]), {}
        return requests

    def _get(self, address: str, query: dict[str, str]) -> str:
        response = self.client.get(address, query, follow=True)
        assert response.status_code in {200, 404}, address
        moved = [where for where, _ in response.redirect_chain]
        header = f"{response.status_code} {moved} {response.headers.get('Content-Disposition')}\n"
        return header + _text(response)


def _text(response: HttpResponseBase) -> str:
    content = b"".join(cast("Iterable[bytes]", response))
    if response.headers["Content-Type"] == "application/pdf":
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    return content.decode()


def exchange_names(assignment: Assignment, new_names: dict[str, str]) -> None:
    """Exchange the names of submissions; alias, sources and keys stay with each submission."""
    for submission in Submission.objects.filter(batch__assignment=assignment):
        submission.name = f"~{new_names[submission.name]}"
        submission.save()
    for alias in Alias.objects.filter(assignment=assignment):
        alias.name = f"~{new_names[alias.name]}"
        alias.save()
    for model in (Submission, Alias):
        model.objects.update(name=Substr("name", 2))
    for entry in Entry.objects.all():
        name, _, path = entry.name.partition("/")
        entry.name = f"{new_names[name]}/{path.replace(name, new_names[name])}"
        entry.save()
    for file in SubmissionFile.objects.all():
        file.path = f"{file.submission.name}.py" if file.path != "main.py" else file.path
        file.save()


def confirm_pairs(assignment: Assignment, pair_ids: list[tuple[int, int]]) -> None:
    """Confirm these pairs, as decisions on the names that their submissions have now."""
    assignment.decisions.all().delete()
    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    for pair in report.pairs.all():
        if tuple(sorted((pair.left_id, pair.right_id))) in pair_ids:
            names = PairNames.from_pair(pair)
            assignment.decisions.create(left=names.left, right=names.right, state="confirmed", notes="Seen.")


def best_pair_ids(assignment: Assignment) -> list[tuple[int, int]]:
    pairs = assignment.reports.get(state=Report.State.DONE).pairs.all()
    return sorted((min(ids), max(ids)) for ids in pairs.values_list("left_id", "right_id")[:PAIRS_READ])


@pytest.fixture
def attacker(alice: User, alice_client: Client, assignment: Assignment, hand_in: HandIn) -> Attacker:
    """Return the reader of a class of twenty with equal programs, own files, and times of handing in."""
    refused = {f"{name}/photo.png": b"\x89PNG\r\n\x1a\n\0\0" * n for n, name in enumerate(ROSTER, 1)}
    written = {f"{name}/{name}.py": f"def own(n):\n    return n * {n}\n" for n, name in enumerate(ROSTER[:8])}
    hand_in(zipped({**programs(), **written, **refused}))
    for number, submission in enumerate(Submission.objects.order_by("pk")):
        submission.handed_in = HANDED_IN + timedelta(hours=24 * (number % 3), seconds=number)
        submission.save()
    assignment.due = HANDED_IN + timedelta(days=1)
    assignment.save()
    ensure_aliases(assignment)
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    share = shares.create_share(assignment, alice, timezone.now() + timedelta(days=1))
    return Attacker(alice_client, assignment, share, best_pair_ids(assignment))


@pytest.mark.long
def test_exchanged_names_change_nothing_that_a_reader_of_aliases_gets(
    attacker: Attacker, eager_tasks: None, django_capture_on_commit_callbacks: object
) -> None:
    assignment = attacker.assignment
    confirm_pairs(assignment, attacker.pair_ids)
    before = attacker.read_everything()
    shuffled = random.Random(7).sample(ROSTER, len(ROSTER))
    exchange_names(assignment, dict(zip(ROSTER, shuffled, strict=True)))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        rerank(assignment)
    confirm_pairs(assignment, attacker.pair_ids)
    after = attacker.read_everything()
    assert assignment.reports.get(state=Report.State.DONE).created > attacker.share.created
    assert before.keys() == after.keys()
    assert {name: _first_change(before[name], after[name]) for name in before} == dict.fromkeys(before)


def _first_change(before: str, after: str) -> tuple[str, str] | None:
    """Return the first line that differs between two texts, as it is in both; None for equal texts."""
    lines = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next(((old, new) for old, new in lines if old != new), None)


@pytest.mark.long
def test_no_exact_time_of_a_submission_is_shown_with_made_up_names(attacker: Attacker) -> None:
    read = attacker.read_everything()
    assert [name for name, text in read.items() if "03:17" in text] == []
    assert "2026-03-01" in read["submissions.csv"]
    assert not re.search(r"\d\d:\d\d", read["submissions.csv"])
