"""Rank the pairs of a cohort, and find the passages of ranked pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.index import CandidatePairs, InvertedIndex
from fingerprint.permutation import permute
from fingerprint.ranking.candidates import FLOOR, merged_pairs, rare_term_pairs, weighted_pairs
from fingerprint.ranking.pair_passages import align_pairs
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.threshold import (
    SAMPLE_SEED,
    SAMPLE_SIZE,
    SuggestedThreshold,
    sample_rows,
    suggest_threshold,
)
from fingerprint.ranking.translations import (
    LEAST_LISTED,
    rank_translations,
    translation_candidates,
    without_terms,
)
from fingerprint.ranking.upper_bounds import best_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.inputs import RankingInput
    from fingerprint.ranking.pair_passages import PairPassages
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.scoring import ScorePairs
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.ranking.translations import Translations
    from fingerprint.types import Hashes, Rows


class ScoringJob(NamedTuple):
    """Pairs of a cohort to score, with its terms: what `score` takes."""

    cohort: Cohort
    lexical: LexicalTable
    pairs: CandidatePairs

    @property
    def tokens(self) -> Rows:
        """Number of tokens of both sides of each pair: int64 [n]; the time of aligning it follows that."""
        sizes = np.diff(self.cohort.submission_starts)
        tokens: Rows = sizes[self.pairs.left] + sizes[self.pairs.right]
        return tokens


def scored_cohorts(inputs: RankingInput) -> list[tuple[Cohort, LexicalTable]]:
    """Return the cohort and the terms of each of the `scoring_jobs`."""
    cohorts = [(inputs.cohort, inputs.lexical)]
    if inputs.translations is None:
        return cohorts
    units = inputs.translations.cohort
    return [*cohorts, (units, without_terms(len(units)))]


def scoring_jobs(inputs: RankingInput) -> list[ScoringJob]:
    """Return what `rank` scores, in this order, where it shows all candidate pairs.

    These are the pairs in one language, and those in different languages if there are several.
    """
    pairs = [candidate_pairs(inputs)]
    if inputs.translations is not None:
        pairs.append(translation_candidates(inputs.translations))
    return [ScoringJob(*one, own) for one, own in zip(scored_cohorts(inputs), pairs, strict=True)]


class Ranking(NamedTuple):
    """Pairs with their scores, best first, and the threshold suggested from those of pairs in one language.

    `units` int64 [n, 2]: the units of a translated pair, see `TranslationInput`; -1 for any other pair.
    """

    pairs: CandidatePairs
    scores: Scores
    threshold: SuggestedThreshold
    units: Rows

    @property
    def translated(self) -> npt.NDArray[np.bool_]:
        """Flags of the pairs that were compared across languages: bool [n]."""
        translated: npt.NDArray[np.bool_] = self.units[:, 0] >= 0
        return translated

    def take(self, rows: npt.NDArray[np.integer]) -> Ranking:
        return Ranking(self.pairs.take(rows), self.scores.take(rows), self.threshold, self.units[rows])


def candidate_pairs(inputs: RankingInput, floor: float = FLOOR) -> CandidatePairs:
    """Return the pairs that share at least `floor` of their fingerprints by weight, or enough rare terms.

    Those that share rare terms only have `shared` 0. Fingerprints and terms of boilerplate do not count.
    Submissions with a group in common are no pair, nor is any with an old submission that no look-up chose.
    """
    counted = ~np.isin(inputs.hashes, inputs.cohort.boilerplate)
    index = InvertedIndex.build(inputs.hashes[counted], inputs.owners[counted])
    by_fingerprints = weighted_pairs(index, floor, inputs.groups)
    pairs = merged_pairs(by_fingerprints, rare_term_pairs(*inputs.lexical.columns(), inputs.groups))
    if inputs.old_pairs is None:
        return pairs
    return pairs.take(np.flatnonzero(inputs.old_pairs.keep(pairs.left, pairs.right)))


def rank(
    inputs: RankingInput,
    show: int | None = None,
    check: Check = never_end,
    score_pairs: ScorePairs = score,
) -> Ranking:
    """Score the candidate pairs of a cohort and return the best `show`; ties are in cohort order.

    With None, return all pairs that share rare terms or a fingerprint, without a minimum weight. Of more than
    `SAMPLE_SIZE` candidate pairs, score only those that may be among the best, and a sample for the
    threshold, which depends neither on `show` nor on the order of the cohort. `check` is called every few
    tenths of a second; when it raises, the ranking ends. Pairs in different languages are among the others by
    their own score; the scores of the others and the threshold do not depend on them. `score_pairs` is
    called in place of `score`, for what `scoring_jobs` lists, where the scores are known already.
    """
    ranking = _rank_one_language(inputs, show, check, score_pairs)
    if inputs.translations is None:
        return ranking
    translations = rank_translations(inputs.translations, check, score_pairs)
    if show is not None:
        translations = translations.take(translations.scores.similarity >= LEAST_LISTED)
    merged = _merged(ranking, translations)
    return merged.take(np.arange(len(merged.units))[:show])


def _rank_one_language(
    inputs: RankingInput, show: int | None, check: Check, score_pairs: ScorePairs
) -> Ranking:
    cohort, lexical = inputs.cohort, inputs.lexical
    pairs = candidate_pairs(inputs, 0.0 if show is None else FLOOR)
    eligible = _eligible_rows(inputs, pairs, candidate_pairs(inputs) if show is None else pairs)
    sample = eligible[sample_rows(_pair_keys(inputs, pairs.take(eligible)))]
    if show is None or len(pairs.left) <= max(show, SAMPLE_SIZE):
        scores = score_pairs(cohort, lexical, pairs, check)
        sampled = scores.similarity[sample]
    else:
        sampled = score(cohort, lexical, pairs.take(sample), check).similarity
        rows, scores = best_pairs(cohort, lexical, pairs, max(show, 1), check)
        pairs = pairs.take(rows)
    one_language = np.full((len(pairs.left), 2), -1, dtype=np.int64)
    ranking = Ranking(pairs, scores, suggest_threshold(sampled, len(eligible)), one_language)
    return ranking.take(_order(pairs, scores)[:show])


def _eligible_rows(
    inputs: RankingInput, pairs: CandidatePairs, candidates: CandidatePairs
) -> npt.NDArray[np.intp]:
    """Return the rows of the pairs that the threshold is estimated from.

    These are pairs of the class that share code and are candidates: most of the others are not scored.
    """
    size = np.int64(len(inputs.cohort))
    known = np.isin(pairs.left * size + pairs.right, candidates.left * size + candidates.right)
    return np.flatnonzero(known & (pairs.shared > 0) & _within_class(inputs, pairs))


def _pair_keys(inputs: RankingInput, pairs: CandidatePairs) -> Hashes:
    """Return a hash of the fingerprints of each pair, which does not depend on the order of the class."""
    sums = np.zeros(len(inputs.cohort), dtype=np.uint64)
    np.add.at(sums, inputs.owners, inputs.hashes)
    return permute(sums[pairs.left] + sums[pairs.right], SAMPLE_SEED)


def _within_class(inputs: RankingInput, pairs: CandidatePairs) -> npt.NDArray[np.bool_]:
    """Return for each pair whether neither side was looked up: those that were are the most similar ones."""
    if inputs.old_pairs is None:
        return np.ones(len(pairs.left), dtype=np.bool_)
    return ~inputs.old_pairs.has_old(pairs.left, pairs.right)


def _order(pairs: CandidatePairs, scores: Scores) -> npt.NDArray[np.intp]:
    return np.lexsort((pairs.right, pairs.left, -scores.tokens, -scores.similarity))


def _merged(ranking: Ranking, translations: Translations) -> Ranking:
    """Return both sorts of pairs by similarity; of a pair in both, only the row with the higher one."""
    pairs = CandidatePairs(*map(np.concatenate, zip(ranking.pairs, translations.pairs, strict=True)))
    columns: Iterable[Any] = zip(ranking.scores, translations.scores, strict=True)
    scores = Scores(*map(np.concatenate, columns))
    units = np.concatenate((ranking.units, translations.units))
    order = _order(pairs, scores)
    ends = np.stack((pairs.left, pairs.right), axis=1)[order]
    _, firsts = np.unique(ends, axis=0, return_index=True)
    return Ranking(pairs, scores, ranking.threshold, units).take(order[np.sort(firsts)])


def pair_passages(inputs: RankingInput, ranking: Ranking, check: Check = never_end) -> PairPassages:
    """Return the passages of all pairs of a ranking; those of a translated pair are runs of coarse symbols.

    Their tokens are counted in the coarse streams of their files. `check` as for `rank`.
    """
    ends = np.stack((ranking.pairs.left, ranking.pairs.right), axis=1).astype(np.int64)
    if inputs.translations is None:
        return align_pairs(inputs.cohort, ends, check)
    translated = ranking.translated
    tokens = align_pairs(inputs.cohort, ends[~translated], check)
    symbols = align_pairs(inputs.translations.cohort, ranking.units[translated], check)
    symbols.rows[:, [0, 2]] = inputs.translations.files[symbols.rows[:, [0, 2]]]
    # Which of both sorts, one after the other, is each pair of the ranking?
    order = np.argsort(np.argsort(translated, kind="stable"))
    return tokens.followed_by(symbols).take(order)
