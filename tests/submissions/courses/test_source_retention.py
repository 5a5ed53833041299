"""Sources that go before the report: what stays, what its pages say, and who was told before."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.operations import maintenance
from moss.sample import sample_zip
from submissions.cases.change import DecisionInput, decide
from submissions.cases.documents import REAL_NAMES
from submissions.cases.read import pair_names
from submissions.courses.retention import apply_source_retention
from submissions.models import Assignment, AuditEntry, Batch, Course, Document, Pair, Report, Source
from submissions.reports.read import report_state
from submissions.uploads.lifecycle import enqueue_rank
from tests.support.api import api_client, send
from tests.support.every_page import World, address_of, addresses
from tests.support.html import get_page, page_of
from tests.support.jobs import work_off
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.django_db


def age(assignment: Assignment, days: int) -> None:
    Report.objects.filter(assignment=assignment).update(finished=timezone.now() - timedelta(days=days))


def let_them_go(assignment: Assignment) -> None:
    """Tell the owner that sources go, and let them go a week later."""
    Course.objects.filter(pk=assignment.course_id).update(keep_sources_days=30)
    age(assignment, days=31)
    apply_source_retention()
    week_ago = timezone.now() - timedelta(days=7, minutes=1)
    Assignment.objects.filter(pk=assignment.pk).update(sources_notice=week_ago)
    apply_source_retention()


def stored_texts() -> list[bytes]:
    return [bytes(data) for data in Source.objects.filter(boilerplate=None).values_list("data", flat=True)]


@pytest.fixture
def confirmed(world: World) -> Pair:
    """Return a pair that Alice has confirmed."""
    names = pair_names(world.assignment, world.pair.left_id, world.pair.right_id)
    decide(world.assignment, names, world.owner, DecisionInput("confirmed", None, "See line 3."))
    return world.pair


@pytest.fixture
def gone(world: World, confirmed: Pair) -> Pair:
    """Return a pair without sources, in a report of which the confirmed pair has some."""
    let_them_go(world.assignment)
    both = (confirmed.left_id, confirmed.right_id)
    return world.report.pairs.exclude(left__in=both).exclude(right__in=both)[0]


@pytest.mark.long
def test_all_sources_go_but_evidence_and_the_report(world: World, gone: Pair, confirmed: Pair) -> None:
    kept = set(confirmed.left.files.values_list("source", flat=True))
    kept |= set(confirmed.right.files.values_list("source", flat=True))
    emptied = set(Source.objects.filter(emptied__isnull=False).values_list("pk", flat=True))
    ranked = world.report.submissions.exclude(pk__in=(confirmed.left_id, confirmed.right_id))
    assert emptied == set(ranked.values_list("files__source", flat=True)) - kept
    assert not Source.objects.filter(pk__in=emptied).exclude(data=b"").exists()
    assert not Source.objects.filter(pk__in=kept, data=b"").exists()
    assert Report.objects.get(pk=world.report.pk).pairs.count() == world.report.pairs.count()
    read = Document.objects.filter(source__in=emptied, state=Document.State.READY)
    assert read.count() > 20
    assert not read.filter(tokens=b"").exists()


@pytest.mark.usefixtures("lasting_day")
def test_the_pages_of_a_pair_and_of_a_submission_say_so_and_evidence_is_shown_whole(
    world: World, gone: Pair, confirmed: Pair, alice_client: Client
) -> None:
    page = get_page(alice_client, reverse("pair", args=[world.assignment.pk, gone.left_id, gone.right_id]))
    assert page.text("main").count("were deleted on") == 2
    assert page.texts(".pane .empty") == ["The sources were deleted."] * 2
    assert f"{timezone.now():%b %Y}" in page.text("main")
    assert not page.has("pre.source")
    assert page.has("#decision-panel form")
    page = get_page(alice_client, reverse("submission", args=[world.assignment.pk, gone.left_id]))
    assert "were deleted on" in page.text("main")
    assert "deleted" in page.text(".files tbody tr")
    ids = [world.assignment.pk, confirmed.left_id, confirmed.right_id]
    page = get_page(alice_client, reverse("pair", args=ids))
    assert len(page.all("pre.source")) >= 2
    assert "were deleted on" not in page.text("main")
    path = f"/assignments/{world.assignment.pk}/pairs/{gone.left_id}/{gone.right_id}"
    answer = send(api_client(world.owner), "get", path)
    assert answer.status_code == 200
    assert {one["left"]["first_line"] for one in answer.json()["passages"]} == {0}


def test_the_summary_says_what_is_not_known_any_more(world: World, alice_client: Client) -> None:
    let_them_go(world.assignment)
    page = get_page(alice_client, address_of(world, "pair"))
    assert "what is written differently is not known any more" in page.text("main")


@pytest.mark.parametrize("formats", rest_is_long(["html", "html pdf"]))
def test_every_page_and_document_opens(formats: str, world: World, gone: Pair, alice_client: Client) -> None:
    for name, url in addresses(world).items():
        assert alice_client.get(url).status_code < 500, name
    export = reverse("export_pair", args=[world.assignment.pk, gone.left_id, gone.right_id])
    asked = {"names": REAL_NAMES, "sources": "on"}
    for place in (export, address_of(world, "exports"), f"{address_of(world, 'export_case')}?threshold=1"):
        for kind in formats.split():
            answer = alice_client.get(place, asked | {"format": kind}, follow=True)
            assert answer.status_code == 200, (place, kind)
    answer = alice_client.get(export, {"format": "html", "names": REAL_NAMES}, follow=True)
    document = page_of(answer)
    assert "were deleted on" in document.text("body")
    digests = {file.source.sha256 for file in gone.left.files.all()}
    assert digests <= set(document.texts(".files td.hash"))


@pytest.mark.usefixtures("lasting_day")
def test_the_owner_is_told_a_week_before_and_the_deletion_is_logged(
    world: World, settings: Settings, mailoutbox: list[object], alice_client: Client
) -> None:
    settings.MAIL = True
    Course.objects.update(keep_sources_days=30)
    age(world.assignment, days=22)
    apply_source_retention()
    assert mailoutbox == []
    age(world.assignment, days=24)
    apply_source_retention()
    apply_source_retention()
    assert len(mailoutbox) == 1
    page = get_page(alice_client, world.assignment.course.get_absolute_url())
    day = timezone.now() + timedelta(days=7)
    assert f"its sources will be deleted on {day.day} {day:%b %Y}" in page.text(".rows")
    assert not Source.objects.exclude(emptied=None).exists()
    let_them_go(world.assignment)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action, entry.assignment, entry.subject) == (
        "retention", "deleted", world.assignment.name, "sources",
    )  # fmt: skip
    apply_source_retention()
    assert AuditEntry.objects.count() == 1, "it is done once for a report"


@pytest.mark.parametrize("reason", ["a hold", "a ranking", "an upload"])
def test_what_is_held_ranked_or_unpacked_just_now_stays(reason: str, world: World) -> None:
    unpacked = None
    if reason == "a hold":
        Assignment.objects.update(hold="An open case.")
    elif reason == "a ranking":
        world.assignment.reports.create()
    else:
        unpacked = world.assignment.batches.create(name="new.zip", state=Batch.State.UNPACKING)
    let_them_go(world.assignment)
    assert not Source.objects.exclude(emptied=None).exists()
    if unpacked:
        unpacked.delete()
        apply_source_retention()
        assert Source.objects.exclude(emptied=None).exists()
    else:
        assert not world.report.submissions.exclude(released=None).exists()


def test_the_same_file_again_is_read_as_any(world: World, gone: Pair, alice: User, hand_in: HandIn) -> None:
    source = gone.left.files.all()[0].source
    name = gone.left.name
    hand_in(loose("fines.zip", sample_zip()))
    source.refresh_from_db()
    assert (source.emptied, len(source.data)) == (None, source.size)
    report = world.assignment.reports.filter(state=Report.State.DONE).latest("pk")
    assert report.submissions.get(name=name).released is None


@pytest.mark.long
def test_a_source_of_another_course_stays_until_that_one_gives_it_up(
    alice: User, bob: User, hand_in: HandIn, assignment: Assignment
) -> None:
    other = Assignment.objects.create(course=Course.objects.create(owner=bob, name="B"), name="B")
    hand_in(loose("class.zip", zipped(CLASS).read()))
    shared = next(iter(CLASS.values())).encode()
    batch = Batch.objects.create(assignment=other, name="b.zip", uploaded_by=bob, state=Batch.State.DONE)
    file = assignment.batches.get().submissions.get(files__source__data=shared).files.get()
    copy = batch.submissions.create(name="Bob’s student")
    copy.files.create(path=file.path, source=file.source, document=file.document)
    let_them_go(assignment)
    file.source.refresh_from_db()
    assert file.source.emptied is None
    batch.delete()
    apply_source_retention()
    file.source.refresh_from_db()
    assert file.source.emptied is not None


@pytest.mark.long
def test_it_is_ranked_and_compared_with_later_years_as_before(world: World, gone: Pair) -> None:
    before = {(pair.left.name, pair.right.name): pair.similarity for pair in world.report.pairs.all()}
    report = enqueue_rank(world.assignment)
    work_off("rank")
    newest = report_state(world.assignment).report
    assert newest
    assert newest.pk == report.pk
    after = {(pair.left.name, pair.right.name): pair.similarity for pair in newest.pairs.all()}
    assert after == before


def test_the_owner_sets_it_on_the_page_of_the_course(report: Report, alice_client: Client) -> None:
    course = report.assignment.course
    place = reverse("rename_course", args=[course.pk])
    alice_client.post(place, {"name": course.name, "keep_sources_days": "30"})
    assert Course.objects.get().keep_sources_days == 30
    assert alice_client.post(place, {"name": course.name, "keep_sources_days": "6"}).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_the_maintenance_process_carries_it_out(report: Report) -> None:
    Course.objects.update(keep_sources_days=30)
    age(report.assignment, days=31)
    long_ago = timezone.now() - timedelta(days=8)
    Assignment.objects.update(sources_notice=long_ago)
    maintenance.maintain_once()
    assert not report.assignment.batches.filter(submissions__released=None).exists()
    assert set(stored_texts()) == {b""}
