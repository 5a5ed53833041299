"""The pages that each user may open."""

from http import HTTPStatus

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import permission_denied

from submissions.models import Assignment, Batch, Course, Report
from tests.support import every_page as world
from tests.support.every_page import World, addresses as all_addresses
from tests.support.html import get_page, page_of
from tests.support.sample_class import STARTER, loose

pytestmark = pytest.mark.services


STAFF_READS = {*world.STAFF_PAGES, *world.STAFF_FRAGMENTS, *world.STAFF_OBJECTS}
READS = {*world.PAGES, *world.FRAGMENTS, *world.FILES, *world.REDIRECTS, *STAFF_READS, *world.STAFF_FILES}
# What only staff may do.
STAFF = {*STAFF_READS, *world.STAFF_FILES} | {"retry_batch", "retry_report", "state_reason"}
# What belongs to somebody.
TAKE_FILES = {"upload", "add_boilerplate", "add_statement"}
OWNED = world.patterns().keys() - {
    *world.PUBLIC,
    *world.ACCOUNT_PAGES,
    *world.INVITATIONS,
    "courses",
    "compare",
    "switch_names",
    "switch_theme",
    "switch_language",
    "choose_mail",
    "dismiss_hint",
}
WRITES = OWNED - READS
LOADED = {
    "src",
    "srcset",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "data",
    "poster",
    "hx-get",
    "hx-post",
}


@pytest.fixture
def addresses(world: World) -> dict[str, str]:
    """Every address of the app, of things that are Alice's."""
    return all_addresses(world)


def test_another_instructors_addresses_are_not_found(
    addresses: dict[str, str], charlie_client: Client
) -> None:
    for name in sorted(OWNED):
        get_status, post_status = (
            send(addresses[name]).status_code for send in (charlie_client.get, charlie_client.post)
        )
        assert (get_status if name in READS else post_status) == HTTPStatus.NOT_FOUND, name
        assert {get_status, post_status} <= {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}, name


def test_what_only_staff_may_do_is_not_found_for_an_instructor(
    addresses: dict[str, str], alice_client: Client
) -> None:
    for name in sorted(STAFF):
        for send in (alice_client.get, alice_client.post):
            assert send(addresses[name]).status_code == HTTPStatus.NOT_FOUND, name


def test_a_stranger_is_asked_to_sign_in(addresses: dict[str, str], client: Client) -> None:
    for name in sorted(OWNED):
        for send in (client.get, client.post):
            assert send(addresses[name]).headers["Location"] == f"{reverse('login')}?next={addresses[name]}"


@pytest.mark.long
def test_no_address_that_writes_answers_a_get(addresses: dict[str, str], alice_client: Client) -> None:
    before = (Batch.objects.count(), Report.objects.count(), Course.objects.count())
    for address in addresses.values():
        alice_client.get(address)
    assert (Batch.objects.count(), Report.objects.count(), Course.objects.count()) == before


def test_no_form_is_taken_without_its_token(addresses: dict[str, str], alice: User) -> None:
    from django.test import Client  # noqa: PLC0415 - the type above is the fixture's

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for name in (*sorted(WRITES - STAFF), "assignment_settings", "course"):
        files = {"files": loose("a.py", STARTER)} if name in TAKE_FILES else {}
        response = strict.post(addresses[name], {"name": "x", **files})
        assert response.status_code == 403, name
        assert page_of(response).text("h1") == "This form has expired"


def test_every_page_keeps_to_the_security_policy(
    addresses: dict[str, str], alice_client: Client, admin_client: Client
) -> None:
    for name in (*world.PAGES, *world.ACCOUNT_PAGES, *world.FRAGMENTS, *world.PUBLIC, *sorted(STAFF_READS)):
        page = get_page(admin_client if name in STAFF else alice_client, addresses[name])
        assert page.inline_code() == [], name
        loaded = [value for attribute, value in page.attributes() if attribute in LOADED]
        assert [value for value in loaded if value.startswith(("//", "http:", "https:"))] == [], name


def test_an_unknown_address_has_a_friendly_page(alice_client: Client, client: Client) -> None:
    for visitor in (alice_client, client):
        response = visitor.get("/nowhere/")
        assert response.status_code == 404
        assert page_of(response).text("h1") == "No such page"


def test_an_error_shows_a_page_without_a_traceback(
    alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("submissions.courses.views.listed_courses", fail)
    alice_client.raise_request_exception = False
    response = alice_client.get(reverse("courses"))
    assert response.status_code == 500
    page = page_of(response)
    assert page.text("h1") == "Something broke on our side"
    assert "secret detail" not in page.html


def test_a_forbidden_page_is_friendly(alice: User) -> None:
    request = RequestFactory().get("/")
    request.user = alice
    assert page_of(permission_denied(request, PermissionError())).text("h1") == "Not allowed"


def test_the_admin_lists_work_and_dumps_no_source(report: Report, admin_client: Client) -> None:
    assert report.pk
    for model in (
        "course",
        "assignment",
        "source",
        "document",
        "report",
        "statedreason",
    ):
        response = admin_client.get(reverse(f"admin:submissions_{model}_changelist"))
        assert response.status_code == 200, model
    source = report.submissions.get(name="ada").files.get().source
    assert b"def spread" in bytes(source.data)
    page = get_page(admin_client, reverse("admin:submissions_source_change", args=[source.pk]))
    assert page.texts(".form-row .readonly") == [source.sha256, str(source.size)]
    assert "def spread" not in page.html


def test_the_admin_cannot_add_or_delete_what_workers_created(report: Report, admin_client: Client) -> None:
    for model in ("source", "document", "report", "statedreason"):
        assert admin_client.get(reverse(f"admin:submissions_{model}_add")).status_code == 403
    delete = reverse("admin:submissions_report_delete", args=[report.pk])
    assert admin_client.post(delete).status_code == 403


def test_the_admin_has_no_table_that_names_students(admin_client: Client) -> None:
    listed = get_page(admin_client, reverse("admin:index")).links()
    for model in ("batch", "submission", "entry", "pair", "decision"):
        assert not [link for link in listed if f"/submissions/{model}/" in link], model


def test_signing_in_leads_to_the_courses(client: Client, assignment: Assignment) -> None:
    credentials = {"username": "alice", "password": "correct horse battery staple"}
    response = client.post(reverse("login"), credentials)
    assert response.headers["Location"] == reverse("courses")
    assert get_page(client, reverse("courses")).texts("a.name") == [assignment.course.name]


def test_a_wrong_password_is_reported(client: Client, alice: User) -> None:
    response = client.post(reverse("login"), {"username": "alice", "password": "guess"})
    error = page_of(response).text(".error[role=alert]")
    assert error.startswith("Please enter a correct username and password")
