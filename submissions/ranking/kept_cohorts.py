"""Keep the cohort of the ranking that this process works on, and estimate the memory of one."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.db.models import Sum

from fingerprint import engine
from submissions.models import Document, SubmissionFile
from submissions.ranking.load import load_cohort
from submissions.ranking.selection import CohortChanged, Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable
    from submissions.models import RankingPlan
    from submissions.ranking.load import LoadedCohort


class Kept:
    """The cohort of a plan; `candidates` are those of its first job where they are known."""

    def __init__(self, plan: int, cohort: LoadedCohort, candidates: CandidatePairs | None = None) -> None:
        self.plan, self.cohort, self.candidates = plan, cohort, candidates

    @cached_property
    def jobs(self) -> list[tuple[Cohort, LexicalTable]]:
        """The cohort and the terms of each scoring job with exclusions."""
        return engine.scored_cohorts(self.cohort.inputs)

    @cached_property
    def _jobs_without_exclusions(self) -> list[tuple[Cohort, LexicalTable]]:
        return engine.scored_cohorts(self.cohort.without_exclusions())

    def job(self, number: int) -> tuple[Cohort, LexicalTable]:
        """Return the cohort and the terms of the job with this number; those without exclusions are last."""
        count = len(self.jobs)
        return self.jobs[number] if number < count else self._jobs_without_exclusions[number - count]


# What this process loaded last, and nothing else, so that its memory is bounded.
_kept: list[Kept] = []


def keep(kept: Kept) -> None:
    """Keep a cohort in place of any other."""
    _kept[:] = [kept]


def planned(plan: RankingPlan) -> Kept:
    """Return the cohort of a plan; load it unless it is kept.

    Raises
    ------
    CohortChanged
        When it is loaded and not the same any more.
    """
    if not any(kept.plan == plan.pk for kept in _kept):
        forget()
        keep(Kept(plan.pk, _load(plan)))
    return _kept[0]


def _load(plan: RankingPlan) -> LoadedCohort:
    cohort = load_cohort(plan.report.assignment, Selection.from_json(plan.selection))
    if cohort.inputs.digest() != bytes(plan.digest):
        raise CohortChanged
    return cohort


def make_room(tokens: int) -> None:
    """Free what this process keeps unless a class of so many tokens fits in memory beside it."""
    try:
        check_memory(tokens + sum(kept.cohort.token_count for kept in _kept))
    except ClassTooLarge:
        forget()


def forget(plan_id: int | None = None) -> None:
    """Free what this process keeps of a plan, or of any."""
    if _kept and plan_id in {None, _kept[0].plan}:
        _kept.clear()


# How pairs and lengths, scores, and their counts are stored.
NUMBERS, FLOATS, WHOLE = np.dtype("<i4"), np.dtype("<f8"), np.dtype("<i8")
WHOLE_COLUMNS = frozenset({"tokens", "longest", "lines"})


def pack_scores(scores: engine.Scores) -> bytes:
    """Return the columns of scores one after the other, in eight bytes a number."""
    columns = zip(scores._fields, scores, strict=True)
    return b"".join(
        column.astype(WHOLE if name in WHOLE_COLUMNS else FLOATS).tobytes() for name, column in columns
    )


def unpack_scores(packed: bytes) -> engine.Scores:
    """Return what `pack_scores` packed."""
    names = engine.Scores._fields
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(names), -1)
    columns: Any = (
        row.view(WHOLE if name in WHOLE_COLUMNS else FLOATS).copy()
        for name, row in zip(names, rows, strict=True)
    )
    return engine.Scores(*columns)


def pack_parts(parts: Iterable[bytes]) -> bytes:
    """Return how many parts there are, the length of each, and then these; as for the passages of pairs."""
    parts = list(parts)
    lengths = np.array([len(parts), *map(len, parts)], dtype=NUMBERS)
    return b"".join([lengths.tobytes(), *parts])


def unpack_parts(packed: bytes) -> list[bytes]:
    """Return what `pack_parts` packed."""
    count = int(np.frombuffer(packed, NUMBERS, 1)[0])
    lengths = np.frombuffer(packed, NUMBERS, count, NUMBERS.itemsize)
    ends = (1 + count) * NUMBERS.itemsize + np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return [packed[start:end] for start, end in pairwise(ends.tolist())]


# Estimates, on the high side: of a worker itself, for each token of the class, and for each scored pair.
WORKER_BYTES, TOKEN_BYTES, PAIR_BYTES = 250_000_000, 150, 400
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
# What the message begins with; it names no file, so staff may read it.
TOO_LARGE = "Ranking this class takes about "


class ClassTooLarge(Exception):
    """A ranking would take more memory than it may; the message has the figures and what to do."""


def token_count(selection: Selection) -> int:
    """Return the number of tokens of a cohort, without loading them."""
    submissions = [one.pk for one in selection.submissions] + list(selection.old_work.submissions)
    files = SubmissionFile.objects.filter(submission__in=submissions, document__state=Document.State.READY)
    return int(files.aggregate(tokens=Sum("document__token_count"))["tokens"] or 0)


def check_memory(tokens: int, pairs: int = 0) -> None:
    """Return if a ranking of so many tokens and scored pairs fits in memory.

    Raises
    ------
    ClassTooLarge
        When it does not.
    """
    needed, limit = WORKER_BYTES + tokens * TOKEN_BYTES + pairs * PAIR_BYTES, memory_limit()
    if needed > limit:
        pairs_too = f" and {pairs:,} pairs" if pairs else ""
        raise ClassTooLarge(
            f"{TOO_LARGE}{needed / 1e9:.1f} GB of memory ({tokens:,} tokens{pairs_too}); a worker may use "
            f"{limit / 1e9:.1f} GB. Leave out files that nobody in the class wrote, or ask whoever runs this "
            "server for workers with more memory (MOSS_RANKING_MEMORY)."
        )


def memory_limit() -> int:
    """Return the bytes that a ranking may use: MOSS_RANKING_MEMORY, or those of the container or machine."""
    if settings.RANKING_MEMORY:
        return int(settings.RANKING_MEMORY)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = CONTAINER_LIMIT.read_text().strip() if CONTAINER_LIMIT.exists() else ""
    return min(machine, int(container)) if container.isdigit() else machine
