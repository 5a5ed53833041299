"""The progress of a ranking in shards names the workers that refuse it: those of another version."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Batch, Job, RankingPlan, RankingShard, Report
from submissions.work import jobs
from submissions.work.heartbeats import Worker, delete_worker, package_version, save_worker
from submissions.work.kinds import HEAVY, INTERACTIVE
from submissions.work.running import SENDING, restart_lost
from tests.support.api import api_client, send
from tests.support.html import get_page

OLD = "The worker old@host (0.0.1) does not take part: the ranking was begun by version"
VERSION = package_version()


@pytest.fixture(autouse=True)
def _no_workers_but_those_of_the_test(settings: Settings) -> Iterator[None]:
    cache = settings.CACHES["default"]
    settings.CACHES = {"default": cache | {"KEY_PREFIX": f"{cache['KEY_PREFIX']}versions-"}}
    yield
    for worker in ("old", "other", "new"):
        delete_worker(f"{worker}@host")


def add_worker(name: str, version: str, queue: str = HEAVY) -> None:
    save_worker(Worker(f"{name}@host", 1, [queue], 1, version, name, timezone.now().isoformat()))


def rank(assignment: Assignment, version: str) -> None:
    """Store a ranking that a version has cut into shards."""
    report = Report.objects.create(assignment=assignment, state=Report.State.RUNNING)
    RankingPlan.objects.create(
        report=report, selection={}, digest=b"", version=version, submissions=2, pairs=1
    ).shards.create(number=0, pairs=1, sides=b"")


def notes(client: Client, assignment: Assignment) -> list[str]:
    return get_page(client, reverse("activity", args=[assignment.pk])).texts(".notice.busy .hint")


def test_workers_of_other_versions_are_named(assignment: Assignment, alice_client: Client) -> None:
    report = Report.objects.create(assignment=assignment, state=Report.State.RUNNING)
    add_worker("old", "0.0.1")
    assert notes(alice_client, assignment) == []  # Without shards, any worker does it.
    report.delete()
    delete_worker("old@host")
    rank(assignment, VERSION)
    add_worker("new", VERSION)
    assert notes(alice_client, assignment) == []
    address = get_page(alice_client, assignment.get_absolute_url()).values(".now[hx-get]", "hx-get")[0]
    assert alice_client.get(address).status_code == 204
    add_worker("old", "0.0.1")
    assert alice_client.get(address).status_code == 200
    advice = f"Restart this worker with version {VERSION}."
    assert notes(alice_client, assignment) == [f"{OLD} {VERSION}. {advice}"]
    add_worker("new", VERSION, INTERACTIVE)  # It takes no shards.
    assert notes(alice_client, assignment) == [f"{OLD} {VERSION}. No other worker is there. {advice}"]
    add_worker("other", "0.0.2")
    [note] = notes(alice_client, assignment)
    assert note.startswith("The workers old@host (0.0.1), other@host (0.0.2) do not take part:")
    assert note.endswith(f"Restart these workers with version {VERSION}.")


def test_a_ranking_that_an_older_version_began_begins_again_where_no_such_worker_is_left(
    assignment: Assignment, alice_client: Client
) -> None:
    rank(assignment, "0.0.1")
    add_worker("new", VERSION)
    refusal = f"The worker new@host ({VERSION}) does not take part: the ranking was begun by version 0.0.1."
    advice = "No other worker is there. The ranking will begin again by itself."
    assert notes(alice_client, assignment) == [f"{refusal} {advice}"]
    add_worker("old", "0.0.1")
    assert notes(alice_client, assignment) == [refusal]


def test_only_a_ranking_without_any_worker_begins_again(assignment: Assignment, empty_queues: None) -> None:
    rank(assignment, "0.0.1")
    jobs.enqueue("score_shard", RankingShard.objects.get().pk, assignment.pk, queue=HEAVY)
    Job.objects.update(version="0.0.1", touched=timezone.now() - 2 * SENDING)
    restart_lost("score_shard")
    assert RankingPlan.objects.exists()  # Nobody could begin again.
    add_worker("old", "0.0.1")
    add_worker("new", VERSION)
    restart_lost("score_shard")
    assert RankingPlan.objects.exists()
    delete_worker("old@host")
    restart_lost("score_shard")
    assert not RankingPlan.objects.exists()


def test_the_page_of_an_upload_and_the_api_say_it_too(assignment: Assignment, alice_client: Client) -> None:
    rank(assignment, VERSION)
    add_worker("old", "0.0.1")
    batch = Batch.objects.create(assignment=assignment, name="class.zip", state=Batch.State.RANKING)
    page = get_page(alice_client, reverse("batch_progress", args=[batch.pk]))
    assert page.text(".hint").startswith(f"{OLD} {VERSION}.")
    client = api_client(assignment.course.owner, "read")
    for path in (f"/assignments/{assignment.pk}/report", f"/uploads/{batch.pk}"):
        note = send(client, "get", path).json()["ranking"]["note"]
        assert note.startswith(f"{OLD} {VERSION}."), path
