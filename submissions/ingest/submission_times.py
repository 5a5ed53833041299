"""When something was handed in, as far as an archive's times tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from collections.abc import Iterable

# The first day of a zip's calendar, and before it a tar's zero, mean that nobody wrote a time.
NO_TIME = datetime(1980, 1, 3, tzinfo=UTC)
# A zip counts in steps of two seconds; files that differ by less were all written by one program at once.
AT_ONCE = timedelta(seconds=2)


def handed_in(files: Iterable[tuple[str, datetime]], now: datetime) -> dict[str, datetime]:
    """Map submissions to the latest time of their files, from (submission, time of a file).

    A naive time is local to this server. Empty where the times do not tell files apart; a submission whose
    latest time is still to come at `now` has none, for its clock was wrong.
    """
    latest: dict[str, datetime] = {}
    times = [(name, _aware(time)) for name, time in files]
    times = [(name, time) for name, time in times if time > NO_TIME]
    if not times or max(times, key=_when)[1] - min(times, key=_when)[1] <= AT_ONCE:
        return {}
    for name, time in times:
        latest[name] = max(time, latest.get(name, time))
    return {name: time for name, time in latest.items() if time <= now}


def _when(one: tuple[str, datetime]) -> datetime:
    return one[1]


def _aware(time: datetime) -> datetime:
    return timezone.make_aware(time) if timezone.is_naive(time) else time
