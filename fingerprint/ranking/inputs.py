"""Input of a ranking: the tokens, terms and fingerprints of a cohort, as arrays for the kernels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields, is_dataclass, replace
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.ranking.candidates import InvertedIndex
from fingerprint.ranking.cohort import Cohort, count_alike, default_limit, distinct_kgrams
from fingerprint.ranking.file_pairs import number_equal
from fingerprint.ranking.groups import NO_GROUPS, Groups
from fingerprint.ranking.terms import LexicalTable
from fingerprint.ranking.translations import CoarseFile, translation_input

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from fingerprint.kernels.types import Flags, Floats, Hashes, Kinds, Lines, Owners, Positions, Terms
    from fingerprint.languages.lexical_terms import LexicalTerms
    from fingerprint.ranking.cohort import CommonLimit
    from fingerprint.ranking.translations import TranslationInput

    # The submission of a file, and its kinds of tokens, literals and imports.
    FileColumns = tuple[int, tuple[Kinds, Terms, Terms]]


class CohortFile(NamedTuple):
    """One file of a cohort, as columns: token kinds, line of each token, terms, and fingerprint hashes.

    `submission` is the number of the submission in the cohort; lists of files are sorted by it. `coarse` is
    the stream that all languages share, None for a file without it, which is compared in its language only.
    It has no offsets and no text, as a `Reading` has, so that a whole class takes little memory.
    """

    submission: int
    kinds: Kinds
    lines: Lines
    lexical: LexicalTerms
    hashes: Hashes
    coarse: CoarseFile | None = None


class Exclusions(NamedTuple):
    """Code that does not count: token kinds and terms of boilerplate, and the common limit.

    `kinds` may be kinds of passages. `lexical` has the terms of statements and of whole files only, since
    the positions of terms in a file are not known. `limit`: see `CommonLimit`; with a number, every
    submission counts as one. `coarse` has the coarse streams of whole files or of passages. `starter` is
    the code that courses of old submissions handed out, and does not count in old submissions, see
    `OldPairs`; `starter_lexical` has its terms.
    """

    kinds: Sequence[Kinds] = ()
    lexical: Sequence[LexicalTerms] = ()
    limit: CommonLimit = None
    coarse: Sequence[CoarseFile] = ()
    starter: Sequence[Kinds] = ()
    starter_lexical: Sequence[LexicalTerms] = ()

    def with_statement(self, dictated: LexicalTerms, coarse: Terms) -> Exclusions:
        """Return these without the terms that the statement of the task dictates; see `TaskStatement`."""
        none = np.empty(0, np.uint64), np.empty(0, np.int32)
        return self._replace(
            lexical=[*self.lexical, dictated], coarse=[*self.coarse, CoarseFile("", *none, coarse)]
        )


NO_EXCLUSIONS = Exclusions()


def _leaves(value: object) -> Iterator[bytes | memoryview]:
    """Yield the bytes of all arrays and numbers of nested tuples and dataclasses, each with its type."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        yield np.ascontiguousarray(value).view(np.uint8).data
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield repr(value).encode()


class OldPairs(NamedTuple):
    """The pairs of a cohort of n submissions that are compared although one side is old.

    `old` bool [n]: the submissions that were looked up; `keys` int64, ascending: a chosen pair (left, right),
    left below right, as left * n + right.
    """

    old: Flags
    keys: Positions

    @classmethod
    def from_lists(
        cls,
        submissions: int,
        old: Collection[int],
        pairs: Collection[tuple[int, int]] = (),
        *,
        across: tuple[Collection[int], Collection[int]] = ((), ()),
    ) -> OldPairs:
        """Build the arrays from numbers of submissions, of which there are `submissions`.

        The chosen pairs are `pairs`, and each submission of one side of `across` with each of the other.
        """
        flags = np.zeros(submissions, dtype=np.bool_)
        flags[list(old)] = True
        sides = [np.array(list(side), dtype=np.int64) for side in across]
        products = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        ends = np.sort(np.concatenate((np.array([*pairs], dtype=np.int64).reshape(-1, 2), products)), axis=1)
        return cls(flags, distinct_values(ends[:, 0] * submissions + ends[:, 1]))

    def has_old(self, left: Owners, right: Owners) -> Flags:
        """Return for each pair whether one of its sides was looked up."""
        flags: Flags = self.old[left] | self.old[right]
        return flags

    def keep(self, left: Owners, right: Owners) -> Flags:
        """Return for each pair, left below right, whether it is compared."""
        keys = left.astype(np.int64) * len(self.old) + right
        flags: Flags = ~self.has_old(left, right) | np.isin(keys, self.keys)
        return flags


class RankingInput(NamedTuple):
    """A cohort with its terms, and its fingerprints as parallel arrays of hashes and submission numbers.

    Submissions that have one of the `groups` in common are not compared. `translations` has the submissions
    by language, None if all are in one. `old_pairs` restricts the pairs with submissions that were looked up;
    nothing else depends on looked-up submissions: rarity is counted in the class, and the threshold is
    suggested from pairs of the class.
    """

    cohort: Cohort
    lexical: LexicalTable
    hashes: Hashes
    owners: Owners
    groups: Groups = NO_GROUPS
    translations: TranslationInput | None = None
    old_pairs: OldPairs | None = None

    def digest(self) -> bytes:
        """Return a digest of all arrays: two inputs with one digest are ranked equally, to the digit."""
        digest = blake2b(digest_size=16)
        for part in _leaves(self):
            digest.update(part)
        return digest.digest()

    @classmethod
    def from_files(
        cls,
        files: Sequence[CohortFile],
        submissions: int,
        k: int,
        exclusions: Exclusions = NO_EXCLUSIONS,
        groups: Groups = NO_GROUPS,
        *,
        old_pairs: OldPairs | None = None,
    ) -> RankingInput:
        """Build the input from the files of `submissions` submissions, with k-grams of `k` tokens."""
        kinds, terms = _by_submission(files, submissions)
        lines = [file.lines for file in files]
        hashes = np.concatenate([*chain([np.empty(0, np.uint64)], (file.hashes for file in files))])
        numbers = np.array([file.submission for file in files], dtype=np.int32)
        owners = np.repeat(numbers, [len(file.hashes) for file in files])
        limit, parts = exclusions.limit, None
        counted = None if old_pairs is None else ~old_pairs.old
        if old_pairs is not None:
            terms = _without_starter(terms, old_pairs.old, exclusions.starter_lexical)
            given = np.isin(hashes, distinct_kgrams(exclusions.starter, k)) & old_pairs.old[owners]
            hashes, owners = hashes[~given], owners[~given]
        counting = ~np.isin(hashes, distinct_kgrams(exclusions.kinds, k))
        alike, related = _program_parts(hashes[counting], owners[counting], submissions, counted)
        if limit == "default":
            parts, limit = alike, default_limit(alike.sum())
        identical = number_equal([(file.kinds, *file.lexical) for file in files])
        columns, starter = (exclusions.kinds, limit, lines), exclusions.starter
        cohort = Cohort.from_submissions(
            kinds, k, *columns, parts=parts, counted=counted, starter=starter, identical=identical
        )
        renamed = renamed_groups(map(_content, files), submissions, {*owners[counting].tolist()})
        lexical = LexicalTable.from_submissions(terms, exclusions.lexical, counted, related)
        streams = [(file.submission, file.coarse) for file in files]
        translations = translation_input(streams, exclusions.coarse, groups)
        cohort = replace(cohort, renamed=renamed)
        return cls(cohort, lexical, hashes, owners, groups, translations, old_pairs)


def _by_submission(
    files: Sequence[CohortFile], submissions: int
) -> tuple[list[list[Kinds]], list[list[LexicalTerms]]]:
    """Return the kinds and the terms of the files of each submission."""
    kinds: list[list[Kinds]] = [[] for _ in range(submissions)]
    terms: list[list[LexicalTerms]] = [[] for _ in range(submissions)]
    for file in files:
        kinds[file.submission].append(file.kinds)
        terms[file.submission].append(file.lexical)
    return kinds, terms


def _content(file: CohortFile) -> tuple[int, tuple[Kinds, Terms, Terms]]:
    """Return the submission of a file, and what `renamed_groups` compares of it."""
    return file.submission, (file.kinds, file.lexical.literals, file.lexical.imports)


def _program_parts(hashes: Hashes, owners: Owners, submissions: int, counted: Flags | None) -> Floats:
    """Return the part of a program that each submission is, among alike and among related submissions.

    float64 [2, submissions], see `count_alike`; 0 for a submission that is not `counted`.
    """
    if counted is not None:
        hashes, owners = hashes[counted[owners]], owners[counted[owners]]
    parts: Floats = 1.0 / count_alike(InvertedIndex.build(hashes, owners), submissions)
    return parts if counted is None else parts * counted


def _without_starter(
    terms: list[list[LexicalTerms]], old: Flags, starter: Sequence[LexicalTerms]
) -> list[list[LexicalTerms]]:
    """Return the terms of all submissions, without starter code in old submissions."""
    if not starter:
        return terms
    excluded = [np.concatenate(columns) for columns in zip(*starter, strict=True)]
    return [
        [
            type(file)(*(column[~np.isin(column, out)] for column, out in zip(file, excluded, strict=True)))
            for file in files
        ]
        if is_old
        else files
        for files, is_old in zip(terms, old.tolist(), strict=True)
    ]


def renamed_groups(files: Iterable[FileColumns], submissions: int, counted: Collection[int]) -> Positions:
    """Return the number of the group of each submission: int64 [submissions], -1 for no group.

    The submissions of a group have the same files by kinds of tokens, literals and imports, in any order.
    Only `counted` submissions are in a group: many with few tokens, or only boilerplate, are equal.
    """
    columns_of: dict[int, list[tuple[Kinds, Terms, Terms]]] = defaultdict(list)
    for submission, columns in files:
        if len(columns[0]) and submission in counted:
            columns_of[submission].append(columns)
    # Hardly any other submissions have files of the same lengths.
    lengths = {
        one: tuple(sorted(len(kinds) for kinds, _, _ in columns)) for one, columns in columns_of.items()
    }
    contents = {
        one: tuple(sorted(map(_digest, columns_of[one]))) for group in _alike(lengths) for one in group
    }
    numbers = np.full(submissions, -1, dtype=np.int64)
    for number, group in enumerate(_alike(contents)):
        numbers[group] = number
    return numbers


def _alike(keys: Mapping[int, Hashable]) -> list[list[int]]:
    """Return the groups of two and more with equal keys."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for one, key in keys.items():
        groups[key].append(one)
    return [group for group in groups.values() if len(group) > 1]


def _digest(columns: tuple[Kinds, Terms, Terms]) -> bytes:
    digest = blake2b(digest_size=16)
    for column in columns:
        digest.update(len(column).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(column).data)
    return digest.digest()
