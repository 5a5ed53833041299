"""Figures of the whole service for its monitoring: counts and sizes, and no name of anything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Sum

from submissions.models import Batch, Duration, Entry, Job, Source, Upload
from submissions.work.states import WORK


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """Figures of one moment.

    `work` has the number of rows by kind and state, each state of each kind included. `files` and `read` are
    the files of all uploads and those that were read or refused by a reader; `refused` are the entries of
    uploads that were not accepted. The sizes are bytes: of the database, of files that wait to be unpacked,
    and of the stored sources. `durations` are all of them since the database was made, by class.
    """

    work: dict[tuple[str, str], int]
    files: int
    read: int
    refused: int
    database_bytes: int
    waiting_bytes: int
    source_bytes: int
    durations: list[Duration]


def service_figures() -> ServiceFigures:
    files = Batch.objects.aggregate(all=Sum("documents_total"), done=Sum("documents_done"))
    return ServiceFigures(
        work=_rows() | _jobs(),
        files=files["all"] or 0,
        read=files["done"] or 0,
        refused=Entry.objects.filter(accepted=False).count(),
        database_bytes=_database_bytes(),
        waiting_bytes=Upload.objects.aggregate(sum=Sum("size"))["sum"] or 0,
        source_bytes=Source.objects.aggregate(sum=Sum("size"))["sum"] or 0,
        durations=list(Duration.objects.order_by("measure", "name", "detail", "at_most")),
    )


def _rows() -> dict[tuple[str, str], int]:
    return {key: count for kind, model in WORK.items() for key, count in _states(kind, model).items()}


def _jobs() -> dict[tuple[str, str], int]:
    rows = Job.objects.order_by().values_list("kind", "state").annotate(count=Count("pk"))
    counts = {(kind, state): count for kind, state, count in rows}
    keys = product(settings.WORK_KINDS, Job.State.values)
    return {key: counts.get(key, 0) for key in keys}


def _states(kind: str, model: Any) -> dict[tuple[str, str], int]:
    counts = dict(model.objects.order_by().values_list("state").annotate(count=Count("pk")))
    return {(kind, state): counts.get(state, 0) for state in model.State.values}


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
    return size
