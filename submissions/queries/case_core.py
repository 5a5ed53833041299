"""The part of one member's code that is in the code of every other member of a case."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db.models import Q

from submissions.models import Batch, Document, Submission, SubmissionFile
from submissions.queries.pairs import ignored_tokens
from submissions.queries.withheld import readable_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from fingerprint.kernels.types import Flags
    from submissions.models import Pair, Report

# Two members are a pair, which says it better; the pairs of very large cases are too many to read.
MIN_MEMBERS, MAX_MEMBERS = 3, 50


class CaseCore(NamedTuple):
    """The tokens of a `submission`, of `counted` that count, that are in its passages with every other one.

    `others` are those members that it has passages with, of `all_others`.
    """

    submission: Submission
    tokens: int
    counted: int
    others: int
    all_others: int

    @property
    def share(self) -> float:
        return self.tokens / max(self.counted, 1)


def case_core(report: Report, members: Sequence[Submission]) -> CaseCore | None:
    """Return what the members of a case have in common; None for few or many members.

    It is told of the member that has listed passages with the most others, of those the most similar ones.
    """
    if not MIN_MEMBERS <= len(members) <= MAX_MEMBERS:
        return None
    by_id = {member.pk: member for member in members}
    listed = readable_pairs(report).filter(translated=False, tokens__gt=0)
    sums: dict[int, list[float]] = defaultdict(list)
    rows = listed.filter(left__in=by_id, right__in=by_id).values_list("left", "right", "similarity")
    for left, right, similarity in rows:
        sums[left].append(similarity)
        sums[right].append(similarity)
    candidates = [pk for pk in sums if len(sums[pk]) > 1]
    of_class = Submission.objects.filter(pk__in=candidates).exclude(batch__role=Batch.Role.OTHER)
    class_ids = list(of_class.values_list("pk", flat=True))
    if not class_ids:
        return None
    chosen = max(class_ids, key=lambda pk: (len(sums[pk]), sum(sums[pk]), -pk))
    pairs = listed.filter(Q(left=chosen, right__in=by_id) | Q(right=chosen, left__in=by_id))
    counted = _counted(report, chosen)
    tokens = sum(int(flags.sum()) for flags in _in_all(counted, pairs, chosen))
    total = sum(int(flags.sum()) for flags in counted.values())
    return CaseCore(by_id[chosen], tokens, total, len(sums[chosen]), len(members) - 1)


def _counted(report: Report, submission: int) -> dict[int, Flags]:
    """Return which tokens of each file of a submission count, by the primary key of the file."""
    rows = SubmissionFile.objects.filter(submission=submission, document__state=Document.State.READY)
    heavy = ("tokens", "lexical", "coarse", "styles")
    files = list(rows.select_related("document").defer(*(f"document__{name}" for name in heavy)))
    ignored = ignored_tokens(report, files)
    counted = {file.pk: np.ones(file.document.token_count, dtype=bool) for file in files}
    for file in files:
        for first, after in ignored.get(file.document_id, []):
            counted[file.pk][first:after] = False
    return counted


def _in_all(counted: dict[int, Flags], pairs: Iterable[Pair], submission: int) -> Collection[Flags]:
    """Return which counted tokens of each file of a submission are in passages of all pairs."""
    common = {file: flags.copy() for file, flags in counted.items()}
    for pair in pairs:
        covered = {file: np.zeros(len(flags), dtype=bool) for file, flags in counted.items()}
        for passage in pair.passages:
            one = passage if pair.left_id == submission else passage.exchanged
            if not one.common and one.left_file in covered:
                covered[one.left_file][one.left_token : one.left_token + one.tokens] = True
        for file, flags in covered.items():
            common[file] &= flags
    return common.values()
