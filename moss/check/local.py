"""Rank a folder or an archive in this process and its children, without any service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.kernel_cache import warm_once
from fingerprint.languages import front_end
from fingerprint.params import Params
from fingerprint.reading import Unreadable, read
from moss.check.readings import Job, read_files
from submissions.archives.unpack import submissions_of, unpack, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from fingerprint.engine import Ranking
    from fingerprint.languages.lexical_terms import Lexical
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.reading import Reading
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
    return _rank(names, files, skipped, (boilerplate, options))


def _boilerplate(file: Path, language: str) -> Reading:
    try:
        return read(file.read_bytes(), file.name, language)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from error


def _load_engine() -> None:
    """Load every kernel; they are compiled where that was not done before."""
    warm_once()
    from fingerprint.engine import warm  # noqa: PLC0415 - the engine is loaded once the children are forked

    warm()


def _rank(
    names: list[str],
    files: list[LocalFile],
    skipped: list[Skipped],
    how: tuple[list[Reading], Options],
) -> LocalReport:
    warm_once()
    import numpy as np  # noqa: PLC0415 - the engine is loaded once the children are forked

    from fingerprint import engine  # noqa: PLC0415 - as above
    from fingerprint.ranking.cohort import Cohort, common_limit  # noqa: PLC0415 - as above
    from fingerprint.ranking.terms import LexicalTable  # noqa: PLC0415 - as above

    boilerplate, options = how
    kinds: list[list[npt.NDArray[np.uint64]]] = [[] for _ in names]
    terms: list[list[Lexical]] = [[] for _ in names]
    for file in files:
        kinds[file.submission].append(file.tokens.stream.kinds)
        terms[file.submission].append(file.tokens.lexical)
    handed_out = [reading.tokens.kinds for reading in boilerplate]
    limit, lines = common_limit(len(names), options.common), [file.tokens.lines for file in files]
    cohort = Cohort.of(kinds, PARAMS.k, handed_out, limit, lines)
    lexical = LexicalTable.of(terms, [reading.lexical for reading in boilerplate])
    prints = [engine.fingerprints(file.tokens.stream.kinds, PARAMS).hashes for file in files]
    owners = np.repeat(np.array([f.submission for f in files], np.int32), [len(found) for found in prints])
    hashes = np.concatenate([np.empty(0, np.uint64), *prints])
    ranking = engine.rank(cohort, lexical, (hashes, owners), options.show)
    return LocalReport(names, files, ranking, skipped, cohort)
