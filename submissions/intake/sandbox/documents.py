"""Read documents in a child that serves many of them and is replaced when it fails."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from fingerprint.engine import Unreadable, storable
from fingerprint.reasons import LANGUAGE_TOO_SLOW, READING_TOO_SLOW
from submissions.intake import reasons
from submissions.intake.limits import format_size
from submissions.intake.sandbox.document_answers import checked_result, identified
from submissions.intake.sandbox.frames import Nonsense
from submissions.intake.sandbox.process import Broken, Cause, Ended, JobLimits, Refused, ReusedChild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fingerprint.engine import Reading
    from submissions.intake.sandbox.frames import Frame, Header

    Failures = Mapping[Cause, str]

Answer = TypeVar("Answer")

logger = logging.getLogger(__name__)

JOBS = "submissions.intake.sandbox.document_jobs"
# A child is replaced after this many jobs, so that what the readers keep in memory stays small.
MAX_JOBS = 5000
# A job ends itself after its seconds; what does not is ended so much later.
GRACE_SECONDS, PROCESSOR_GRACE_SECONDS = 10.0, 2.0
# The columns of the largest file that can be uploaded take less.
MAX_BYTES = 400_000_000

# Why a job failed, by the cause of its end.
IDENTIFYING = {
    Cause.TIME: LANGUAGE_TOO_SLOW,
    Cause.MEMORY: reasons.LANGUAGE_MEMORY,
    Cause.CRASH: reasons.LANGUAGE_ENDED,
}
READING = {
    Cause.TIME: READING_TOO_SLOW,
    Cause.MEMORY: reasons.READING_MEMORY,
    Cause.CRASH: reasons.READING_ENDED,
}


class NamedFile(NamedTuple):
    """The bytes of a file, and its name, which may tell its language."""

    name: str
    data: bytes


class DocumentReader(ReusedChild):
    """Reads documents in a child with `memory` bytes of address space. Threads take turns."""

    def __init__(self, memory: int, jobs: str = JOBS) -> None:
        super().__init__(memory, jobs, MAX_JOBS)

    def identify(
        self, files: Sequence[NamedFile], language: str, seconds: float, likely: str = ""
    ) -> Iterator[str | Unreadable]:
        """Yield for each file the name of its front-end, as `fingerprint.engine.identify` finds it.

        For a file that has none, or for which a limit is reached, yield the reason. Many are sent at once;
        where that fails, each by itself, so that no file keeps another one from being read.

        Raises
        ------
        NotStarted
        """
        together, done = True, 0
        while done < len(files):
            sent = files[done:] if together else files[done : done + 1]
            try:
                results = self._identified(sent, (language, likely), seconds)
            except Unreadable as error:
                together = False
                if len(sent) > 1:
                    logger.info("%d files are identified one by one (%s)", len(sent), error)
                    continue
                results = [error]
            yield from results
            done += len(results)

    def _identified(
        self, files: Sequence[NamedFile], languages: tuple[str, str], seconds: float
    ) -> list[str | Unreadable]:
        names, (language, likely) = [file.name for file in files], languages
        request = {
            "job": "identify",
            "filenames": names,
            "language": language,
            "likely": likely,
            "seconds": seconds,
        }
        data = [file.data for file in files]
        ((header, _),) = self._answers(request, data, seconds, IDENTIFYING, 1)
        return self._checked(partial(identified, header.get("results"), len(files)))

    def read(self, data: bytes, language: str, seconds: float, *, coarse: bool = False) -> Reading:
        """Read one file, as `fingerprint.engine.read` does; with `coarse` also its coarse stream.

        Raises
        ------
        Unreadable
            With the reason, when it cannot be read or a limit is reached.
        NotStarted
        """
        (result,) = self.read_together([data], language, seconds, coarse=coarse)
        if isinstance(result, Unreadable):
            raise result
        return result

    def read_together(
        self, files: Sequence[bytes], language: str, seconds: float, *, coarse: bool = False
    ) -> list[Reading | Unreadable]:
        """Return for each file of one language what `read` returns or raises; together they take less time.

        Raises
        ------
        Unreadable
            When a limit is reached or the child fails. Of several files each may be readable alone.
        NotStarted
        """
        request = {"job": "read", "language": language, "seconds": seconds, "coarse": coarse}
        answers = self._answers(request, files, seconds, READING, len(files))
        return [self._checked(partial(checked_result, *answer)) for answer in answers]

    def _checked(self, check: Callable[[], Answer]) -> Answer:
        """Return an answer once it is checked; a child that gave an impossible one is replaced."""
        try:
            return check()
        except Nonsense as error:
            self.close()
            raise Unreadable(reasons.NONSENSE.format(error=error)) from error

    def _answers(
        self, request: Header, data: Sequence[bytes], seconds: float, failures: Failures, count: int
    ) -> list[Frame]:
        """Return the answers to a request; a child that ended without using up its time is replaced once.

        Someone else may have ended it, or earlier files may have filled its memory.
        """
        limits = JobLimits(2 * seconds + GRACE_SECONDS, 2 * seconds + PROCESSOR_GRACE_SECONDS, MAX_BYTES)
        with self.lock:
            try:
                return self._do(request, data, limits, count)
            except Ended as first:
                logger.warning("the child that reads files ended (%s)", first)
                if first.cause is Cause.TIME:
                    raise Unreadable(self._reason(first, request, failures)) from first
            try:
                return self._do(request, data, limits, count)
            except Ended as second:
                raise Unreadable(self._reason(second, request, failures)) from second

    def _do(self, request: Header, data: Sequence[bytes], limits: JobLimits, count: int) -> list[Frame]:
        child = self.start()
        self.jobs_done += count
        try:
            answers = list(child.do(request, data, limits))
        except Refused as refusal:
            raise Unreadable(storable(str(refusal))) from refusal
        except Broken as error:
            raise Unreadable.by_error(storable(str(error))) from error
        if len(answers) != count:
            raise Ended(Cause.CRASH, f"{len(answers)} answers")
        return answers

    def _reason(self, ended: Ended, request: Header, failures: Failures) -> str:
        return failures[ended.cause].format(
            language=request["language"] or "code",
            n=f"{request['seconds']:g}",
            size=format_size(self.memory),
            error=storable(ended.detail),
        )
