"""Upload hostile cases to the real database, and say what became of each."""

import logging
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import psutil
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.models import Assignment, Batch, Course, SubmissionFile
from submissions.uploads.change import create_batch
from submissions.work.kinds import BROKEN
from tests.hostile.case import Case

# Cases that are uploaded together, as files of one batch.
TOGETHER = 100
# Finding out its language, reading it and colouring it have the limit of a file each.
LIMITS_A_FILE = 3
# What unpacking and ranking may add to that, and the limit of a batch of many entries, both in seconds.
SLACK, BATCH_SECONDS = 5, 60
FINAL = (Batch.State.DONE, Batch.State.FAILED)


@dataclass
class Results:
    """The cases by their outcome; every list but `taken` and `refused` should be empty."""

    tried: int = 0
    taken: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    crashed: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    unended: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def faults(self) -> dict[str, list[str]]:
        """Return the faults by what they are, with the cases they happened to."""
        by_kind = {
            "crashed": self.crashed,
            "neither taken nor refused": self.unlisted,
            "past its limit": self.late,
            "batches that did not end": self.unended,
            "written outside its place": self.outside,
        }
        return {what: cases for what, cases in by_kind.items() if cases}

    def __str__(self) -> str:
        seconds, slowest = self.slowest
        lines = [f"{what}: {case}" for what, cases in self.faults().items() for case in cases]
        summary = (
            f"{self.tried:,} tried, {len(self.taken):,} taken, {len(self.refused):,} refused with a reason, "
            f"{len(self.crashed)} crashed, {len(self.unlisted)} neither taken nor refused, "
            f"{len(self.outside)} outside its place, {len(self.late)} past its limit, "
            f"{len(self.unended)} batches that did not end; the slowest took {seconds:.1f} s: {slowest}"
        )
        return "\n".join([summary, *lines])


class Errors(logging.Handler):
    """Collects the log of a batch: its errors, and control characters in any of its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter())
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        if record.levelno >= logging.ERROR:
            self.errors.append(f"logged: {line[-2000:]}")
        if not line.replace("\n", "").replace("\t", "").isprintable():
            self.errors.append(f"escapes in the log: {line[:2000]!r}")


def upload_all(cases: Iterable[Case], course: Course, user: User, file_seconds: int, results: Results) -> None:
    """Upload the cases in batches and add what became of them to the results."""
    for number, group in enumerate(_batches(cases)):
        patterns = group[0].patterns if len(group) == 1 else ""
        assignment = Assignment.objects.create(course=course, name=f"hostile {number}", exclude_patterns=patterns)
        _upload(group, assignment, user, file_seconds, results)


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    group: list[Case] = []
    for case in cases:
        if case.alone:
            yield [case]
            continue
        group.append(case)
        if len(group) == TOGETHER:
            yield group
            group = []
    if group:
        yield group


def _upload(group: list[Case], assignment: Assignment, user: User, file_seconds: int, results: Results) -> None:
    title = group[0].name if len(group) == 1 else f"{group[0].name} to {group[-1].name}"
    errors = Errors()
    logging.getLogger().addHandler(errors)
    started = _seconds_worked()
    try:
        batch = create_batch(assignment, user, _files(group))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the fault that is looked for
        errors.errors.append(f"{type(error).__name__}: {error}"[:2000])
        batch = assignment.batches.get()
    finally:
        logging.getLogger().removeHandler(errors)
    seconds = _seconds_worked() - started
    results.tried += len(group)
    results.crashed += [f"{title}: {error}" for error in errors.errors]
    results.slowest = max(results.slowest, (seconds, title))
    many = len(group) > 1 or group[0].kind.startswith("bomb")
    limit = BATCH_SECONDS if many else LIMITS_A_FILE * file_seconds + SLACK
    if seconds > limit:
        results.late.append(f"{title}: {seconds:.1f} s of {limit} s")
    batch.refresh_from_db()
    _add_outcomes(group, batch, results)


def _seconds_worked() -> float:
    """Return the processor time of this process and its children, which other programs do not prolong."""
    used = os.times()
    ended = used.user + used.system + used.children_user + used.children_system
    # Those that run count too: otherwise the file that ends the reader of all files has used all of its time.
    return ended + sum(_seconds_of(child) for child in psutil.Process().children(recursive=True))


def _seconds_of(child: psutil.Process) -> float:
    try:
        used = child.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(used.user + used.system + used.children_user + used.children_system)


def _files(group: Sequence[Case]) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(f"{n:05}{case.suffix}", case.data) for n, case in enumerate(group)]


def _add_outcomes(group: Sequence[Case], batch: Batch, results: Results) -> None:
    if batch.state not in FINAL or batch.assignment.reports.exclude(state="done").exists():
        results.unended.append(f"{group[0].name}: {batch.state}, {batch.message}")
    if batch.message == BROKEN:
        results.crashed.append(f"{group[0].name}: {batch.message}")
    whole = [batch.message] if batch.message else []
    accepted, reasons = _listed(batch, alone=len(group) == 1)
    for number, case in enumerate(group):
        why = reasons[number] + whole
        if accepted[number]:
            results.taken.append(case.name)
        elif why and all(why):
            results.refused[case.name] = why[0]
        else:
            results.unlisted.append(case.name)


def _listed(batch: Batch, *, alone: bool) -> tuple[Counter[int], defaultdict[int, list[str]]]:
    """Return the number of files taken and the reasons of files refused, by the place of their case.

    Uploaded files are called by their place, so that the names of entries and submissions begin with it.
    """
    accepted: Counter[int] = Counter()
    reasons: defaultdict[int, list[str]] = defaultdict(list)
    for name, taken, reason in batch.entries.values_list("name", "accepted", "reason"):
        place = 0 if alone else _place(name)
        if taken:
            accepted[place] += 1
        else:
            reasons[place].append(reason)
    failed = SubmissionFile.objects.filter(submission__batch=batch, document__state="failed")
    for name, reason in failed.values_list("submission__name", "document__reason"):
        place = 0 if alone else _place(name)
        accepted[place] -= 1
        reasons[place].append(reason)
    return accepted, reasons


def _place(name: str) -> int:
    """Return the place of the case that an entry or submission is part of; -1 if its name does not say."""
    return int(name[:5]) if name[:5].isdecimal() else -1
