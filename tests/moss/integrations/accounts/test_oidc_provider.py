"""Signing in with npm's oidc-provider, whose pages, tokens and errors no library of this service makes."""

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings
from requests import Response

from submissions.models import Assignment, CampusGroup, Membership
from tests.support.campus import use_provider
from tests.support.html import Page
from tests.support.oidc_provider import OidcProvider, Visitor


def text(response: Response) -> str:
    return Page(response.text).text("main")


def test_signing_in_creates_an_account_once(oidc_provider: OidcProvider, visitor: Visitor) -> None:
    oidc_provider.enrol("dora", email="dora@example.edu", email_verified=True)
    for person in (visitor, Visitor(visitor.service)):
        arrived = person.sign_in("dora")
        assert arrived.url == f"{visitor.service}/account/"
        assert "dora" in Page(arrived.text).text("header")
    user = User.objects.get()
    assert (user.username, user.email, user.has_usable_password()) == ("dora", "dora@example.edu", False)


@pytest.mark.parametrize("verified", ["verified", "not verified"])
def test_only_a_verified_address_leads_to_the_account_that_has_it(
    verified: str, oidc_provider: OidcProvider, visitor: Visitor, alice: User
) -> None:
    is_verified = verified == "verified"
    oidc_provider.enrol("a.liddell", email=alice.email, email_verified=is_verified)
    visitor.sign_in("a.liddell")
    alice.refresh_from_db()
    assert (alice.last_login is not None) is is_verified


def test_groups_let_in_make_administrators_and_give_roles(
    oidc_provider: OidcProvider, visitor: Visitor, assignment: Assignment, settings: Settings
) -> None:
    settings.CAMPUS_GROUPS, settings.CAMPUS_ADMINISTRATORS = ["staff"], ["admins"]
    CampusGroup.objects.create(course=assignment.course, group="tutors", role="assistant")
    oidc_provider.enrol("sam", groups=["students"])
    refused = visitor.sign_in("sam")
    assert refused.status_code == 403
    assert "is in no group that may use this service" in text(refused)
    for groups, is_staff, roles in (
        (["staff", "admins", "tutors"], True, ["assistant"]),
        (["staff"], False, []),
    ):
        oidc_provider.enrol("dora", groups=groups)
        Visitor(visitor.service).sign_in("dora")
        assert User.objects.get(username="dora").is_staff is is_staff
        memberships = Membership.objects.filter(user__username="dora", course=assignment.course)
        assert list(memberships.values_list("role", flat=True)) == roles


def test_a_wrong_client_secret_is_told_on_a_page(
    oidc_provider: OidcProvider, visitor: Visitor, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    oidc_provider.enrol("dora")
    use_provider(settings, oidc_provider.url, "not-the-secret")
    assert "Signing in with the campus account failed" in text(visitor.sign_in("dora"))
    assert "invalid_client" in caplog.text
    assert not User.objects.exists()


@pytest.mark.parametrize("step", ["sign-in", "consent"])
def test_who_cancels_at_the_provider_is_told_so(
    step: str, oidc_provider: OidcProvider, visitor: Visitor
) -> None:
    oidc_provider.enrol("dora")
    page = visitor.choose_campus()
    if step == "consent":
        page = visitor.submit(page, login="dora", password="any")
    cancelled = visitor.follow(page, "a[href$='/abort']")
    assert "You cancelled signing in with your campus account." in text(cancelled)
    assert not User.objects.exists()


def test_signing_out_ends_the_session_here_and_not_at_the_provider(
    oidc_provider: OidcProvider, visitor: Visitor
) -> None:
    oidc_provider.enrol("dora")
    arrived = visitor.sign_in("dora")
    visitor.submit(arrived, "form[action='/accounts/logout/']")
    assert "/accounts/login/" in visitor.open("/account/").url
    # The provider still knows dora, and asks nothing.
    assert visitor.choose_campus().url == f"{visitor.service}/account/"
