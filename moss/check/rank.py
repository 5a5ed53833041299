"""Rank the submissions of a folder or an archive, without any service: intake, engine, comparison.

`inputs` finds the submissions, `readings` has child processes read their files, the engine ranks them, and
`outputs` makes tables and pages of the `LocalReport`. `preview_path` says what would be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fingerprint import engine
from fingerprint.engine import NO_LINES, Params, front_end
from moss.check.inputs import InputOptions, SkippedInput, left_out_listing, read_all, read_entries, upload_name
from moss.check.readings import ReadJob, detected_languages, languages_of, read_boilerplate, read_files
from submissions.intake.file_languages import ChosenLanguages
from submissions.intake.grouping import ListingBuilder
from submissions.intake.preview import Preview, preview_upload
from submissions.intake.sentences import KEPT_FILE
from submissions.intake.warnings import ReadFile, roster_warnings
from submissions.matches.bands import OtherClasses
from submissions.matches.groups import HashedFile, content_order, group_numbers
from submissions.matches.ranked_pairs import MODEL_SOLUTION, RankedPair, count_same_files, shared_files

if TYPE_CHECKING:
    from collections import Counter

    from fingerprint.engine import (
        CoarseFile,
        Cohort,
        CohortFile,
        Exclusions,
        Ranking,
        RankingInput,
        Reading,
        SharedLines,
        TaskStatement,
    )
    from fingerprint.kernels.types import Floats, Lines
    from moss.check.inputs import AllInputs, Groups
    from moss.check.readings import Advance
    from submissions.intake.entries import Entry

    # Called with the number of parts of some work; returns what is called after each part.
    StartProgress = Callable[[int], Advance]
    # Number of the submission, file, language of the file.
    NumberedFile = tuple[int, Entry, str]

MIN_SUBMISSIONS = 2
# What submissions have in common as a whole, the strongest first; see `fingerprint.ranking.groups.Sameness`.
SAMENESS = (
    "identical",
    "identical except layout, comments, punctuation and modifiers",
    "identical except names",
    "identical except names, values and types",
)
PARAMS = Params()
# Pairs of a class of earlier work that are ranked.
MOST_EARLIER = 250
NO_OPTIONS = InputOptions()


class LocalFile(NamedTuple):
    """One file of a submission, with its bytes for display; `submission` indexes the report's submissions."""

    submission: int
    path: str
    data: bytes
    reading: Reading


@dataclass(frozen=True, slots=True)
class LocalReport:
    """A finished ranking of what was `given`.

    `left` and `right` of a pair index `submissions`, which are in the order of their content; the files of
    its passages index `files`. `name_ranks` has the place of each submission in the order of the names, from
    0; the last ones by name are earlier work, then model solutions. `skipped` is what was not compared;
    `exclusions` have boilerplate. With `counts_alike_as_one` the common limit counts programs, see
    `common_code`. `shared` is the common code that most of the class share.
    """

    all_inputs: AllInputs
    submissions: list[str]
    name_ranks: list[int]
    files: list[LocalFile]
    ranking: Ranking
    skipped: list[SkippedInput]
    inputs: RankingInput
    exclusions: Exclusions
    counts_alike_as_one: bool = True
    shared: SharedLines | None = None

    def flags(self) -> Callable[[int, int], str]:
        """Return a function that returns the flag of a pair, by indexes; see `PairRow`."""
        same = SameCode.of(self)
        return lambda left, right: "; ".join(filter(None, (self.origin(left, right), *same.flags(left, right))))

    def origin(self, left: int, right: int) -> str:
        """Return what is said of a pair, by indexes, of one student or with a model solution."""
        if self.all_inputs.first_solution <= max(self.name_ranks[left], self.name_ranks[right]):
            return MODEL_SOLUTION
        term = self.all_inputs.same_student.get(frozenset((self.submissions[left], self.submissions[right])))
        return "" if term is None else f"the same student, {term}"

    def pairs(self) -> Iterator[RankedPair]:
        """Yield all pairs with their passages, best first; each pair is aligned when it is yielded.

        On the left is the submission whose name sorts first.
        """
        from submissions.matches.ranked_pairs import ranked_pairs  # noqa: PLC0415 - loads the engine on demand

        for pair in ranked_pairs(self.inputs, self.ranking):
            ordered = self.name_ranks[pair.left] < self.name_ranks[pair.right]
            yield pair if ordered else pair.exchanged

    @property
    def sorted_names(self) -> list[str]:
        """The names of the submissions in order, those of earlier work and of model solutions last."""
        return [name for _, name in sorted(zip(self.name_ranks, self.submissions, strict=True))]

    @property
    def class_size(self) -> int:
        """Number of submissions that are neither earlier work nor model solutions."""
        return self.all_inputs.first_earlier

    @property
    def pairs_of_mates(self) -> int:
        """Number of pairs of the class that are not compared, because they have one student or team."""
        of_class = self.all_inputs.mates[: self.class_size]
        return engine.count_pairs(engine.Groups.from_lists(group_numbers(of_class)))

    @property
    def read_files(self) -> list[ReadFile]:
        """The files that are compared, with what was read of them; handed-out code alone counts as none."""
        cohort = self.inputs.cohort
        kept = np.diff(cohort.sums.kept[cohort.submission_starts])
        return [
            ReadFile(
                self.submissions[file.submission],
                file.path,
                file.reading.language,
                len(file.reading.tokens) if kept[file.submission] else 0,
                file.reading.share,
                min(file.reading.unclosed, default=None),
                file.reading.disguised,
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
            return "Found no submission of the class that can be read, and other work is not compared alone."
        readable_count = "1 submission" if readable else "no submission"
        return (
            f"Found {readable_count} that can be read; at least two are needed. "
            "Give a folder or an archive with a file or folder for each student."
        )


class SameCode(NamedTuple):
    """Keys by which whole submissions are equal, for each of `SAMENESS`, and the files that several have."""

    keys: list[list[Hashable]]
    files: list[Counter[object]]

    @classmethod
    def of(cls, report: LocalReport) -> SameCode:
        """Return the keys of the submissions of a report; an empty key equals no other one."""
        contents = [blake2b(file.data).digest() for file in report.files]
        written: list[list[list[bytes]]] = [[[] for _ in report.submissions] for _ in SAMENESS]
        for file, content in zip(report.files, contents, strict=True):
            reading = file.reading
            kinds = blake2b(reading.tokens.kinds.tobytes()).digest()
            spelling = (kinds + part for part in reading.spelling)
            written[0][file.submission].append(content)
            for column, key in zip(written[1:], (*spelling, kinds), strict=True):
                column[file.submission] += [key] * bool(len(reading.tokens))
        for of_one, is_code in zip(written[0], written[-1], strict=True):
            of_one[:] = of_one if is_code else []
        shared = zip((file.submission for file in report.files), contents, strict=True)
        return cls(
            [[tuple(sorted(of_one)) for of_one in column] for column in written],
            shared_files(report.inputs.cohort, list(shared)),
        )

    def flags(self, left: int, right: int) -> Iterator[str]:
        """Yield the strongest sameness of two submissions, by index, and how many files are identical."""
        same = (text for text, keys in zip(SAMENESS, self.keys, strict=True) if keys[left] == keys[right] != ())
        strongest = next(same, "")
        yield strongest
        (number,) = count_same_files(self.files, [(left, right)])
        if number and strongest != SAMENESS[0]:
            yield f"{number} identical file{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Options of a ranking.

    `language` is the language of every file, "" to detect it for each file; `boilerplate` names files,
    folders and archives of handed-out code; `common` is the common limit as a number of submissions or, below
    1, as a part of them, None for the default; `show` is the highest number of pairs to list, None for all;
    `inputs` say how the files are found; `earlier` names folders and archives of earlier or other work;
    `statements` are texts of the task; `solutions` names model solutions, as files, folders or archives.
    With `of_each` the best pair of each submission, and all from the threshold on, are among those ranked.
    """

    language: str = ""
    boilerplate: tuple[Path, ...] = ()
    common: float | None = None
    show: int | None = None
    inputs: InputOptions = NO_OPTIONS
    earlier: tuple[Path, ...] = ()
    statements: tuple[Path, ...] = ()
    solutions: tuple[Path, ...] = ()
    of_each: bool = False

    @property
    def languages(self) -> ChosenLanguages:
        return ChosenLanguages(self.language, self.inputs.language_patterns)


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
    Raises BadArchive when the path, or one of earlier work, cannot be read, or only in part. Raises OSError
    when a file or the cache of readings cannot be used. Raises Unreadable or ValueError when nothing of
    boilerplate can be read, a statement is no text, or there is no such language.
    """
    _prepare(options.language, start_compiling)
    boilerplate, not_read = read_boilerplate(options.boilerplate, options.language)
    texts = [engine.decode(path.read_bytes()).text for path in options.statements]
    statement = engine.TaskStatement.of(texts) if texts else None
    all_inputs = read_all(path, options.earlier, options.inputs, options.solutions)
    files, unread = _read(all_inputs.groups, options.languages, start_reading, words=statement is not None)
    order, files = _in_content_order(files, len(all_inputs.groups))
    exclusions = _exclusions(boilerplate, _common_limit(options.common, all_inputs.first_earlier))
    exclusions = _with_statement(exclusions, statement, files)
    inputs = _ranking_input(all_inputs, order, files, exclusions)
    files = _with_kinds_of(inputs.cohort, files)
    names = list(all_inputs.groups)
    return LocalReport(
        all_inputs,
        [names[number] for number in order],
        name_ranks=order,
        files=files,
        ranking=_ranking(inputs, options),
        skipped=[*all_inputs.skipped, *not_read, *unread],
        inputs=inputs,
        exclusions=exclusions,
        counts_alike_as_one=options.common is None,
        shared=_shared_lines(inputs, all_inputs.first_earlier),
    )


def _ranking(inputs: RankingInput, options: RankingOptions) -> Ranking:
    if options.of_each and options.show:
        return engine.rank_for_report(inputs, options.show)
    return engine.rank(inputs, options.show)


def earlier_classes(report: LocalReport) -> OtherClasses | None:
    """Return how similar the pairs within the earlier work are, of which each path is ranked as a class.

    A class with more pairs above the threshold than are ranked does not count; None without any that counts.
    """
    classes = OtherClasses(0, 0, 0, 0.0, 0, report.ranking.threshold.value)
    first = report.class_size
    for size in report.all_inputs.earlier_sizes:
        similarities, pairs = _ranked_alone(report, range(first, first + size))
        above = int((similarities >= classes.threshold).sum())
        first += size
        if pairs and above < MOST_EARLIER:
            counts = classes.assignments + 1, classes.pairs + pairs, 0
            highest = max(classes.highest, *similarities.tolist(), 0.0)
            classes = OtherClasses(*counts, highest, classes.above + above, classes.threshold)
    return classes if classes.assignments else None


def _ranked_alone(report: LocalReport, numbers: range) -> tuple[Floats, int]:
    """Return the highest similarities of the pairs of some submissions, and how many were compared."""
    members = [index for index, number in enumerate(report.name_ranks) if number in numbers]
    places = {index: place for place, index in enumerate(members)}
    of_members = (file for file in report.files if file.submission in places)
    files = [cohort_file(file._replace(submission=places[file.submission])) for file in of_members]
    mates = (report.all_inputs.mates_of(report.name_ranks[index]) for index in members)
    groups = engine.Groups.from_lists(group_numbers(mates))
    inputs = engine.RankingInput.from_files(files, len(numbers), PARAMS.k, report.exclusions, groups)
    compared = len(numbers) * (len(numbers) - 1) // 2 - engine.count_pairs(groups)
    return engine.rank(inputs, MOST_EARLIER).scores.similarity, compared


def _shared_lines(inputs: RankingInput, size: int) -> SharedLines | None:
    """Return the common code that most of a class of `size` share."""
    cohort = inputs.cohort
    old = inputs.old_pairs.old if inputs.old_pairs else np.zeros(len(cohort), dtype=np.bool_)
    class_tokens = np.repeat(~old, np.diff(cohort.submission_starts))
    return engine.common_code(cohort, class_tokens, size).shared


def _prepare(language: str, start_compiling: StartProgress) -> None:
    """Check the language before any file is read, and open the kernels before any process is forked."""
    if language:
        front_end(language)
    engine.open_kernels(start_compiling)


def _read(
    groups: Groups, chosen: ChosenLanguages, start_reading: StartProgress, *, words: bool
) -> tuple[list[LocalFile], list[SkippedInput]]:
    """Return the files to compare as they were read, and the others with the reason."""
    numbered, skipped = _compared(groups, chosen)
    coarse = len({engine.coarse_family(language) for language in [of_file for _, _, of_file in numbered]} - {""}) > 1
    jobs = [ReadJob(entry.name, entry.data or b"", of_file, coarse, words) for _, entry, of_file in numbered]
    results = read_files(jobs, start_reading(len(jobs)))
    names, files = list(groups), []
    for (submission, entry, _), job, result in zip(numbered, jobs, results, strict=True):
        if isinstance(result, str):
            skipped.append(SkippedInput(_name(names[submission], entry.name), result))
        else:
            files.append(LocalFile(submission, entry.name, job.data, result))
    return files, skipped


def _compared(groups: Groups, chosen: ChosenLanguages) -> tuple[list[NumberedFile], list[SkippedInput]]:
    numbered, skipped = [], []
    languages = languages_of([*groups.values()], chosen)
    for submission, (name, group) in enumerate(groups.items()):
        for entry, of_file in zip(group, languages[submission], strict=True):
            if of_file is None:
                skipped.append(SkippedInput(_name(name, entry.name), KEPT_FILE))
            else:
                numbered.append((submission, entry, of_file))
    return numbered, skipped


def _name(submission: str, path: str) -> str:
    return path if submission == path else f"{submission}/{path}"


def _common_limit(requested: float | None, submissions: int) -> int | Literal["default"]:
    """Return the common limit: the number or the part of the submissions requested, or the default."""
    if requested is None:
        return "default"
    return int(requested) if requested >= 1 else max(1, int(requested * submissions))


def _in_content_order(files: list[LocalFile], submissions: int) -> tuple[list[int], list[LocalFile]]:
    """Return the former number of each submission in the order by content, and the files in that order."""
    hashed = [HashedFile(one.submission, sha256(one.data).hexdigest(), one.path) for one in files]
    order, in_order = content_order(hashed, submissions)
    places = {former: place for place, former in enumerate(order)}
    return order, [files[at]._replace(submission=places[files[at].submission]) for at in in_order]


def _ranking_input(
    all_inputs: AllInputs, order: list[int], files: list[LocalFile], exclusions: Exclusions
) -> RankingInput:
    groups = engine.Groups.from_lists(group_numbers(all_inputs.mates[number] for number in order))
    columns = [cohort_file(file) for file in files]
    sides: tuple[list[int], list[int]] = [], []
    for place, number in enumerate(order):
        sides[number >= all_inputs.first_earlier].append(place)
    old_pairs = engine.OldPairs.from_lists(len(order), sides[1], across=sides) if sides[1] else None
    return engine.RankingInput.from_files(columns, len(order), PARAMS.k, exclusions, groups, old_pairs=old_pairs)


def _with_kinds_of(cohort: Cohort, files: list[LocalFile]) -> list[LocalFile]:
    """Return the files with slices of the cohort's kinds, so that memory holds the kinds once."""
    kinds = (cohort.tokens.kinds[start : end - 1] for start, end in pairwise(cohort.file_starts.tolist()))
    tokens = (replace(file.reading.tokens, kinds=part) for file, part in zip(files, kinds, strict=True))
    return [file._replace(reading=file.reading._replace(tokens=one)) for file, one in zip(files, tokens, strict=True)]


def cohort_file(file: LocalFile) -> CohortFile:
    """Return the columns of a file that a ranking needs."""
    reading = file.reading
    kinds = reading.tokens.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    coarse = _coarse_file(reading, reading.coarse_lines)
    columns = kinds, reading.lines, reading.lexical, hashes, coarse
    return engine.CohortFile(file.submission, *columns, file.path, sha256(file.data).hexdigest())


def _coarse_file(reading: Reading, lines: Lines) -> CoarseFile | None:
    coarse = reading.coarse
    return coarse and engine.CoarseFile(coarse.family, coarse.tokens.kinds, lines, coarse.terms)


def _exclusions(boilerplate: list[Reading], limit: int | Literal["default"]) -> Exclusions:
    coarse = (_coarse_file(reading, NO_LINES) for reading in boilerplate)
    return engine.Exclusions(
        [reading.tokens.kinds for reading in boilerplate],
        [reading.lexical for reading in boilerplate],
        limit,
        [stream for stream in coarse if stream],
    )


def _with_statement(exclusions: Exclusions, statement: TaskStatement | None, files: list[LocalFile]) -> Exclusions:
    """Return exclusions without what a statement dictates in these files."""
    if statement is None:
        return exclusions
    return exclusions.with_statement(statement.lexical(file.reading.words for file in files), statement.coarse)


def preview_path(path: Path, options: InputOptions) -> Preview:
    """Return what `moss check` would compare of a folder or an archive; no file is lexed.

    Raises the same `BadArchive` as `read_entries`.
    """
    entries = read_entries(path, options)
    builder = ListingBuilder(upload_name(path))
    for entry in entries:
        builder.add(entry)
    preview = preview_upload(
        builder.listing(),
        left_out_listing(entries, options.patterns),
        (entry for entry in entries if entry.reason),
        options.choices,
        options.identify,
    )
    chosen = ChosenLanguages("", options.language_patterns)
    preview = preview.with_languages(_detected(entries, preview.counted), chosen)
    more = roster_warnings(options.roster, preview.grouping.submissions)
    return replace(preview, warnings=(*preview.warnings, *more))


def _detected(entries: Iterable[Entry], counted: Iterable[str]) -> dict[str, str]:
    paths = set(counted)
    files = [entry for entry in entries if entry.name in paths and entry.data is not None]
    return {file.name: language for file, language in zip(files, detected_languages(files), strict=True)}
