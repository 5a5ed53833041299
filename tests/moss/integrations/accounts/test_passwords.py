"""Changing the password: what is asked for, what is refused, and what ends."""

import logging

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.moss.integrations.accounts.test_sessions import is_signed_in, signed_in
from tests.support.html import get_page, page_of

NEW = "four words nobody would guess"


def change(client: Client, old: str = PASSWORD, new: str = NEW, again: str = "") -> HttpResponse:
    form = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return client.post(reverse("change_password"), form)  # type: ignore[return-value]


def test_everybody_finds_the_page_in_the_header(alice_client: Client) -> None:
    account = get_page(alice_client, "/").one(".account a").attributes["href"]
    assert account == reverse("account")
    assert reverse("change_password") in get_page(alice_client, account).links()


def test_the_new_password_counts_and_the_old_one_does_not(alice: User) -> None:
    client = signed_in(alice)
    assert change(client).headers["Location"] == reverse("account")
    assert "Your password was changed" in get_page(client, reverse("account")).text(".notices")
    alice.refresh_from_db()
    assert alice.check_password(NEW)
    assert not alice.check_password(PASSWORD)


def test_changing_it_ends_the_other_sessions_and_renews_this_one(alice: User, bob: User) -> None:
    here, other, bobs = signed_in(alice), signed_in(alice), signed_in(bob)
    before = here.session.session_key
    change(here)
    assert here.session.session_key != before
    assert [is_signed_in(client) for client in (here, other, bobs)] == [True, False, True]
    assert len(get_page(here, reverse("account")).all(".sessions li")) == 1


def test_the_present_password_is_needed_and_guesses_count_as_sign_ins(alice: User) -> None:
    client = signed_in(alice)
    statuses = [change(client, f"wrong {number}").status_code for number in range(10)]
    assert statuses == [422] * 9 + [429]
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short enough", ""),
        ("eleven char", "at least 12 characters"),
        ("123456654321", "too common"),
        ("1q2w3e4r5t6y", "too common"),
        ("alice@example.org", "similar"),
        ("Moss-Course-2026!", "words of this service"),
        ("plagiarism 12", "words of this service"),
        ("moss grows on old walls", ""),
        ("831 227 904 551 663", ""),
        ("x" * 40 + "äß漢字🙂 " + "y" * 60, ""),
    ],
)
def test_short_common_and_obvious_passwords_are_refused(alice: User, password: str, reason: str) -> None:
    client = signed_in(alice)
    response = change(client, new=password)
    if reason:
        assert response.status_code == 422
        assert any(reason in error for error in page_of(response).texts(".error"))
    else:
        assert response.status_code == 302


def test_two_different_new_passwords_are_refused(alice: User) -> None:
    response = change(signed_in(alice), again="another long password")
    assert "match" in page_of(response).text(".error")


def test_a_stranger_changes_no_password(client: Client) -> None:
    assert change(client).headers["Location"].startswith(reverse("login"))


def test_the_admin_keeps_to_the_same_rules(admin_client: Client) -> None:
    form = {
        "username": "dora",
        "password1": "eleven char",
        "password2": "eleven char",
        "usable_password": "true",
    }
    page = page_of(admin_client.post(reverse("admin:auth_user_add"), form))
    assert any("at least 12 characters" in error for error in page.texts(".errorlist"))
    with pytest.raises(ValidationError):
        validate_password("eleven char")


def test_fields_hide_what_is_typed_and_let_managers_fill_them(alice_client: Client) -> None:
    page = get_page(alice_client, reverse("change_password"))
    assert page.values("main input:not([type=hidden])", "type") == ["password"] * 3
    hints = page.values("main input:not([type=hidden])", "autocomplete")
    assert hints == ["current-password", "new-password", "new-password"]


def test_the_change_is_logged_without_a_password(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    change(signed_in(alice))
    lines = [record.getMessage() for record in caplog.records]
    assert f"account {alice.pk} changed its password" in lines
    assert not [line for line in lines if NEW in line or PASSWORD in line]
