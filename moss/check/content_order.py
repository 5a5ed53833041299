"""The order of a cohort by content, as in the service, so that both find the same figures.

An alignment may depend on which of two submissions comes first.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moss.check.readings import LocalFile


class ContentOrder(NamedTuple):
    """`order` has the former number of each submission; `files` are in the new order and numbered so."""

    order: list[int]
    files: list[LocalFile]


def content_order(files: list[LocalFile], submissions: int) -> ContentOrder:
    """Order submissions by the digests of their files, ascending, and the files of each by digest and path.

    Submissions of equal content keep their order.
    """
    digests = sorted((sha256(file.data).hexdigest(), file.path, number) for number, file in enumerate(files))
    own: list[list[int]] = [[] for _ in range(submissions)]
    keys: list[list[str]] = [[] for _ in range(submissions)]
    for digest, _, number in digests:
        own[files[number].submission].append(number)
        keys[files[number].submission].append(digest)
    order = sorted(range(submissions), key=keys.__getitem__)
    in_order = [
        files[number]._replace(submission=position)
        for position, submission in enumerate(order)
        for number in own[submission]
    ]
    return ContentOrder(order, in_order)
