"""No secret can be read in the database or in Valkey, whoever has a copy of them."""

from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.mfa.utils import decrypt
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from moss.integrations.lti.models import ToolKey
from moss.integrations.lti.tokens import public_keys
from moss.operations.doctor import sealed
from submissions.models import ApiAnswer, Assignment
from tests.support.api import client_with, secret_of, send
from tests.support.every_column import places_of

KEY = {"Idempotency_Key": "one webhook"}
BODY = {"url": "https://hooks.example.org/", "events": ["report.ready"]}


def create_webhook(user: User, assignment: Assignment) -> tuple[str, Any]:
    """Create a webhook with an idempotency key; return the secret of the token, and the answer."""
    token = secret_of(user)
    path = f"/courses/{assignment.course_id}/webhooks"
    answers = [send(client_with(token), "post", path, BODY, **KEY) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[1].json() == answers[0].json()
    return token, answers[0]


def test_no_secret_is_found_in_any_column(alice: User, assignment: Assignment) -> None:
    token, answer = create_webhook(alice, assignment)
    app = generate_totp_secret()
    TOTP.activate(alice, app)
    codes = RecoveryCodes.activate(alice)
    seed = decrypt(codes.instance.data["seed"])
    public_keys()
    lines = ToolKey.objects.get().private_key.splitlines()[1:-1]
    secrets = [token, answer.json()["secret"], app, seed, *lines, *codes.get_unused_codes()]
    assert min(map(len, secrets)) >= 8
    assert places_of(secrets) == set()
    assert ApiAnswer.objects.get().body == answer.content.decode()


def test_another_secret_key_is_found_by_doctor_and_breaks_no_page(
    alice: User, assignment: Assignment, settings: Settings
) -> None:
    token, _answer = create_webhook(alice, assignment)
    TOTP.activate(alice, generate_totp_secret())
    assert sealed().state == "ok"
    former, settings.SECRET_KEY = settings.SECRET_KEY, "a new key"
    assert (sealed().state, sealed().message[:2]) == ("problem", "2 ")
    path = f"/courses/{assignment.course_id}/webhooks"
    assert len(send(client_with(token), "get", path).json()["items"]) == 1
    assert send(client_with(token), "post", path, BODY, **KEY).status_code == 409
    settings.SECRET_KEY_FALLBACKS = [former]
    assert sealed().state == "ok"
    assert send(client_with(token), "post", path, BODY, **KEY).status_code == 201


pytestmark = pytest.mark.django_db
