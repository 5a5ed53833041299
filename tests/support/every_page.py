"""One object of every kind that has a page, and the address of every page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern, reverse
from django.utils import timezone

from moss.integrations.accounts import views as account_urls
from moss.integrations.repositories import views as repository_urls
from moss.integrations.repositories.change import end, start_fetch
from moss.integrations.repositories.git import parse
from moss.integrations.repositories.models import RepositoryFetch
from moss.integrations.webhooks import sending as webhooks, views as webhook_urls
from moss.integrations.webhooks.models import TEST, Delivery, Event, Webhook
from moss.integrations.webhooks.sending import enqueue as enqueue_delivery
from moss.sample import SAMPLE, sample_zip
from submissions import urls
from submissions.cases.case_list import cases
from submissions.cases.change import add_statement
from submissions.courses import change as people
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    CampusGroup,
    Course,
    Erasure,
    IgnoringProposal,
    Invitation,
    Membership,
    Pair,
    ReadingRequest,
    Report,
    ResumableUpload,
    Share,
)
from submissions.reports.change import propose_passage
from submissions.shares import links as shares
from submissions.uploads import change as resumable
from tests.support.kept_classes import stored
from tests.support.sample_class import loose
from tests.support.uploads import HandIn, register_boilerplate

# Pages for signed-in users, by URL name.
PAGES = (
    "courses", "course", "people", "rename_course", "roster", "delete_course", "assignment", "pairs",
    "students", "ignored", "uploads", "assignment_settings", "delete_assignment", "batch", "delete_batch",
    "pair", "case", "matrix", "submission", "exports", "export_pair", "export_case", "shares", "webhooks", "webhook",
    "repositories", "repository_fetch", "ignoring", "lines",
)  # fmt: skip
# Pages about one's own account.
ACCOUNT_PAGES = ("account", "change_password", "api_tokens")
# Parts of pages, downloads, and redirects.
FRAGMENTS = ("activity", "batch_progress", "boilerplate_progress")
FILES = ("table", "statement")
REDIRECTS = ("batch_preview", "compare_with", "next_undecided", "next_case")
# Pages, and parts of them, for staff only.
STAFF_PAGES = ("service", "department", "audit_log", "all_tokens", "student_data")
STAFF_FRAGMENTS = ("service_now", "receipt_file")
STAFF_FILES = ("audit_file",)
# Pages of objects that belong to no course, for staff only.
STAFF_OBJECTS = ("erasure",)
# The page of an invitation, for every signed-in user who has the link.
INVITATIONS = ("invitation",)
# Pages for everybody who has the link.
PUBLIC = ("shared", "shared_pairs", "shared_ignored", "shared_case", "shared_pair")


@dataclass(frozen=True, slots=True)
class World:
    """Alice's assignment with the sample class in it, ranked."""

    owner: User
    assignment: Assignment
    batch: Batch
    boilerplate: Boilerplate
    report: Report
    pair: Pair
    share: Share
    membership: Membership
    invitation: Invitation


@pytest.fixture
def world(alice: User, assignment: Assignment, hand_in: HandIn) -> World:
    def store() -> None:
        starter = (SAMPLE / "starter" / "fines.py").read_bytes()
        register_boilerplate(assignment, loose("fines.py", starter))
        hand_in(loose("fines.zip", sample_zip()))

    stored("the sample class", store)
    return world_of(assignment, assignment.reports.get(state=Report.State.DONE).pairs.all()[0])


def world_of(assignment: Assignment, pair: Pair, *, anonymous: bool = True) -> World:
    """Return a ranked class with a link to it and the people of its course, which are stored here."""
    owner = assignment.course.owner
    assert owner
    expires = timezone.now() + timedelta(days=1)
    share = shares.create_share(assignment, owner, expires, anonymous=anonymous)
    batch = assignment.batches.filter(role=Batch.Role.CLASS).latest("pk")
    boilerplate = assignment.boilerplate.get()
    return World(owner, assignment, batch, boilerplate, pair.report, pair, share, *course_people(assignment.course))


def course_people(course: Course) -> tuple[Membership, Invitation]:
    """Store a teaching assistant of a course, and an invitation to it."""
    member = User.objects.create_user("tess", "tess@example.org")
    membership = Membership.objects.create(course=course, user=member, role=Membership.Role.ASSISTANT)
    CampusGroup.objects.create(course=course, group="cs-tutors", role=Membership.Role.ASSISTANT)
    return membership, people.invite(course, course.owner, "olga@example.org", Membership.Role.OBSERVER)


def patterns() -> dict[str, URLPattern]:
    """Return every URL pattern of the pages by its name."""
    every = (
        *urls.urlpatterns,
        *account_urls.urlpatterns,
        *webhook_urls.urlpatterns,
        *repository_urls.urlpatterns,
    )
    return {str(pattern.name): pattern for pattern in every}


def address_of(world: World, name: str) -> str:
    """Return the address of the page `name` for the objects of the world."""
    return reverse(name, kwargs=_arguments(world, patterns()[name]))


def addresses(world: World) -> dict[str, str]:
    return {name: address_of(world, name) for name in patterns()}


def _arguments(world: World, pattern: URLPattern) -> dict[str, object]:
    first = str(pattern.pattern).partition("/")[0]
    values = {**VALUES, "pk": PRIMARY_KEYS.get(first, _none), "token": TOKENS.get(first, _share_token)}
    if "cases/" in str(pattern.pattern):
        values["submission_id"] = _case_key
    return {argument: values[argument](world) for argument in pattern.pattern.converters}


def webhook_of(world: World) -> Webhook:
    """Return the webhook of the world's course, which has none before it is asked for."""
    course = world.assignment.course
    return course.webhooks.first() or webhooks.create(course, world.owner, "https://hooks.example.org/", Event.values)


def fetch_of(world: World) -> RepositoryFetch:
    """Return a fetch of repositories of the world's assignment, which has none before it is asked for."""
    fetches = RepositoryFetch.objects.filter(assignment=world.assignment)
    if not fetches.exists():
        fetch = start_fetch(world.assignment, world.owner, parse("Anna,https://git.example.org/anna"))
        fetch.repositories.update(state="failed", reason="Its host does not answer.")
        end(fetch, "failed")
    return fetches.get()


def delivery_of(world: World) -> Delivery:
    """Return a delivery of that webhook, also where its maker may not have anything sent any more."""
    webhook = webhook_of(world)
    return webhook.deliveries.first() or enqueue_delivery(webhook, TEST, {})


def unfinished_upload_of(world: World, user: User) -> ResumableUpload:
    """Return an upload in parts of which nothing arrived; the user has none before it is asked for."""
    begun = ResumableUpload.objects.filter(assignment=world.assignment, uploaded_by=user, ended=None)
    return begun.first() or resumable.begin_resumable(world.assignment, user, "main.py", 5)


def proposal_of(world: World) -> IgnoringProposal:
    """Return lines of the world's pair that may be ignored; there are none before they are asked for."""
    begun = world.assignment.ignoring_proposals.first()
    proposal = begun or propose_passage(world.assignment, world.pair, world.pair.passages[0].key)
    assert proposal
    return proposal


def api_places(world: World, user: User) -> dict[str, Any]:
    """Return an object of the world for each name in the addresses of the API; the user began an upload."""
    return {
        "course_id": world.assignment.course_id, "member_id": world.membership.pk,
        "invitation_id": world.invitation.pk, "assignment_id": world.assignment.pk,
        "upload_id": world.batch.pk, "resumable_id": unfinished_upload_of(world, user).pk,
        "boilerplate_id": world.boilerplate.pk, "left_id": world.pair.left_id,
        "right_id": world.pair.right_id, "share_id": world.share.pk, "submission_id": world.pair.left_id,
        "webhook_id": webhook_of(world).pk, "delivery_id": delivery_of(world).pk,
        "fetch_id": fetch_of(world).pk, "account_id": _unused_account(),
    }  # fmt: skip


def _unused_account() -> int:
    """Return the key of an account that nobody signed in to yet."""
    account = User.objects.filter(username="unused").first() or User.objects.create_user("unused")
    return account.pk


def _reading_request(world: World) -> int:
    """Return the key of a request to read a pair, of which the world has none before it is asked for."""
    new, old = world.batch.submissions.all()[:2]
    request, _ = ReadingRequest.objects.get_or_create(new=new, old=old, similarity=1.0, asked_by=world.owner)
    return request.pk


def _statement(world: World) -> int:
    """Return the key of a statement of the left side's student, which the world has none of before."""
    name = world.pair.left.name
    stored = world.assignment.statements.filter(name=name).first()
    return (stored or add_statement(world.assignment, name, world.owner, "said.txt", b"I wrote it.")).pk


def _erasure(_world: World) -> int:
    return Erasure.objects.get_or_create(who="admin", reason="A letter.")[0].pk


def _share_token(world: World) -> str:
    return shares.share_token(world.share)


def _case_key(world: World) -> int:
    """Return the key of the first case of the newest report, which another upload may have made."""
    return cases(world.assignment.reports.filter(state=Report.State.DONE).latest("pk"))[0].key


def _none(_world: World) -> None:
    return None


# What stands for an argument of an address; looked up, or stored, only for the addresses that have it.
VALUES: dict[str, Callable[[World], object]] = {
    "left_id": lambda world: world.pair.left_id,
    "right_id": lambda world: world.pair.right_id,
    "submission_id": lambda world: world.pair.left_id,
    "statement_id": _statement,
    "name": lambda _: "pairs",
    "suffix": lambda _: "csv",
    "webhook_id": lambda world: webhook_of(world).pk,
    "delivery_id": lambda world: delivery_of(world).pk,
    "fetch_id": lambda world: fetch_of(world).pk,
}
# The argument `pk`, by the first part of the address.
PRIMARY_KEYS: dict[str, Callable[[World], object]] = {
    "courses": lambda world: world.assignment.course.pk,
    "assignments": lambda world: world.assignment.pk,
    "batches": lambda world: world.batch.pk,
    "reports": lambda world: world.report.pk,
    "boilerplate": lambda world: world.boilerplate.pk,
    "boilerplate-uploads": lambda world: world.assignment.boilerplate_uploads.earliest("pk").pk,
    "shares": lambda world: world.share.pk,
    "memberships": lambda world: world.membership.pk,
    "invitations": lambda world: world.invitation.pk,
    "reading-requests": _reading_request,
    "erasures": _erasure,
    "ignoring": lambda world: proposal_of(world).pk,
    "unfinished-uploads": lambda world: unfinished_upload_of(world, world.owner).pk,
    "campus-groups": lambda world: world.assignment.course.campus_groups.get().pk,
}
# The argument `token`, which is that of a share elsewhere.
TOKENS: dict[str, Callable[[World], object]] = {"invitations": lambda world: people.invitation_token(world.invitation)}
