"""The pages that each user may open and reach, and the names that they may not show."""

import io
import itertools
import re
from collections.abc import Iterable
from datetime import timedelta
from http import HTTPStatus
from typing import cast
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import Resolver404, resolve, reverse
from django.views.defaults import permission_denied
from pypdf import PdfReader

from moss.sample import SAMPLE
from submissions.core.accounts import create_token, service_account
from submissions.core.models import Refusal
from submissions.models import (
    ApiToken,
    Assignment,
    AuditEntry,
    Batch,
    Course,
    Erasure,
    Membership,
    Pair,
    Report,
)
from tests.support import every_page as world
from tests.support.every_page import (
    ACCOUNT_PAGES,
    FILES,
    FRAGMENTS,
    PAGES,
    PUBLIC,
    STAFF_OBJECTS,
    STAFF_PAGES,
    World,
    address_of,
    addresses as all_addresses,
    fetch_of,
    webhook_of,
)
from tests.support.html import get_page, page_of
from tests.support.sample_class import STARTER, loose, zipped
from tests.support.shares import decided_on
from tests.support.uploads import HandIn, register_boilerplate

STAFF_READS = {*world.STAFF_PAGES, *world.STAFF_FRAGMENTS, *world.STAFF_OBJECTS}


READS = {*world.PAGES, *world.FRAGMENTS, *world.FILES, *world.REDIRECTS, *STAFF_READS, *world.STAFF_FILES}


# What only staff may do.
STAFF = {*STAFF_READS, *world.STAFF_FILES} | {"retry_batch", "retry_report", "state_reason"}


# What belongs to somebody.
TAKE_FILES = {"upload", "add_boilerplate", "add_statement"}


OF_EVERYBODY = {
    "courses",
    "compare",
    "switch_names",
    "switch_theme",
    "switch_language",
    "choose_mail",
    "dismiss_hint",
}
OWNED = world.patterns().keys() - {*world.PUBLIC, *world.ACCOUNT_PAGES, *world.INVITATIONS, *OF_EVERYBODY}


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


def test_another_instructors_addresses_are_not_found(addresses: dict[str, str], charlie_client: Client) -> None:
    for name in sorted(OWNED):
        get_status, post_status = (
            send(addresses[name]).status_code for send in (charlie_client.get, charlie_client.post)
        )
        assert (get_status if name in READS else post_status) == HTTPStatus.NOT_FOUND, name
        assert {get_status, post_status} <= {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}, name


def test_what_only_staff_may_do_is_hidden_otherwise(addresses: dict[str, str], alice_client: Client) -> None:
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


def test_an_unknown_address_an_error_and_what_is_forbidden_have_a_friendly_page(
    alice: User, alice_client: Client, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for visitor in (alice_client, client):
        response = visitor.get("/nowhere/")
        assert response.status_code == 404
        assert page_of(response).text("h1") == "No such page"
    request = RequestFactory().get("/")
    request.user = alice
    assert page_of(permission_denied(request, PermissionError())).text("h1") == "Not allowed"
    failing = Mock(side_effect=RuntimeError("secret detail"))
    monkeypatch.setattr("submissions.courses.read.listed_courses", failing)
    alice_client.raise_request_exception = False
    response = alice_client.get(reverse("courses"))
    assert response.status_code == 500
    page = page_of(response)
    assert page.text("h1") == "Something broke on our side"
    assert "secret detail" not in page.html


def test_the_admin_has_no_table_that_names_students(admin_client: Client) -> None:
    listed = get_page(admin_client, reverse("admin:index")).links()
    assert [link for link in listed if "/auth/user/" in link]
    assert not [link for link in listed if "/submissions/" in link]


# Pages about the account that other packages bring, or that belong to no course.
ACCOUNT = {"mfa_index", "mfa_activate_totp", "api_docs"}


def name_of(link: str) -> str:
    """Return the name of the address of a link within the pages; empty for every other one."""
    parts = urlsplit(link)
    try:
        return "" if parts.netloc or not parts.path else resolve(parts.path).url_name or ""
    except Resolver404:
        return ""


def reached(client: Client) -> set[str]:
    """Return the names of all pages that links lead to, from the first page on."""
    first = reverse("courses")
    seen, waiting = {"courses": first}, [first]
    while waiting:
        response = client.get(waiting.pop(), follow=True)
        if response.streaming or not response.headers["Content-Type"].startswith("text/html"):
            continue
        assert response.status_code == 200, response.request["PATH_INFO"]
        for link in page_of(response).links():
            name = name_of(link)
            if name and name not in seen and "/admin/" not in link:
                seen[name] = link
                waiting.append(link)
    return {*seen}


@pytest.mark.long
def test_an_owner_reaches_every_page_of_a_course(world: World, alice_client: Client) -> None:
    webhook_of(world)
    fetch_of(world)
    assert {*PAGES, *ACCOUNT_PAGES, *ACCOUNT} - reached(alice_client) == {"ignoring"}  # a form leads there


def test_an_administrator_reaches_every_page_of_the_department(world: World, admin_client: Client) -> None:
    Erasure.objects.create(who="admin", reason="A letter.")
    wanted = {*STAFF_PAGES, *STAFF_OBJECTS, *ACCOUNT, "people", "rename_course", "delete_course"}
    wanted.add("lti_platforms")
    assert wanted - reached(admin_client) == set()


@pytest.mark.long
def test_members_meet_no_link_that_is_refused_to_them(world: World) -> None:
    for role in Membership.Role.values:
        user, client = User.objects.create_user(f"a-{role}"), Client()
        Membership.objects.create(course=world.assignment.course, user=user, role=role)
        client.force_login(user)
        assert {"people", "pair", "case", "submission", "assignment_settings"} <= reached(client)


CLASS = sorted(path.name for path in (SAMPLE / "submissions").iterdir())


# Of the sample's names those parts that are no word of its programs.
WORDS = {part for name in CLASS for part in name.split("-") if len(part) > 3} - {"grace"}


@pytest.fixture
def reader(world: World, alice_client: Client) -> Client:
    """Return the client of Alice, from whom names are hidden."""
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    return alice_client


def names_in(page: str) -> set[str]:
    """Return the students, and the parts of their names, that a page names anywhere."""
    text = page.casefold()
    whole = {name for name in CLASS if re.search(name.replace("-", r"[\s_,./-]{0,2}"), text)}
    return whole | {word for word in WORDS if re.search(rf"(?<![a-z]){word}(?![a-z])", text)}


def test_with_names_shown_every_student_is_found(world: World, alice_client: Client) -> None:
    assert {*CLASS} <= names_in(get_page(alice_client, address_of(world, "batch")).html)
    assert names_in(get_page(alice_client, address_of(world, "pair")).html)


def body_of(response: HttpResponseBase) -> str:
    return b"".join(cast("Iterable[bytes]", response)).decode()


def test_no_page_names_anybody(world: World, reader: Client) -> None:
    for name in (*PAGES, *FRAGMENTS, *FILES, *PUBLIC):
        response = reader.get(address_of(world, name), follow=True)
        # What a student stated has names in it.
        assert response.status_code == (404 if name == "statement" else 200), name
        assert names_in(body_of(response)) == set(), name
        assert names_in(str(response.headers)) == set(), name


@pytest.fixture
def crowded(world: World, hand_in: HandIn) -> World:
    """Return a world with names in everything that an instructor writes and an upload brings."""
    assignment, pair = world.assignment, world.pair
    assignment.teams = "amara-okafor, arjun-bhatt"
    assignment.save()
    decision = assignment.decisions.create(left=pair.left.name, right=pair.right.name, notes="Ask Marek Zielinski.")
    decision.changes.create(who="alice", field="notes", before="Heard Salma Idrissi.", after=decision.notes)
    assignment.shares.create(
        left=pair.left.name, right=pair.right.name, created_by=world.owner, expires=world.share.expires
    )
    hand_in(
        zipped(
            {
                "amara-okafor/salma-idrissi.py": "x = 1\n",
                "amara-okafor/Dubois.class": "x",
                "kofi-mensah/kofi.png": b"\x89PNG\r\n\x1a\n\0\0",
                "somebody-else/photo.png": b"\x89PNG\r\n\x1a\n\0\0",
            },
            "amara-okafor.zip",
        )
    )
    named_after = loose("Claire Dubois starter.py", "def pay(loan):\n    return loan\n")
    register_boilerplate(assignment, named_after)
    assignment.boilerplate_uploads.create(
        name="amara-okafor.zip",
        state="done",
        refused=2,
        refusals=[
            Refusal(name="amara-okafor/Dubois.class", reason="compiled, for Kofi Mensah"),
            Refusal(name="somebody-else/notes.class", reason="compiled"),
        ],
    )
    return world


@pytest.mark.long
def test_nothing_that_was_written_or_uploaded_names_anybody(crowded: World, reader: Client) -> None:
    later = crowded.assignment.batches.latest("pk")
    addresses = [address_of(crowded, name) for name in (*PAGES, *FRAGMENTS, *FILES, *PUBLIC)]
    addresses += [reverse(name, args=[later.pk]) for name in ("batch", "delete_batch", "batch_progress")]
    for address in addresses:
        page = body_of(reader.get(address, follow=True))
        assert names_in(page) == set(), address
        assert "somebody-else" not in page, address


def test_an_administrator_without_a_reason_is_told_no_name(crowded: World, admin_client: Client) -> None:
    """Neither by a page nor by what else the service says: figures, feeds and answers to its own programs."""
    course, assignment = crowded.assignment.course, crowded.assignment
    for page in ("pair", "student_data", "export_student"):
        subject = f"{crowded.pair.left.name}: They asked."
        AuditEntry.objects.create(
            who="alice", action="saw", course=course.name, assignment=assignment.name, subject=subject, page=page
        )
    for name in sorted(READS | {*PUBLIC}):
        response = admin_client.get(address_of(crowded, name), follow=True)
        assert names_in(f"{response.headers} {body_of(response)}") == set(), name


def read_pdf(response: HttpResponseBase) -> str:
    pdf = PdfReader(io.BytesIO(b"".join(cast("Iterable[bytes]", response))))
    text = "\n".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])
    assert len(text) > 1_000
    return text


@pytest.mark.long
def test_no_document_or_table_names_anybody(crowded: World, reader: Client) -> None:
    crowded.assignment.decisions.update(state="confirmed")
    for name, suffix in itertools.product(("exports", "export_pair"), ("html", "pdf")):
        options = {"names": "made-up", "decision": "on", "sources": "on", "format": suffix}
        response = reader.get(address_of(crowded, name), options, follow=True)
        assert response.headers["Content-Type"].startswith(("text/html", "application/pdf"))
        assert "attachment" in response.headers["Content-Disposition"]
        assert names_in(str(response.headers)) == set(), (name, suffix)
        text = body_of(response) if suffix == "html" else read_pdf(response)
        assert names_in(text) == set(), (name, suffix)
    for name, suffix in itertools.product(("pairs", "submissions"), ("csv", "json")):
        table = body_of(reader.get(reverse("table", args=[crowded.assignment.pk, name, suffix])))
        assert table.count("\n") > 10
        assert names_in(table) == set(), (name, suffix)


def test_no_message_names_anybody(crowded: World, reader: Client) -> None:
    assignment = crowded.assignment
    for name, sent in (
        ("assignment_settings", {"name": "Renamed"}),
        ("decide", {"state": "clear", "seen": "0", "decided_on": decided_on(crowded.pair)}),
        ("delete_batch", {}),
    ):
        assert names_in(body_of(reader.post(address_of(crowded, name), sent, follow=True))) == set(), name
    boilerplate = assignment.boilerplate.get(name__contains="Dubois")
    removed = reader.post(reverse("remove_boilerplate", args=[boilerplate.pk]), follow=True)
    assert names_in(body_of(removed)) == set()
    assert names_in(body_of(reader.get(address_of(crowded, "batch")))) == set()
    assignment.refresh_from_db()
    assert assignment.teams == "amara-okafor, arjun-bhatt"


@pytest.mark.long
def test_no_pair_submission_or_filter_names_anybody(world: World, reader: Client) -> None:
    pk = world.assignment.pk
    pairs = [(pk, pair.left_id, pair.right_id) for pair in Pair.objects.filter(report=world.report)[:12]]
    addresses = [reverse("pair", args=pair) for pair in pairs]
    addresses += [reverse("submission", args=[pk, one.pk]) for one in world.batch.submissions.all()]
    queries = ("threshold=10", "q=otter", "sort=left", "page=2", "decision=clear")
    filtered = [address_of(world, page) for page in ("assignment", "pairs", "students")]
    addresses += [f"{address}?{query}" for address in filtered for query in queries]
    for address in addresses:
        for headers in ({}, {"HX-Request": "true"}):
            assert names_in(body_of(reader.get(address, headers=headers, follow=True))) == set(), address
    page = get_page(reader, address_of(world, "pairs"), q=CLASS[0].split("-")[0])
    assert page.text("#findings .empty strong") == "No pair passes this filter."


LASTING = timedelta(days=30)


def test_administrators_see_the_tokens_of_all_accounts_without_secrets(
    assignment: Assignment, alice: User, admin_client: Client
) -> None:
    assert get_page(admin_client, reverse("all_tokens")).has(".empty")
    service = service_account("service:nightly", [assignment.course], "observer", "admin")
    _token, secret = create_token(alice, "My script", "write", LASTING)
    create_token(service, "Nightly", "read", LASTING, [assignment.course])
    page = get_page(admin_client, reverse("all_tokens"))
    assert page.texts("tbody th") == ["alice", "service:nightly"]
    rows = page.rows("tbody tr")
    assert (rows[0][2], rows[0][3], rows[0][5]) == ("Read and write", "all of the account", "never")
    assert (rows[1][2], rows[1][3]) == ("Read only", "Programming 1")
    assert secret not in page.text("main")


def test_chosen_tokens_are_revoked_and_others_stay(alice: User, bob: User, admin_client: Client) -> None:
    token, _secret = create_token(alice, "My script", "read", LASTING)
    other, _secret = create_token(bob, "Kept", "read", LASTING)
    answer = admin_client.post(reverse("all_tokens"), {"token": [token.pk, "x", "0"]}, follow=True)
    assert "1 token was revoked." in answer.content.decode()
    assert not ApiToken.objects.get(pk=token.pk).is_valid
    assert ApiToken.objects.get(pk=other.pk).is_valid
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action) == ("admin", "tokens")
    assert entry.subject.startswith("revoked: My script")
