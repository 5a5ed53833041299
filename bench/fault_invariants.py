"""Uploads for `bench.faults`, and what must hold of the database when all of them have ended."""

from __future__ import annotations

import io
import time
import zipfile
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection

from moss.installation import start_django

start_django()

from django.contrib.auth.models import User  # noqa: E402 - models, after Django's start
from kombu.exceptions import OperationalError as BrokerError  # noqa: E402

from submissions import actions  # noqa: E402
from submissions.models import Batch, Course, Document, Report, Source, Submission, Upload  # noqa: E402
from submissions.work_locks import Work, sessions  # noqa: E402

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Value = TypeVar("Value")

PROGRAMS = 24
RETRIES = 60


class UploadedClass(NamedTuple):
    """An accepted upload: its batch, and the names of its submissions; `copies` have the same program."""

    batch: int
    names: list[str]
    copies: list[str]


def retried(query: Callable[[], Value]) -> Value:
    """Return the result of a query; try it again while the database or the broker recovers."""
    for _ in range(RETRIES):
        try:
            return query()
        except (OperationalError, BrokerError):
            connection.close()
            time.sleep(1)
    return query()


def upload_class(rng: random.Random, number: int) -> UploadedClass:
    """Upload a class with two copies; its other programs are random."""
    programs = {f"student{n:02}": _program(rng) for n in range(PROGRAMS)}
    copies = ["student03", "student17"]
    programs[copies[1]] = programs[copies[0]]
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as file:
        for name, text in programs.items():
            file.writestr(f"{name}/main.py", text)
    return UploadedClass(
        retried(partial(_create_batch, number, archive.getvalue())), sorted(programs), copies
    )


def _create_batch(number: int, archive: bytes) -> int:
    user, _ = User.objects.get_or_create(username="instructor")
    course, _ = Course.objects.get_or_create(owner=user, name="Faults")
    assignment = course.assignments.create(name=f"Class {number}")
    return actions.create_batch(assignment, user, [SimpleUploadedFile("class.zip", archive)]).pk


def _program(rng: random.Random) -> str:
    lines = [
        f"def f{n}(a, b):\n    return a {rng.choice('+-*/')} {rng.randrange(999)} + b" for n in range(40)
    ]
    rng.shuffle(lines)
    calls = "\n".join(
        f"print(f{rng.randrange(40)}({rng.randrange(99)}, {rng.randrange(99)}))" for _ in range(90)
    )
    return "\n".join(lines) + "\n" + calls + "\n"


def unfinished_uploads() -> bool:
    return retried(Batch.objects.filter(state__in=Batch.RUNNING).exists)


def violations(uploads: list[UploadedClass]) -> list[str]:
    """Return the invariants that do not hold, one sentence each."""
    lines = [line for upload in uploads for line in retried(partial(_batch_violations, upload))]
    return lines + retried(_leftovers)


def _batch_violations(upload: UploadedClass) -> list[str]:
    batch = Batch.objects.get(pk=upload.batch)
    if batch.state != Batch.State.DONE:
        return [f"batch {batch.pk} ended as {batch.state}: {batch.message}"]
    lines = []
    names = list(Submission.objects.filter(batch=batch).order_by("name").values_list("name", flat=True))
    if names != upload.names:
        lines.append(f"batch {batch.pk} has {len(names)} submissions, not {len(upload.names)}")
    documents = Document.objects.filter(files__submission__batch=batch)
    if documents.exclude(state=Document.State.READY).exists():
        reasons = set(documents.exclude(state=Document.State.READY).values_list("reason", flat=True))
        lines.append(f"batch {batch.pk} has unread documents: {reasons}")
    if documents.filter(fingerprints=None).exists():
        lines.append(f"batch {batch.pk} has documents without fingerprints")
    return lines + _report_violations(batch, upload)


def _report_violations(batch: Batch, upload: UploadedClass) -> list[str]:
    reports = list(Report.objects.filter(assignment=batch.assignment_id))
    if [report.state for report in reports] != [Report.State.DONE]:
        return [f"assignment {batch.assignment_id} has reports {[report.state for report in reports]}"]
    report, expected = reports[0], len(list(combinations(upload.names, 2)))
    best = report.pairs.order_by("-similarity").values_list("left__name", "right__name")[:1]
    lines = []
    if report.pairs.count() > expected:
        lines.append(f"report {report.pk} has {report.pairs.count()} pairs; there are {expected}")
    if [sorted(pair) for pair in best] != [upload.copies]:
        lines.append(f"report {report.pk} has {list(best)} as its best pair")
    return lines


def _leftovers() -> list[str]:
    lines = [
        f"{count} {name} left"
        for name, count in (
            ("uploaded files", Upload.objects.count()),
            ("sources without a file", Source.objects.filter(files=None, boilerplate=None).count()),
            ("documents without a file", Document.objects.filter(files=None, boilerplate=None).count()),
        )
        if count
    ]
    return lines + [f"{work.name} locks held: {held}" for work in Work if (held := sessions(work))]
