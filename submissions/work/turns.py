"""The order in which jobs are started: by turns among their users.

A message says that one of them can be started, and the worker that receives it chooses. So a user with fifty
uploads does not delay the only upload of another one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone

from submissions.models import Job
from submissions.work.heartbeats import package_version
from submissions.work.kinds import QUEUES
from submissions.work.messages import announce, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from submissions.work.kinds import Kind

State = Job.State
# Jobs of a queue and kind that are looked at when one of them is chosen.
LOOKED_AT = 1_000


def turns(kind: Kind, queue: str) -> list[tuple[int, Job]]:
    """Return the jobs that wait, in the order in which they are started, by turns among their users.

    Each has the number of jobs of its user that come before it or were started. None is started while one of
    the same subject is carried out.
    """
    jobs = Job.objects.filter(kind=kind.name)
    waiting = jobs.filter(queue=queue, state=State.QUEUED, due__lte=timezone.now()).order_by("due", "pk")
    if kind.is_same_version:
        waiting = waiting.filter(version=package_version())
    looked_at = list(waiting[:LOOKED_AT])
    if not looked_at:  # As nearly always when work was done, and nobody waits for its end.
        return []
    busy = set(jobs.filter(state__in=(State.RUNNING, State.PARTS)).values_list("subject", "part"))
    following = Job.objects.filter(kind=kind.followed_by).exclude(state=State.FAILED)
    started = {*_of_users(jobs.filter(state=State.RUNNING), queue), *_of_users(following, queue)}
    counts = Counter(user for _, user in started)
    numbered = []
    for job in looked_at:
        if (job.subject, job.part) not in busy:
            numbered.append((counts[job.user_id], job))
            counts[job.user_id] += 1
    return sorted(numbered, key=lambda one: one[0])


def _of_users(jobs: QuerySet[Job], queue: str) -> QuerySet[Job, tuple[int, int | None]]:
    return jobs.filter(queue=queue).order_by().values_list("subject", "user")


def startable(kind: Kind, queue: str) -> list[Job]:
    """Return the jobs to start next, without those of users who have enough started ones."""
    return [job for number, job in turns(kind, queue) if not kind.at_once or number < kind.at_once]


def places(kind: str, subjects: Iterable[int]) -> dict[int, int]:
    """Return how many jobs of a kind are started before the one of each of these subjects that waits."""
    queued = list(Job.objects.filter(kind=kind, subject__in=list(subjects), state=State.QUEUED))
    waiting: dict[int, int] = {}
    for queue in {job.queue for job in queued}:
        waiting |= {job.subject: place for place, (_, job) in enumerate(turns(kind_of(kind), queue))}
    return {job.subject: waiting.get(job.subject, 0) for job in queued}


def announce_blocked(kind: Kind) -> None:
    """Announce work that waited for a job of a kind to end: its messages came in vain."""
    for other in settings.WORK_KINDS.values():
        if kind in {other, settings.WORK_KINDS.get(other.followed_by)}:
            for queue in QUEUES:
                if startable(other, queue):
                    announce(other, queue)
