"""Attempts: which of a student's several submissions of the same thing counts."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake import reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.intake.archives.choices import Choices
    from submissions.intake.archives.submission_names import Submitters
    from submissions.intake.layouts.places import Placement

    # Attempts are compared with those of the same submitters at the same part of an assignment.
    Task = tuple[Submitters, str]
    AttemptKey = int | datetime


class Attempt(NamedTuple):
    """The attempt that a file belongs to: its number from 1, how many there are, and when it was handed in.

    `reason` says why it does not count, and is empty where it counts. Without attempts there is one.
    """

    number: int = 1
    total: int = 1
    submitted: datetime | None = None
    late: bool = False
    reason: str = ""


ONLY_ATTEMPT = Attempt()


def order(attempt: AttemptKey) -> tuple[int, int, datetime]:
    """Return what orders attempts of any kind: numbers, then times, of which those without a zone are UTC."""
    if isinstance(attempt, int):
        return 0, attempt, datetime.min  # noqa: DTZ901 - times are compared without their zones
    return 1, 0, attempt.astimezone(UTC).replace(tzinfo=None) if attempt.tzinfo else attempt


def attempts_of(
    placements: Mapping[str, Placement], who: Mapping[str, Submitters], choices: Choices
) -> dict[str, Attempt]:
    """Return the attempt of each file; `who` is whose work it is."""
    tasks: dict[Task, dict[AttemptKey, list[str]]] = defaultdict(lambda: defaultdict(list))
    attempts: dict[str, Attempt] = {}
    for path, placement in placements.items():
        if placement.attempt is None:
            attempts[path] = _one_attempt([placement], choices.due) if placement.submitted else ONLY_ATTEMPT
        else:
            tasks[who[path], placement.part][placement.attempt].append(path)
    for paths in tasks.values():
        numbered = {
            at: _one_attempt([placements[path] for path in paths[at]], choices.due, number, len(paths))
            for number, at in enumerate(sorted(paths, key=order), 1)
        }
        if choices.attempts == "last":
            numbered = _only_one_counts(numbered)
        attempts.update((path, attempt) for at, attempt in numbered.items() for path in paths[at])
    return attempts


def _one_attempt(
    placements: Iterable[Placement], due: datetime | None, number: int = 1, total: int = 1
) -> Attempt:
    """Return the attempt of some files; `submitted` is the latest of their times."""
    times = [time for one in placements if (time := _time(one))]
    submitted = max(times, key=order, default=None)
    late = bool(due and submitted and _is_after(submitted, due))
    return Attempt(number, total, submitted, late)


def _time(placement: Placement) -> datetime | None:
    return placement.submitted or (placement.attempt if isinstance(placement.attempt, datetime) else None)


def _is_after(time: datetime, due: datetime) -> bool:
    """Return whether a time is after the due date; one without a zone is in that of the due date."""
    return (time if time.tzinfo else time.replace(tzinfo=due.tzinfo)) > due


def _only_one_counts(attempts: Mapping[AttemptKey, Attempt]) -> dict[AttemptKey, Attempt]:
    """Return the attempts with a reason for each but the last in time, or the last if none is in time."""
    in_time = [attempt.number for attempt in attempts.values() if not attempt.late]
    counts = max(in_time, default=len(attempts))
    return {
        at: attempt
        if attempt.number == counts
        else attempt._replace(
            reason=reasons.EARLIER_ATTEMPT if attempt.number < counts else reasons.LATE_ATTEMPT
        )
        for at, attempt in attempts.items()
    }
