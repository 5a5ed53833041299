"""What a report says beside its pairs: best matches, what is common, and what leaving it out changed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.terms import LexicalTable
from submissions.ranking.common_code import common

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import Ranking
    from fingerprint.hashing import Hashes
    from fingerprint.index import Owners
    from submissions.ranking.rank import Loaded

# As many pairs as one looks at to see what leaving something out does.
MOVED = 10
# Less than half a percent reads as no change at all.
LEAST_MOVE = 0.005


def findings(
    loaded: Loaded, prints: tuple[Hashes, Owners], scored: Ranking, listed: int
) -> dict[str, object]:
    """Tell what a report keeps of all scored pairs, best first, of which the first are `listed`."""
    return {
        "best": best(loaded, scored),
        "scored": len(scored.scores.similarity),
        "listed": listed,
        "identical": identical(loaded),
        "common": common(loaded),
        "effect": effect(loaded, prints, scored),
    }


def best(loaded: Loaded, scored: Ranking) -> list[list[object]]:
    """Give [submission id, id of its best match or None, similarity] for everybody, in cohort order."""
    ids = [submission.pk for submission in loaded.submissions]
    match, similarity = np.full(len(ids), -1), np.zeros(len(ids))
    alike = scored.scores.similarity > 0
    left, right = scored.pairs.left[alike], scored.pairs.right[alike]
    # From the last pair to the first: of several values for one submission the last assigned stays.
    mine, theirs = (
        np.stack((left, right), axis=1).ravel()[::-1],
        np.stack((right, left), axis=1).ravel()[::-1],
    )
    match[mine] = theirs
    similarity[mine] = np.repeat(scored.scores.similarity[alike], 2)[::-1]
    return [
        [pk, ids[other] if other >= 0 else None, value]
        for pk, other, value in zip(ids, match.tolist(), similarity.tolist(), strict=True)
    ]


def identical(loaded: Loaded) -> list[list[int]]:
    """Give groups of ids whose files have the same bytes, whatever they are called."""
    sources: dict[int, list[int]] = defaultdict(list)
    for file, owner in zip(loaded.files, loaded.owners, strict=True):
        sources[owner].append(file.source_id)
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for owner, held in sources.items():
        groups[tuple(sorted(held))].append(loaded.submissions[owner].pk)
    return [group for group in groups.values() if len(group) > 1]


def effect(loaded: Loaded, prints: tuple[Hashes, Owners], scored: Ranking) -> dict[str, object]:
    """Tell what boilerplate and common code take away, by scoring the cohort with nothing left out as well.

    `tokens`, `boilerplate`, `common`: tokens of all submissions, and those left out; where there are any,
    `standing`: pairs from the threshold on, then and without; `moved`: the pairs that it changed most, each
    [left id, right id, similarity, similarity without, larger share, larger share without].
    """
    side, files = loaded.cohort.side, len(loaded.files)
    handed_out, ignored = int(side.boilerplate.sum()), int(side.ignored.sum())
    told: dict[str, object] = {
        "tokens": len(side.kinds) - files,
        "boilerplate": handed_out,
        "common": ignored - handed_out,
    }
    if not ignored:
        return told
    whole = Cohort.of(loaded.kinds, loaded.cohort.k)
    before = engine.rank(whole, LexicalTable.of(loaded.terms), prints, show=len(loaded.submissions) ** 2)
    line = scored.threshold.value
    standing = [int((ranking.scores.similarity >= line).sum()) for ranking in (scored, before)]
    return told | {"standing": standing, "moved": _moved(loaded, scored, before)}


def _moved(loaded: Loaded, scored: Ranking, before: Ranking) -> list[list[float]]:
    """Compare by similarity, and where that stayed, by the larger share."""
    rows, known = _rows_of(before, scored, len(loaded.submissions))
    # A pair that is not even scored any more shares next to nothing.
    then, now = _figures(before), np.where(known[:, None], _figures(scored)[rows], 0.0)
    by_similarity, by_share = np.abs(then - now).T
    order = np.lexsort((-by_share, -by_similarity.round(9)))[:MOVED]
    ids = [submission.pk for submission in loaded.submissions]
    told = np.column_stack((now[:, 0], then[:, 0], now[:, 1], then[:, 1]))
    return [
        [ids[before.pairs.left[at]], ids[before.pairs.right[at]], *told[at].tolist()]
        for at in order.tolist()
        if max(by_similarity[at], by_share[at]) >= LEAST_MOVE
    ]


def _figures(ranking: Ranking) -> npt.NDArray[np.float64]:
    """Similarity and larger share of every pair, [n, 2]; one row of zeros where there is none."""
    scores = ranking.scores
    figures = np.stack((scores.similarity, np.maximum(scores.left_share, scores.right_share)), axis=1)
    return figures if len(figures) else np.zeros((1, 2))


def _rows_of(
    wanted: Ranking, among: Ranking, count: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Row of every pair of one ranking in another one, and whether it is there; 0 where it is not."""
    keys, known_keys = (one.pairs.left.astype(np.int64) * count + one.pairs.right for one in (wanted, among))
    order = np.argsort(known_keys)
    at = np.searchsorted(known_keys, keys, sorter=order)
    at[at == len(order)] = 0
    rows = order[at] if len(order) else np.zeros(len(keys), dtype=np.intp)
    known = known_keys[rows] == keys if len(order) else np.zeros(len(keys), dtype=np.bool_)
    return rows, known
