"""Old work that the reader may not read: withheld from everybody, and asked for from its owner."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.models import AuditEntry, Course, Membership, ReadingRequest
from submissions.reports.change import ignore_lines, propose_passage
from submissions.shares import links as shares
from submissions.uploads.change import rerank
from tests.moss.integrations.api.test_roles import BODIES, PREFIX, QUERIES, endpoints
from tests.submissions.courses.test_roles import OF_NOBODY, ROLES, client_of
from tests.support.api import api_client, send
from tests.support.every_page import address_of, addresses, api_places
from tests.support.html import get_page
from tests.support.long_rows import rest_is_long
from tests.support.shares import pair_page
from tests.support.tabs import tab
from tests.support.uploads import Committing
from tests.support.withheld import Sealed, secrets_in

# Addresses that the filter of pairs changes, and queries with a filter and for a document.
FILTERED = {"assignment", "pairs", "students", "table", "submission"}


FILTERS = ("?work=earlier&threshold=1", "?flag=identical&sort=left")


DOCUMENTS = ("?format=html&names=open&sources=on", "?format=html&names=made-up&sources=on")


READERS = ("instructor", "observer", "administrator with a reason")


def read_everything(sealed: Sealed) -> list[str]:
    """Return the addresses of all pages, parts, tables and documents about the class and the match."""
    world = sealed.world
    pk, pair = world.assignment.pk, world.pair
    # Administrators manage all courses, and read the log of what others did.
    of_staff = "department audit_log audit_file all_tokens student_data erasure receipt_file"
    left_out = {*OF_NOBODY, *of_staff.split()}
    by_name = {name: address for name, address in addresses(world).items() if name not in left_out}
    pages = list(by_name.values())
    sides = [reverse("submission", args=[pk, side]) for side in (pair.left_id, pair.right_id)]
    other_way = reverse("pair", args=[pk, pair.right_id, pair.left_id])
    cases = [
        reverse(name, args=[pk, one.pk])
        for name in ("case", "export_case")
        for one in sealed.report.submissions.filter(batch__role="other")
    ]
    tables = [
        reverse("table", args=[pk, name, suffix]) for name in ("pairs", "submissions") for suffix in ("csv", "json")
    ]
    filtered = [by_name[name] + query for name in FILTERED for query in FILTERS]
    documents = [page + query for page in (*pages, *cases) if "export" in page for query in DOCUMENTS]
    return [*pages, *sides, *tables, *filtered, other_way, *cases, *documents]


def leaks(client: Client, addresses: list[str]) -> list[tuple[str, list[str]]]:
    answers = [(address, secrets_in(client.get(address, follow=True))) for address in addresses]  # type: ignore[arg-type]
    return [(address, secrets) for address, secrets in answers if secrets]


def test_the_owner_of_both_courses_reads_the_pair_in_full(sealed: Sealed) -> None:
    client = client_of("owner", sealed.world)
    for name in ("cases", "pairs", "students"):
        page_address = address_of(sealed.world, "assignment" if name == "cases" else name)
        assert "zacharias" in get_page(client, page_address).html, name
    page = get_page(client, address_of(sealed.world, "pair"))
    assert "planted_marker" in page.html
    assert not get_page(client, tab(sealed.world.assignment, "pairs")).has("#withheld")


def test_no_page_table_or_document_tells_a_reader_of_the_course_about_old_work(sealed: Sealed) -> None:
    """Ask for every third address as each reader, so that all are asked for."""
    for first, role in enumerate(READERS):
        assert leaks_of_all(sealed, role, first, len(READERS)) == [], role


@pytest.mark.long
@pytest.mark.parametrize("role", READERS)
def test_none_of_them_tells_any_reader_about_the_old_work(role: str, sealed: Sealed) -> None:
    assert leaks_of_all(sealed, role) == []


def leaks_of_all(sealed: Sealed, role: str, first: int = 0, step: int = 1) -> list[tuple[str, list[str]]]:
    """Return what addresses tell a reader, after the owner opened the pages; of each `step` of them one."""
    some_addresses = read_everything(sealed)[first::step]
    # What was rendered for the owner is kept, and must not be given to others.
    for name in FILTERED:
        client_of("owner", sealed.world).get(address_of(sealed.world, name))
    return leaks(client_of(role, sealed.world), some_addresses)


@pytest.mark.long
@pytest.mark.parametrize("role", rest_is_long(["instructor", "assistant"]))
def test_no_answer_to_a_form_tells_about_the_old_work(role: str, sealed: Sealed) -> None:
    client = client_of(role, sealed.world)
    for name, address in addresses(sealed.world).items():
        if name not in OF_NOBODY:
            with transaction.atomic():
                response = client.post(address, {"state": "confirmed"})
                transaction.set_rollback(True)
            assert secrets_in(response) == [], name  # type: ignore[arg-type]


def told_by_endpoints(sealed: Sealed, user: User, scope: str, side: str) -> dict[tuple[str, str], list[str]]:
    """Return the secrets that the endpoints tell a user; nothing that they change is kept."""
    world, client = sealed.world, api_client(user, scope)
    submission = getattr(world.pair, side)
    places = api_places(world, user) | {"submission_id": submission, "table": "pairs", "suffix": "json"}
    by_endpoint = {}
    for method, path in sorted(endpoints()):
        body = BODIES.get((method, path), {})
        options = {} if method == "get" else {"data": body, "content_type": "application/json"}
        with transaction.atomic():
            response = getattr(client, method)(PREFIX + path.format(**places) + QUERIES.get(path, ""), **options)
            transaction.set_rollback(True)
        by_endpoint[method, path] = secrets_in(response)
    return {key: secrets for key, secrets in by_endpoint.items() if secrets}


@pytest.mark.parametrize("side", rest_is_long(["left_id", "right_id"]))
@pytest.mark.parametrize("scope", rest_is_long(["write", "read"]))
def test_no_endpoint_tells_a_new_reader_about_the_old_work(scope: str, side: str, sealed: Sealed) -> None:
    client_of("instructor", sealed.world)
    assert told_by_endpoints(sealed, User.objects.get(username="a-instructor"), scope, side) == {}


def test_a_token_for_the_new_course_alone_neither_reads_nor_shares_the_old_one(sealed: Sealed) -> None:
    world, course = sealed.world, sealed.world.assignment.course
    path = f"/assignments/{world.assignment.pk}"
    assert secrets_in(api_client(world.owner, "read").get(f"{PREFIX}{path}/pairs"))  # type: ignore[arg-type]
    limited = api_client(world.owner, "read", [course])
    assert secrets_in(limited.get(f"{PREFIX}{path}/pairs")) == []  # type: ignore[arg-type]
    for courses, status in (([course], 403), ([course, sealed.old.course], 201)):
        answer = send(api_client(world.owner, "write", courses), "post", f"{path}/shares", {})
        assert answer.status_code == status


@pytest.mark.long
@pytest.mark.parametrize("role", ["owner", "instructor"])
def test_a_share_link_shows_what_its_creator_may_read(role: str, sealed: Sealed) -> None:
    world = sealed.world
    client_of(role, world)
    creator = world.owner if role == "owner" else User.objects.get(username="a-instructor")
    share = shares.create_share(world.assignment, creator, timezone.now() + timedelta(days=1), anonymous=False)
    token = shares.share_token(share)
    pages = [reverse(name, args=[token]) for name in ("shared", "shared_pairs", "shared_ignored")]
    both = [world.pair.left_id, world.pair.right_id]
    pages += [reverse("shared_pair", args=[token, *both])]
    theirs = sealed.report.submissions.filter(batch__role="other")
    pages += [reverse("shared_case", args=[token, one.pk]) for one in theirs]
    assert bool(leaks(Client(), pages)) == (role == "owner")


def test_the_match_is_listed_with_its_similarity_and_whom_to_ask(sealed: Sealed) -> None:
    owner = sealed.world.owner
    owner.email = "alice@example.org"
    owner.save()
    for address in (sealed.world.assignment.get_absolute_url(), tab(sealed.world.assignment, "pairs")):
        page = get_page(client_of("assistant", sealed.world), address)
        User.objects.get(username="a-assistant").delete()
        rows = page.texts("#withheld li")
        percent = f"{int(100 * sealed.withheld.similarity)}"
        assert any(percent in row and "ask alice (alice@example.org)" in row for row in rows), rows
    assert sealed.report.pairs.count() > 0


def test_counts_do_not_tell_of_withheld_pairs(sealed: Sealed) -> None:
    world = sealed.world
    client_of("assistant", world)
    client = api_client(User.objects.get(username="a-assistant"), "read")
    summary = client.get(f"{PREFIX}/assignments/{world.assignment.pk}/report").json()
    old = sealed.report.submissions.filter(batch__role="other")
    readable = sealed.report.pairs.exclude(left__in=old).exclude(right__in=old)
    assert summary["submissions"] == sealed.report.submissions.count() - old.count()
    assert summary["pairs"] == readable.count() < sealed.report.pairs.count()


def test_who_has_a_role_in_both_courses_reads_the_pair_unless_one_hides_names(sealed: Sealed) -> None:
    client = client_of("assistant", sealed.world)
    tess, role = User.objects.get(username="a-assistant"), Membership.Role
    membership = Membership.objects.create(course=sealed.old.course, user=tess, role=role.ASSISTANT)
    pair = address_of(sealed.world, "pair")
    assert "planted_marker" in get_page(client, pair).html
    membership.role = role.OBSERVER
    membership.save()
    assert leaks(client, [tab(sealed.world.assignment, "pairs"), pair]) == []


def test_a_passage_that_the_owner_ignored_in_old_code_is_not_shown(sealed: Sealed) -> None:
    pair, assignment = sealed.withheld, sealed.world.assignment
    proposal = propose_passage(assignment, pair, pair.passages[0].key)
    assert proposal
    proposal.chosen_first, proposal.chosen_after = proposal.first, proposal.after
    boilerplate = ignore_lines(proposal)
    copy = pair.left if pair.left.origin_id else pair.right
    file = copy.files.get()
    boilerplate.document, boilerplate.source = file.document, file.source
    boilerplate.first, boilerplate.after = 0, 12
    boilerplate.name = "passage of hidden_notes.py, lines 1 to 3"
    boilerplate.save()
    ignored = tab(assignment, "ignored")
    assert "hidden_notes" in get_page(client_of("owner", sealed.world), ignored).html
    assert "hidden_notes" not in get_page(client_of("assistant", sealed.world), ignored).html


def test_the_settings_of_a_reader_do_not_undo_what_the_owner_compares_with(sealed: Sealed) -> None:
    assignment = sealed.world.assignment
    assignment.course.assignments.create(name="Another lab")
    client = client_of("instructor", sealed.world)
    address = reverse("assignment_settings", args=[assignment.pk])
    client.post(address, {"name": assignment.name, "compare_course": "False"})
    assert list(assignment.compared_with.all()) == [sealed.old]


def test_all_roles_are_asked() -> None:
    assert {*READERS, "owner", "assistant", "administrator"} == ROLES.keys()


@pytest.fixture
def assistant(sealed: Sealed) -> Client:
    """Return a client of somebody who decides on the pairs of the class, and has none in the old course."""
    return client_of("assistant", sealed.world)


@pytest.fixture
def keeper(sealed: Sealed) -> Client:
    """Return a client of an instructor of the old course, who has no role in the new one."""
    user = User.objects.create_user("kim", "kim@example.org")
    Membership.objects.create(course=sealed.old.course, user=user, role=Membership.Role.INSTRUCTOR)
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, sealed: Sealed) -> ReadingRequest:
    pair = sealed.withheld
    client.post(reverse("ask_to_read", args=[sealed.world.assignment.pk, pair.left_id, pair.right_id]))
    return ReadingRequest.objects.get()


def answer(client: Client, request: ReadingRequest, state: str) -> int:
    return client.post(reverse("answer_request", args=[request.pk]), {"state": state}).status_code


def opens(client: Client, sealed: Sealed) -> bool:
    return client.get(address_of(sealed.world, "pair"), follow=True).status_code == 200


def test_a_request_names_who_asks_and_the_own_student_and_nothing_of_the_new_one(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    ask(assistant, sealed)
    assert "asked" in get_page(assistant, tab(sealed.world.assignment, "pairs")).text("#withheld")
    course = get_page(keeper, sealed.old.course.get_absolute_url())
    assert "1 request to read a pair waits for an answer" in course.text()
    page = get_page(keeper, reverse("people", args=[sealed.old.course.pk]))
    text = page.text("#requests")
    new = sealed.withheld.left if sealed.withheld.right.origin_id else sealed.withheld.right
    world = sealed.world.assignment
    for name in ("zacharias", "a-assistant", world.name, world.course.name):
        assert name in text, name
    assert f"{int(100 * sealed.withheld.similarity)}" in text
    assert new.name not in page.html


@pytest.mark.long
def test_the_pair_opens_and_closes_as_they_agree(sealed: Sealed, assistant: Client, keeper: Client) -> None:
    request = ask(assistant, sealed)
    assert not opens(assistant, sealed)
    answer(keeper, request, "agreed")
    page = get_page(assistant, address_of(sealed.world, "pair"))
    assert "planted_marker" in page.html
    assert "zacharias" in get_page(assistant, tab(sealed.world.assignment, "pairs")).text("table.pairs")
    answer(keeper, request, "withdrawn")
    assert not opens(assistant, sealed)
    assert secrets_in(assistant.get(tab(sealed.world.assignment, "pairs"))) == []  # type: ignore[arg-type]
    changes = request.changes.order_by("pk").values_list("who", "before", "after")
    answers = [("kim", "asked", "agreed"), ("kim", "agreed", "withdrawn")]
    assert list(changes) == [("a-assistant", "", "asked"), *answers]
    pages = AuditEntry.objects.filter(page__in=["ask_to_read", "answer_request"]).order_by("pk")
    logged = [("a-assistant", "asked"), ("kim", "shared"), ("kim", "shared")]
    assert list(pages.values_list("who", "action")) == logged


def test_an_agreement_opens_one_pair_and_no_other_and_survives_a_new_ranking(
    sealed: Sealed, assistant: Client, keeper: Client, committing: Committing
) -> None:
    assignment = sealed.world.assignment
    answer(keeper, ask(assistant, sealed), "agreed")
    text = get_page(assistant, tab(assignment, "pairs")).html
    assert "zacharias" in text
    assert "yvonne" not in text
    copy = sealed.withheld.left if sealed.withheld.left.origin_id else sealed.withheld.right
    pairs = sealed.report.pairs.exclude(pk=sealed.withheld.pk)
    others = [*pairs.filter(left=copy), *pairs.filter(right=copy)]
    assert others
    for pair in others:
        assert assistant.get(pair_page(pair), follow=True).status_code == 404
    # It is not shown behind a link.
    client_of("instructor", sealed.world)
    creator = User.objects.get(username="a-instructor")
    share = shares.create_share(assignment, creator, timezone.now() + timedelta(days=1), anonymous=False)
    pages = reverse("shared_pairs", args=[shares.share_token(share)])
    assert secrets_in(Client().get(pages)) == []  # type: ignore[arg-type]
    with committing(execute=True):
        rerank(assignment)
    assert assignment.reports.latest("pk") != sealed.report
    assert opens(assistant, sealed)


def test_a_refused_pair_stays_closed_is_not_asked_for_again_and_goes_with_its_submissions(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    request = ask(assistant, sealed)
    answer(keeper, request, "refused")
    assert not opens(assistant, sealed)
    page = get_page(assistant, tab(sealed.world.assignment, "pairs"))
    assert "refused" in page.text("#withheld")
    assert ask(assistant, sealed).changes.count() == 2
    Course.objects.get(pk=sealed.old.course.pk).delete()
    assert not ReadingRequest.objects.exists()


def test_only_who_may_share_the_old_course_answers(sealed: Sealed, assistant: Client) -> None:
    request = ask(assistant, sealed)
    assert answer(assistant, request, "agreed") == 404
    tess = User.objects.create_user("tim")
    Membership.objects.create(course=sealed.old.course, user=tess, role=Membership.Role.ASSISTANT)
    client = Client()
    client.force_login(tess)
    assert answer(client, request, "agreed") == 403
    people = reverse("people", args=[sealed.old.course.pk])
    assert not get_page(client, people).has("#requests")
    assert not opens(assistant, sealed)


def test_only_a_pair_that_is_withheld_can_be_asked_for(sealed: Sealed, assistant: Client) -> None:
    of_class = sealed.report.pairs.filter(left__origin=None, right__origin=None)[0]
    address = reverse("ask_to_read", args=[sealed.world.assignment.pk, of_class.left_id, of_class.right_id])
    assert assistant.post(address).status_code == 302
    unknown = reverse("ask_to_read", args=[sealed.world.assignment.pk, of_class.left_id, of_class.left_id])
    assert assistant.post(unknown).status_code == 404
    assert not ReadingRequest.objects.exists()
    assert client_of("observer", sealed.world).post(address).status_code == 403


def test_the_owner_and_who_asked_get_a_mail_where_mail_is_set(
    sealed: Sealed, assistant: Client, keeper: Client, settings: Settings
) -> None:
    settings.MAIL = True
    User.objects.filter(pk=sealed.world.owner.pk).update(email="alice@example.org")
    User.objects.filter(username="a-assistant").update(email="tess@example.org")
    answer(keeper, ask(assistant, sealed), "agreed")
    asked, answered = mail.outbox
    assert (asked.to, answered.to) == (["alice@example.org"], ["tess@example.org"])
    assert reverse("people", args=[sealed.old.course.pk]) in asked.body
    assert "agreed" in answered.body
    assert not [secret for secret in ("zacharias", "sealed") if secret in answered.body.casefold()]
