"""The second factor: an authenticator app and recovery codes."""

from collections.abc import Iterator

import pytest
from allauth.core import ratelimit
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.support.html import get_page, page_of

pytestmark = pytest.mark.django_db


def code(secret: str) -> str:
    """Return the code that an authenticator app shows now."""
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))


def sign_in(client: Client, **fields: str) -> HttpResponseBase:
    return client.post(reverse("login"), {"username": "alice", "password": PASSWORD, **fields})


def confirm(client: Client) -> None:
    """Sign in, and enter the password again, as the page of the second factor asks."""
    sign_in(client)
    page = client.get(reverse("mfa_activate_totp"), follow=True)
    assert page_of(page).text("h1") == "Confirm that it is you"
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


@pytest.fixture(autouse=True)
def no_wrong_codes(alice: User) -> Iterator[None]:
    """Forget the wrong codes of a test: they are counted by user, and Alice has the same id in the next."""
    yield
    request = RequestFactory().get("/")
    ratelimit.clear(request, action="login_failed", key=f"mfa-auth-user-{alice.pk}")


@pytest.fixture
def secret(client: Client, alice: User) -> str:
    """Alice's secret, after she has set up her app on the page."""
    confirm(client)
    page = get_page(client, reverse("mfa_activate_totp"))
    secret = page.text("form code")
    client.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    assert Authenticator.objects.filter(user=alice, type="totp").exists()
    return secret


def test_a_password_alone_signs_nobody_in_whose_app_is_set_up(secret: str, alice: User) -> None:
    visitor = Client()
    answer = sign_in(visitor, next="/account/")
    assert answer.headers["Location"] == reverse("mfa_authenticate")
    assert visitor.get("/account/").status_code == 302
    wrong = visitor.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert page_of(wrong).text(".error")
    recovery = recovery_code(alice)
    assert visitor.post(reverse("mfa_authenticate"), {"code": recovery}).headers["Location"] == "/account/"
    assert visitor.get("/account/").status_code == 200


def test_after_some_wrong_codes_even_the_right_one_has_to_wait(secret: str, alice: User) -> None:
    visitor, first = entered("000000", "198.51.100.8")
    answers = [first, *(visitor.post(reverse("mfa_authenticate"), {"code": "000000"}) for _ in range(11))]
    assert "Too many failed" not in page_of(answers[0]).text(".error")
    assert "Too many failed" in page_of(answers[-1]).text(".error")
    visitor.post(reverse("mfa_authenticate"), {"code": recovery_code(alice)})
    assert visitor.get("/account/").status_code == 302


def test_a_code_signs_in_once_and_an_old_or_later_one_of_the_app_never(secret: str, alice: User) -> None:
    counters = sorted(yield_hotp_counters_from_time())
    for number in (code(secret), recovery_code(alice)):
        assert [entered(number)[1].status_code for _ in range(2)] == [302, 200]
    for counter in (counters[0] - 2, counters[-1] + 2):
        assert entered(str(format_hotp_value(hotp_value(secret, counter))))[1].status_code == 200


def test_wrong_codes_are_counted_over_browsers_and_addresses(secret: str, alice: User) -> None:
    """A guess a browser and address: after some, the right one has to wait, too."""
    for number in range(12):
        entered(f"{number:06}", f"198.51.100.{number}")
    assert entered(code(secret), "198.51.100.200")[1].status_code != 302


def test_a_wrong_code_sets_nothing_up(client: Client, alice: User) -> None:
    confirm(client)
    get_page(client, reverse("mfa_activate_totp"))
    page = page_of(client.post(reverse("mfa_activate_totp"), {"code": "123"}))
    assert page.text(".error")
    assert not Authenticator.objects.exists()


def test_turning_it_off_takes_the_password_again(secret: str, client: Client) -> None:
    session = client.session
    session.pop("account_authentication_methods", None)
    session.save()
    asked = client.post(reverse("mfa_deactivate_totp"))
    assert asked.headers["Location"].startswith((reverse("account_reauthenticate"), reverse("mfa_reauthenticate")))
    assert Authenticator.objects.filter(type="totp").exists()


def test_the_admin_asks_for_it_too(secret: str, alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    visitor = Client()
    sign_in(visitor, next=reverse("admin:index"))
    assert visitor.get(reverse("admin:index")).status_code == 302


def test_its_pages_are_pages_of_this_service(secret: str, client: Client) -> None:
    for name in (
        "mfa_index",
        "mfa_generate_recovery_codes",
        "mfa_view_recovery_codes",
        "mfa_deactivate_totp",
    ):
        assert get_page(client, reverse(name)).has("header.top .brand"), name


def entered(number: str, address: str = "127.0.0.1") -> tuple[Client, HttpResponseBase]:
    """Sign in with the password in a new browser, and enter a code there."""
    visitor = Client(REMOTE_ADDR=address)
    sign_in(visitor)
    return visitor, visitor.post(reverse("mfa_authenticate"), {"code": number})


def recovery_code(user: User) -> str:
    codes: list[str] = Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()
    return codes[0]
