"""Group uploads and read rosters in a child: names and metadata that students wrote, within limits.

Everything that it answers is checked: a hostile child could send anything.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter
from pydantic_core import from_json

from submissions.intake import sentences as reasons
from submissions.intake.choices import Choices, FilePlace, GroupedSubmission
from submissions.intake.entries import Entry
from submissions.intake.grouping import Grouping
from submissions.intake.layouts.places import Layout, Student
from submissions.intake.layouts.platforms.folders import FILES, folders_at
from submissions.intake.layouts.registry import LAYOUTS, Ranked
from submissions.intake.left_out.listing import LeftOut
from submissions.intake.limits import BadArchive, format_size, outside_time
from submissions.intake.members import MAX_SIZE
from submissions.intake.preview import GroupedUpload, ListedUpload, Preview, PreviewedSubmission, SkippedGroup
from submissions.intake.rosters import MAX_ROWS, Roster, RosterProblem, RosterRefused, RosterStudent
from submissions.intake.sandbox.child import Header, Nonsense, require
from submissions.intake.sandbox.process import Broken, Cause, Ended, JobLimits, Refused, ReusedChild
from submissions.intake.warnings import GroupingWarning

# Characters of any text, which may name a few submissions, and of a name that is stored.
MAX_TEXT, MAX_NAME = 10_000, 400

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")
JOBS = "submissions.intake.sandbox.grouping_jobs"
# A child is replaced after so many jobs.
MAX_JOBS = 500
# Seconds for one file of metadata and for the rest, in a worker and while somebody waits for a page. One of
# 20,000 entries takes about two. A whole upload may take as many seconds of processor time, this many times.
GROUP_SECONDS, PREVIEW_SECONDS, PROCESSOR_FACTOR = 20.0, 15.0, 2.0
# Seconds that a thread waits for its turn.
TURN_SECONDS = 10.0
# Bytes of an answer: 20,000 entries with long names take less.
MAX_BYTES = 200_000_000
# A child that crashed is replaced once, in case someone else ended it. After so many metadata files at which
# a child ended, none of the upload is read.
MAX_ATTEMPTS, MAX_FAILURES = 2, 3


class _Submission(NamedTuple):
    """A submission; `submitted` is in ISO 8601, or empty."""

    students: tuple[Student, ...]
    attempt: int
    attempts: int
    submitted: str
    late: bool


class _Grouping(NamedTuple):
    layout: str
    submissions: dict[str, _Submission]
    places: dict[str, FilePlace]
    ignored: dict[str, str]
    earlier: dict[str, str]
    warnings: list[GroupingWarning]

    def checked(self, paths: frozenset[str], choices: Choices) -> Grouping:
        """Return the grouping if it is of entries of these paths, or raise Nonsense."""
        require(self.places.keys() | self.ignored.keys() <= paths, "entries that there are not")
        require(self.earlier.keys() <= self.ignored.keys(), "attempts that there are not")
        named = {place.submission for place in self.places.values()}
        require(named <= self.submissions.keys(), "submissions that there are not")
        require(all(0 < len(name) <= MAX_NAME for name in self.submissions), "names of submissions")
        submissions = {
            name: GroupedSubmission(**(one._asdict() | {"submitted": outside_time(one.submitted)}))
            for name, one in self.submissions.items()
        }
        return Grouping(_layout(self.layout, choices), submissions, *self[2:])


class _Grouped(NamedTuple):
    grouping: _Grouping
    left_out: LeftOut
    owners: dict[str, str]


class _Preview(NamedTuple):
    """A preview; a submission has its name, the number of its files and their bytes."""

    grouping: _Grouping
    layouts: tuple[tuple[str, float], ...]
    submissions: tuple[tuple[str, int, int], ...]
    ignored: tuple[SkippedGroup, ...]
    left_out: tuple[SkippedGroup, ...]
    refused: tuple[SkippedGroup, ...]
    warnings: tuple[GroupingWarning, ...]
    counted: tuple[str, ...]


class _Roster(NamedTuple):
    students: tuple[RosterStudent, ...]
    problems: tuple[RosterProblem, ...]


GROUPED, PREVIEW, ROSTER = TypeAdapter(_Grouped), TypeAdapter(_Preview), TypeAdapter(_Roster)


def grouped_upload(data: bytes, paths: frozenset[str], choices: Choices) -> GroupedUpload:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    answer = _parsed(GROUPED, data)
    grouping = answer.grouping.checked(paths, choices)
    require(answer.left_out.paths <= grouping.places.keys(), "files that there are not")
    return GroupedUpload(grouping, answer.left_out, answer.owners)


def preview(data: bytes, paths: frozenset[str], choices: Choices) -> Preview:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    answer = _parsed(PREVIEW, data)
    grouping = answer.grouping.checked(paths, choices)
    require(grouping.places.keys() >= set(answer.counted), "files that there are not")
    require(grouping.submissions.keys() >= {name for name, _, _ in answer.submissions}, "submissions")
    require(all(key in LAYOUTS and score <= 1 for key, score in answer.layouts), "layouts")
    layouts = tuple(Ranked(LAYOUTS[key], score) for key, score in answer.layouts)
    submissions = tuple(
        PreviewedSubmission(name, grouping.submissions[name], files, size) for name, files, size in answer.submissions
    )
    return Preview(grouping, layouts, submissions, *answer[3:])


def roster(data: bytes) -> Roster:
    """Return the answer to a request with a roster, or raise Nonsense."""
    answer = _parsed(ROSTER, data)
    students = answer.students
    require(len(students) <= MAX_ROWS and all(one.display_name for one in students), "students")
    require(all(len(cell) <= MAX_NAME for one in students for cell in (*one[:6], *one.other_ids)), "long cells")
    return Roster(*answer)


def _parsed(answers: TypeAdapter[Answer], data: bytes) -> Answer:
    """Return an answer that has the parts of its type, with texts and numbers that can be stored."""
    try:
        values, answer = from_json(data), answers.validate_json(data, strict=True)
    except ValueError as error:
        raise Nonsense("not the parts of an answer") from error
    _check_values(values)
    return answer


def _check_values(value: object) -> None:
    if isinstance(value, str):
        require(len(value) <= MAX_TEXT and "\0" not in value, "a text that cannot be stored")
    elif isinstance(value, int | float):
        require(0 <= value <= MAX_SIZE, "a number that counts nothing")
    elif isinstance(value, list | dict):
        for part in chain(value, value.values()) if isinstance(value, dict) else value:
            _check_values(part)


def _layout(key: str, choices: Choices) -> Layout:
    if choices.depth is not None:
        return folders_at(choices.depth) if choices.depth else FILES
    require(key in LAYOUTS, "a layout that there is not")
    return LAYOUTS[key]


class GroupingReader(ReusedChild):
    """Groups uploads in a child with `memory` bytes of address space. Threads take turns.

    A metadata file that is being read when a limit is reached is left out with the reason, and the upload is
    grouped without it. Where nothing is left to leave out, the upload is refused.
    """

    def __init__(self, memory: int, jobs: str = JOBS) -> None:
        super().__init__(memory, jobs, MAX_JOBS)
        self._reading = ""

    def group(self, upload: ListedUpload) -> GroupedUpload:
        """Return the submissions of an upload, as `submissions.intake.preview.group_upload` does.

        Raises BadArchive with the reason, when a limit is reached. Raises NotStarted.
        """
        return self._asked("group", upload, GROUP_SECONDS, grouped_upload)

    def preview(self, upload: ListedUpload) -> Preview:
        """Return the preview of an upload, as `submissions.intake.preview.preview_listed` does.

        Raises BadArchive with the reason, when a limit is reached, or when other uploads take too long.
        Raises NotStarted.
        """
        return self._asked("preview", upload, PREVIEW_SECONDS, preview)

    def roster(self, data: bytes) -> Roster:
        """Return the roster in a CSV file, as `submissions.intake.rosters.parse_roster` does.

        Raises RosterRefused with the reason, also when a limit is reached, or when uploads take too long.
        Raises NotStarted.
        """
        with self._turn(RosterRefused):
            try:
                return roster(self._do({"job": "roster"}, [data], PREVIEW_SECONDS))
            except Refused as refusal:
                raise RosterRefused(str(refusal)) from refusal
            except (Ended, Broken, Nonsense) as error:
                self._failed(error)
                reason = self._reason(error, PREVIEW_SECONDS)
                raise RosterRefused(reasons.NOT_READ.format(reason=reason)) from error

    @contextmanager
    def _turn(self, refusal: type[ValueError]) -> Iterator[None]:
        lock = self.lock
        if not lock.acquire(timeout=TURN_SECONDS):
            raise refusal(reasons.OTHERS_GROUPED)
        try:
            yield
        finally:
            lock.release()

    def _asked(self, job: str, upload: ListedUpload, seconds: float, checked: Callable[..., Answer]) -> Answer:
        paths = frozenset(row.name for row in upload.rows)
        check = partial(checked, paths=paths, choices=upload.choices)
        with self._turn(BadArchive):
            return self._answered(job, upload, seconds, check)

    def _answered(self, job: str, upload: ListedUpload, seconds: float, check: Callable[[bytes], Answer]) -> Answer:
        crashes = 0
        while True:
            try:
                buffers = [_rows(upload), *upload.metadata.values()]
                return check(self._do(_request(job, upload), buffers, seconds))
            except Refused as refusal:
                raise BadArchive(str(refusal)) from refusal
            except (Ended, Broken, Nonsense) as error:
                self._failed(error)
                crashes += isinstance(error, Ended) and error.cause is Cause.CRASH
                if crashes not in range(1, MAX_ATTEMPTS):
                    upload = self._without(upload, self._reason(error, seconds))

    def _failed(self, error: Exception) -> None:
        logger.warning("the child that groups an upload ended (%s)", error)
        self.close()

    def _do(self, request: Header, buffers: Sequence[bytes], seconds: float) -> bytes:
        limits = JobLimits(seconds, PROCESSOR_FACTOR * seconds, MAX_BYTES)
        self.jobs_done += 1
        self._reading, answers = "", []
        for header, results in self.start().do(request, buffers, limits):
            if header["kind"] == "reading":
                self._reading = str(header.get("path"))
            else:
                answers += results
        if len(answers) != 1:
            raise Ended(Cause.CRASH, f"{len(answers)} answers")
        return answers[0]

    def _without(self, upload: ListedUpload, reason: str) -> ListedUpload:
        """Return an upload without the metadata file that was read last; without any after a few of them."""
        if not upload.metadata:
            raise BadArchive(reasons.NOT_GROUPED.format(reason=reason))
        known = self._reading in upload.metadata and len(upload.unread) < MAX_FAILURES - 1
        dropped = {self._reading} if known else {*upload.metadata}
        metadata = {path: data for path, data in upload.metadata.items() if path not in dropped}
        return replace(upload, metadata=metadata, unread={**upload.unread, **dict.fromkeys(dropped, reason)})

    def _reason(self, error: Ended | Broken | Nonsense, seconds: float) -> str:
        if isinstance(error, Ended) and error.cause is Cause.TIME:
            return reasons.METADATA_TOO_SLOW.format(n=f"{seconds:g}")
        if isinstance(error, Ended) and error.cause is Cause.MEMORY:
            return reasons.METADATA_MEMORY.format(size=format_size(self.memory))
        return reasons.METADATA_ENDED


def _request(job: str, upload: ListedUpload) -> Header:
    return {
        "job": job,
        "name": upload.name,
        "choices": upload.choices.to_json(),
        "patterns": list(astuple(upload.patterns)),
        "metadata": list(upload.metadata),
        "unread": dict(upload.unread),
    }


def _rows(upload: ListedUpload) -> bytes:
    """Return the entries as JSON, each without its bytes."""
    return json.dumps([_row(entry) for entry in upload.rows]).encode()


def _row(entry: Entry) -> tuple[str | int, ...]:
    modified = entry.modified.isoformat() if entry.modified else ""
    return entry.name, entry.size, entry.reason, modified, entry.digest.hex(), entry.left_out
