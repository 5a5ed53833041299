"""What a ranking reads: the tokens, terms and fingerprints of a cohort, laid out for the kernels."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.terms import LexicalTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.languages.lexical_terms import Lexical
    from fingerprint.types import Hashes, Kinds, Lines, Owners


class CohortFile(NamedTuple):
    """One file of a submission: its token kinds, the line of each, its terms, the hashes of its fingerprints.

    `submission` is the index of its submission; files of one submission stand together.
    """

    submission: int
    kinds: Kinds
    lines: Lines
    lexical: Lexical
    hashes: Hashes


class Exclusions(NamedTuple):
    """Code that does not count: token kinds and terms of boilerplate, and the common limit in force.

    `kinds` may be passages; `lexical` are the terms of whole files only, since nobody knows where in a file
    its terms stand.
    """

    kinds: Sequence[Kinds] = ()
    lexical: Sequence[Lexical] = ()
    limit: int | None = None


NOTHING = Exclusions()


class RankingInput(NamedTuple):
    """A cohort with its terms, and its fingerprints as parallel arrays of hashes and submissions."""

    cohort: Cohort
    lexical: LexicalTable
    hashes: Hashes
    owners: Owners

    @classmethod
    def of(
        cls, files: Sequence[CohortFile], submissions: int, k: int, excluded: Exclusions = NOTHING
    ) -> RankingInput:
        """Lay out the files of `submissions` submissions, with k-grams of `k` tokens."""
        kinds: list[list[Kinds]] = [[] for _ in range(submissions)]
        terms: list[list[Lexical]] = [[] for _ in range(submissions)]
        for file in files:
            kinds[file.submission].append(file.kinds)
            terms[file.submission].append(file.lexical)
        lines = [file.lines for file in files]
        cohort = Cohort.of(kinds, k, excluded.kinds, excluded.limit, lines)
        owners = np.array([file.submission for file in files], dtype=np.int32)
        return cls(
            cohort,
            LexicalTable.of(terms, excluded.lexical),
            np.concatenate([*chain([np.empty(0, np.uint64)], (file.hashes for file in files))]),
            np.repeat(owners, [len(file.hashes) for file in files]),
        )
