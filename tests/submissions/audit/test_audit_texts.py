"""The page of the audit log is in the language of its reader, and what is stored stays as it is."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from submissions.audit.models import AuditAction
from submissions.audit.views import entry_text
from submissions.core.accounts import create_token, note_tokens
from submissions.courses import change as people
from submissions.models import AuditEntry
from tests.support.every_page import World, addresses
from tests.support.html import page_of

# Words of entries that code writes, and that no name of the test's world has.
ENGLISH = re.compile(
    r"\b(roster|audit log|sources|as an administrator|keep_\w+|in_archive|hold|compare_archive|threshold"
    r"|True|False|assistant|observer|instructor|invited|created"
    r"|revoked|until|receipt|link (?=\d)|retention)\b"
)


@pytest.fixture
def every_kind(world: World, alice_client: Client, bob_client: Client, admin_client: Client) -> None:
    """Cause an entry of every form that a subject has."""
    urls, course = addresses(world), world.assignment.course
    alice_client.post(urls["people"], {"email": "bob@example.org", "role": "assistant"})
    invitation = course.invitations.get(email="bob@example.org")
    bob_client.post(reverse("invitation", args=[people.invitation_token(invitation)]))
    admin_client.post(urls["state_reason"], {"reason": "An appeal, case 7."})
    admin_client.post(urls["change_role"], {"role": "observer"})
    alice_client.post(urls["rename_course"], {"name": "Renamed", "keep_months": "24", "in_archive": "False"})
    alice_client.post(urls["assignment_settings"], {"name": world.assignment.name, "hold": "An appeal."})
    alice_client.get(urls["roster"])
    admin_client.get(reverse("audit_file", args=["csv"]))
    token, _secret = create_token(world.owner, "laptop", "read", timedelta(days=9), [course])
    for what in ("created", "revoked"):
        note_tokens("alice", None, what, [token])
    others = (("retention", "sources"), ("link 12", ""), ("admin", "receipt 3"))
    for who, subject in others:
        AuditEntry(who=who, subject=subject, action=AuditAction.DELETED, page="test").save()


@pytest.mark.usefixtures("every_kind")
@pytest.mark.parametrize("language", ["de", "es"])
def test_no_english_is_on_the_page_in_another_language(admin_client: Client, language: str) -> None:
    stored = list(AuditEntry.objects.order_by("pk").values_list("who", "subject"))
    words = {word for texts in stored for word in ENGLISH.findall(" ".join(texts))}
    assert len(words) > 15, words
    page = page_of(admin_client.get(reverse("audit_log"), headers={"Accept-Language": language}))
    cells = [" ".join(row[:3]) for row in page.rows("table.list tbody tr")]
    assert len(cells) == len(stored)
    assert [cell for cell in cells if ENGLISH.search(cell)] == []
    assert list(AuditEntry.objects.order_by("pk").values_list("who", "subject")) == stored


def test_names_and_reasons_stay_as_they_are() -> None:
    with override("de"):
        for text in ("Ada Lovelace; Grace Hopper", "An appeal: case 7.", "Müller → Meier", ""):
            assert entry_text(text) == text
        assert entry_text("hold: An appeal.; threshold: ").startswith("Sperre: An appeal.; Schwellenwert: ")
