"""Submissions of a cohort that are the same."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import groups
from submissions.models.records import DuplicateGroup

if TYPE_CHECKING:
    from fingerprint.types import Hashes
    from submissions.ranking.load import LoadedCohort


def duplicate_groups(cohort: LoadedCohort) -> list[DuplicateGroup]:
    """Return the groups of identical, lexically identical and fingerprint-identical submissions.

    See `fingerprint.ranking.duplicates` for what each means.
    """
    sources: dict[int, list[int]] = defaultdict(list)
    kinds: dict[int, list[bytes]] = defaultdict(list)
    for file, content in zip(cohort.files, cohort.contents, strict=True):
        sources[content.submission].append(file.source_id)
        if len(content.kinds):
            kinds[content.submission].append(_digest(content.kinds))
    everyone = range(len(cohort.submissions))
    fingerprints = _fingerprint_digests(cohort)
    keys = (
        [tuple(sorted(sources[at])) if kinds[at] else () for at in everyone],
        [tuple(sorted(kinds[at])) for at in everyone],
        [fingerprints.get(at, b"") for at in everyone],
    )
    return [
        DuplicateGroup(
            sameness=group.sameness.value, submissions=[cohort.submissions[at].pk for at in group.members]
        )
        for group in groups(keys)
    ]


def _fingerprint_digests(cohort: LoadedCohort) -> dict[int, bytes]:
    """Return a digest of the distinct fingerprints of every submission that has any."""
    hashes: dict[int, list[Hashes]] = defaultdict(list)
    for content in cohort.contents:
        hashes[content.submission].append(content.hashes)
    sets = {at: np.unique(np.concatenate(own)) for at, own in hashes.items()}
    return {at: _digest(values) for at, values in sets.items() if len(values)}


def _digest(values: Hashes) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()
