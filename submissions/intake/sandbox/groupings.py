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
from typing import TYPE_CHECKING, Any, TypeVar

from submissions.intake import sentences as reasons
from submissions.intake.choices import Choices, FilePlace, GroupedSubmission
from submissions.intake.grouping import Grouping
from submissions.intake.layouts.places import Layout, Student
from submissions.intake.layouts.platforms.folders import FILES, folders_at
from submissions.intake.layouts.registry import LAYOUTS, Ranked
from submissions.intake.left_out.listing import EntryRow, LeftOut
from submissions.intake.limits import BadArchive, format_size, outside_time
from submissions.intake.members import MAX_SIZE
from submissions.intake.preview import GroupedUpload, ListedUpload, Preview, PreviewedSubmission, SkippedGroup
from submissions.intake.rosters import MAX_ROWS, Roster, RosterProblem, RosterRefused, RosterStudent
from submissions.intake.sandbox.child import Nonsense
from submissions.intake.sandbox.process import Broken, Cause, Ended, JobLimits, Refused, ReusedChild
from submissions.intake.warnings import GroupingWarning

if TYPE_CHECKING:
    from submissions.intake.sandbox.child import Header

    T = TypeVar("T")

    Answer = TypeVar("Answer")

# Characters of any text, which may name a few submissions, and of a name that is stored.
MAX_TEXT, MAX_NAME = 10_000, 400

logger = logging.getLogger(__name__)

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


def grouped_upload(data: bytes, paths: frozenset[str], choices: Choices) -> GroupedUpload:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    return _read(lambda: _grouped(_object(json.loads(data)), paths, choices))


def preview(data: bytes, paths: frozenset[str], choices: Choices) -> Preview:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    return _read(lambda: _preview(_object(json.loads(data)), paths, choices))


def roster(data: bytes) -> Roster:
    """Return the answer to a request with a roster, or raise Nonsense."""
    return _read(lambda: _roster(_object(json.loads(data))))


def _read(reader: Callable[[], T]) -> T:
    try:
        return reader()
    except Nonsense:
        raise
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Nonsense(f"not the parts of an answer ({type(error).__name__})") from error


def _roster(answer: dict[str, Any]) -> Roster:
    students = [
        RosterStudent._make([*map(_cell, student), tuple(map(_cell, _list(others)))])
        for *student, others in map(_list, _list(answer["students"]))
    ]
    problems = [RosterProblem(_count(line), _text(why)) for line, why in _list(answer["problems"])]
    if len(students) > MAX_ROWS or not all(student.display_name for student in students):
        raise Nonsense("students that there are not")
    return Roster(tuple(students), tuple(problems))


def _cell(value: Any) -> str:
    if len(_text(value)) > MAX_NAME:
        raise Nonsense("a cell that is too long")
    return str(value)


def _grouped(answer: dict[str, Any], paths: frozenset[str], choices: Choices) -> GroupedUpload:
    grouping = _grouping(answer["grouping"], paths, choices)
    return GroupedUpload(grouping, _left_out(answer["left_out"], grouping), _texts(answer["owners"]))


def _preview(answer: dict[str, Any], paths: frozenset[str], choices: Choices) -> Preview:
    grouping = _grouping(answer["grouping"], paths, choices)
    return Preview(
        grouping,
        tuple(Ranked(LAYOUTS[_text(key)], _share(score)) for key, score in _list(answer["layouts"])),
        tuple(
            PreviewedSubmission(_text(name), grouping.submissions[name], _count(files), _count(size))
            for name, files, size in _list(answer["submissions"])
        ),
        tuple(map(_skipped, _list(answer["ignored"]))),
        tuple(map(_skipped, _list(answer["left_out"]))),
        tuple(map(_skipped, _list(answer["refused"]))),
        tuple(map(_warning, _list(answer["warnings"]))),
        _counted(answer["counted"], grouping),
    )


def _counted(answer: Any, grouping: Grouping) -> tuple[str, ...]:
    paths = tuple(map(_text, _list(answer)))
    if not grouping.places.keys() >= set(paths):
        raise Nonsense("files that there are not")
    return paths


def _grouping(answer: Any, paths: frozenset[str], choices: Choices) -> Grouping:
    submissions = {_text(name): _submission(one) for name, one in _object(answer["submissions"]).items()}
    places = {path: FilePlace(*map(_text, place)) for path, place in _object(answer["places"]).items()}
    ignored, earlier = _texts(answer["ignored"]), _texts(answer["earlier"])
    if not places.keys() | ignored.keys() <= paths or not earlier.keys() <= ignored.keys():
        raise Nonsense("entries that there are not")
    if not {place.submission for place in places.values()} <= submissions.keys():
        raise Nonsense("submissions that there are not")
    if any(not name or len(name) > MAX_NAME for name in submissions):
        raise Nonsense("names of submissions")
    warnings = list(map(_warning, _list(answer["warnings"])))
    return Grouping(
        _layout(_text(answer["layout"]), choices), submissions, places, ignored, earlier, warnings
    )


def _layout(key: str, choices: Choices) -> Layout:
    if choices.depth is not None:
        return folders_at(choices.depth) if choices.depth else FILES
    return LAYOUTS[key]


def _submission(answer: Any) -> GroupedSubmission:
    students, attempt, attempts, submitted, late = _list(answer)
    known = tuple(Student(_text(name), _text(identifier)) for name, identifier in _list(students))
    time = outside_time(_text(submitted)) if submitted else None
    return GroupedSubmission(known, _count(attempt), _count(attempts), time, late is True)


def _left_out(answer: Any, grouping: Grouping) -> LeftOut:
    paths = frozenset(map(_text, _list(answer["paths"])))
    if not paths <= grouping.places.keys():
        raise Nonsense("files that there are not")
    entries = [
        EntryRow(_text(name), _count(size), _text(why)) for name, size, why in _list(answer["entries"])
    ]
    folders = frozenset(map(_text, _list(answer["folders"])))
    return LeftOut(paths, folders, entries, tuple(map(_text, _list(answer["unmatched"]))))


def _skipped(answer: Any) -> SkippedGroup:
    reason, entries, size, examples = _list(answer)
    return SkippedGroup(_text(reason), _count(entries), _count(size), tuple(map(_text, _list(examples))))


def _warning(answer: Any) -> GroupingWarning:
    kind, text, submissions = _list(answer)
    return GroupingWarning(_text(kind), _text(text), tuple(map(_text, _list(submissions))))


def _text(value: Any) -> str:
    """Return a text that can be stored; lone surrogates make `encode` raise an error."""
    if not isinstance(value, str) or len(value) > MAX_TEXT or "\0" in value:
        raise Nonsense("a text that is none")
    value.encode()
    return value


def _texts(value: Any) -> dict[str, str]:
    return {_text(key): _text(text) for key, text in _object(value).items()}


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_SIZE:
        raise Nonsense("a number that counts nothing")
    return value


def _share(value: Any) -> float:
    if type(value) not in {int, float} or not 0 <= value <= 1:
        raise Nonsense("a share that is none")
    return float(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Nonsense("no list where there should be one")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Nonsense("no object where there should be one")
    return value


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

    def _asked(
        self, job: str, upload: ListedUpload, seconds: float, checked: Callable[..., Answer]
    ) -> Answer:
        paths = frozenset(row.name for row in upload.rows)
        check = partial(checked, paths=paths, choices=upload.choices)
        with self._turn(BadArchive):
            return self._answered(job, upload, seconds, check)

    def _answered(
        self, job: str, upload: ListedUpload, seconds: float, check: Callable[[bytes], Answer]
    ) -> Answer:
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
    return json.dumps([row._replace(digest=row.digest.hex()) for row in upload.rows]).encode()  # type: ignore[arg-type]
