"""Rank the submissions of a folder or an archive, without any service; child processes read the files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fingerprint import engine
from fingerprint.engine import Params, front_end
from moss.check.boilerplate import read_boilerplate
from moss.check.content_order import content_order
from moss.check.earlier import own_earlier_work, read_all
from moss.check.inputs import InputOptions, SkippedInput
from moss.check.languages import languages_of
from moss.check.mates import student_groups
from moss.check.readings import NO_LINES, LocalFile, ReadJob, read_files
from submissions.archives.languages import NOT_COMPARED
from submissions.archives.read_files import ReadFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fingerprint.engine import (
        Coarse,
        CoarseFile,
        CohortFile,
        LexicalTerms,
        Ranking,
        RankingInput,
        Reading,
    )
    from moss.check.readings import Advance, FileTokens
    from submissions.archives.grouping_warnings import GroupingWarning
    from submissions.archives.unpack import UnpackedEntry
    from submissions.ranking.ranked_pairs import RankedPair

    # Called with the number of parts of some work; returns what is called after each part.
    StartProgress = Callable[[int], Advance]
    # Number of the submission, file, language of the file.
    NumberedFile = tuple[int, UnpackedEntry, str]

PARAMS = Params()
MIN_SUBMISSIONS = 2
NO_OPTIONS = InputOptions()


@dataclass(frozen=True, slots=True)
class LocalReport:
    """A finished ranking.

    `left` and `right` of a pair index `submissions`, which are in the order of their content; the files of
    its passages index `files`. `name_ranks` has the place of each submission in the order of the names, from
    0; the last `earlier` by name are earlier work. `layout` is the label of the layout that the submissions
    were found by, `warnings` are of it. The pairs in `not_compared` are of one student or one team.
    `own` has the terms of the pairs of a student and the same student's earlier work, by names.
    `handed_out` are terms of boilerplate. With `counts_alike_as_one` the common limit counts programs, see
    `common_code`.
    """

    submissions: list[str]
    name_ranks: list[int]
    files: list[LocalFile]
    ranking: Ranking
    skipped: list[SkippedInput]
    inputs: RankingInput
    layout: str = ""
    warnings: Sequence[GroupingWarning] = ()
    not_compared: int = 0
    earlier: int = 0
    handed_out: Sequence[LexicalTerms] = ()
    counts_alike_as_one: bool = True
    own: Mapping[frozenset[str], str] = field(default_factory=dict)

    def flag(self, left: int, right: int) -> str:
        """Return `the same student, 2024` for a pair of one student, by index; empty for others."""
        term = self.own.get(frozenset((self.submissions[left], self.submissions[right])))
        return "" if term is None else f"the same student, {term}"

    def pairs(self) -> Iterator[RankedPair]:
        """Yield all pairs with their passages, best first; each pair is aligned when it is yielded.

        On the left is the submission whose name sorts first.
        """
        from submissions.ranking.ranked_pairs import ranked_pairs  # noqa: PLC0415 - loads the engine on demand

        for pair in ranked_pairs(self.inputs, self.ranking):
            ordered = self.name_ranks[pair.left] < self.name_ranks[pair.right]
            yield pair if ordered else pair.exchanged

    @property
    def sorted_names(self) -> list[str]:
        """The names of the submissions in order, those of earlier work last."""
        return [name for _, name in sorted(zip(self.name_ranks, self.submissions, strict=True))]

    @property
    def class_size(self) -> int:
        """Number of submissions that are not earlier work."""
        return len(self.submissions) - self.earlier

    @property
    def read_files(self) -> list[ReadFile]:
        """The files that are compared, with what was read of them; handed-out code alone counts as none."""
        cohort = self.inputs.cohort
        own = np.diff(cohort.sums.own[cohort.submission_starts])
        return [
            ReadFile(
                self.submissions[file.submission],
                file.path,
                file.tokens.language,
                len(file.tokens.stream) if own[file.submission] else 0,
                file.tokens.share,
                file.tokens.unclosed,
            )
            for file in self.files
        ]

    @property
    def shortfall(self) -> str:
        """The reason why nothing was compared: fewer than two readable submissions; empty otherwise."""
        readable = len({file.submission for file in self.files})
        of_class = any(self.name_ranks[file.submission] < self.class_size for file in self.files)
        if readable >= MIN_SUBMISSIONS and of_class:
            return ""
        if readable >= MIN_SUBMISSIONS:
            return (
                "Found no submission of the class that can be read, and earlier work is not compared alone."
            )
        plural = "" if readable == 1 else "s"
        return f"Found {readable} submission{plural} that can be read; at least two are needed."


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Options of a ranking.

    `language` is the language of every file, "" to detect it for each file; `boilerplate` names files,
    folders and archives of handed-out code; `common` is the common limit as a number of submissions or, below
    1, as a part of them, None for the default; `show` is the highest number of pairs to list, None for all;
    `inputs` say how the files are found; `earlier` names folders and archives of earlier or other work.
    """

    language: str = ""
    boilerplate: tuple[Path, ...] = ()
    common: float | None = None
    show: int | None = 250
    inputs: InputOptions = NO_OPTIONS
    earlier: tuple[Path, ...] = ()


class _Unscored(NamedTuple):
    """Code and pairs that are not scored: handed-out code, and pairs of submissions in one group."""

    boilerplate: list[Reading]
    groups: list[list[int]]


def no_progress(_parts: int) -> Advance:
    """Return what is called after each part where nobody is shown the progress."""
    return lambda: None


def rank_path(
    path: Path,
    options: RankingOptions,
    start_reading: StartProgress = no_progress,
    start_compiling: StartProgress = no_progress,
) -> LocalReport:
    """Rank the submissions of a folder or an archive.

    `start_reading` is called with the number of files, `start_compiling` with that of functions to compile.

    Raises
    ------
    BadArchive
        When the path, or one of earlier work, cannot be read, or only in part.
    OSError
        When a file or the cache of readings cannot be used.
    Unreadable
        When nothing of a path of boilerplate can be read; the message names it.
    ValueError
        When there is no such language.
    """
    if options.language:
        front_end(options.language)  # Raises ValueError before any file is read.
    boilerplate, not_read = read_boilerplate(options.boilerplate, options.language)
    submitted = read_all(path, options.earlier, options.inputs)
    names = list(submitted.groups)
    numbered, uncompared = _compared(submitted.groups, options.language)
    files, unreadable = _read(names, numbered, (start_reading, start_compiling))
    same = student_groups(submitted.of_class, options.inputs.roster)
    unscored = _Unscored(boilerplate, submitted.groups_apart(same))
    return replace(
        _rank(names, files, [*submitted.skipped, *not_read, *uncompared, *unreadable], unscored, options),
        layout=submitted.layout,
        warnings=submitted.warnings,
        not_compared=engine.count_pairs(engine.Groups.from_lists(same)),
        handed_out=[reading.lexical for reading in boilerplate],
        counts_alike_as_one=options.common is None,
        earlier=submitted.earlier,
        own=own_earlier_work(submitted),
    )


def _compared(
    groups: dict[str, list[UnpackedEntry]], language: str
) -> tuple[list[NumberedFile], list[SkippedInput]]:
    """Return the files to compare, and the other files."""
    numbered, skipped = [], []
    languages = languages_of([*groups.values()], language)
    for submission, (name, group) in enumerate(groups.items()):
        for entry, of_file in zip(group, languages[submission], strict=True):
            if of_file is None:
                skipped.append(SkippedInput(_name(name, entry.name), NOT_COMPARED))
            else:
                numbered.append((submission, entry, of_file))
    return numbered, skipped


def _read(
    names: list[str], numbered: list[NumberedFile], start: tuple[StartProgress, StartProgress]
) -> tuple[list[LocalFile], list[SkippedInput]]:
    """Return the files to compare with their tokens, and those that cannot be read with the reason."""
    coarse = _has_several_families([language for _, _, language in numbered])
    jobs = [ReadJob(entry.name, entry.data or b"", language, coarse) for _, entry, language in numbered]
    start_reading, start_compiling = start
    results = read_files(jobs, start_reading(len(jobs)), partial(_prepare_engine, start_compiling))
    files, unreadable = [], []
    for (submission, entry, _), job, result in zip(numbered, jobs, results, strict=True):
        if isinstance(result, str):
            unreadable.append(SkippedInput(_name(names[submission], entry.name), result))
        else:
            files.append(LocalFile(submission, entry.name, job.data, result))
    return files, unreadable


def _has_several_families(languages: Iterable[str]) -> bool:
    """Return whether the files are to be compared across languages too."""
    return len({engine.coarse_family(language) for language in languages} - {""}) > 1


def _name(submission: str, path: str) -> str:
    return path if submission == path else f"{submission}/{path}"


def _prepare_engine(start_compiling: StartProgress) -> None:
    """Compile the engine where it is not yet, and load what ranks."""
    engine.open_kernels(start_compiling)
    _ = engine.rank


def _common_limit(requested: float | None, submissions: int) -> int | Literal["default"]:
    """Return the common limit: the number or the part of the submissions requested, or the default."""
    if requested is None:
        return "default"
    return int(requested) if requested >= 1 else max(1, int(requested * submissions))


def _rank(
    names: list[str],
    files: list[LocalFile],
    skipped: list[SkippedInput],
    unscored: _Unscored,
    options: RankingOptions,
) -> LocalReport:
    order, files = content_order(files, len(names))
    cohort_files = [cohort_file(file) for file in files]
    exclusions = engine.Exclusions(
        [reading.tokens.kinds for reading in unscored.boilerplate],
        [reading.lexical for reading in unscored.boilerplate],
        _common_limit(options.common, len(names)),
        [_boilerplate_stream(reading.coarse) for reading in unscored.boilerplate if reading.coarse],
    )
    groups = engine.Groups.from_lists([unscored.groups[number] for number in order])
    inputs = engine.RankingInput.from_files(cohort_files, len(names), PARAMS.k, exclusions, groups)
    ranking = engine.rank(inputs, options.show)
    return LocalReport([names[number] for number in order], order, files, ranking, skipped, inputs)


def cohort_file(file: LocalFile) -> CohortFile:
    kinds = file.tokens.stream.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    tokens = file.tokens
    return engine.CohortFile(
        file.submission, kinds, tokens.lines, tokens.lexical, hashes, _coarse_file(tokens)
    )


def _boilerplate_stream(coarse: Coarse) -> CoarseFile:
    return engine.CoarseFile(coarse.family, coarse.tokens.kinds, NO_LINES, coarse.terms)


def _coarse_file(tokens: FileTokens) -> CoarseFile | None:
    coarse = tokens.coarse
    return coarse and engine.CoarseFile(coarse.family, coarse.tokens.kinds, tokens.coarse_lines, coarse.terms)
