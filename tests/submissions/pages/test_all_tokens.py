"""The page of the tokens of all accounts."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.core.accounts import create_token, service_account
from submissions.models import ApiToken, Assignment, AuditEntry
from tests.support.html import get_page

pytestmark = pytest.mark.services

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


def test_chosen_tokens_are_revoked_and_logged_and_the_others_stay(
    alice: User, bob: User, admin_client: Client
) -> None:
    token, _secret = create_token(alice, "My script", "read", LASTING)
    other, _secret = create_token(bob, "Kept", "read", LASTING)
    answer = admin_client.post(reverse("all_tokens"), {"token": [token.pk, "x", "0"]}, follow=True)
    assert "1 token was revoked." in answer.content.decode()
    assert not ApiToken.objects.get(pk=token.pk).is_valid
    assert ApiToken.objects.get(pk=other.pk).is_valid
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action) == ("admin", "tokens")
    assert entry.subject.startswith("revoked: My script")


def test_only_administrators_have_the_page(alice: User, alice_client: Client) -> None:
    token, _secret = create_token(alice, "My script", "read", LASTING)
    assert alice_client.get(reverse("all_tokens")).status_code == 404
    assert alice_client.post(reverse("all_tokens"), {"token": [token.pk]}).status_code == 404
    assert ApiToken.objects.get(pk=token.pk).is_valid
