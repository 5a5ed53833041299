"""The user id on the page of the account, and in Django's admin."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.moss_protocol.models import MossUserId, account_of, renew_user_id, user_id_of
from tests.support.html import get_page

pytestmark = pytest.mark.services


@pytest.fixture
def _listens(settings: Settings) -> None:
    settings.LISTEN = True


def test_the_page_of_the_account_says_nothing_of_scripts_where_none_are_taken(alice_client: Client) -> None:
    page = get_page(alice_client, reverse("account"))
    assert not page.has("#moss-clients")
    assert not page.has(".script-lines")


@pytest.mark.usefixtures("_listens")
def test_an_instructor_gets_a_user_id_and_the_lines_for_the_script(alice_client: Client, alice: User) -> None:
    page = get_page(alice_client, reverse("account"))
    assert not page.has(".script-lines")
    address = page.one("form[action*=moss-user-id]").attributes["action"]
    assert alice_client.post(str(address)).headers["Location"] == reverse("account")
    page = get_page(alice_client, reverse("account"))
    number = user_id_of(alice)
    assert re.fullmatch(r"[1-9]\d{14}", number)
    assert page.text(".script-lines") == f"$server = 'testserver'; $userid = {number};"
    assert "You have a new MOSS user id" in page.text(".notices")


@pytest.mark.usefixtures("_listens")
def test_another_port_than_the_usual_one_is_a_line_of_its_own(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    settings.LISTEN_PORT = 7691
    renew_user_id(alice)
    assert "$port = '7691';" in get_page(alice_client, reverse("account")).text(".script-lines")


@pytest.mark.usefixtures("_listens")
def test_renewing_ends_the_old_number_and_nobody_elses(
    alice_client: Client, bob_client: Client, alice: User, bob: User
) -> None:
    old, bobs = renew_user_id(alice), renew_user_id(bob)
    alice_client.post(reverse("renew_moss_user_id"))
    assert account_of(old) is None
    assert account_of(user_id_of(alice)) == alice
    assert account_of(bobs) == bob
    assert old not in get_page(alice_client, reverse("account")).html
    assert bobs not in get_page(alice_client, reverse("account")).html


def test_only_signed_in_users_renew_and_only_by_post(client: Client, alice_client: Client, db: None) -> None:
    assert client.post(reverse("renew_moss_user_id")).status_code == 302
    assert alice_client.get(reverse("renew_moss_user_id")).status_code == 405
    assert not MossUserId.objects.exists()


def test_an_administrator_sets_the_number_of_an_old_script(admin_client: Client, alice: User) -> None:
    add = reverse("admin:moss_protocol_mossuserid_add")
    form = {"user": alice.pk, "number": "987654321"}
    assert admin_client.post(add, form | {"number": "007"}).status_code == 200
    assert admin_client.post(add, form).status_code == 302
    assert account_of("987654321") == alice
    listed = reverse("admin:moss_protocol_mossuserid_changelist")
    assert "987654321" not in get_page(admin_client, listed).html
