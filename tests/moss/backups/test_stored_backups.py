"""A backup that an earlier version wrote is restored, migrated and shown, and nothing of it is lost.

`pytest tests/moss/backups/test_stored_backups.py --update-goldens` stores one of this version, with a row in
every table, where there is none. Do this at a release, in a clean checkout; stored ones stay as they are.
"""

import lzma
from collections.abc import Iterator
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from moss.operations import backups as restoring, doctor as checks
from moss.operations.backups import row_counts
from moss.operations.database import schema_differences
from submissions.models import Assignment, Batch, Invitation, Report, Share
from submissions.pages.rendered import RENDERED
from submissions.uploads.change import rerank
from tests.moss.backups.test_backups import other_database
from tests.moss.integrations.api.test_roles import RIGHTS, statuses
from tests.submissions.courses.test_roles import STAFF
from tests.support import every_page
from tests.support.every_page import World, address_of, world_of
from tests.support.every_table import fill_every_table, own_models
from tests.support.one_student import Planted
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import HandIn, register_boilerplate

# Restoring refuses beside a worker, and one of earlier tests may still run.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_worker")]

STORED = Path(__file__).with_name("stored")
FILES = sorted(STORED.glob("*.moss.xz"))
LARGEST = 300_000
OF_OWNER = (*every_page.PAGES, *every_page.ACCOUNT_PAGES, *every_page.FRAGMENTS, *every_page.FILES)
OF_STAFF = (
    *every_page.STAFF_PAGES, *every_page.STAFF_FRAGMENTS, *every_page.STAFF_FILES, *every_page.STAFF_OBJECTS
)  # fmt: skip
ENDPOINTS = [endpoint for endpoint in RIGHTS if endpoint[0] == "get"]


@pytest.fixture
def small_world(alice: User, assignment: Assignment, hand_in: HandIn) -> World:
    register_boilerplate(assignment, loose("starter.py", STARTER))
    hand_in(zipped(CLASS))
    return world_of(assignment, assignment.reports.get(state=Report.State.DONE).pairs.all()[0])


@pytest.mark.long
def test_a_backup_of_this_version_has_a_row_of_every_table(
    request: pytest.FixtureRequest, small_world: World, planted: Planted, admin: User, tmp_path: Path
) -> None:
    fill_every_table(small_world)
    manifest = restoring.write(tmp_path / "backup")
    assert [model._meta.db_table for model in own_models() if not manifest.counts[model._meta.db_table]] == []
    packed = lzma.compress((tmp_path / "backup").read_bytes(), preset=9)
    assert len(packed) < LARGEST
    if request.config.getoption("--update-goldens") and not list(STORED.glob(f"{version('moss-server')}-*")):
        STORED.mkdir(exist_ok=True)
        (STORED / f"{manifest.version}-{manifest.commit[:8]}.moss.xz").write_bytes(packed)


@pytest.fixture(params=FILES, ids=lambda file: file.name)
def counts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, int]]:
    """Restore a stored backup into another database, and yield how many rows each table had."""
    RENDERED.clear()
    (tmp_path / "backup").write_bytes(lzma.decompress(request.param.read_bytes()))
    with other_database():
        yield restoring.restore(tmp_path / "backup", unsigned=True).counts
    RENDERED.clear()


def restored_world() -> World:
    """Return the class of the backup, whose links end tomorrow."""
    for model in (Share, Invitation):
        model._default_manager.update(expires=timezone.now() + timedelta(days=1))
    assignment = Assignment.objects.get(name="Statistics")
    owner, share = assignment.course.owner, assignment.shares.filter(left="").first()
    membership = assignment.course.memberships.exclude(user=owner).first()
    invitation = assignment.course.invitations.first()
    assert owner
    assert share
    assert membership
    assert invitation
    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    batch = assignment.batches.filter(role=Batch.Role.CLASS).latest("pk")
    boilerplate = assignment.boilerplate.get()
    return World(owner, assignment, batch, boilerplate, report, report.pairs.all()[0], share, membership, invitation)


def statuses_of(user: User | None, names: tuple[str, ...], world: World) -> dict[int, list[str]]:
    """Return the names of the pages by the status of their answer."""
    client, found = Client(raise_request_exception=False), dict[int, list[str]]()
    if user:
        client.force_login(user)
    for name in names:
        found.setdefault(client.get(address_of(world, name)).status_code, []).append(name)
    return found


def test_there_is_a_stored_backup() -> None:
    assert list(STORED.iterdir())


def test_a_stored_backup_is_restored_and_read_and_every_page_answers(counts: dict[str, int]) -> None:
    assert schema_differences() == []
    after = row_counts()
    for model in own_models():
        table = model._meta.db_table
        rows = list(model._default_manager.all())
        assert len(rows) == after[table] == counts.get(table, 0), table
    world, admin = restored_world(), User.objects.get(username="admin")
    assert statuses_of(world.owner, OF_OWNER, world) == {200: [*OF_OWNER]}
    assert statuses_of(world.owner, every_page.REDIRECTS, world) == {302: [*every_page.REDIRECTS]}
    assert statuses_of(admin, OF_STAFF, world) == {200: [*OF_STAFF]}
    assert statuses_of(None, every_page.PUBLIC, world) == {200: [*every_page.PUBLIC]}
    for user in (world.owner, admin):
        asked = [endpoint for endpoint in ENDPOINTS if (RIGHTS[endpoint] == STAFF) == (user == admin)]
        answered = statuses(user, "write", world, asked)
        assert (len(answered), set(answered.values())) == (len(asked), {200}), answered


def test_secrets_and_the_log_of_a_stored_backup_are_read_and_its_class_is_ranked_again(
    counts: dict[str, int], eager_tasks: None
) -> None:
    assert checks.sealed().state == "ok"
    assert f"{counts['submissions_auditentry']} entries without a gap" in checks.audit().message
    assignment = Assignment.objects.get(name="Statistics")
    rerank(assignment)
    report = assignment.reports.latest("pk")
    assert (report.state, report.submissions.count() > 0, report.pairs.exists()) == ("done", True, True)
