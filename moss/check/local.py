"""Rank a folder or an archive in this process and its children, without any service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fingerprint import engine
from fingerprint.engine import Params, Unreadable, front_end, read
from moss.check.readings import Job, read_files
from submissions.archives.grouping import submissions_of
from submissions.archives.unpack import unpack, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fingerprint.engine import Cohort, CohortFile, Ranking, Reading
    from moss.check.readings import Done, Tokens
    from submissions.archives.unpack import Unpacked
    from submissions.ranking.ranked_pairs import RankedPair

PARAMS = Params()
# Submissions that make a pair.
NEEDED = 2


class LocalFile(NamedTuple):
    """One file of one submission (an index), with its bytes for showing."""

    submission: int
    path: str
    data: bytes
    tokens: Tokens


class Skipped(NamedTuple):
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class LocalReport:
    """A finished ranking; pairs' `left` and `right` index `submissions`, files of passages `files`."""

    submissions: list[str]
    files: list[LocalFile]
    ranking: Ranking
    skipped: list[Skipped]
    cohort: Cohort

    def pairs(self) -> Iterator[RankedPair]:
        """All pairs with their passages, best first, each aligned when it is asked for."""
        from submissions.ranking.ranked_pairs import ranked_pairs  # noqa: PLC0415 - the engine is loaded when it is needed

        return ranked_pairs(self.cohort, self.ranking)

    @property
    def shortfall(self) -> str:
        """Why nothing could be compared: fewer than two submissions could be read; else empty."""
        found = len({file.submission for file in self.files})
        if found >= NEEDED:
            return ""
        plural = "" if found == 1 else "s"
        return f"Found {found} submission{plural} that can be read; at least two are needed."


@dataclass(frozen=True, slots=True)
class Options:
    """How to rank: every file's language ("" tells it from the file), handed-out code, limits.

    `common` as `fingerprint.ranking.cohort.common_limit` takes it; `show`: pairs at most, None for all.
    """

    language: str = ""
    boilerplate: tuple[Path, ...] = ()
    common: int | None = None
    show: int | None = 250


def entries_of(path: Path) -> Iterator[Unpacked]:
    """Entries of a folder or of an archive; raises BadArchive as those do."""
    if path.is_dir():
        yield from walk(path)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file)


def rank_path(path: Path, options: Options, started: Callable[[int], Done]) -> LocalReport:
    """Rank everything in a folder or archive; each entry directly in it is one submission.

    `started` is told the number of files and gives what is called after each.

    Raises
    ------
    BadArchive
        When the path cannot be read.
    Unreadable
        When a boilerplate file cannot; it is named.
    ValueError
        When there is no such language.
    """
    if options.language:
        front_end(options.language)
    boilerplate = [_boilerplate(file, options.language) for file in options.boilerplate]
    entries = list(entries_of(path))
    groups = submissions_of(entries)
    skipped = [Skipped(entry.name, entry.reason) for entry in entries if entry.reason]
    owned = [(owner, entry) for owner, group in enumerate(groups.values()) for entry in group]
    jobs = [Job(entry.name, entry.data or b"", options.language) for _, entry in owned]
    read = read_files(jobs, started(len(jobs)), _load_engine)
    names = list(groups)
    files = []
    for (owner, entry), job, found in zip(owned, jobs, read, strict=True):
        if isinstance(found, str):
            alone = names[owner] == entry.name
            skipped.append(Skipped(entry.name if alone else f"{names[owner]}/{entry.name}", found))
        else:
            files.append(LocalFile(owner, entry.name, job.data, found))
    return _rank(names, files, skipped, boilerplate, options)


def _boilerplate(file: Path, language: str) -> Reading:
    try:
        return read(file.read_bytes(), file.name, language)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from error


def _load_engine() -> None:
    """Load every kernel, and compile those that were not compiled before."""
    engine.ensure_compiled()
    engine.compile_kernels()


def _rank(
    names: list[str],
    files: list[LocalFile],
    skipped: list[Skipped],
    boilerplate: list[Reading],
    options: Options,
) -> LocalReport:
    engine.ensure_compiled()
    contents = [_content(file) for file in files]
    excluded = engine.Exclusions(
        [reading.tokens.kinds for reading in boilerplate],
        [reading.lexical for reading in boilerplate],
        engine.common_limit(len(names), options.common),
    )
    inputs = engine.RankingInput.of(contents, len(names), PARAMS.k, excluded)
    return LocalReport(names, files, engine.rank(inputs, options.show), skipped, inputs.cohort)


def _content(file: LocalFile) -> CohortFile:
    kinds = file.tokens.stream.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return engine.CohortFile(file.submission, kinds, file.tokens.lines, file.tokens.lexical, hashes)
