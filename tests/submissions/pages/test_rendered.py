"""Rendered parts of pages are kept, and nobody sees a part that is not theirs or not true any more."""

import threading
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from submissions.courses.retention import delete_assignment, delete_batch
from submissions.models import Batch, Pair, Report
from submissions.pages import rendered
from submissions.pages.rendered import MAX_IDLE_SECONDS, RENDERED, RenderedParts
from submissions.shares.links import revoke_share, share_token
from tests.support.every_page import PAGES, PUBLIC, World, address_of
from tests.support.html import Page, get_page, page_of
from tests.support.shares import (
    best,
    decided_on,
    link_to,
    pair_page,
    shared_pair,
    shared_pairs,
    shared_report,
)
from tests.support.tabs import tab
from tests.support.uploads import Committing

HTMX = {"HX-Request": "true", "HX-Target": "findings"}


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    RENDERED.clear()


def report_page(client: Client, report: Report, **query: str) -> Page:
    return page_of(client.get(tab(report.assignment, "pairs"), query, follow=True))


def queries_for(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def decide(client: Client, pair: Pair, state: str) -> None:
    address = reverse("decide", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    sent = {"state": state, "seen": "0", "notes": "", "decided_on": decided_on(pair)}
    assert client.post(address, sent).status_code == 302


def hide_names(client: Client) -> None:
    client.post(reverse("switch_names"), {"names": "made-up"})


def test_a_page_that_was_rendered_takes_few_queries(
    alice_client: Client, colleague_client: Client, report: Report
) -> None:
    pair = best(report)
    submission = reverse("submission", args=[report.assignment_id, pair.left_id])
    for address, queries in (
        # The findings and what was suspected by hand are not kept.
        (report.assignment.get_absolute_url(), 13),
        # Seven of each are those of the audit log.
        (pair_page(pair), 22),
        (submission, 16),
    ):
        queries_for(alice_client, address)
        assert queries_for(alice_client, address) <= queries
        assert queries_for(colleague_client, address) <= queries + 1  # the membership


def test_a_decision_of_one_person_is_seen_by_others_at_the_next_request(
    alice_client: Client, colleague_client: Client, report: Report
) -> None:
    pair, filtered = best(report), {"q": "a"}
    submission = reverse("submission", args=[report.assignment_id, pair.left_id])
    address = tab(report.assignment, "pairs")
    for client in (alice_client, colleague_client):
        assert "suspicious" not in report_page(client, report).texts("td.decision")
        assert "Suspicious" not in get_page(client, submission).texts("td.verdict")
        client.get(address, filtered, headers=HTMX)
    decide(alice_client, pair, "suspicious")
    assert "suspicious" in report_page(colleague_client, report).texts("td.decision")
    assert "Suspicious" in get_page(colleague_client, submission).texts("td.verdict")
    assert "suspicious" in page_of(colleague_client.get(address, filtered, headers=HTMX)).texts("td.decision")


def test_a_decision_has_no_other_pair_and_no_other_submission_rendered_again(
    alice_client: Client, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, other = report.pairs.order_by("-similarity")[:2]
    stranger = report.submissions.exclude(pk__in=(other.left_id, other.right_id)).get()
    addresses = [pair_page(pair), reverse("submission", args=[report.assignment_id, stranger.pk])]
    for address in addresses:
        get_page(alice_client, address)
    decide(alice_client, other, "suspicious")
    for feature in ("pairs", "reports"):
        monkeypatch.setattr(f"submissions.{feature}.views._rendered", pytest.fail)
    for address in addresses:
        get_page(alice_client, address)


@pytest.mark.long
def test_who_hides_names_sees_none_and_who_does_not_sees_them(
    alice_client: Client, colleague_client: Client, report: Report
) -> None:
    pair = best(report)
    hide_names(colleague_client)
    for _ in range(2):
        for page in (report_page(alice_client, report), get_page(alice_client, pair_page(pair))):
            assert "ada" in page.text("main")
        hidden = (
            report_page(colleague_client, report),
            page_of(colleague_client.get(pair_page(pair), follow=True)),
        )
        for page in hidden:
            assert " ada " not in f" {page.text('main')} "
            assert " ben " not in f" {page.text('main')} "


def test_a_share_link_and_a_stranger_see_nothing_that_the_owner_has_opened(
    alice_client: Client, charlie_client: Client, client: Client, report: Report, alice: User
) -> None:
    pair = best(report)
    decide(alice_client, pair, "confirmed")
    with_names = shared_report(report, alice)
    without = shared_report(report, alice, anonymous=True)
    for _ in range(2):
        assert "confirmed" in report_page(alice_client, report).texts("td.decision")
        named, hidden = (get_page(client, shared_pairs(share)) for share in (with_names, without))
        assert not named.has("td.decision")
        assert "ada" in named.text("main")
        assert " ada " not in f" {hidden.text('main')} "
        for page, share in ((named, with_names), (hidden, without)):
            links = [link for link in page.values(".pairs a", "href") if "/pairs/" in link]
            assert links
            assert all(share_token(share) in link for link in links)
    share = shared_pair(pair, alice)
    assert get_page(alice_client, pair_page(pair)).has("button[name=passage]")
    assert not get_page(client, link_to(share)).has("button[name=passage]")
    revoke_share(share)
    assert client.get(link_to(share)).status_code == 410
    for address in (report.assignment.get_absolute_url(), pair_page(pair)):
        assert charlie_client.get(address).status_code == 404


@pytest.mark.long
def test_what_was_deleted_is_gone_next(alice_client: Client, report: Report, committing: Committing) -> None:
    pair = best(report)
    addresses = (pair_page(pair), reverse("submission", args=[report.assignment_id, pair.left_id]))
    overview = report.assignment.get_absolute_url()
    for address in (*addresses, report.assignment.get_absolute_url()):
        assert alice_client.get(address).status_code == 200
    with committing(execute=True):
        delete_batch(Batch.objects.get(assignment=report.assignment))
    assert [alice_client.get(address).status_code for address in addresses] == [404, 404]
    assert " ada " not in f" {report_page(alice_client, report).text('main')} "
    with committing(execute=True):
        delete_assignment(report.assignment)
    assert alice_client.get(overview).status_code == 404


def test_settings_uploads_and_queries_show_at_once(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    everything = report_page(alice_client, report).texts("tr.pair th")
    assert everything
    assert report_page(alice_client, report, q="nobody").texts("tr.pair th") == []
    assert report_page(alice_client, report).texts("tr.pair th") == everything
    assert not report_page(alice_client, report).has(".flag.team")
    assignment.teams = "ada, ben"
    assignment.save()
    assert report_page(alice_client, report).has(".flag.team")
    page = reverse("submission", args=[report.assignment_id, best(report).left_id])
    assert not get_page(alice_client, page).has("p.notice")
    assignment.name = "Renamed"
    assignment.save()
    assert "Renamed" in get_page(alice_client, page).text(".crumbs")
    batch = Batch.objects.create(assignment=assignment, name="later.zip", state=Batch.State.DONE)
    batch.submissions.create(name=best(report).left.name)
    assert "A later upload has replaced" in get_page(alice_client, page).text("p.notice")


def test_what_is_kept_has_no_user_and_no_token_of_a_form(
    alice_client: Client, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    render = rendered.render_part

    def keeping(template: str, context: dict[str, object]) -> str:
        kept.append(render(template, context))
        return kept[-1]

    for module in ("reports.page", "pairs.views", "reports.views"):
        monkeypatch.setattr(f"submissions.{module}.render_part", keeping)
    pair = best(report)
    submission = reverse("submission", args=[report.assignment_id, pair.left_id])
    for address in (report.assignment.get_absolute_url(), pair_page(pair), submission):
        assert "alice" in get_page(alice_client, address).text(".account")
    assert len(kept) > 3
    assert not any("csrfmiddlewaretoken" in html or 'class="who"' in html for html in kept)


def test_parts_beyond_the_limit_are_dropped_those_used_longest_ago_first() -> None:
    parts, calls = RenderedParts(max_bytes=10), list[str]()

    def get(key: str) -> None:
        def render() -> dict[str, str]:
            calls.append(key)
            return {"html": "xxxxx"}

        parts.get(key, render)

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert calls == ["a", "b", "c", "b"]
    assert parts.size == 10


def test_parts_that_are_too_large_idle_or_too_many_are_not_kept() -> None:
    parts = RenderedParts(max_bytes=3)
    assert parts.get("a", lambda: {"html": "äöü"}) == {"html": "äöü"}
    assert parts.size == 0
    now = [0.0]
    parts = RenderedParts(clock=lambda: now[0])
    parts.get("old", lambda: {"html": "xxxxx"})
    now[0] = MAX_IDLE_SECONDS + 1
    parts.get("new", lambda: {"html": "x"})
    assert parts.size == 1
    for _ in range(2):
        with pytest.raises(LookupError):
            parts.get("a", Mock(side_effect=LookupError))
    assert parts.get("a", lambda: {"html": "x"}) == {"html": "x"}
    parts = RenderedParts(max_parts=40)
    for number in range(100):
        parts.get(number, lambda: {"html": ""}, str(number))
    assert len(parts._entries) == len(parts._numbers) == 40


def test_threads_that_need_the_same_part_wait_for_one_that_renders_it() -> None:
    parts, calls, started = RenderedParts(), list[int](), threading.Event()

    def render() -> dict[str, str]:
        calls.append(1)
        started.wait(60)
        return {"html": "x"}

    results = list[dict[str, str]]()
    threads = [threading.Thread(target=lambda: results.append({**parts.get("a", render)})) for _ in range(5)]
    for thread in threads:
        thread.start()
    started.set()
    for thread in threads:
        thread.join(60)
    assert results == [{"html": "x"}] * 5
    assert len(calls) == 1


def test_a_reader_who_asks_for_many_pages_drops_own_parts_only() -> None:
    parts = RenderedParts(max_bytes=1000, max_parts=40)
    for number in range(5):
        parts.get(f"of all {number}", lambda: {"html": "x" * 100})
    for size in (1, 100):
        for number in range(100):
            parts.get((size, number), lambda size=size: {"html": "x" * size}, "1-secret")  # type: ignore[misc]
    assert [key for key in parts._entries if str(key).startswith("of all")] == [
        f"of all {number}" for number in range(5)
    ]
    assert parts.size == 700
    parts.clear()
    assert (parts.size, parts._sizes, parts._numbers) == (0, {}, {})


def test_what_an_address_can_vary_is_kept_within_the_share_of_its_reader_on_every_page(
    world: World, alice_client: Client, client: Client
) -> None:
    for name in (*PAGES, *PUBLIC):
        address, reader = address_of(world, name), client if name in PUBLIC else alice_client
        reader.get(address)
        kept = {*RENDERED._entries}
        for query in (
            "x=1",
            "x=1,2",
            "page=one&left=1",
            "page=-1",
            "threshold=101",
            "threshold=&q=",
            "sort=x&flag=y",
        ):
            reader.get(f"{address}?{query}")
        assert {*RENDERED._entries} == kept, name
        for query in ("page=7", "q=zz", "threshold=33", "left=1-2", "files=3", "passage=4", "skipped=2"):
            reader.get(f"{address}?{query}")
        assert all(RENDERED._entries[key].reader for key in {*RENDERED._entries} - kept), name
