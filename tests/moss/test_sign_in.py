"""Signing in, the first account, and first steps."""

from datetime import timedelta
from urllib.parse import unquote

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import HttpResponseBase
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone

from moss.commands.service import offer_account
from submissions.models import Assignment, Batch, Course
from submissions.pages.requests import client_address
from tests.conftest import PASSWORD
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, zipped

ELSEWHERE = ["https://evil.example/", "//evil.example", "made-up", "login", "/accounts/login/"]


def sign_in(client: Client, name: str, password: str, **fields: str) -> HttpResponseBase:
    """Send the sign-in form."""
    return client.post(reverse("login"), {"username": name, "password": password, **fields})


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_signing_in_leads_to_a_page_of_this_site(elsewhere: str, client: Client, alice: User) -> None:
    assert sign_in(client, "alice", PASSWORD, next=elsewhere).headers["Location"] == "/"


def test_the_sign_in_page_says_that_another_page_was_asked_for(client: Client, alice: User) -> None:
    asked = "Sign in to see that page."
    for path, expected in (("/", False), (reverse("account"), True)):
        response = client.get(path, follow=True)
        assert (asked in page_of(response).text("main")) is expected


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_a_signed_in_user_is_led_away_from_the_sign_in_page(elsewhere: str, alice_client: Client) -> None:
    assert alice_client.get(reverse("login"), {"next": elsewhere}).headers["Location"] == "/"


def test_signing_in_leads_back_to_the_page_that_needed_it(client: Client, alice: User) -> None:
    refused = page_of(sign_in(client, "alice", "guess")).text(".error[role=alert]")
    assert refused.startswith("Please enter a correct username and password")
    assert sign_in(client, "alice", PASSWORD, next="/courses/1/?q=x").headers["Location"] == "/courses/1/?q=x"


def fail(client: Client, name: str, times: int) -> list[int]:
    """Try wrong passwords; return the statuses of the answers."""
    wrong = [f"wrong {number}" for number in range(times)]
    return [sign_in(client, name, password).status_code for password in wrong]


def test_after_ten_wrong_passwords_even_the_right_one_has_to_wait(client: Client, alice: User) -> None:
    assert fail(client, "alice", 10) == [200] * 9 + [429]
    refused = sign_in(client, "alice", PASSWORD)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "300"
    assert "Try again in 5 minutes." in page_of(refused).text()


def test_a_refused_password_is_not_hashed(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(client, "alice", 10)
    monkeypatch.setattr(ModelBackend, "authenticate", not_to_be_asked)
    assert sign_in(client, "alice", PASSWORD).status_code == 429
    with pytest.raises(AssertionError, match="a password is hashed"):
        sign_in(client, "bob", PASSWORD)


def not_to_be_asked(*_: object, **__: object) -> None:
    raise AssertionError("a password is hashed")


def test_the_admin_has_no_sign_in_of_its_own(client: Client, admin: User) -> None:
    address = reverse("admin:index")
    asked = client.get(address, follow=True)
    assert unquote(asked.redirect_chain[-1][0]) == f"{reverse('login')}?next={address}"
    assert sign_in(client, "admin", PASSWORD, next=address).headers["Location"] == address


def test_others_still_sign_in_from_the_same_address(client: Client, alice: User, bob: User) -> None:
    fail(client, "alice", 12)
    assert sign_in(client, "bob", PASSWORD).status_code == 302


@pytest.mark.long
def test_an_address_that_tries_many_accounts_has_to_wait(client: Client, alice: User) -> None:
    for number in range(10):
        fail(client, f"user {number}", 5)
    assert sign_in(client, "alice", PASSWORD).status_code == 429
    elsewhere = Client(REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR="127.0.0.1")
    assert sign_in(elsewhere, "alice", PASSWORD).status_code == 302


def test_no_header_makes_another_address(client: Client, alice: User) -> None:
    for number in range(10):
        sign_in(Client(HTTP_X_FORWARDED_FOR=f"192.0.2.{number}", HTTP_USER_AGENT=str(number)), "alice", "wrong")
    assert sign_in(client, "alice", PASSWORD).status_code == 429


def test_the_wait_ends_by_itself(client: Client, alice: User) -> None:
    fail(client, "alice", 10)
    past = timezone.now() - settings.AXES_COOLOFF_TIME - timedelta(seconds=1)
    AccessAttempt.objects.update(attempt_time=past)
    assert sign_in(client, "alice", PASSWORD).status_code == 302


def test_the_wait_is_ended_by_a_command(client: Client, alice: User) -> None:
    fail(client, "alice", 10)
    call_command("axes_reset", verbosity=0)
    assert sign_in(client, "alice", PASSWORD).status_code == 302


def test_failures_are_logged_without_passwords_and_control_characters(
    client: Client, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    sign_in(client, "al\nice\x1b[31m" + "e" * 400, "a secret")
    fail(client, "alice", 10)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("axes")]
    assert any(line.startswith("AXES: New login failure by 'alice' from 127.0.0.1") for line in lines)
    assert any(line.startswith("AXES: Locking out 'alice' from 127.0.0.1") for line in lines)
    assert not [line for line in lines if "secret" in line or "wrong" in line or not line.isprintable()]
    assert not AccessAttempt.objects.filter(post_data__contains="secret").exists()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "203.0.113.7", "127.0.0.1"),
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "10.0.0.1, 203.0.113.7", "203.0.113.7"),
        (2, "10.0.0.1, 203.0.113.7, 198.51.100.2", "203.0.113.7"),
        (2, "203.0.113.7", "127.0.0.1"),
        (1, "nonsense", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_only_addresses_that_stated_proxies_added_are_believed(proxies: int, forwarded: str, address: str) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded})
    with override_settings(PROXIES=proxies):
        assert client_address(request) == address


@pytest.mark.django_db
def test_the_sign_in_of_a_server_without_accounts_says_how_to_make_one(client: Client) -> None:
    address = reverse("login")
    assert "moss manage createsuperuser" in get_page(client, address).text(".notice code")
    User.objects.create_user("alice")
    assert not get_page(client, address).has(".notice code")


@pytest.mark.django_db
def test_a_server_that_nobody_watches_is_told_how_to_make_its_first_account(
    capsys: pytest.CaptureFixture[str],
) -> None:
    offer_account()
    assert "moss manage createsuperuser" in capsys.readouterr().out
    User.objects.create_user("alice")
    offer_account()
    assert capsys.readouterr().out == ""


def test_the_sample_class_is_opened_and_deleted_with_a_click_each(alice_client: Client, alice: User) -> None:
    page = get_page(alice_client, reverse("courses"))
    assert page.has(f'form[method=post][action="{reverse("add_sample")}"]')
    response = alice_client.post(reverse("add_sample"))
    batch = Batch.objects.get(assignment__course__owner=alice)
    assert response.headers["Location"] == batch.assignment.get_absolute_url()
    course = batch.assignment.course
    page = get_page(alice_client, course.get_absolute_url())
    assert page.has(f'form.notice[action="{reverse("delete_course", args=[course.pk])}"] button')
    alice_client.post(reverse("delete_course", args=[course.pk]))
    assert not Course.objects.filter(owner=alice).exists()


def test_courses_of_ones_own_are_never_taken_for_the_sample(alice_client: Client, alice: User) -> None:
    names = ("Sample course", "Sample course (moss)")
    courses = [Course.objects.create(owner=alice, name=name) for name in names]
    alice_client.post(reverse("add_sample"))
    assert Batch.objects.get().assignment.course.name == "Sample course 2"
    for course in courses:
        assert not course.assignments.exists()
        assert not get_page(alice_client, course.get_absolute_url()).has("form.notice")


def test_an_archive_is_compared_from_the_start_page(alice_client: Client, alice: User) -> None:
    for name in ("lab one", "lab one 2"):
        response = alice_client.post(reverse("compare"), {"files": [zipped(CLASS, name="lab one.zip")]})
        batch = Batch.objects.latest("pk")
        assert response.headers["Location"] == batch.get_absolute_url()
        assert (batch.assignment.name, batch.assignment.course.name) == (name, "Comparisons")
        assert batch.preview
    assert Course.objects.get(owner=alice).assignments.count() == 2


def test_a_comparison_without_files_creates_nothing_and_says_why(alice_client: Client) -> None:
    response = alice_client.post(reverse("compare"))
    assert response.status_code == 422
    assert page_of(response).text("form.upload .error") == "Choose at least one file."
    assert not Assignment.objects.exists()
