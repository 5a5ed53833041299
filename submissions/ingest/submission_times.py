"""When something was handed in, as far as the times in an archive say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from collections.abc import Iterable

# The first day of a zip's calendar, and the zero of a tar's before it, mean that no time was written.
NO_TIME = datetime(1980, 1, 3, tzinfo=UTC)
# A zip counts in steps of two seconds; files that differ by less were all written by one program at once.
AT_ONCE = timedelta(seconds=2)


def submission_times(files: Iterable[tuple[str, datetime]], now: datetime) -> dict[str, datetime]:
    """Map submissions to the latest time of their files, from pairs (submission, time of a file).

    A naive time is local to this server. Empty where the times do not distinguish the files; a submission
    whose latest time is after `now` has none, since its clock was wrong.
    """
    times = [(name, _aware(time)) for name, time in files]
    times = [(name, time) for name, time in times if time > NO_TIME]
    if not times or max(times, key=_time)[1] - min(times, key=_time)[1] <= AT_ONCE:
        return {}
    latest: dict[str, datetime] = {}
    for name, time in times:
        latest[name] = max(time, latest.get(name, time))
    return {name: time for name, time in latest.items() if time <= now}


def _time(file: tuple[str, datetime]) -> datetime:
    return file[1]


def _aware(time: datetime) -> datetime:
    return timezone.make_aware(time) if timezone.is_naive(time) else time
