"""Rank the pairs of a cohort, and find the passages of ranked pairs.

The input of a ranking has the tokens, terms and fingerprints of a cohort, as arrays for the kernels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.distinct import distinct_values, first_places
from fingerprint.hashing import permute
from fingerprint.kernels.types import Flags, Floats, Hashes, Ids, Kinds, Lines, Owners, Positions, Rows, Terms
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.best_pairs import Scored, Wanted, best_of_both
from fingerprint.ranking.candidates import (
    FLOOR,
    CandidatePairs,
    InvertedIndex,
    merged_pairs,
    rare_term_pairs,
    weighted_pairs,
)
from fingerprint.ranking.cohort import Cohort, CommonLimit, count_alike, default_limit, distinct_kgrams
from fingerprint.ranking.common_code import cells_of_most
from fingerprint.ranking.file_pairs import FileLabels, digest_columns, number_equal
from fingerprint.ranking.groups import NO_GROUPS, Groups
from fingerprint.ranking.parallel import Check, never_end
from fingerprint.ranking.passages import KnownPassages, PairPassages, align_pairs
from fingerprint.ranking.scoring import ScorePairs, Scores, score
from fingerprint.ranking.terms import LexicalTable
from fingerprint.ranking.threshold import (
    SAMPLE_SEED,
    SAMPLE_SIZE,
    SuggestedThreshold,
    UnrelatedPairs,
    estimate_unrelated,
    sample_rows,
    suggest_threshold,
)
from fingerprint.ranking.translations import (
    LEAST_LISTED,
    CoarseFile,
    TranslationInput,
    Translations,
    rank_translations,
    translation_candidates,
    translation_input,
    without_terms,
)

if TYPE_CHECKING:
    from fingerprint.languages.lexical_terms import LexicalTerms

    # The submission of a file, and its kinds of tokens, literals and imports.
    FileColumns = tuple[int, tuple[Kinds, Terms, Terms]]

# Stands for the suggested threshold, which is not known yet.
SUGGESTED = -1.0
# Of the number of a submission, where two are one number.
SUBMISSION_BITS = 32


class CohortFile(NamedTuple):
    """One file of a cohort, as columns: token kinds, line of each token, terms, and fingerprint hashes.

    `submission` is the number of the submission in the cohort; lists of files are sorted by it. `coarse` is
    the stream that all languages share, None for a file without it, which is compared in its language only.
    `path` is that in the submission, `source` is the same for the same bytes; empty for like no other.
    It has no offsets and no text, as a `Reading` has, so that a whole class takes little memory.
    """

    submission: int
    kinds: Kinds
    lines: Lines
    lexical: LexicalTerms
    hashes: Hashes
    coarse: CoarseFile | None = None
    path: str = ""
    source: str = ""


class Exclusions(NamedTuple):
    """Code that does not count: token kinds and terms of boilerplate, and the common limit.

    `kinds` may be kinds of passages. `lexical` has the terms of statements and of whole files only, since the positions
    of terms in a file are not known. `limit`: see `CommonLimit`; with a number, every submission counts as one.
    `coarse` has the coarse streams of whole files or of passages. `starter` is the code that courses of old submissions
    handed out, and does not count in old submissions, see `OldPairs`; `starter_lexical` has its terms.
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
        return self._replace(lexical=[*self.lexical, dictated], coarse=[*self.coarse, CoarseFile("", *none, coarse)])


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
        hashes, owners = _postings(files)
        limit, parts, counted = exclusions.limit, None, None if old_pairs is None else ~old_pairs.old
        if old_pairs is not None:
            terms = _without_starter(terms, old_pairs.old, exclusions.starter_lexical)
            given = np.isin(hashes, distinct_kgrams(exclusions.starter, k)) & old_pairs.old[owners]
            hashes, owners = hashes[~given], owners[~given]
        identical = number_equal([(file.kinds, *file.lexical) for file in files])
        in_class = np.ones(submissions, dtype=np.bool_) if counted is None else counted
        common = _shared_by_most(files, identical, in_class) if limit == "default" else []
        boilerplate = [*exclusions.kinds, *cells_of_most(kinds, in_class)]
        shared = [file.kinds for file in common]
        counting = ~np.isin(hashes, distinct_kgrams([*boilerplate, *shared], k))
        alike, related = _program_parts(hashes[counting], owners[counting], submissions, counted)
        if limit == "default":
            parts, limit = alike, default_limit(alike.sum())
        columns, starter = (kinds, k, boilerplate, limit, lines), exclusions.starter
        labels = FileLabels.of([one.source for one in files], identical, [one.path for one in files])
        cohort = Cohort.from_submissions(
            *columns, parts=parts, counted=counted, starter=starter, labels=labels, shared=shared
        )
        renamed = renamed_groups(map(_content, files), cohort, {*owners[counting].tolist()})
        excluded = [*exclusions.lexical, *(file.lexical for file in common)]
        lexical = LexicalTable.from_submissions(terms, excluded, counted, related)
        streams = [(file.submission, file.coarse) for file in files]
        translations = translation_input(streams, exclusions.coarse, groups)
        cohort, lexical = replace(cohort, renamed=renamed), lexical.with_tables(cohort.spare)
        return cls(cohort, lexical, hashes, owners, groups, translations, old_pairs)


def _postings(files: Sequence[CohortFile]) -> tuple[Hashes, Owners]:
    numbers = np.array([file.submission for file in files], dtype=np.int32)
    owners = np.repeat(numbers, [len(file.hashes) for file in files])
    return np.concatenate([np.empty(0, np.uint64), *(file.hashes for file in files)]), owners


def _by_submission(files: Sequence[CohortFile], submissions: int) -> tuple[list[list[Kinds]], list[list[LexicalTerms]]]:
    kinds: list[list[Kinds]] = [[] for _ in range(submissions)]
    terms: list[list[LexicalTerms]] = [[] for _ in range(submissions)]
    for file in files:
        kinds[file.submission].append(file.kinds)
        terms[file.submission].append(file.lexical)
    return kinds, terms


def _shared_by_most(files: Sequence[CohortFile], identical: Ids, in_class: Flags) -> list[CohortFile]:
    """Return one of the equal files of nearly a whole class each, most of whom have enough code beside them.

    A solution that many have as their own is none: they are fewer, or what they have beside it is small.
    """
    owners: dict[int, set[int]] = defaultdict(set)
    for number, file in zip(identical.tolist(), files, strict=True):
        if number >= 0 and in_class[file.submission] and len(file.kinds) >= constants.LEAST_OWN:
            owners[number].add(file.submission)
    least = max(constants.LEAST_EQUAL, constants.EQUAL_PART * in_class.sum())
    owners = {number: of_one for number, of_one in owners.items() if len(of_one) >= least}
    own, equal = np.zeros((2, len(in_class)), dtype=np.int64)
    for number, file in zip(identical.tolist(), files, strict=True):
        (equal if number in owners else own)[file.submission] += len(file.kinds)
    with_own = own >= np.maximum(constants.LEAST_OWN, constants.OWN_PART * equal)
    shared = {number for number, of_one in owners.items() if 2 * with_own[[*of_one]].sum() > len(of_one)}
    of_number = dict(zip(identical.tolist(), files, strict=True))
    return [of_number[number] for number in sorted(shared)]


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


def renamed_groups(files: Iterable[FileColumns], cohort: Cohort, counted: Collection[int]) -> Rows:
    """Return the numbers of the groups of each submission: int64 [submissions, 2], -1 for no group.

    The submissions of a group have the same files, in any order: in the first column by kinds of tokens,
    literals and imports, in the second by kinds alone, which have to be of many different k-grams.
    Only `counted` submissions are in a group: many with few tokens, or only boilerplate, are equal.
    """
    columns_of: dict[int, list[tuple[Kinds, Terms, Terms]]] = defaultdict(list)
    for submission, columns in files:
        if len(columns[0]) and submission in counted:
            columns_of[submission].append(columns)
    # Hardly any other submissions have files of the same lengths.
    lengths = {one: tuple(sorted(len(kinds) for kinds, _, _ in columns)) for one, columns in columns_of.items()}
    several = [one for group in _alike(lengths) for one in group]
    numbers = np.full((len(cohort), 2), -1, dtype=np.int64)
    for column, compared in enumerate((3, 1)):
        contents = {one: tuple(sorted(digest_columns(file[:compared]) for file in columns_of[one])) for one in several}
        for number, group in enumerate(_alike(contents)):
            if column == 0 or min(map(cohort.different_kgrams, group)) >= constants.REWORDED_KGRAMS:
                numbers[group, column] = number
    return numbers


def _alike(keys: Mapping[int, Hashable]) -> list[list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for one, key in keys.items():
        groups[key].append(one)
    return [group for group in groups.values() if len(group) > 1]


class ScoringJob(NamedTuple):
    """Pairs of a cohort to score, with its terms: what `score` takes."""

    cohort: Cohort
    lexical: LexicalTable
    pairs: CandidatePairs

    @property
    def tokens(self) -> Positions:
        """Number of tokens of both sides of each pair: int64 [n]; the time of aligning it follows that."""
        sizes = np.diff(self.cohort.submission_starts)
        tokens: Positions = sizes[self.pairs.left] + sizes[self.pairs.right]
        return tokens


def scored_cohorts(inputs: RankingInput) -> list[tuple[Cohort, LexicalTable]]:
    """Return the cohort and the terms of each of the `scoring_jobs`."""
    cohorts = [(inputs.cohort, inputs.lexical)]
    if inputs.translations is None:
        return cohorts
    units = inputs.translations.cohort
    return [*cohorts, (units, without_terms(len(units)))]


def scoring_jobs(inputs: RankingInput) -> list[ScoringJob]:
    """Return the jobs that `rank` scores, in this order, if it shows all candidate pairs.

    A job has the pairs in one language; another has the pairs in different languages, if there are several.
    """
    pairs = [candidate_pairs(inputs)]
    if inputs.translations is not None:
        pairs.append(translation_candidates(inputs.translations))
    return [ScoringJob(*one, part) for one, part in zip(scored_cohorts(inputs), pairs, strict=True)]


class Ranking(NamedTuple):
    """Pairs with scores, best first, and the threshold suggested from the scores of pairs in one language.

    `unrelated` says how similar unrelated pairs of the class are; None if the class is too small to tell. `units` int64
    [n, 2]: the units of a translated pair, see `TranslationInput`; -1 for any other pair. `candidates` is the number of
    pairs of the class that share enough to be compared, whether or not the ranking has them, and `compared` is that of
    all pairs, also of those with old submissions. `known` has passages of pairs in one language.
    """

    pairs: CandidatePairs
    scores: Scores
    threshold: SuggestedThreshold
    unrelated: UnrelatedPairs | None
    units: Rows
    candidates: int
    compared: int
    known: KnownPassages | None = None

    @property
    def translated(self) -> npt.NDArray[np.bool_]:
        """Flags of the pairs that were compared across languages: bool [n]."""
        translated: npt.NDArray[np.bool_] = self.units[:, 0] >= 0
        return translated

    def take(self, rows: npt.NDArray[np.integer]) -> Ranking:
        return self._replace(pairs=self.pairs.take(rows), scores=self.scores.take(rows), units=self.units[rows])


def candidate_pairs(inputs: RankingInput, floor: float = FLOOR) -> CandidatePairs:
    """Return the pairs that share at least `floor` of their fingerprints by weight, or enough rare terms.

    Pairs that share rare terms only have `shared` 0. Fingerprints and terms of boilerplate do not count.
    Submissions with a group in common are no pair; old submissions are in pairs that a look-up chose only.
    """
    counted = ~np.isin(inputs.hashes, inputs.cohort.boilerplate)
    index = InvertedIndex.build(inputs.hashes[counted], inputs.owners[counted])
    old = inputs.old_pairs
    by_fingerprints = weighted_pairs(index, floor, inputs.groups, None if old is None else ~old.old)
    ids, owners, weights = inputs.lexical.columns()
    by_terms = rare_term_pairs(ids, owners, weights, inputs.groups)
    if old is None:
        return merged_pairs(by_fingerprints, by_terms)
    # A term that is rare in the class may be in many old submissions, and the other way round.
    new = ~old.old[owners]
    by_new_terms = rare_term_pairs(ids[new], owners[new], weights, inputs.groups)
    by_terms = by_terms.take(np.flatnonzero(old.has_old(by_terms.left, by_terms.right)))
    pairs = merged_pairs(by_fingerprints, merged_pairs(by_new_terms, by_terms))
    return pairs.take(np.flatnonzero(old.keep(pairs.left, pairs.right)))


def rank(inputs: RankingInput, show: int | None = None, check: Check = never_end) -> Ranking:
    """Score the candidate pairs of a cohort and return the best `show`; ties are in cohort order.

    With None, return all pairs that share rare terms or a fingerprint, without a minimum weight. Of more than
    `SAMPLE_SIZE` candidate pairs, score only pairs that may be among the best, and a sample for the
    threshold; the sample depends neither on `show` nor on the order of the cohort. `check` is called every
    few tenths of a second; when it raises, the ranking ends. Pairs in different languages are ranked with the
    other pairs, whose scores and threshold do not depend on them.
    """
    wanted = None if show is None else Wanted(max(show, 1))
    pairs = candidate_pairs(inputs, 0.0 if wanted is None else FLOOR)
    ranking = _rank_one_language(inputs, pairs, wanted, check)
    ranking = _with_translations(inputs, ranking, check, listed=wanted)
    return ranking.take(np.arange(len(ranking.units))[:show])


def rank_for_report(
    inputs: RankingInput,
    show: int,
    least: float | None = None,
    *,
    check: Check = never_end,
    candidates: CandidatePairs | None = None,
    score_pairs: ScorePairs | None = None,
    known: KnownPassages | None = None,
) -> Ranking:
    """Return the best `show` pairs, the best of each submission, and all from similarity `least` on.

    None for `least` stands for the suggested threshold. The ranking has all scored pairs, also pairs that
    were only scored to find the best. `candidates` are the candidates of the first of the `scoring_jobs`, if
    they are known already; `score_pairs` is called in place of `score` for all pairs of these jobs. The passages
    of few candidates are added to `known`, which the ranking has too. For the rest see `rank`.
    """
    wanted = Wanted(show, SUGGESTED if least is None else least, of_each=True)
    pairs = candidate_pairs(inputs) if candidates is None else candidates
    ranking = _rank_one_language(inputs, pairs, wanted, check, score_pairs=score_pairs, known=known)
    return _with_translations(inputs, ranking, check, wanted, score_pairs or score)


def _with_translations(
    inputs: RankingInput, ranking: Ranking, check: Check, listed: Wanted | None, score_pairs: ScorePairs = score
) -> Ranking:
    """Return the ranking with pairs in different languages, of any similarity if `listed` is None."""
    if inputs.translations is None:
        return ranking
    translations = rank_translations(inputs.translations, check, score_pairs)
    if listed is not None:
        translations = translations.take(translations.scores.similarity >= LEAST_LISTED)
    both = merged_pairs(candidate_pairs(inputs, 0.0 if listed is None else FLOOR), translations.pairs)
    candidates = int(_within_class(inputs, both).sum())
    return _merged(ranking, translations)._replace(candidates=candidates, compared=len(both.left))


def _rank_one_language(
    inputs: RankingInput,
    candidates: CandidatePairs,
    wanted: Wanted | None,
    check: Check,
    *,
    score_pairs: ScorePairs | None = None,
    known: KnownPassages | None = None,
) -> Ranking:
    cohort, lexical, pairs = inputs.cohort, inputs.lexical, candidates
    eligible = _eligible_rows(inputs, pairs, candidate_pairs(inputs) if wanted is None else None)
    within = _within_class(inputs, pairs)
    sample = eligible[sample_rows(_pair_keys(inputs, pairs.take(eligible)))]
    if wanted is None or score_pairs or len(pairs.left) <= max(wanted.best, SAMPLE_SIZE):
        scores = (score_pairs or partial(score, known=known))(cohort, lexical, pairs, check)
        unrelated, threshold = _estimates(inputs, scores.similarity[sample], len(eligible))
    else:
        scored = Scored(sample, score(cohort, lexical, pairs.take(sample), check))
        unrelated, threshold = _estimates(inputs, scored.scores.similarity, len(eligible))
        if wanted.least == SUGGESTED:
            wanted = wanted._replace(least=threshold.value)
        rows, scores = best_of_both(cohort, lexical, pairs, wanted, within, scored=scored, check=check)
        pairs = pairs.take(rows)
    one_language = np.full((len(pairs.left), 2), -1, dtype=np.int64)
    ranking = Ranking(pairs, scores, threshold, unrelated, one_language, int(within.sum()), len(within), known)
    return ranking.take(_order(pairs, scores))


def _eligible_rows(
    inputs: RankingInput, pairs: CandidatePairs, candidates: CandidatePairs | None
) -> npt.NDArray[np.intp]:
    """Return the rows of the pairs that the threshold is estimated from.

    These are pairs of the class that share code and are candidates: most of the others are not scored. All
    are candidates with None.
    """
    eligible = (pairs.shared > 0) & _within_class(inputs, pairs)
    if candidates is not None:
        size = np.int64(len(inputs.cohort))
        eligible &= np.isin(pairs.left * size + pairs.right, candidates.left * size + candidates.right)
    return np.flatnonzero(eligible)


def _pair_keys(inputs: RankingInput, pairs: CandidatePairs) -> Hashes:
    """Return a hash of the fingerprints of each pair, which does not depend on the order of the class."""
    sums = np.zeros(len(inputs.cohort), dtype=np.uint64)
    np.add.at(sums, inputs.owners, inputs.hashes)
    return permute(sums[pairs.left] + sums[pairs.right], SAMPLE_SEED)


def _within_class(inputs: RankingInput, pairs: CandidatePairs) -> npt.NDArray[np.bool_]:
    """Return for each pair whether neither side was looked up, as only the most similar old work is."""
    if inputs.old_pairs is None:
        return np.ones(len(pairs.left), dtype=np.bool_)
    return ~inputs.old_pairs.has_old(pairs.left, pairs.right)


def _estimates(inputs: RankingInput, sample: Floats, compared: int) -> tuple[UnrelatedPairs | None, SuggestedThreshold]:
    """Return what follows from the similarities of the compared pairs of a class, or of a sample of them."""
    old = inputs.old_pairs
    submissions = len(inputs.cohort) if old is None else int((~old.old).sum())
    unrelated = estimate_unrelated(sample, compared, submissions)
    return unrelated, suggest_threshold(unrelated, sample, compared, submissions)


def _order(pairs: CandidatePairs, scores: Scores) -> npt.NDArray[np.intp]:
    return np.lexsort((pairs.right, pairs.left, -scores.tokens, -scores.similarity))


def _merged(ranking: Ranking, translations: Translations) -> Ranking:
    """Return both sorts of pairs by similarity; of a pair in both, only the row with the higher one."""
    pairs = CandidatePairs(*map(np.concatenate, zip(ranking.pairs, translations.pairs, strict=True)))
    columns: Iterable[Any] = zip(ranking.scores, translations.scores, strict=True)
    scores = Scores(*map(np.concatenate, columns))
    units = np.concatenate((ranking.units, translations.units))
    order = _order(pairs, scores)
    left, right = pairs.left[order].astype(np.int64), pairs.right[order].astype(np.int64)
    merged = ranking._replace(pairs=pairs, scores=scores, units=units)
    return merged.take(order[np.sort(first_places(left << SUBMISSION_BITS | right))])


def pair_passages(
    inputs: RankingInput,
    pairs: CandidatePairs,
    units: Rows,
    check: Check = never_end,
    known: KnownPassages | None = None,
) -> PairPassages:
    """Return the passages of pairs of a ranking, with its `units`; `check` and `known` as for `rank_for_report`.

    Passages of a translated pair are runs of coarse symbols. Their tokens are counted in the coarse streams
    of their files.
    """
    ends = np.stack((pairs.left, pairs.right), axis=1).astype(np.int64)
    if inputs.translations is None:
        return align_pairs(inputs.cohort, ends, check, known)
    translated = units[:, 0] >= 0
    tokens = align_pairs(inputs.cohort, ends[~translated], check, known)
    symbols = align_pairs(inputs.translations.cohort, units[translated], check)
    symbols.rows[:, [0, 2]] = inputs.translations.files[symbols.rows[:, [0, 2]]]
    rows = iter(tokens.parts()), iter(symbols.parts())
    return PairPassages.from_rows([next(rows[one]) for one in translated.tolist()])
