"""Groups of duplicate submissions in a cohort."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import distinct_values, group_duplicates
from submissions.models.records import DuplicateRecord

if TYPE_CHECKING:
    from fingerprint.types import Hashes
    from submissions.ranking.load import LoadedCohort


def duplicate_groups(cohort: LoadedCohort) -> list[DuplicateRecord]:
    """Return the groups of identical, lexically identical and fingerprint-identical submissions.

    See `fingerprint.ranking.duplicates` for the definitions. A group of one student or team is left out.
    """
    sources: dict[int, list[int]] = defaultdict(list)
    kinds: dict[int, list[bytes]] = defaultdict(list)
    for file, content in zip(cohort.files, cohort.contents, strict=True):
        if cohort.is_unlisted(content.submission):
            continue
        sources[content.submission].append(file.source_id)
        if len(content.kinds):
            kinds[content.submission].append(_digest(content.kinds))
    indexes = range(len(cohort.submissions))
    fingerprints = _fingerprint_digests(cohort)
    keys = (
        [tuple(sorted(sources[i])) if kinds[i] else () for i in indexes],
        [tuple(sorted(kinds[i])) for i in indexes],
        [fingerprints.get(i, b"") for i in indexes],
    )
    return [
        DuplicateRecord(
            sameness=group.sameness.value, submissions=[cohort.submissions[i].pk for i in group.members]
        )
        for group in group_duplicates(keys)
        if not cohort.mates.is_one_group(group.members)
    ]


def _fingerprint_digests(cohort: LoadedCohort) -> dict[int, bytes]:
    """Return a digest of the distinct fingerprints of each submission that has any, by its index."""
    hashes: dict[int, list[Hashes]] = defaultdict(list)
    for content in cohort.contents:
        if not cohort.is_unlisted(content.submission):
            hashes[content.submission].append(content.hashes)
    own_hashes = {i: distinct_values(np.concatenate(parts)) for i, parts in hashes.items()}
    return {i: _digest(values) for i, values in own_hashes.items() if len(values)}


def _digest(values: Hashes) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()
