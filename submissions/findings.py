"""What a report says beside its pairs: every submission's best match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fingerprint.engine import Ranking
    from submissions.ranking import Loaded


def findings(loaded: Loaded, scored: Ranking) -> dict[str, object]:
    """Tell what a report keeps of all scored pairs, best first, listed or not."""
    return {"best": best(loaded, scored)}


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
