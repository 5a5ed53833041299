"""Fetch repositories, cancel and try again; the form that takes their addresses."""

from __future__ import annotations

import json
import logging
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files import File
from django.db import transaction
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from moss.integrations.repositories.git import BadList, GitMissing, Listed, parse, program
from moss.integrations.repositories.models import MOST_HOURS, Repository, RepositoryFetch
from submissions.core.accounts import QuotaExceeded
from submissions.core.submitters import course_roster
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.programming_platforms import PUSHED_METADATA
from submissions.models import Assignment, Batch
from submissions.uploads.change import add_boilerplate, create_batch
from submissions.uploads.forms import ROLES
from submissions.work import jobs
from submissions.work.jobs import erasing

if TYPE_CHECKING:
    from submissions.students.register import Counts
    from submissions.students.scope import Scope

logger = logging.getLogger(__name__)

KIND = "fetch_repositories"
State = RepositoryFetch.State

NOTHING = _("No repository could be fetched; the reasons are listed below.")

LONGEST_TOKEN = 1000


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
    hours_after_due: int = 0,
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
        hours_after_due=hours_after_due,
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
    new = start_fetch(fetch.assignment, user, [], token=token or fetch.token, role=fetch.role, preview=fetch.preview)
    _copy(failed, new)
    return new


@transaction.atomic
def take_off(assignment: Assignment) -> bool:
    """Have nothing fetched again at the due date. Return whether something was to be."""
    planned = assignment.repository_fetches.filter(again_after_due=True)
    planned.exclude(state=State.FETCHING).update(token="")
    return bool(planned.update(again_after_due=False))


def start_due() -> None:
    """Fetch the lists again whose due date has passed, by the hours that were asked for, each once."""
    for key in RepositoryFetch.objects.due().order_by("pk").values_list("pk", flat=True):
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


def gather(fetch: RepositoryFetch) -> None:
    """Have an upload made of what was fetched, or end with a reason."""
    try:
        _gather(fetch)
    except QuotaExceeded as error:
        end(fetch, State.FAILED, str(error))


@transaction.atomic
def end(fetch: RepositoryFetch, state: str, message: str = "") -> bool:
    """End a running fetch, and delete what it does not need any more. Return whether it was running."""
    running = RepositoryFetch.objects.filter(pk=fetch.pk, state=State.FETCHING)
    if not running.update(state=state, message=message):
        return False
    fetch.repositories.update(data=None)
    RepositoryFetch.objects.filter(pk=fetch.pk, again_after_due=False).update(token="")
    logger.info("%s: %s", fetch, state)
    return True


@transaction.atomic
def _gather(fetch: RepositoryFetch) -> None:
    running = RepositoryFetch.objects.filter(pk=fetch.pk, state=State.FETCHING)
    if running.select_for_update(of=("self",)).first() is None:
        return
    fetched = fetch.repositories.filter(state=Repository.State.FETCHED)
    if not fetched.exists():
        end(fetch, State.FAILED, NOTHING)
        return
    with tempfile.TemporaryFile() as target:
        _write(target, fetch, fetched.order_by("pk"))
        uploads = [File(target, f"Git {timezone.localtime():%Y-%m-%d %H.%M %Z}.zip")]
        if fetch.role == fetch.STARTER:
            add_boilerplate(fetch.assignment, uploads)
        else:
            batch = create_batch(fetch.assignment, fetch.started_by, uploads, preview=fetch.preview, role=fetch.role)
            running.update(batch=batch)
    end(fetch, State.DONE)


def _write(target: IO[bytes], fetch: RepositoryFetch, rows: QuerySet[Repository]) -> None:
    """Write an archive with a folder for each repository; first, so that it is always read, whose they are."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        if fetch.role != fetch.STARTER:
            archive.writestr(PUSHED_METADATA, json.dumps(_records(fetch.assignment, rows.defer("data"))))
        for row in rows.iterator(chunk_size=1):
            with zipfile.ZipFile(BytesIO(row.data or b"")) as packed:
                for member in packed.infolist():
                    data = packed.read(member)
                    member.filename = f"pushed-{row.pk}/{member.filename}"
                    archive.writestr(member, data)
    target.flush()


def _records(assignment: Assignment, rows: Iterable[Repository]) -> dict[str, dict[str, str]]:
    """Return for the folder of each repository its student, by the roster where it has them, and its time."""
    roster, records = course_roster(assignment.course), {}
    for row in rows:
        assert row.committed is not None
        enrolled = roster.find(Student(row.student, row.student)) if roster else None
        name = enrolled.display_name if enrolled else row.student
        records[f"pushed-{row.pk}"] = {"name": name, "identifier": "", "submitted": row.committed.isoformat()}
    return records


@receiver(erasing, dispatch_uid="repositories")
def erase_repositories(sender: type, *, scope: Scope, counts: Counts, **_: Any) -> None:  # noqa: ARG001 - a receiver's
    """Delete the repositories of a student who is erased, with the files that are in no upload yet."""
    held = [one.pk for one in scope.held]
    for course in sorted(scope.courses):
        spellings = scope.spellings(course)
        rows = Repository.objects.filter(fetch__assignment__course=course)
        of_student = Q(student__in=spellings.names) | Q(student__in=spellings.ids)
        counts.delete(rows.exclude(fetch__assignment__in=held).filter(of_student))


class TokenForm(forms.Form):
    """The token that reads private repositories; it is shown on no page."""

    token = forms.CharField(
        label=gettext_lazy("Read token, if the repositories are private"),
        help_text=gettext_lazy("It is kept encrypted while it is needed, and sent to the host of the list only."),
        required=False,
        max_length=LONGEST_TOKEN,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_token(self) -> str:
        token: str = self.cleaned_data["token"].strip()
        if not (token.isascii() and token.isprintable()):
            raise ValidationError(gettext("That is no token."))
        return token


class RepositoriesForm(TokenForm):
    """A list of repositories, and how they are fetched."""

    repositories = forms.CharField(
        label=gettext_lazy("Repositories, one a line"),
        help_text=gettext_lazy(
            "The address alone, or student, address, branch and commit, separated by commas. "
            "Only the address is required."
        ),
        widget=forms.Textarea(
            attrs={
                "rows": 8,
                "spellcheck": "false",
                "placeholder": "Anna Berg,https://github.com/anna/lab1\nhttps://gitlab.com/ben/lab1",
            }
        ),
    )
    role = forms.TypedChoiceField(
        label=gettext_lazy("These are"),
        required=False,
        empty_value=Batch.Role.CLASS,
        choices=[*ROLES, (RepositoryFetch.STARTER, gettext_lazy("code that was handed out: it does not count"))],
    )
    preview = forms.BooleanField(
        label=gettext_lazy("Check how they are read before anything is compared"), required=False
    )
    again_after_due = forms.BooleanField(
        label=gettext_lazy("Fetch again and compare when the due date has passed"), required=False
    )
    hours_after_due = forms.IntegerField(
        label=gettext_lazy("Hours to wait after the due date"),
        help_text=gettext_lazy("Some push later what they committed in time. Commits after the due date never count."),
        required=False,
        min_value=0,
        max_value=MOST_HOURS,
        initial=0,
    )
    field_order = ("repositories", "token", "role", "preview", "again_after_due", "hours_after_due")

    def __init__(self, assignment: Assignment, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.assignment = assignment

    def clean_repositories(self) -> list[Listed]:
        try:
            listed = parse(self.cleaned_data["repositories"])
            program()
        except (BadList, GitMissing) as error:
            raise ValidationError(gettext(str(error))) from error
        if not settings.GIT_NETWORKS and any(urlsplit(one.address).scheme != "https" for one in listed):
            raise ValidationError(gettext("The addresses must begin with https://."))
        return listed

    def clean_again_after_due(self) -> bool:
        again: bool = self.cleaned_data["again_after_due"]
        if again and not self.assignment.due:
            raise ValidationError(gettext("The assignment has no due date. Set it in its settings first."))
        return again

    def clean_hours_after_due(self) -> int:
        hours: int = self.cleaned_data["hours_after_due"] or 0
        if hours and not self.cleaned_data.get("again_after_due", True):
            raise ValidationError(gettext("Nothing is fetched again. Tick that, or wait no hours."))
        return hours

    def clean(self) -> dict[str, Any]:
        """Refuse a token for a list of several hosts: it is sent to one only."""
        hosts = {urlsplit(one.address).netloc for one in self.cleaned_data.get("repositories", ())}
        if self.cleaned_data.get("token") and len(hosts) > 1:
            names = ", ".join(sorted(hosts))
            text = gettext("A token is for one host, and these are at {names}. Make a list for each.")
            self.add_error("token", text.format(names=names))
        return self.cleaned_data
