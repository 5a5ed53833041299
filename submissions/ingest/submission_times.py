"""Estimate when submissions were handed in, from the modification times in an archive."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The start of a zip's calendar (1980), or of a tar's before it (1970), means that no time was stored.
NO_TIME = datetime(1980, 1, 3, tzinfo=UTC)
# A zip stores times in steps of two seconds; files that differ by no more were all written at once.
SAME_TIME = timedelta(seconds=2)


def submission_times(
    files: Iterable[tuple[str, datetime]], now: datetime, known: Mapping[str, datetime] | None = None
) -> dict[str, datetime]:
    """Return when each submission was handed in: as `known`, else the latest time of its files.

    `files` are pairs (submission, time of a file); no time is estimated if all of them are the same (within
    SAME_TIME). A naive time is in this server's time zone. A submission whose time is after `now` has none,
    since its clock was wrong.
    """
    latest = _latest(files) | {name: _aware(time) for name, time in (known or {}).items()}
    return {name: time for name, time in latest.items() if time <= now}


def _latest(files: Iterable[tuple[str, datetime]]) -> dict[str, datetime]:
    times = [(name, _aware(time)) for name, time in files]
    times = [(name, time) for name, time in times if time > NO_TIME]
    if not times or max(times, key=_file_time)[1] - min(times, key=_file_time)[1] <= SAME_TIME:
        return {}
    latest: dict[str, datetime] = {}
    for name, time in times:
        latest[name] = max(time, latest.get(name, time))
    return latest


def _file_time(file: tuple[str, datetime]) -> datetime:
    return file[1]


def _aware(time: datetime) -> datetime:
    return timezone.make_aware(time) if timezone.is_naive(time) else time
