"""Group uploads and read rosters in a child: names and metadata that students wrote, within limits."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from submissions.intake import reasons, roster_sentences
from submissions.intake.limits import BadArchive, format_size
from submissions.intake.rosters.columns import RosterRefused
from submissions.intake.sandbox.frames import Nonsense
from submissions.intake.sandbox.grouping_answers import grouped_upload, preview, roster
from submissions.intake.sandbox.process import Broken, Cause, Ended, JobLimits, Refused, ReusedChild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from submissions.intake.archives.listed_upload import GroupedUpload, ListedUpload
    from submissions.intake.archives.preview import Preview
    from submissions.intake.rosters import Roster
    from submissions.intake.sandbox.frames import Header

    Answer = TypeVar("Answer")

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


class GroupingReader(ReusedChild):
    """Groups uploads in a child with `memory` bytes of address space. Threads take turns.

    A metadata file that is being read when a limit is reached is left out with the reason, and the upload is
    grouped without it. Where nothing is left to leave out, the upload is refused.
    """

    def __init__(self, memory: int, jobs: str = JOBS) -> None:
        super().__init__(memory, jobs, MAX_JOBS)
        self._reading = ""

    def group(self, upload: ListedUpload) -> GroupedUpload:
        """Return the submissions of an upload, as `archives.listed_upload.group_upload` does.

        Raises
        ------
        BadArchive
            With the reason, when a limit is reached.
        NotStarted
        """
        return self._asked("group", upload, GROUP_SECONDS, grouped_upload)

    def preview(self, upload: ListedUpload) -> Preview:
        """Return the preview of an upload, as `archives.listed_upload.preview_listed` does.

        Raises
        ------
        BadArchive
            With the reason, when a limit is reached, or when other uploads take too long.
        NotStarted
        """
        return self._asked("preview", upload, PREVIEW_SECONDS, preview)

    def roster(self, data: bytes) -> Roster:
        """Return the roster in a CSV file, as `submissions.intake.rosters.parse_roster` does.

        Raises
        ------
        RosterRefused
            With the reason, also when a limit is reached, or when uploads take too long.
        NotStarted
        """
        with self._turn(RosterRefused):
            try:
                return roster(self._do({"job": "roster"}, [data], PREVIEW_SECONDS))
            except Refused as refusal:
                raise RosterRefused(str(refusal)) from refusal
            except (Ended, Broken, Nonsense) as error:
                self._failed(error)
                reason = self._reason(error, PREVIEW_SECONDS)
                raise RosterRefused(roster_sentences.NOT_READ.format(reason=reason)) from error

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
        "patterns": [upload.patterns.include, upload.patterns.exclude],
        "metadata": list(upload.metadata),
        "unread": dict(upload.unread),
    }


def _rows(upload: ListedUpload) -> bytes:
    return json.dumps([row._replace(digest=row.digest.hex()) for row in upload.rows]).encode()  # type: ignore[arg-type]
