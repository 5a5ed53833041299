"""Rank the pairs of a cohort, and find the passages of ranked pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.distinct import first_places
from fingerprint.hashing import permute
from fingerprint.ranking.best_pairs import Scored, Wanted, best_of_both
from fingerprint.ranking.candidates import (
    FLOOR,
    CandidatePairs,
    InvertedIndex,
    merged_pairs,
    rare_term_pairs,
    weighted_pairs,
)
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.passages import align_pairs
from fingerprint.ranking.scoring import Scores, score
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
    rank_translations,
    translation_candidates,
    without_terms,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from fingerprint.kernels.types import Floats, Hashes, Positions, Rows
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.inputs import RankingInput
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.passages import PairPassages
    from fingerprint.ranking.scoring import ScorePairs
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.ranking.translations import Translations

# Stands for the suggested threshold, which is not known yet.
SUGGESTED = -1.0
# Of the number of a submission, where two of them are one number.
SUBMISSION_BITS = 32


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

    `unrelated` says how similar unrelated pairs of the class are; None if the class is too small to tell.
    `units` int64 [n, 2]: the units of a translated pair, see `TranslationInput`; -1 for any other pair.
    `candidates` is the number of pairs of the class that share enough to be compared, whether or not the
    ranking has them.
    """

    pairs: CandidatePairs
    scores: Scores
    threshold: SuggestedThreshold
    unrelated: UnrelatedPairs | None
    units: Rows
    candidates: int

    @property
    def translated(self) -> npt.NDArray[np.bool_]:
        """Flags of the pairs that were compared across languages: bool [n]."""
        translated: npt.NDArray[np.bool_] = self.units[:, 0] >= 0
        return translated

    def take(self, rows: npt.NDArray[np.integer]) -> Ranking:
        return self._replace(
            pairs=self.pairs.take(rows), scores=self.scores.take(rows), units=self.units[rows]
        )


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
) -> Ranking:
    """Return the best `show` pairs, the best of each submission, and all from similarity `least` on.

    None for `least` stands for the suggested threshold. The ranking has all scored pairs, also pairs that
    were only scored to find the best. `candidates` are the candidates of the first of the `scoring_jobs`, if
    they are known already; `score_pairs` is called in place of `score` for all pairs of these jobs. For the
    rest see `rank`.
    """
    wanted = Wanted(show, SUGGESTED if least is None else least, of_each=True)
    pairs = candidate_pairs(inputs) if candidates is None else candidates
    ranking = _rank_one_language(inputs, pairs, wanted, check, score_pairs)
    return _with_translations(inputs, ranking, check, wanted, score_pairs or score)


def _with_translations(
    inputs: RankingInput,
    ranking: Ranking,
    check: Check,
    listed: Wanted | None,
    score_pairs: ScorePairs = score,
) -> Ranking:
    """Return the ranking with pairs in different languages, of any similarity if `listed` is None."""
    if inputs.translations is None:
        return ranking
    translations = rank_translations(inputs.translations, check, score_pairs)
    if listed is not None:
        translations = translations.take(translations.scores.similarity >= LEAST_LISTED)
    both = merged_pairs(candidate_pairs(inputs, 0.0 if listed is None else FLOOR), translations.pairs)
    return _merged(ranking, translations)._replace(candidates=int(_within_class(inputs, both).sum()))


def _rank_one_language(
    inputs: RankingInput,
    candidates: CandidatePairs,
    wanted: Wanted | None,
    check: Check,
    score_pairs: ScorePairs | None = None,
) -> Ranking:
    cohort, lexical, pairs = inputs.cohort, inputs.lexical, candidates
    eligible = _eligible_rows(inputs, pairs, candidate_pairs(inputs) if wanted is None else None)
    within = _within_class(inputs, pairs)
    sample = eligible[sample_rows(_pair_keys(inputs, pairs.take(eligible)))]
    if wanted is None or score_pairs or len(pairs.left) <= max(wanted.best, SAMPLE_SIZE):
        scores = (score_pairs or score)(cohort, lexical, pairs, check)
        unrelated, threshold = _estimates(inputs, scores.similarity[sample], len(eligible))
    else:
        scored = Scored(sample, score(cohort, lexical, pairs.take(sample), check))
        unrelated, threshold = _estimates(inputs, scored.scores.similarity, len(eligible))
        if wanted.least == SUGGESTED:
            wanted = wanted._replace(least=threshold.value)
        rows, scores = best_of_both(cohort, lexical, pairs, wanted, within, scored=scored, check=check)
        pairs = pairs.take(rows)
    one_language = np.full((len(pairs.left), 2), -1, dtype=np.int64)
    ranking = Ranking(pairs, scores, threshold, unrelated, one_language, int(within.sum()))
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


def _estimates(
    inputs: RankingInput, sample: Floats, compared: int
) -> tuple[UnrelatedPairs | None, SuggestedThreshold]:
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
    inputs: RankingInput, pairs: CandidatePairs, units: Rows, check: Check = never_end
) -> PairPassages:
    """Return the passages of pairs of a ranking, with its `units`; `check` as for `rank`.

    Passages of a translated pair are runs of coarse symbols. Their tokens are counted in the coarse streams
    of their files.
    """
    ends = np.stack((pairs.left, pairs.right), axis=1).astype(np.int64)
    if inputs.translations is None:
        return align_pairs(inputs.cohort, ends, check)
    translated = units[:, 0] >= 0
    tokens = align_pairs(inputs.cohort, ends[~translated], check)
    symbols = align_pairs(inputs.translations.cohort, units[translated], check)
    symbols.rows[:, [0, 2]] = inputs.translations.files[symbols.rows[:, [0, 2]]]
    # Which of both sorts, one after the other, is each pair of the ranking?
    order = np.argsort(np.argsort(translated, kind="stable"))
    return tokens.followed_by(symbols).take(order)
