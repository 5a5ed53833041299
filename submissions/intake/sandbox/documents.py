"""Read documents in a child that serves many of them and is replaced when it fails.

Everything that it answers is checked: a hostile child could send anything.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import psutil

from fingerprint import engine
from fingerprint.kernels.types import Lines, Offsets
from fingerprint.reasons import LANGUAGE_TOO_SLOW, READING_TOO_SLOW
from submissions.intake import sentences as reasons
from submissions.intake.limits import format_size
from submissions.intake.packed_readings import STYLED, together_then_alone
from submissions.intake.sandbox.child import Frame, Header, Nonsense, require
from submissions.intake.sandbox.process import Broken, Cause, Ended, JobLimits, Refused, ReusedChild

if TYPE_CHECKING:
    from submissions.intake.entries import Entry

    Column = npt.NDArray[Any]

    Failures = Mapping[Cause, str]

# kinds, starts, ends and lines of tokens; literals, names, imports and uses of names; starts, ends and
# classes of spans; kinds, starts, ends and lines of the coarse stream, and its terms; strings and their words
STREAM, TERMS, SPANS = ("<u8", "<i4", "<i4", "<i4"), ("<u8",) * 4, ("<i4",) * 3
DTYPES = (*STREAM, *TERMS, *SPANS, *STREAM, "<u8", "<u8", "<u8")
MAX_CHARACTERS = (1 << 31) - 1
MAX_CLASSES = 200
MAX_NAME, MAX_REASON = 100, 2000
DIGEST = re.compile(r"[0-9a-f]{32}")

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
READING = {Cause.TIME: READING_TOO_SLOW, Cause.MEMORY: reasons.READING_MEMORY, Cause.CRASH: reasons.READING_ENDED}


def checked_result(header: Header, buffers: list[bytes]) -> engine.Reading | engine.Unreadable:
    """Return the reading of one file, or why it cannot be read, or raise Nonsense."""
    if header["kind"] == "read":
        return checked_reading(header, buffers)
    return _reason(header.get("reason"))


def checked_reading(header: Header, buffers: list[bytes]) -> engine.Reading:
    """Return the reading of an answer, with spans and without its text, or raise Nonsense."""
    characters = header.get("characters")
    if type(characters) is not int or not 0 <= characters <= MAX_CHARACTERS:
        raise Nonsense("the number of characters")
    columns = _columns(buffers)
    tokens, lines = _stream(columns[:4], characters)
    terms, (span_starts, span_ends, codes) = engine.LexicalTerms(*columns[4:8]), columns[8:11]
    symbols, symbol_lines = _stream(columns[11:15], characters)
    words = engine.StringWords(*columns[16:])
    require(all(map(_is_ascending, (*terms, columns[15], words.strings))), "terms")
    require(len(words.strings) == len(words.words), "the number of words")
    family = header.get("family")
    require(bool(family) or not len(symbols), "a coarse stream without a family")
    return engine.Reading(
        name_of(header.get("language")),
        tokens,
        lines,
        terms,
        engine.Coarse(name_of(family), symbols, columns[15]) if family else None,
        symbol_lines,
        _spans(engine.SpanColumns(span_starts, span_ends, codes, header.get("classes") or []), characters),
        unclosed=_unclosed(header.get("unclosed"), characters),
        share=_share(header.get("share")),
        disguised=_disguised(header.get("disguised"), characters),
        spelling=_spelling(header.get("spelling")),
        words=words,
    )


def _share(value: object) -> float:
    if isinstance(value, float) and 0 <= value <= 1:
        return value
    raise Nonsense("the share that was read")


def _disguised(value: object, characters: int) -> int:
    if type(value) is int and 0 <= value <= characters:
        return value
    raise Nonsense("the number of disguised characters")


def _unclosed(value: object, characters: int) -> tuple[int, ...]:
    if isinstance(value, list) and all(type(line) is int and 0 < line <= characters + 1 for line in value):
        return tuple(value)
    raise Nonsense("the lines of unclosed literals")


def _spelling(digests: object) -> engine.Spelling:
    match digests:
        case [str(tokens), str(without_names)] if DIGEST.fullmatch(tokens) and DIGEST.fullmatch(without_names):
            return engine.Spelling(bytes.fromhex(tokens), bytes.fromhex(without_names))
    raise Nonsense("the spelling")


def _stream(columns: list[Column], characters: int) -> tuple[engine.TokenStream, Lines]:
    kinds, starts, ends, lines = columns
    require(len(kinds) == len(starts) == len(lines), "the number of tokens")
    _check_positions(starts, ends, characters)
    require(_is_ascending(lines) and _is_within(lines, 1, characters + 1), "lines")
    return engine.TokenStream(kinds, starts, ends), lines


def identified(results: object, count: int) -> list[str | engine.Unreadable]:
    """Return for each of the first files of `count` the name of its front-end or why it has none.

    Raises Nonsense for anything else.
    """
    if not isinstance(results, list) or not 1 <= len(results) <= count:
        raise Nonsense("the number of results")
    return [_identified(result) for result in results]


def _identified(result: object) -> str | engine.Unreadable:
    match result:
        case ["", reason]:
            return _reason(reason)
        case [name, ""]:
            return name_of(name)
    raise Nonsense("a result")


def _reason(value: object) -> engine.Unreadable:
    if not isinstance(value, str) or not value:
        raise Nonsense("a reason")
    return engine.Unreadable(engine.storable(value[:MAX_REASON]))


def name_of(value: object) -> str:
    """Return the name of a language, or raise Nonsense."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME or not value.isprintable():
        raise Nonsense("a name")
    return value


def _spans(spans: engine.SpanColumns, characters: int) -> engine.SpanColumns:
    _check_positions(spans.starts, spans.ends, characters)
    require(isinstance(spans.classes, list) and len(spans.classes) <= MAX_CLASSES, "the classes of spans")
    require(all(STYLED.fullmatch(name_of(name)) for name in spans.classes), "a class of spans")
    require(len(spans.codes) == len(spans.starts), "the number of spans")
    require(_is_within(spans.codes, 0, len(spans.classes) - 1), "the class of a span")
    return spans


def _columns(buffers: list[bytes]) -> list[Column]:
    types = [np.dtype(name) for name in DTYPES]
    require(len(buffers) == len(types), "the number of columns")
    for buffer, dtype in zip(buffers, types, strict=True):
        require(len(buffer) % dtype.itemsize == 0, "the length of a column")
    return [np.frombuffer(buffer, dtype).copy() for buffer, dtype in zip(buffers, types, strict=True)]


def _check_positions(starts: Offsets, ends: Offsets, characters: int) -> None:
    require(len(starts) == len(ends), "the number of positions")
    require(_is_ascending(starts) and _is_within(starts, 0, characters), "starts")
    require(bool((ends >= starts).all()) and _is_within(ends, 0, characters), "ends")


def _is_ascending(column: Column) -> bool:
    return bool((column[1:] >= column[:-1]).all())


def _is_within(column: Column, lowest: int, highest: int) -> bool:
    return not len(column) or bool(lowest <= column.min() and column.max() <= highest)


class DocumentReader(ReusedChild):
    """Reads documents in a child with `memory` bytes of address space. Threads take turns.

    `seconds` are the processor seconds of all jobs; of one that ended its child, those of the clock.
    """

    def __init__(self, memory: int, jobs: str = JOBS) -> None:
        super().__init__(memory, jobs, MAX_JOBS)
        self.seconds = 0.0

    def identify(
        self, files: Sequence[Entry], language: str, seconds: float, likely: str = ""
    ) -> Iterator[str | engine.Unreadable]:
        """Return for each file the name of its front-end, as `fingerprint.engine.identify` finds it.

        For a file that has none, or for which a limit is reached, return the reason. Raises NotStarted.
        """
        read = partial(self._identified, language=language, likely=likely, seconds=seconds)
        return (result for _, result in together_then_alone(files, read))

    def _identified(
        self, files: Sequence[Entry], language: str, likely: str, seconds: float
    ) -> list[str | engine.Unreadable]:
        request = {
            "job": "identify",
            "filenames": [file.name for file in files],
            "language": language,
            "likely": likely,
            "seconds": seconds,
        }
        data = [file.data or b"" for file in files]
        ((header, _),) = self._answers(request, data, seconds, IDENTIFYING, 1)
        return self._checked(partial(identified, header.get("results"), len(files)))

    def read(self, data: bytes, language: str, seconds: float, *, coarse: bool = False) -> engine.Reading:
        """Read one file, as `fingerprint.engine.read` does; with `coarse` also its coarse stream.

        Raises Unreadable with the reason, when it cannot be read or a limit is reached. Raises NotStarted.
        """
        (result,) = self.read_together([data], language, seconds, coarse=coarse)
        if isinstance(result, engine.Unreadable):
            raise result
        return result

    def read_together(
        self, files: Sequence[bytes], language: str, seconds: float, *, coarse: bool = False
    ) -> list[engine.Reading | engine.Unreadable]:
        """Return for each file of one language what `read` returns or raises; together they take less time.

        Raises Unreadable when a limit is reached or the child fails. Of several files each may be readable
        alone. Raises NotStarted.
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
            raise engine.Unreadable(reasons.NONSENSE.format(error=error)) from error

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
                    raise engine.Unreadable(self._reason(first, request, failures)) from first
            try:
                return self._do(request, data, limits, count)
            except Ended as second:
                raise engine.Unreadable(self._reason(second, request, failures)) from second

    def _do(self, request: Header, data: Sequence[bytes], limits: JobLimits, count: int) -> list[Frame]:
        child = self.start()
        self.jobs_done += count
        try:
            child.wait_until_ready()
            with self._counting(child.pid):
                answers = list(child.do(request, data, limits))
        except Refused as refusal:
            raise engine.Unreadable(engine.storable(str(refusal))) from refusal
        except Broken as error:
            raise engine.Unreadable.by_error(engine.storable(str(error))) from error
        if len(answers) != count:
            raise Ended(Cause.CRASH, f"{len(answers)} answers")
        return answers

    @contextmanager
    def _counting(self, pid: int) -> Iterator[None]:
        started, child = time.monotonic(), psutil.Process(pid)
        before = child.cpu_times()
        try:
            yield
        finally:
            try:
                after = child.cpu_times()
                self.seconds += after.user + after.system - before.user - before.system
            except psutil.NoSuchProcess:
                self.seconds += time.monotonic() - started

    def _reason(self, ended: Ended, request: Header, failures: Failures) -> str:
        return failures[ended.cause].format(
            language=request["language"] or "code",
            n=f"{request['seconds']:g}",
            size=format_size(self.memory),
            error=engine.storable(ended.detail),
        )
