"""Whatever was handed in is shown as text, and whatever is asked for wrongly gets the right page."""

import csv
import io
import json
from dataclasses import replace
from urllib.parse import quote

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from submissions.models import Assignment, Batch, Pair, Report, Share
from submissions.shares import links as shares
from tests.support.browser import SignIn, drop
from tests.support.every_page import PAGES, PUBLIC, World, address_of
from tests.support.hostile_class import LIVE, NAMES, SOURCES
from tests.support.html import get_page, page_of

pytestmark = pytest.mark.services


# What names and sources of the class are made of, and no template.
INJECTED = "b, u, i:not([data-there]), [autofocus], img[src=x]"


def assert_harmless(client: Client, page_address: str) -> None:
    """Fail where something that was handed in is an element, a handler or a raw control character."""
    page = get_page(client, page_address)
    assert page.inline_code() == [], page_address
    assert [node.html for node in page.all(INJECTED)] == [], page_address
    assert [live for live in LIVE if live in page.html] == [], page_address


def pairs(world: World) -> list[Pair]:
    """Return the best pair of each submission that has any, each pair once."""
    best = {pk: pair for pair in world.report.pairs.reverse() for pk in (pair.left_id, pair.right_id)}
    return list({pair.pk: pair for pair in best.values()}.values())


def test_every_hostile_submission_is_ranked(nasty: World) -> None:
    assert nasty.batch.submissions.count() == len(SOURCES)
    ranked = {pk for pair in nasty.report.pairs.all() for pk in (pair.left_id, pair.right_id)}
    assert len(ranked) == len(SOURCES)


def test_no_page_has_anything_hostile_unescaped(alice_client: Client, nasty: World) -> None:
    for name in (*PAGES, *PUBLIC):
        assert_harmless(alice_client, address_of(nasty, name))


def test_no_pair_and_no_submission_has_anything_hostile_unescaped(alice_client: Client, nasty: World) -> None:
    for pair in pairs(nasty):
        here = replace(nasty, pair=pair)
        for name in ("pair", "submission", "shared_pair"):
            assert_harmless(alice_client, address_of(here, name))


def test_misleading_characters_are_marked_in_names(alice_client: Client, nasty: World) -> None:
    marks = {f"‹{code}›" for code in ("U+202E", "U+2066", "U+001B", "U+0007")}
    literal = {"<script>window.hacked=1</script>", "{{ settings.SECRET_KEY }}{% csrf_token %}"}
    for name, names in (("pairs", "tr.pair a"), ("batch", "ul.names a")):
        page = get_page(alice_client, address_of(nasty, name))
        assert marks <= {*page.texts(f"{names} .unseen")}, name
        assert literal <= {*page.texts(names)}, name


def test_misleading_characters_are_marked_in_the_source(alice_client: Client, nasty: World) -> None:
    for pair in pairs(nasty):
        if {"writes backwards", "paints a terminal"} & _sources_of(nasty, pair):
            assert get_page(alice_client, address_of(replace(nasty, pair=pair), "pair")).has(
                ".source .unseen"
            )


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "remark"),
    [
        ("writes backwards", "U+202E"),
        ("paints a terminal", "U+001B"),
        ("is in utf-16", "utf-16"),
        ("is in latin-1", "Not in UTF-8"),
        ("is not text", "Not in UTF-8"),
    ],
)
def test_remarks_on_an_odd_file_stand_in_its_header(
    alice_client: Client, nasty: World, source: str, remark: str
) -> None:
    pair = next(pair for pair in pairs(nasty) if source in _sources_of(nasty, pair))
    page = get_page(alice_client, address_of(replace(nasty, pair=pair), "pair"))
    assert any(remark in notice for notice in page.texts("header details.odd li"))


@pytest.mark.parametrize("name", ["pairs", "submissions"])
def test_tables_are_files_that_no_browser_takes_for_a_page(
    alice_client: Client, nasty: World, name: str
) -> None:
    for suffix in ("csv", "json"):
        response = alice_client.get(reverse("table", args=[nasty.assignment.pk, name, suffix]))
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "html" not in response.headers["Content-Type"]
        text = response.getvalue().decode()
        assert list(csv.DictReader(io.StringIO(text))) if suffix == "csv" else json.loads(text)


def _sources_of(nasty: World, pair: Pair) -> set[str]:
    names = dict(zip(NAMES, SOURCES, strict=True))
    return {names[pair.left.name], names[pair.right.name]}


# Wrong addresses


def test_what_is_not_there_is_not_found_and_shows_no_trace(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    best = report.pairs.all()[0]
    unknown = (
        reverse("pair", args=[assignment.pk, best.left_id, best.left_id]),
        reverse("pair", args=[assignment.pk, best.left_id, 999_999]),
        reverse("pair", args=[assignment.pk, 2**63, best.right_id]),
        reverse("pair", args=[999_999, best.left_id, best.right_id]),
        reverse("submission", args=[assignment.pk, 999_999]),
        reverse("batch", args=[2**70]),
        reverse("course", args=[10**30]),
        "/assignments/-1/",
        "/assignments/1e3/",
        "/nothing/here/",
        "/assignments/%00/",
        "/static/../moss/settings.py",
    )
    for unknown_address in unknown:
        response = alice_client.get(unknown_address)
        assert response.status_code == 404, unknown_address
        page = page_of(response)
        assert page.text("h1") in {"No such page", "Not in the current report"}, unknown_address
        assert "Traceback" not in page.html
        assert "urlpatterns" not in page.html


def test_a_pair_asked_for_the_wrong_way_round_is_found(alice_client: Client, report: Report) -> None:
    best = report.pairs.all()[0]
    response = alice_client.get(reverse("pair", args=[report.assignment_id, best.right_id, best.left_id]))
    assert response.headers["Location"] == reverse(
        "pair", args=[report.assignment_id, best.left_id, best.right_id]
    )


@pytest.mark.long
def test_a_deleted_upload_is_gone_and_so_are_its_pairs(
    alice_client: Client, report: Report, batch: Batch
) -> None:
    best = report.pairs.all()[0]
    pair = reverse("pair", args=[report.assignment_id, best.left_id, best.right_id])
    alice_client.post(reverse("delete_batch", args=[batch.pk]))
    response = alice_client.get(batch.get_absolute_url())
    assert response.status_code == 410
    explanation = page_of(response).text("h1 + p")
    assert explanation == "This upload was deleted with everything that came from it."
    assert alice_client.get(pair).status_code == 404


def assert_ended(response: HttpResponseBase) -> None:
    assert response.status_code == 410
    assert page_of(response).text("h1") == "This link no longer works"


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLIC)
def test_a_link_that_is_forged_expired_or_revoked_gets_its_page(
    name: str, client: Client, world: World
) -> None:
    whole = address_of(world, name)
    token = shares.share_token(world.share)
    for forged in (token[:-1], f"1{token}", f"{token}x", ":", "1", "\u00e9\u202e"):
        response = client.get(whole.replace(quote(token), quote(forged)))
        assert response.status_code == 403, forged
        assert page_of(response).text("h1") == "This link is not valid"
    assert client.get(whole).status_code == 200
    for ended in ({"expires": timezone.now()}, {"revoked": timezone.now()}):
        Share.objects.update(**ended)
        assert_ended(client.get(whole))
    Share.objects.all().delete()
    assert_ended(client.get(whole))


# In a browser


@pytest.mark.long
def test_no_browser_runs_what_was_handed_in(nasty: World, sign_in: SignIn) -> None:
    page = sign_in(nasty.owner)
    page.on("dialog", lambda dialog: pytest.fail(f"{page.url} says {dialog.message}"))
    for name in (*PAGES, *PUBLIC):
        page.goto(address_of(nasty, name))
        assert page.evaluate("typeof window.hacked") == "undefined", name


@pytest.mark.long
def test_a_nasty_name_is_listed_as_text_before_and_after_it_was_sent(
    assignment: Assignment, sign_in: SignIn
) -> None:
    page = sign_in(assignment.course.owner)
    page.goto(assignment.get_absolute_url())
    # Django drops from an upload's name what cannot be printed.
    for name, heading in (("<img src=x onerror=window.hacked=1>.zip",) * 2, ("\u202egpj.piz", "gpj.piz")):
        drop(page.locator("[data-drop]").first, name, b"no archive")
        expect(page.locator("[data-chosen]").first).to_contain_text(name)
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        assert page.evaluate("typeof window.hacked") == "undefined"
        page.goto(assignment.get_absolute_url())


@pytest.mark.long
def test_every_nasty_source_can_be_read_beside_another(nasty: World, sign_in: SignIn) -> None:
    page = sign_in(nasty.owner)
    for pair in pairs(nasty):
        page.goto(address_of(replace(nasty, pair=pair), "pair"))
        assert page.evaluate("typeof window.hacked") == "undefined", pair
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), pair
        assert "def spread" in page.locator("[data-side=L]").inner_text()
