"""Wrong input, rows that go meanwhile, and a server that cannot do something get the right page."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import Model
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from submissions.core.database import is_conflict
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, DeletedBatch, Pair, Report, Share, Submission
from submissions.shares import links as shares
from tests.conftest import worker_environment
from tests.support.api import API, api_client, problem_of, secret_of
from tests.support.browser import SignIn, drop
from tests.support.every_page import PAGES, PUBLIC, World, address_of
from tests.support.hostile_class import LIVE, NAMES, SOURCES
from tests.support.html import get_page, page_of
from tests.support.other_sessions import in_other_sessions
from tests.support.paths import ROOT
from tests.support.shares import pair_page

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


def test_no_page_has_anything_hostile_unescaped(alice_client: Client, nasty: World) -> None:
    assert nasty.batch.submissions.count() == len(SOURCES)
    ranked = {pk for pair in nasty.report.pairs.all() for pk in (pair.left_id, pair.right_id)}
    assert len(ranked) == len(SOURCES)
    for name in (*PAGES, *PUBLIC):
        assert_harmless(alice_client, address_of(nasty, name))
    for pair in pairs(nasty):
        for name in ("pair", "submission", "shared_pair"):
            assert_harmless(alice_client, address_of(replace(nasty, pair=pair), name))


REMARKS = {
    "writes backwards": "U+202E",
    "paints a terminal": "U+001B",
    "is in utf-16": "utf-16",
    "is in latin-1": "Not in UTF-8",
    "is not text": "Not in UTF-8",
}


def test_misleading_characters_are_marked_with_a_remark(alice_client: Client, nasty: World) -> None:
    marks = {f"‹{code}›" for code in ("U+202E", "U+2066", "U+001B", "U+0007")}
    literal = {"<script>window.hacked=1</script>", "{{ settings.SECRET_KEY }}{% csrf_token %}"}
    for name, names in (("pairs", "tr.pair a"), ("batch", "ul.names a")):
        page = get_page(alice_client, address_of(nasty, name))
        assert marks <= {*page.texts(f"{names} .unseen")}, name
        assert literal <= {*page.texts(names)}, name
    for source, remark in REMARKS.items():
        pair = next(pair for pair in pairs(nasty) if source in _sources_of(nasty, pair))
        page = get_page(alice_client, address_of(replace(nasty, pair=pair), "pair"))
        assert any(remark in notice for notice in page.texts("header details.odd li")), source
        assert page.has(".source .unseen") or not remark.startswith("U+"), source


@pytest.mark.parametrize("name", ["pairs", "submissions"])
def test_tables_are_files_that_no_browser_takes_for_a_page(alice_client: Client, nasty: World, name: str) -> None:
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


def test_a_pair_asked_for_the_wrong_way_round_is_found_until_its_upload_is_deleted(
    alice_client: Client, report: Report, batch: Batch
) -> None:
    best = report.pairs.all()[0]
    response = alice_client.get(reverse("pair", args=[report.assignment_id, best.right_id, best.left_id]))
    assert response.headers["Location"] == pair_page(best)
    alice_client.post(reverse("delete_batch", args=[batch.pk]))
    response = alice_client.get(batch.get_absolute_url())
    assert response.status_code == 410
    explanation = page_of(response).text("h1 + p")
    assert explanation == "This upload was deleted with everything that came from it."
    assert alice_client.get(pair_page(best)).status_code == 404


def assert_ended(response: HttpResponseBase) -> None:
    assert response.status_code == 410
    assert page_of(response).text("h1") == "This link no longer works"


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLIC)
def test_a_link_that_is_forged_or_ended_gets_its_page(name: str, client: Client, world: World) -> None:
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
    for pair in pairs(nasty):
        page.goto(address_of(replace(nasty, pair=pair), "pair"))
        assert page.evaluate("typeof window.hacked") == "undefined", pair
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), pair
        assert "def spread" in page.locator("[data-side=L]").inner_text()


@pytest.mark.long
def test_a_nasty_name_is_listed_as_text_before_and_after_it_was_sent(assignment: Assignment, sign_in: SignIn) -> None:
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


@contextmanager
def meanwhile(act: Callable[[], object], table: str) -> Iterator[list[str]]:
    """Do something in another session once, after the first query for rows of a table."""
    done: list[str] = []

    def execute(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if sql.startswith(f'SELECT "{table}"."id"') and not done:
            done.append(sql)
            in_other_sessions(act)
        return result

    with connection.execute_wrapper(execute):
        yield done


def ranked(assignment: Assignment) -> Report:
    return Report.objects.create(assignment=assignment, state="done", parameters={"threshold": {"value": 0.5}})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("gone", [Report, Assignment])
@pytest.mark.parametrize("address", ["", "students/", "ignored/"])
def test_a_page_whose_report_goes_is_that_without(
    alice: User, assignment: Assignment, address: str, gone: type[Model]
) -> None:
    ranked(assignment)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    with meanwhile(lambda: gone._default_manager.all().delete(), "submissions_report") as done:
        response = client.get(assignment.get_absolute_url() + address)
    assert done
    assert response.status_code in {200, 302, 404}


@pytest.mark.django_db(transaction=True)
def test_the_api_answers_404_for_what_goes_while_it_is_read(alice: User, assignment: Assignment) -> None:
    report = ranked(assignment)
    client = api_client(alice)
    with meanwhile(lambda: Report.objects.filter(pk=report.pk).delete(), "submissions_report") as done:
        response = client.get(f"{API}/assignments/{assignment.pk}/cases")
    assert done
    assert problem_of(response)["status"] == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by", ["the API", "a page"])
def test_what_is_sent_to_what_goes_meanwhile_is_409(by: str, alice: User, assignment: Assignment) -> None:
    client, address = Client(raise_request_exception=False), reverse("rerank", args=[assignment.pk])
    client.force_login(alice)
    if by == "the API":
        headers = {"Authorization": f"Bearer {secret_of(alice)}"}
        client = Client(headers=headers, raise_request_exception=False)
        address = f"{API}/assignments/{assignment.pk}/report"
    with meanwhile(lambda: Assignment.objects.all().delete(), "submissions_report") as done:
        response = client.post(address)
    assert done
    assert response.status_code == 409
    assert by == "the API" or "at the same moment" in response.content.decode()
    assert not Report.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_deleted_although_a_worker_stores_of_it(alice: User, assignment: Assignment) -> None:
    batch = Batch.objects.create(assignment=assignment, uploaded_by=alice, name="a.zip", state="fingerprinting")

    def store() -> None:
        Submission.objects.create(batch_id=batch.pk, name="late")

    with meanwhile(store, "submissions_submission") as done:
        delete_batch(batch)
    assert done
    assert not Batch.objects.exists()
    assert DeletedBatch.objects.get().batch


@pytest.mark.django_db(transaction=True)
def test_a_mistake_of_the_program_stays_one(alice: User, assignment: Assignment) -> None:
    report = ranked(assignment)
    Report.objects.filter(pk=report.pk).update(parameters={})
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    assert client.get(f"{assignment.get_absolute_url()}").status_code == 500


def test_only_errors_that_others_cause_are_conflicts(alice: User) -> None:
    with pytest.raises(IntegrityError) as raised, transaction.atomic():
        type(alice).objects.filter(pk=alice.pk).update(email=None)
    assert not is_conflict(raised.value)


@pytest.mark.django_db(transaction=True)
def test_a_page_does_not_wait_for_ever_for_what_a_worker_holds(
    batch: Batch, alice_client: Client, other_session: psycopg.Connection
) -> None:
    alice_client.raise_request_exception = False
    connection.cursor().execute("SET lock_timeout = '300ms'")  # as the web server does, see below
    with other_session.transaction():
        query = "SELECT 1 FROM submissions_assignment WHERE id = %s FOR NO KEY UPDATE"
        other_session.execute(query, [batch.assignment_id])
        response = alice_client.post(reverse("delete_batch", args=[batch.pk]))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    page = page_of(response)
    assert page.text("h1") == "Being changed just now"
    assert "Try again in a moment." in page.text()
    assert Batch.objects.filter(pk=batch.pk).exists()
    assert alice_client.post(reverse("delete_batch", args=[batch.pk])).status_code == 302
    assert not Batch.objects.filter(pk=batch.pk).exists()


@pytest.mark.long
def test_only_the_web_server_limits_how_long_it_waits_for_a_lock(db: None) -> None:
    def lock_timeout(started: str) -> str:
        show = "cursor = connection.cursor(); cursor.execute('SHOW lock_timeout'); print(*cursor.fetchone())"
        command = [sys.executable, "-c", f"{started}; from django.db import connection; {show}"]
        output = subprocess.check_output(command, env=worker_environment(), text=True, cwd=ROOT)
        return output.strip()

    assert lock_timeout("import moss.wsgi") == "5s"
    assert lock_timeout("import moss.celery, django; django.setup()") == "0"


def test_no_database_is_no_error_of_ours(alice_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr("submissions.courses.read.listed_courses", away)
    alice_client.raise_request_exception = False
    response = alice_client.get(reverse("courses"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert page_of(response).text("h1") == "The database does not answer"
