"""Refuse a class whose ranking takes more memory than a worker may use, before it starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Sum

from submissions.models import Document, SubmissionFile

if TYPE_CHECKING:
    from submissions.ranking.selection import Selection

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
