"""Groups of a report: submissions that are the same."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.ranking.duplicates import groups

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.hashing import Hashes
    from fingerprint.index import Owners
    from submissions.ranking.rank import Loaded


def same(loaded: Loaded, hashes: Hashes, owners: Owners) -> list[dict[str, object]]:
    """Give groups of identical, lexically identical and fingerprint-identical submissions.

    Each is `{"sameness": ..., "submissions": [ids]}`; see `fingerprint.ranking.duplicates`.
    """
    sources: dict[int, list[int]] = defaultdict(list)
    kinds: dict[int, list[bytes]] = defaultdict(list)
    for file, owner in zip(loaded.files, loaded.owners, strict=True):
        sources[owner].append(file.source_id)
        if stream := loaded.tokens[file.document_id]:
            kinds[owner].append(_digest(stream.kinds))
    prints = {int(owner): _digest(np.unique(hashes[owners == owner])) for owner in np.unique(owners)}
    everyone = range(len(loaded.submissions))
    keys = (
        [tuple(sorted(sources[owner])) if kinds[owner] else () for owner in everyone],
        [tuple(sorted(kinds[owner])) for owner in everyone],
        [prints.get(owner, b"") for owner in everyone],
    )
    return [
        {"sameness": group.sameness, "submissions": _ids(loaded, group.members)} for group in groups(keys)
    ]


def _digest(values: Hashes) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()


def _ids(loaded: Loaded, owners: Iterable[int]) -> list[int]:
    return [loaded.submissions[owner].pk for owner in owners]
