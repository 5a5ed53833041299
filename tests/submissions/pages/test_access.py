"""Who gets which page."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
from django.test import RequestFactory
from django.urls import reverse
from django.views.defaults import permission_denied

from submissions.models import Batch, Course, Report
from tests.support import every_page as world
from tests.support.every_page import addresses as all_addresses
from tests.support.sample_class import STARTER, loose

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.every_page import World


READS = {*world.PAGES, *world.FRAGMENTS, *world.FILES, *world.REDIRECTS}
# What belongs to somebody.
OWNED = world.patterns().keys() - {*world.PUBLIC, "courses", "switch_names"}
WRITES = OWNED - READS

# Figures for a chart are data, which no browser runs.
INLINE = r"<script(?![^>]*\b(?:src=|type=\"application/json\"))|<style|\sstyle=|\son\w+=|javascript:"


@pytest.fixture
def addresses(world: World) -> dict[str, str]:
    """Every address of the app, of things that are Alice's."""
    return all_addresses(world)


def test_another_instructors_addresses_are_not_found(
    addresses: dict[str, str], charlie_client: Client
) -> None:
    for name in sorted(OWNED):
        got, posted = (
            send(addresses[name]).status_code for send in (charlie_client.get, charlie_client.post)
        )
        assert (got if name in READS else posted) == HTTPStatus.NOT_FOUND, name
        assert {got, posted} <= {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}, name


def test_a_stranger_is_asked_to_sign_in(addresses: dict[str, str], client: Client) -> None:
    for name in sorted(OWNED):
        for send in (client.get, client.post):
            assert send(addresses[name]).headers["Location"] == f"{reverse('login')}?next={addresses[name]}"


def test_staff_may_open_everybodys_pages(addresses: dict[str, str], admin_client: Client) -> None:
    for name in sorted(READS):
        status = admin_client.get(addresses[name]).status_code
        assert status == (HTTPStatus.FOUND if name in world.REDIRECTS else HTTPStatus.OK), name


def test_no_address_that_writes_answers_a_get(addresses: dict[str, str], alice_client: Client) -> None:
    before = (Batch.objects.count(), Report.objects.count(), Course.objects.count())
    for address in addresses.values():
        alice_client.get(address)
    assert (Batch.objects.count(), Report.objects.count(), Course.objects.count()) == before


def test_no_form_is_taken_without_its_token(addresses: dict[str, str], alice: User) -> None:
    from django.test import Client  # noqa: PLC0415 - the type above is the fixture's

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for name in (*sorted(WRITES), "assignment_settings", "course"):
        answer = strict.post(addresses[name], {"name": "x", "files": loose("a.py", STARTER)})
        assert answer.status_code == 403, name
        assert b"This form has expired" in answer.content


def test_every_page_keeps_to_the_security_policy(addresses: dict[str, str], alice_client: Client) -> None:
    for name in (*world.PAGES, *world.FRAGMENTS, *world.PUBLIC):
        page = alice_client.get(addresses[name]).content.decode()
        assert not re.search(INLINE, page), name
        assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", page), name


def test_pages_that_are_not_there_say_so_kindly(alice_client: Client, client: Client) -> None:
    for visitor in (alice_client, client):
        answer = visitor.get("/nowhere/")
        assert answer.status_code == 404
        assert b"No such page" in answer.content


def test_a_failure_shows_a_page_and_no_trace(alice_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("submissions.queries.listed_courses", fail)
    alice_client.raise_request_exception = False
    answer = alice_client.get(reverse("courses"))
    assert answer.status_code == 500
    assert b"Something broke on our side" in answer.content
    assert b"secret detail" not in answer.content


def test_a_forbidden_page_is_friendly(alice: User) -> None:
    request = RequestFactory().get("/")
    request.user = alice
    answer = permission_denied(request, PermissionError())
    assert b"Not allowed" in answer.content


def test_the_admin_lists_everything_and_dumps_no_source(report: Report, admin_client: Client) -> None:
    assert report.pk
    for model in (
        "course",
        "assignment",
        "batch",
        "submission",
        "entry",
        "source",
        "document",
        "report",
        "pair",
    ):
        page = admin_client.get(reverse(f"admin:submissions_{model}_changelist"))
        assert page.status_code == 200, model
    source = report.submissions.all()[0].files.all()[0].source
    page = admin_client.get(reverse("admin:submissions_source_change", args=[source.pk]))
    assert source.sha256.encode() in page.content
    assert b"def spread" not in page.content


def test_the_admin_cannot_forge_or_drop_what_workers_made(report: Report, admin_client: Client) -> None:
    for model in ("batch", "submission", "entry", "source", "document", "report", "pair"):
        assert admin_client.get(reverse(f"admin:submissions_{model}_add")).status_code == 403
    pair = report.pairs.all()[0]
    assert admin_client.post(reverse("admin:submissions_pair_delete", args=[pair.pk])).status_code == 403


def test_signing_in_leads_to_the_courses(client: Client, assignment: Assignment) -> None:
    answer = client.post(reverse("login"), {"username": "alice", "password": "correct horse battery staple"})
    assert answer.headers["Location"] == reverse("courses")
    assert assignment.course.name in client.get(reverse("courses")).content.decode()


def test_a_wrong_password_is_told(client: Client, alice: User) -> None:
    answer = client.post(reverse("login"), {"username": "alice", "password": "guess"})
    assert b"Please enter a correct username and password" in answer.content


def test_no_cache_on_the_way_keeps_what_alice_sees(world: World, alice_client: Client) -> None:
    for name, place in all_addresses(world).items():
        assert "private" in alice_client.get(place).headers["Cache-Control"], name
