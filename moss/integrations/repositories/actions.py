"""Start, cancel and repeat the fetching of repositories, and start what is due."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from moss.integrations.repositories.gathering import end
from moss.integrations.repositories.models import Repository, RepositoryFetch
from submissions.models import Batch
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from moss.integrations.repositories.listing import Listed
    from submissions.models import Assignment

logger = logging.getLogger(__name__)

KIND = "fetch_repositories"
State = RepositoryFetch.State


@transaction.atomic
def start_fetch(
    assignment: Assignment,
    user: User | None,
    listed: Sequence[Listed],
    *,
    token: str = "",
    role: str = Batch.Role.CLASS,
    preview: bool = False,
    again_after_due: bool = False,
) -> RepositoryFetch:
    """Have the repositories of a list fetched, and read as one upload."""
    if again_after_due:
        take_off(assignment)  # The newest list is fetched again, and no other.
    fetch = RepositoryFetch.objects.create(
        assignment=assignment,
        started_by=user,
        token=token,
        role=role,
        preview=preview,
        again_after_due=again_after_due,
    )
    Repository.objects.bulk_create(Repository(fetch=fetch, **one._asdict()) for one in listed)
    jobs.enqueue(KIND, fetch.pk, user=user.pk if user else None)
    return fetch


@transaction.atomic
def cancel(fetch: RepositoryFetch) -> bool:
    """Cancel a fetch; its worker stops before the next repository. Return whether it was running."""
    jobs.cancel(KIND, [fetch.pk])
    return end(fetch, State.CANCELLED)


@transaction.atomic
def retry_failed(fetch: RepositoryFetch, user: User, token: str = "") -> RepositoryFetch | None:
    """Fetch the repositories again that failed, as a fetch of their own; None where none did."""
    failed = fetch.repositories.exclude(state=Repository.State.FETCHED)
    if fetch.is_running or not failed.exists():
        return None
    new = start_fetch(
        fetch.assignment, user, [], token=token or fetch.token, role=fetch.role, preview=fetch.preview
    )
    _copy(failed, new)
    return new


@transaction.atomic
def take_off(assignment: Assignment) -> bool:
    """Have nothing fetched again at the due date. Return whether something was to be."""
    planned = assignment.repository_fetches.filter(again_after_due=True)
    planned.exclude(state=State.FETCHING).update(token="")
    return bool(planned.update(again_after_due=False))


def start_due() -> None:
    """Fetch the lists again whose due date has passed, each once."""
    due = RepositoryFetch.objects.filter(again_after_due=True, assignment__due__lte=timezone.now())
    for key in due.exclude(state=State.FETCHING).order_by("pk").values_list("pk", flat=True):
        _start_again(key)


@transaction.atomic
def _start_again(key: int) -> None:
    """Start a fetch again; the row is locked, so that two processes do not both start it."""
    rows = RepositoryFetch.objects.filter(pk=key, again_after_due=True)
    fetch = rows.select_for_update(of=("self",), skip_locked=True).select_related("assignment").first()
    if fetch is None:
        return
    new = start_fetch(fetch.assignment, fetch.started_by, [], token=fetch.token, role=fetch.role)
    _copy(fetch.repositories.all(), new)
    rows.update(again_after_due=False, token="")
    logger.info("%s: the due date has passed, %s started", fetch, new)


def _copy(rows: Any, target: RepositoryFetch) -> None:
    fields = ("student", "address", "branch", "commit")
    Repository.objects.bulk_create(Repository(fetch=target, **one) for one in rows.values(*fields))
