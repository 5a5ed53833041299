"""Whatever type a platform gives to any value that it sends: it is taken or refused, and nothing breaks."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from moss.integrations.lti.models import Platform
from moss.integrations.lti.tokens import RESOURCE
from moss.integrations.lti.views import TOOL
from submissions.models import Course
from tests.moss.integrations.lti.test_launch import member
from tests.moss.integrations.lti.test_registration import register
from tests.support.html import page_of
from tests.support.long_rows import rest_is_long
from tests.support.platform import CLAIM, LearningPlatform

pytestmark = pytest.mark.services

Path = tuple[str | int, ...]
ODD: list[Any] = [
    5, float("nan"), None, True, -1.5, 10**400, "", "x", "\ud800", [], [1], ["x", None], {}, {"x": [1]},
]  # fmt: skip
MORE = {
    "given_name": "Ina", "family_name": "Structor", "azp": "moss-client", "email_verified": True, "nbf": 1,
    "jti": "1", "locale": "en", "auth_time": 1, f"{CLAIM}custom": {"moss_assignment": "1", "x": "y"},
    f"{CLAIM}launch_presentation": {"document_target": "window", "width": 1},
    f"{CLAIM}tool_platform": {"guid": "1", "name": "LMS"},
}  # fmt: skip


def paths(value: Any, start: Path = ()) -> Iterator[Path]:
    """Yield the way to each value within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*start, key)
        yield from paths(one, (*start, key))


def with_value(whole: Any, path: Path, value: Any) -> Any:
    result = part = copy.deepcopy(whole)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return result


def claims_of(lms: LearningPlatform, nonce: str) -> dict[str, Any]:
    claims = lms.claims(nonce, **lms.deep_linking(data="x", accept_media_types="*/*", text="t"))
    return MORE | claims


ODD_ROWS = [pytest.param(odd, marks=[pytest.mark.long] * (number > 1)) for number, odd in enumerate(ODD)]


@pytest.mark.parametrize("kind", rest_is_long(["LtiDeepLinkingRequest", RESOURCE]))
@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_claim_may_have_any_type(odd: Any, kind: str, lms: LearningPlatform, client: Client) -> None:
    answers = dict[Path, int]()
    for path in paths(claims_of(lms, "")):
        begun = lms.begin(client)
        claims = claims_of(lms, begun["nonce"]) | {f"{CLAIM}message_type": kind}
        token = lms.server.sign(with_value(claims, path, odd))
        answers[path] = lms.send(client, begun["state"], token).status_code
    assert set(answers.values()) <= {302, 403}
    assert {answers[name,] for name in ("nonce", "iss", "aud")} == {403}


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_published_key_may_have_any_type(odd: Any, lms: LearningPlatform, client: Client) -> None:
    published = lms.server.published()
    for path in paths(published):
        Platform.objects.update(keys=[], keys_asked=None)
        lms.server.instead = json.dumps(with_value(published, path, odd)).encode()
        assert lms.launch(client).status_code in {302, 403}, path


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_registration_may_have_any_type(odd: Any, lms: LearningPlatform, admin_client: Client) -> None:
    configured, own = lms.server.configured(), {TOOL: {"deployment_id": "1"}, "client_id": "tool-8"}
    for part, whole in (("configuration", configured), ("registration_answer", own)):
        for path in paths(whole):
            lms.server.configuration, lms.server.registration_answer = {}, own
            setattr(lms.server, part, with_value(whole, path, odd))
            Platform.objects.exclude(pk=lms.row.pk).delete()
            (field,) = page_of(admin_client.post(reverse("lti_offer_registration"))).all(".copy input")
            address = str(field.attributes["value"]).removeprefix("http://testserver")
            assert register(lms, address).status_code in {200, 403, 422}, path


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_list_of_people_may_have_any_type(odd: Any, lms: LearningPlatform, client: Client) -> None:
    lms.launch(client)
    lms.server.tool_keys = client.get(reverse("lti_keys")).json()
    course = Course.objects.get()
    for path in paths([member(1)]):
        lms.server.members = [with_value([member(1)], path, odd)]
        assert client.post(reverse("lti_fill_roster", args=[course.pk])).status_code == 302, path
        assert client.get(reverse("roster", args=[course.pk])).status_code == 200, path
