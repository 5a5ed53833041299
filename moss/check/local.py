"""Rank the submissions of a folder or an archive, without any service; child processes read the files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fingerprint import engine
from fingerprint.engine import Params, Unreadable, front_end, read
from moss.check.inputs import SkippedInput, read_inputs
from moss.check.readings import ReadJob, read_files
from submissions.archives.grouping import DEFAULT_CHOICES
from submissions.archives.unpack import DEFAULT_PATTERNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fingerprint.engine import Cohort, CohortFile, Ranking, Reading
    from moss.check.readings import Advance, FileTokens
    from submissions.archives.choices import Choices
    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.ranking.ranked_pairs import RankedPair

PARAMS = Params()
MIN_SUBMISSIONS = 2


class LocalFile(NamedTuple):
    """One file of a submission, with its bytes for display; `submission` indexes the report's submissions."""

    submission: int
    path: str
    data: bytes
    tokens: FileTokens


@dataclass(frozen=True, slots=True)
class LocalReport:
    """A finished ranking.

    `left` and `right` of a pair index `submissions`; the files of its passages index `files`. `layout` is the
    label of the layout that the submissions were found by.
    """

    submissions: list[str]
    files: list[LocalFile]
    ranking: Ranking
    skipped: list[SkippedInput]
    cohort: Cohort
    layout: str = ""

    def pairs(self) -> Iterator[RankedPair]:
        """Yield all pairs with their passages, best first; each pair is aligned when it is yielded."""
        from submissions.ranking.ranked_pairs import ranked_pairs  # noqa: PLC0415 - loads the engine on demand

        return ranked_pairs(self.cohort, self.ranking)

    @property
    def shortfall(self) -> str:
        """The reason why nothing was compared: fewer than two readable submissions; empty otherwise."""
        readable = len({file.submission for file in self.files})
        if readable >= MIN_SUBMISSIONS:
            return ""
        plural = "" if readable == 1 else "s"
        return f"Found {readable} submission{plural} that can be read; at least two are needed."


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Options of a ranking.

    `language` is the language of every file, "" to detect it for each file; `boilerplate` names files of
    handed-out code; `common` is the parameter of `fingerprint.ranking.cohort.common_limit`; `show` is the
    highest number of pairs to list, None for all; `choices` say how files are grouped into submissions;
    `patterns` are of files to count and to leave out;
    `partial` allows to compare an archive of which only a part could be read.
    """

    language: str = ""
    boilerplate: tuple[Path, ...] = ()
    common: int | None = None
    show: int | None = 250
    patterns: FilePatterns = DEFAULT_PATTERNS
    partial: bool = False
    choices: Choices = DEFAULT_CHOICES


def rank_path(path: Path, options: RankingOptions, start_progress: Callable[[int], Advance]) -> LocalReport:
    """Rank the submissions of a folder or an archive.

    `start_progress` is called with the number of files and returns a function that is called after each file.

    Raises
    ------
    BadArchive
        When the path cannot be read, or only in part.
    OSError
        When a file or the cache of readings cannot be used.
    Unreadable
        When a boilerplate file cannot be read; the message names it.
    ValueError
        When there is no such language.
    """
    if options.language:
        front_end(options.language)  # Raises ValueError before any file is read.
    boilerplate = [_read_boilerplate(file, options.language) for file in options.boilerplate]
    groups, skipped, layout = read_inputs(path, options.patterns, options.choices, partial=options.partial)
    numbered = [(submission, entry) for submission, group in enumerate(groups.values()) for entry in group]
    jobs = [ReadJob(entry.name, entry.data or b"", options.language) for _, entry in numbered]
    results = read_files(jobs, start_progress(len(jobs)), _load_engine)
    names = list(groups)
    files = []
    for (submission, entry), job, result in zip(numbered, jobs, results, strict=True):
        if isinstance(result, str):
            is_single_file = names[submission] == entry.name
            name = entry.name if is_single_file else f"{names[submission]}/{entry.name}"
            skipped.append(SkippedInput(name, result))
        else:
            files.append(LocalFile(submission, entry.name, job.data, result))
    return replace(_rank(names, files, skipped, boilerplate, options), layout=layout)


def _read_boilerplate(file: Path, language: str) -> Reading:
    try:
        return read(file.read_bytes(), file.name, language)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from error


def _load_engine() -> None:
    """Compile the kernels that are not in numba's cache, and load all of them."""
    engine.ensure_compiled()
    engine.compile_kernels()


def _rank(
    names: list[str],
    files: list[LocalFile],
    skipped: list[SkippedInput],
    boilerplate: list[Reading],
    options: RankingOptions,
) -> LocalReport:
    engine.ensure_compiled()
    cohort_files = [_cohort_file(file) for file in files]
    exclusions = engine.Exclusions(
        [reading.tokens.kinds for reading in boilerplate],
        [reading.lexical for reading in boilerplate],
        engine.common_limit(len(names), options.common),
    )
    inputs = engine.RankingInput.from_files(cohort_files, len(names), PARAMS.k, exclusions)
    return LocalReport(names, files, engine.rank(inputs, options.show), skipped, inputs.cohort)


def _cohort_file(file: LocalFile) -> CohortFile:
    kinds = file.tokens.stream.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return engine.CohortFile(file.submission, kinds, file.tokens.lines, file.tokens.lexical, hashes)
