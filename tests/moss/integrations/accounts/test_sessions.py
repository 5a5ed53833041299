"""Sessions and passwords: how long they last, what is asked for, and what ends."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import device_name, device_text
from moss.operations.maintenance import maintain_once
from tests.conftest import PASSWORD
from tests.support.html import get_page, page_of

At = Callable[[timedelta], None]

ACCOUNT = reverse("account")


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605 Version/18.5 Safari/604.1"


CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> At:
    """Return a function that sets the clock to some time after now."""

    def set_clock(delay: timedelta) -> None:
        moment = datetime.now(UTC) + delay
        monkeypatch.setattr(timezone, "now", lambda: moment)
        monkeypatch.setattr("time.time", moment.timestamp)

    return set_clock


def signed_in(user: User, agent: str = FIREFOX, address: str = "192.0.2.7") -> Client:
    """Sign a user in by the form, with a browser and from an address."""
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=agent)
    form = {"username": user.get_username(), "password": PASSWORD}
    assert client.post(reverse("login"), form).status_code == 302
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(ACCOUNT).status_code == 200


def end(client: Client, password: str = PASSWORD, **chosen: str) -> HttpResponse:
    return client.post(ACCOUNT, {"password": password, **chosen})  # type: ignore[return-value]


def test_a_session_ends_after_a_time_without_use(alice: User, after: At) -> None:
    client = signed_in(alice)
    after(timedelta(hours=settings.SESSION_IDLE_HOURS, minutes=-1))
    assert is_signed_in(client)
    after(timedelta(hours=2 * settings.SESSION_IDLE_HOURS, minutes=-2))
    assert is_signed_in(client)
    after(timedelta(hours=3 * settings.SESSION_IDLE_HOURS))
    assert not is_signed_in(client)


def test_a_session_ends_after_its_longest_time_however_much_it_is_used(alice: User, after: At) -> None:
    client = signed_in(alice)
    steps = settings.SESSION_LONGEST_DAYS * 3
    for step in range(steps):
        after(timedelta(hours=8 * step))
        assert is_signed_in(client)
    after(timedelta(days=settings.SESSION_LONGEST_DAYS, seconds=2))
    assert not is_signed_in(client)


@pytest.mark.long
def test_the_cookie_lasts_no_longer_than_the_session(alice: User, after: At) -> None:
    client = signed_in(alice)
    assert client.cookies["sessionid"]["max-age"] == settings.SESSION_IDLE_HOURS * 3600
    for day in range(settings.SESSION_LONGEST_DAYS * 3):
        after(timedelta(hours=8 * day))
        client.get(ACCOUNT)
    assert client.cookies["sessionid"]["max-age"] <= 8 * 3600


def test_most_requests_write_nothing_about_the_session(alice: User, after: At) -> None:
    client = signed_in(alice)

    def writes() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            assert is_signed_in(client)
        return [query["sql"] for query in queries if not query["sql"].startswith("SELECT")]

    assert writes() == []
    after(timedelta(minutes=6))
    assert any("accounts_session" in write for write in writes())
    assert writes() == []


def test_signing_in_changes_the_key_of_the_session(alice: User, client: Client) -> None:
    client.session.save()
    session = client.session
    session["anything"] = 1
    session.save()
    before = session.session_key or ""
    client.cookies["sessionid"] = before
    client.post(reverse("login"), {"username": "alice", "password": PASSWORD})
    assert client.session.session_key != before
    assert not Session.objects.filter(session_key=before).exists()


def test_signing_out_ends_the_session(alice: User) -> None:
    client = signed_in(alice)
    key = client.session.session_key
    answer = client.post(reverse("logout"))
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    client.cookies["sessionid"] = key or ""
    assert not is_signed_in(client)


def test_sessions_of_a_disabled_account_end(alice: User) -> None:
    client = signed_in(alice)
    alice.is_active = False
    alice.save()
    assert not is_signed_in(client)


def test_the_account_page_lists_where_the_user_is_signed_in(alice: User, bob: User) -> None:
    here = signed_in(alice)
    signed_in(alice, SAFARI, "2001:db8::1")
    signed_in(bob)
    rows = get_page(here, ACCOUNT).texts(".sessions li")
    assert len(rows) == 2
    assert rows[0].startswith("Firefox on Linux · this session 192.0.2.7 · since ")
    assert rows[1].startswith("Safari on iPhone 2001:db8::1 · since ")


def test_keys_of_sessions_are_on_no_page(alice: User, admin: User) -> None:
    here, other = signed_in(alice), signed_in(alice)
    page = get_page(here, ACCOUNT)
    for client in (here, other):
        assert str(client.session.session_key) not in page.html
        assert str(client.session.session_key) not in str(Session.objects.get(pk=client.session.session_key))


def test_a_chosen_session_is_ended_and_no_other(alice: User) -> None:
    here, phone, desk = signed_in(alice), signed_in(alice, SAFARI), signed_in(alice, CHROME)
    page = get_page(here, ACCOUNT)
    labels = dict(zip(page.texts(".sessions label"), page.values(".sessions input", "value"), strict=True))
    assert end(here, end=labels["Safari on iPhone"]).headers["Location"] == ACCOUNT
    assert "1 session was ended." in get_page(here, ACCOUNT).text(".notices")
    assert [is_signed_in(client) for client in (here, phone, desk)] == [True, False, True]


def test_all_other_sessions_are_ended_at_once(alice: User, bob: User) -> None:
    here, others, bobs = signed_in(alice), [signed_in(alice), signed_in(alice)], signed_in(bob)
    assert end(here, others="1").status_code == 302
    assert [is_signed_in(client) for client in (here, *others, bobs)] == [True, False, False, True]


def test_ending_a_session_needs_the_password_which_counts_as_a_sign_in(alice: User) -> None:
    here, other = signed_in(alice), signed_in(alice)
    refused = end(here, "wrong", others="1")
    assert refused.status_code == 422
    assert page_of(refused).text(".error") == "That is not your password."
    assert is_signed_in(other)
    statuses = [end(here, f"wrong {number}", others="1").status_code for number in range(9)]
    assert statuses == [422] * 8 + [429]
    assert end(here, PASSWORD, others="1").status_code in {422, 429}
    assert is_signed_in(other)


@pytest.mark.parametrize("chosen", [{}, {"end": "made-up"}])
def test_a_session_must_be_chosen(alice: User, chosen: dict[str, str]) -> None:
    here, other = signed_in(alice), signed_in(alice)
    assert end(here, **chosen).status_code == 422
    assert is_signed_in(other)


def test_nobody_ends_sessions_of_others(alice: User, bob: User) -> None:
    alices, also, bobs = signed_in(alice), signed_in(alice), signed_in(bob)
    handle = get_page(alices, ACCOUNT).one(".sessions input").attributes["value"]
    signed_in(bob)
    assert end(bobs, end=handle or "").status_code == 422
    assert is_signed_in(also)


def test_administrators_end_the_sessions_of_a_user(alice: User, bob: User, admin_client: Client) -> None:
    alices, bobs = signed_in(alice), signed_in(bob)
    form = {"action": "end_sessions", "_selected_action": alice.pk}
    assert admin_client.post(reverse("admin:auth_user_changelist"), form).status_code == 302
    assert (is_signed_in(alices), is_signed_in(bobs)) == (False, True)


@pytest.mark.django_db(transaction=True)
def test_maintenance_deletes_ended_sessions(alice: User, bob: User) -> None:
    ended, running = signed_in(alice), signed_in(bob)
    past = timezone.now() - timedelta(seconds=1)
    Session.objects.filter(pk=ended.session.session_key).update(expire_date=past)
    maintain_once()
    assert list(Session.objects.values_list("user", flat=True)) == [bob.pk]
    assert is_signed_in(running)


def test_signing_in_and_out_is_logged(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    signed_in(alice).post(reverse("logout"))
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("moss.integrations.accounts")]
    assert lines == [f"account {alice.pk} signed {how} from 192.0.2.7" for how in ("in", "out")]


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (CHROME, "Chrome on Windows"),
        (f"{CHROME} Edg/140.0", "Edge on Windows"),
        ("curl/8.14", "curl"),
        ("", "An unknown program"),
        ("<script>", "An unknown program"),
    ],
)
def test_a_device_is_named_in_words(agent: str, name: str) -> None:
    assert device_name(agent) == name


def test_a_device_is_named_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        assert device_text(device_name(FIREFOX)) == "Firefox unter Linux"
        assert device_text(device_name("curl/8.14")) == "curl"
        assert device_text(device_name("")) == "Ein unbekanntes Programm"


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
