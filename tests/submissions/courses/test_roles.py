"""The rights of each role on the pages: every address, every verb, every role."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from submissions.courses import change as people
from submissions.models import Membership, Report
from tests.support.every_page import (
    ACCOUNT_PAGES,
    INVITATIONS,
    PUBLIC,
    World,
    address_of,
    addresses,
    patterns,
)
from tests.support.html import get_page, page_of
from tests.support.long_rows import rest_is_long

READ, NAMES, DECIDE, CHANGE, SHARE, DELETE, INVITE, MANAGE, OWN = (
    "read", "names", "decide", "change", "share", "delete", "invite", "manage", "own"
)  # fmt: skip
# A transfer takes two rights: that to own and that to invite.
ANY, STAFF, TRANSFER = "any", "staff", "transfer"
ROLES = {
    "owner": {READ, NAMES, DECIDE, CHANGE, SHARE, DELETE, INVITE, MANAGE, OWN, TRANSFER},
    "instructor": {READ, NAMES, DECIDE, CHANGE, SHARE, DELETE, INVITE, MANAGE},
    "assistant": {READ, NAMES, DECIDE},
    "observer": {READ},
    "administrator": {MANAGE, OWN, STAFF},
    "administrator with a reason": {READ, NAMES, INVITE, MANAGE, OWN, TRANSFER, STAFF},
}
# Each role of a ladder may do what the one before it may.
LADDERS = (("observer", "assistant", "instructor", "owner"), ("administrator", "administrator with a reason"))
# What a GET takes, by the name of the address; the other addresses answer no GET.
GETS = {
    **dict.fromkeys(
        ("roster", "assignment", "pairs", "students", "ignored", "uploads", "activity", "table",
         "assignment_settings", "batch", "batch_progress", "boilerplate_progress", "pair", "case",
         "lines", "compare_with", "matrix",
         "next_case", "next_undecided", "submission", "exports", "export_pair", "export_case"), READ),
    "statement": NAMES,
    "batch_preview": CHANGE, "ignoring": CHANGE, "repositories": CHANGE, "repository_fetch": CHANGE,
    "course": ANY, "people": ANY, "rename_course": MANAGE, "delete_course": OWN,
    "delete_assignment": DELETE, "delete_batch": DELETE, "shares": SHARE, "webhooks": SHARE, "webhook": SHARE,
    "service": STAFF, "service_now": STAFF, "department": STAFF, "audit_log": STAFF,
    "audit_file": STAFF, "all_tokens": STAFF,
    "student_data": STAFF, "erasure": STAFF, "receipt_file": STAFF,
}  # fmt: skip
POSTS = {
    **dict.fromkeys(
        ("course", "roster", "remove_roster", "assignment_settings", "choose_threshold", "cancel_ranking",
         "read_again", "rerank", "upload", "add_boilerplate", "dismiss_boilerplate_upload",
         "remove_boilerplate", "cancel_batch", "count_rule", "group_batch", "add_listed_roster",
         "repositories", "repositories_not_again", "cancel_repository_fetch", "retry_repository_fetch",
         "filter_listed", "ignore_passage", "propose_starter", "choose_lines", "ignore_lines"), CHANGE),
    "people": INVITE, "rename_course": MANAGE, "change_role": INVITE, "remove_member": MANAGE,
    "withdraw_invitation": MANAGE, "add_group": INVITE, "remove_group": MANAGE,
    "transfer_course": TRANSFER, "delete_course": OWN,
    "delete_assignment": DELETE, "delete_batch": DELETE, "shares": SHARE, "revoke_share": SHARE,
    "take_over_share": SHARE, "webhooks": SHARE, "webhook": SHARE, "test_webhook": SHARE,
    "remove_webhook": SHARE, "repeat_delivery": SHARE,
    "decide": DECIDE, "decide_case": DECIDE, "add_statement": DECIDE, "delete_statement": DECIDE,
    "ask_to_read": DECIDE, "answer_request": SHARE,
    "retry_batch": STAFF, "retry_report": STAFF, "state_reason": STAFF,
    "student_data": STAFF, "all_tokens": STAFF,
}  # fmt: skip
# Addresses that belong to no course, or to the one account that began something.
OF_NOBODY = {
    *PUBLIC, *ACCOUNT_PAGES, *INVITATIONS, "courses", "compare",
    "switch_names", "switch_theme", "switch_language",
    "choose_mail", "dismiss_hint", "delete_unfinished",
}  # fmt: skip


def client_of(role: str, world: World) -> Client:
    """Return a client of a user with this role in the course of the world."""
    course, client = world.assignment.course, Client(raise_request_exception=False)
    user = world.owner if role == "owner" else User.objects.create_user(f"a-{role.split(maxsplit=1)[0]}")
    if role.startswith("administrator"):
        user.is_staff = True
        user.save()
    elif role != "owner":
        Membership.objects.create(course=course, user=user, role=role)
    if role.endswith("reason"):
        people.state_reason(course, user, "A student appealed.")
    client.force_login(user)
    return client


def expected_refusal(name: str, method: str, granted: set[str]) -> int | None:
    """Return the status of the refusal that an address answers with, or None."""
    needed = (GETS if method == "GET" else POSTS).get(name)
    if STAFF in {GETS.get(name), POSTS.get(name)} - granted:
        return 404
    if needed is None:
        return 405
    return None if needed == ANY or needed in granted else 403


def is_at_a_boundary(role: str, needed: str) -> bool:
    """Return whether the next role of the ladder has another answer, or there is no next one.

    The first role that is granted a right stands for those after it, the last refused one for those before.
    """
    ladder = next(one for one in LADDERS if role in one)
    granted, place = needed in {*ROLES[role], ANY}, ladder.index(role)
    beside = ladder[:place][-1:] if granted else ladder[place + 1 :][:1]
    return all((needed in {*ROLES[one], ANY}) != granted for one in beside)


def test_each_role_may_do_what_those_before_it_may() -> None:
    assert sorted(role for ladder in LADDERS for role in ladder) == sorted(ROLES)
    assert all(ROLES[lower] <= ROLES[upper] for ladder in LADDERS for lower, upper in pairwise(ladder))


def test_the_table_has_every_address() -> None:
    assert (GETS.keys() | POSTS.keys()) ^ (patterns().keys() - OF_NOBODY) == set()


def requests_of(role: str, names: Iterable[str], asked: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the method of the requests of a role: all, or those at the boundaries of its rights.

    What a role may do takes longest to answer: at the boundaries, each right is used at one address.
    """
    used = set[tuple[str, str]]()
    for name in names:
        for method, rights in (("GET", GETS), ("POST", POSTS)):
            needed = rights.get(name, ANY)
            right = (method, needed)
            is_granted = not expected_refusal(name, method, ROLES[role])
            if asked == "all" or (is_at_a_boundary(role, needed) and not (is_granted and right in used)):
                yield name, method
                used |= {right} if is_granted else set()


@pytest.mark.parametrize("asked", rest_is_long(["boundaries", "all"]))
@pytest.mark.parametrize("role", ROLES)
def test_every_address_answers_every_role_as_its_rights_say(role: str, asked: str, world: World) -> None:
    client, places = client_of(role, world), addresses(world)
    for name, method in requests_of(role, sorted(places.keys() - OF_NOBODY), asked):
        with transaction.atomic():
            status = client.generic(method, places[name]).status_code
            transaction.set_rollback(True)
        if refusal := expected_refusal(name, method, ROLES[role]):
            assert status == refusal, (role, method, name)
        else:
            assert status not in {401, 403, 404, 405, 500}, (role, method, name)


@pytest.mark.long
def test_an_observer_never_sees_a_name(world: World) -> None:
    client = client_of("observer", world)
    names = [one.name for one in world.report.submissions.all()]
    client.post(reverse("switch_names"), {"names": "real"})
    for name, needed in GETS.items():
        if needed in {READ, ANY}:
            response = client.get(address_of(world, name), follow=True)
            if not response.streaming:
                text = response.content.decode()
                assert not [one for one in names if f">{one}<" in text or f'"{one}"' in text], name
    table = client.get(address_of(world, "table")).getvalue().decode()
    assert not [one for one in names if f",{one}," in f",{table},"]


@pytest.mark.long
def test_an_assistant_decides_and_finds_no_button_that_is_refused(world: World) -> None:
    client = client_of("assistant", world)
    for name in [
        "assignment",
        "uploads",
        "pair",
        "course",
        "roster",
        "batch",
        "assignment_settings",
        "ignored",
    ]:
        page = get_page(client, address_of(world, name))
        posts = {form.attributes["action"] for form in page.all("form[action][method=post]")}
        posts.discard(reverse("logout"))
        for target in posts:
            with transaction.atomic():
                assert client.post(str(target)).status_code != 403, (name, target)
                transaction.set_rollback(True)
        for link in page.links():
            if link.startswith("/"):
                assert client.get(link).status_code not in {403, 404}, (name, link)
    assert get_page(client, address_of(world, "pair")).has("#decision-panel input[type=radio]")


def test_readers_find_no_form_to_change_what_they_read_and_a_refusal_says_whom_to_ask(world: World) -> None:
    page = page_of(client_of("observer", world).get(address_of(world, "pair"), follow=True))
    assert page.text("#decision-panel .decided") == "undecided"
    assert not page.has("#decision-panel form")
    client = client_of("assistant", world)
    page = get_page(client, address_of(world, "assignment_settings"))
    fields = page.all("form.card input:not([type=hidden]), form.card select, form.card textarea")
    assert fields
    assert all("disabled" in field.attributes for field in fields)
    assert not page.has("form.card button")
    refusal = page_of(client.get(address_of(world, "shares"))).text("main")
    assert f"Your role in {world.assignment.course.name} does not allow this. Ask alice." in refusal


def test_an_administrator_manages_a_course_without_meeting_a_refusal(world: World) -> None:
    client, urls = client_of("administrator", world), addresses(world)
    people = client.get(urls["course"], follow=True)
    assert people.redirect_chain == [(urls["people"], 302)]
    links = page_of(people).links()
    assert {urls["rename_course"], urls["delete_course"]} <= set(links)
    for link in [link for link in links if link.startswith("/courses/")]:
        assert client.get(link, follow=True).status_code == 200, link
    saved = {"name": world.assignment.course.name, "keep_months": "24", "in_archive": "False"}
    assert client.post(urls["rename_course"], saved, follow=True).status_code == 200
    world.assignment.course.refresh_from_db()
    assert world.assignment.course.keep_months == 24


def test_an_administrator_is_told_to_state_a_reason(world: World, report: Report) -> None:
    client = client_of("administrator", world)
    refusal = page_of(client.get(report.assignment.get_absolute_url()))
    assert "State a reason" in refusal.text("main")
    assert reverse("department") in refusal.values("main a", "href")
    address = reverse("state_reason", args=[world.assignment.course_id])
    assert client.post(address, {"reason": "short"}).status_code == 422
    assert client.post(address, {"reason": "An appeal, case 7."}).status_code == 302
    assert client.get(report.assignment.get_absolute_url()).status_code == 200
    listed = get_page(client_of("owner", world), reverse("people", args=[world.assignment.course_id]))
    assert "a-administrator: An appeal, case 7." in listed.text("main")


def test_administrators_are_led_to_accounts_only_with_rights(world: World, admin_client: Client) -> None:
    accounts, department = reverse("admin:auth_user_changelist"), reverse("department")
    links = get_page(client_of("administrator", world), department).links()
    assert not [link for link in links if link.startswith("/admin/")]
    assert {accounts, "/admin/"} <= set(get_page(admin_client, department).links())
    assert admin_client.get(accounts).status_code == 200
