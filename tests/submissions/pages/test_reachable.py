"""Every page is reached from the first one by links, for those who may open it."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from submissions.models import Erasure, Membership
from tests.support.every_page import (
    ACCOUNT_PAGES,
    PAGES,
    STAFF_OBJECTS,
    STAFF_PAGES,
    World,
    fetch_of,
    webhook_of,
)
from tests.support.html import page_of

pytestmark = pytest.mark.services

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
