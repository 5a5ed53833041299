"""Count durations of tasks and of states in the database, where all processes of all machines add to them."""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from typing import TYPE_CHECKING

from django.db import connection

from submissions.models import Batch, BoilerplateUpload, Duration, LanguageChange, Report

if TYPE_CHECKING:
    from django.db.models import Model

# Upper limits of the classes, in seconds: a small upload takes one or two, a ranking may take hours.
LIMITS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, inf)
# The work whose state is stored, by the name that it has in the figures.
WORK: dict[str, type[Model]] = {
    "upload": Batch,
    "ranking": Report,
    "boilerplate": BoilerplateUpload,
    "language_change": LanguageChange,
}
KINDS = {model: kind for kind, model in WORK.items()}


def count_duration(measure: Duration.Measure, name: str, detail: str, seconds: float) -> None:
    """Add one duration to its class.

    Two processes that count in transactions of their own could wait for each other: call it outside of one.
    """
    # One statement, so that no count of another process is lost.
    query = """
        INSERT INTO submissions_duration (measure, name, detail, at_most, count, seconds)
        VALUES (%(measure)s, %(name)s, %(detail)s, %(at_most)s, 1, %(seconds)s)
        ON CONFLICT (measure, name, detail, at_most) DO UPDATE
        SET count = submissions_duration.count + 1, seconds = submissions_duration.seconds + excluded.seconds
    """
    at_most = LIMITS[bisect_left(LIMITS, seconds)]
    values = {"measure": measure.value, "name": name, "detail": detail}
    with connection.cursor() as cursor:
        cursor.execute(query, {**values, "at_most": at_most, "seconds": seconds})
