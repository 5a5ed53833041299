"""Dynamic registration, the pages of platforms, and who may open which address of LTI."""

from datetime import timedelta
from typing import Any

import jwt
import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.lti import views as urls
from moss.integrations.lti.models import (
    DeepLinkRequest,
    Platform,
    PlatformCourse,
    RegistrationAddress,
    ToolKey,
)
from moss.integrations.lti.views import HOLDS, PLATFORM, TOOL
from submissions.models import Assignment, Course, Membership
from tests.support.html import get_page, page_of
from tests.support.platform import DEPLOYMENT, SCOPE, LearningPlatform
from tests.support.receiver import Receiver


@pytest.fixture
def address(admin_client: Client) -> str:
    """The path of a new address for a registration."""
    response = admin_client.post(reverse("lti_offer_registration"))
    (field,) = page_of(response).all(".copy input")
    return str(field.attributes["value"]).removeprefix("http://testserver")


def handed_over(lms: LearningPlatform, **changes: str) -> dict[str, str]:
    """Return what the platform adds to the address."""
    configuration = f"{lms.url}/configuration"
    return {"openid_configuration": configuration, "registration_token": "the-registration-token"} | changes


def register(lms: LearningPlatform, address: str, **changes: str) -> HttpResponseBase:
    """Open the address and press its button, as in a frame: without any cookie."""
    client = Client(enforce_csrf_checks=True)
    page = page_of(client.get(address, handed_over(lms, **changes)))
    hidden = [one.attributes for one in page.all("form.card input")]
    fields = {str(one["name"]): str(one["value"]) for one in hidden}
    response: HttpResponseBase = client.post(address, fields or handed_over(lms, **changes))
    return response


def new_platform(lms: LearningPlatform) -> Platform:
    return Platform.objects.exclude(pk=lms.row.pk).get()


def test_a_platform_is_stored_with_what_it_says_and_gets_the_addresses_of_this_service(
    lms: LearningPlatform, address: str
) -> None:
    lms.server.registration_answer = {TOOL: {"deployment_id": "deployment-9"}}
    response = register(lms, address)
    assert response.status_code == 200
    assert "example (127.0.0.1) is registered" in page_of(response).text("h1")
    row = new_platform(lms)
    assert (row.name, row.issuer, row.client_id) == ("example (127.0.0.1)", lms.url, "tool-7")
    assert (row.auth_url, row.token_url) == (f"{lms.url}/auth", f"{lms.url}/token")
    assert (row.jwks_url, row.deployments, row.service_urls) == (f"{lms.url}/keys", "deployment-9", "")
    assert not row.trusts_mail
    (tool,) = lms.server.registered
    assert tool["initiate_login_uri"] == "http://testserver/lti/login/"
    assert tool["redirect_uris"] == ["http://testserver/lti/launch/"]
    assert tool["jwks_uri"] == "http://testserver/lti/keys/"
    assert (tool["scope"], tool[TOOL]["domain"]) == (SCOPE, "testserver")
    kinds = {message["type"] for message in tool[TOOL]["messages"]}
    assert kinds == {"LtiResourceLinkRequest", "LtiDeepLinkingRequest"}


def test_people_come_from_a_platform_that_was_registered_by_itself(
    lms: LearningPlatform, address: str, client: Client
) -> None:
    lms.server.registration_answer = {TOOL: {"deployment_id": DEPLOYMENT}}
    register(lms, address)
    begun = lms.begin(client, iss=lms.url, client_id="tool-7")
    claims = lms.claims(begun["nonce"]) | {"iss": lms.url, "aud": "tool-7"}
    response = lms.send(client, begun["state"], lms.server.sign(claims))
    assert response.status_code == 302
    assert User.objects.filter(platform_accounts__platform=new_platform(lms)).exists()


def test_without_a_deployment_the_first_launch_says_which_one_to_add(
    lms: LearningPlatform, address: str, client: Client
) -> None:
    assert "named no deployment" in page_of(register(lms, address)).text("main")
    begun = lms.begin(client, iss=lms.url, client_id="tool-7")
    claims = lms.claims(begun["nonce"]) | {"iss": lms.url, "aud": "tool-7"}
    refused = lms.send(client, begun["state"], lms.server.sign(claims))
    assert refused.status_code == 403
    assert DEPLOYMENT in page_of(refused).text("main")


def test_the_key_of_an_address_is_nowhere_in_the_database(address: str) -> None:
    key = address.strip("/").split("/")[-1]
    row = RegistrationAddress.objects.get()
    assert key not in {row.digest, str(row)}
    assert len(key) > 40


@pytest.mark.parametrize("configuration", ["", "http://lms.example/c", "file:///etc/passwd", "https://a:b@lms/"])
def test_a_configuration_that_is_no_address_with_https_is_refused(
    lms: LearningPlatform, address: str, configuration: str
) -> None:
    response = register(lms, address, openid_configuration=configuration)
    assert response.status_code == 403
    assert "where its configuration is" in page_of(response).text("main")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"issuer": "https://other.example"}, "is not at 127.0.0.1"),
        ({"issuer": None}, "issuer is None"),
        ({"token_endpoint": "http://lms.example/token"}, "token_endpoint is no address"),
        ({"jwks_uri": ["x"]}, "jwks_uri is no address"),
        ({"registration_endpoint": "https://other.example/register"}, "no host that is stored"),
    ],
)
def test_a_configuration_that_is_not_as_lti_says_stores_nothing_and_keeps_the_address(
    lms: LearningPlatform, address: str, changes: dict[str, Any], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    lms.server.configuration = changes
    response = register(lms, address)
    assert response.status_code == 422
    assert "did not answer as LTI 1.3 says" in page_of(response).text("main")
    assert why in caplog.text
    assert Platform.objects.count() == 1
    lms.server.configuration = {}
    assert register(lms, address).status_code == 200


@pytest.mark.parametrize("name", ["registration_endpoint", "openid_configuration"])
def test_nothing_is_sent_to_a_port_of_this_machine_unless_its_network_is_listed(
    name: str, lms: LearningPlatform, address: str, receiver: Receiver, settings: Settings
) -> None:
    """The receiver is any service of this machine; `127.0.0.2` is not in the list of these tests."""
    local = f"http://127.0.0.2:{receiver.server_port}/"
    lms.server.configuration = {"registration_endpoint": local, "jwks_uri": local}
    if name == "openid_configuration":
        assert register(lms, address, openid_configuration=local).status_code == 422
    else:
        assert register(lms, address).status_code == 422
    assert receiver.received == []
    settings.WEBHOOK_NETWORKS = []
    asked = len(lms.server.asked)
    assert register(lms, address).status_code == 422
    assert len(lms.server.asked) == asked
    assert Platform.objects.count() == 1


def test_a_second_registration_of_one_platform_has_another_name_and_client_id(
    lms: LearningPlatform, admin_client: Client, address: str
) -> None:
    register(lms, address)
    lms.server.registration_answer = {"client_id": "tool-8"}
    (field,) = page_of(admin_client.post(reverse("lti_offer_registration"))).all(".copy input")
    register(lms, str(field.attributes["value"]).removeprefix("http://testserver"))
    names = set(Platform.objects.values_list("name", flat=True))
    assert names == {"Example LMS", "example (127.0.0.1)", "example (127.0.0.1) 2"}


def test_a_platform_that_is_registered_already_is_said(lms: LearningPlatform, address: str) -> None:
    Platform.objects.filter(pk=lms.row.pk).update(issuer=lms.url, client_id="tool-7")
    response = register(lms, address)
    assert (response.status_code, "stored already" in page_of(response).text("main")) == (403, True)
    assert RegistrationAddress.objects.exists()


def test_a_platform_that_sends_notices_is_asked_for_no_service_of_them(lms: LearningPlatform, address: str) -> None:
    notices = ["LtiHelloWorldNotice", "LtiAssetProcessorSubmissionNotice"]
    lms.server.configuration = {PLATFORM: {"notice_types_supported": notices}}
    register(lms, address)
    (tool,) = lms.server.registered
    assert tool["scope"] == SCOPE
    messages = [(one["type"], "placements" in one) for one in tool[TOOL]["messages"]]
    assert messages == [("LtiResourceLinkRequest", False), ("LtiDeepLinkingRequest", False)]


FIELDS = {
    "name": "Moodle", "issuer": "https://moodle.example", "client_id": "abc", "deployments": "1\r\n2\r\n1",
    "auth_url": "https://moodle.example/mod/lti/auth.php",
    "token_url": "https://moodle.example/mod/lti/token.php",
    "jwks_url": "https://moodle.example/mod/lti/certs.php", "token_audience": "", "service_urls": "",
}  # fmt: skip


# What a GET and a POST take, by the name of the address.
ANYBODY, STAFF, CHANGE, ASKED, NOTHING = "anybody", "staff", "change", "asked", "nothing"


TABLE = {
    "lti_login": (ANYBODY, ANYBODY), "lti_launch": (NOTHING, ANYBODY), "lti_keys": (ANYBODY, NOTHING),
    "lti_deep_linking": (ASKED, ASKED), "lti_fill_roster": (NOTHING, CHANGE),
    "lti_platforms": (STAFF, STAFF), "lti_platform": (STAFF, STAFF),
    "lti_remove_platform": (NOTHING, STAFF), "lti_offer_registration": (NOTHING, STAFF),
    "lti_register": (ANYBODY, ANYBODY),
}  # fmt: skip


# The answers to what each takes, by who asks; 404 to everybody else.
SIGN_IN, NOT_FOUND, FORBIDDEN, DONE = (
    frozenset({302}),
    frozenset({404}),
    frozenset({403}),
    frozenset({200, 302}),
)


ROLES = ("stranger", "charlie", "assistant", "instructor", "admin")


ANSWERS = {
    ANYBODY: dict.fromkeys(ROLES, frozenset({200, 403})),
    NOTHING: dict.fromkeys(ROLES, frozenset({302, 404, 405})),
    STAFF: {"stranger": SIGN_IN, "admin": DONE},
    CHANGE: {"stranger": SIGN_IN, "assistant": FORBIDDEN, "instructor": DONE, "admin": FORBIDDEN},
    ASKED: {"stranger": SIGN_IN},
}


def test_the_table_has_every_address() -> None:
    assert TABLE.keys() == {pattern.name for pattern in urls.urlpatterns}


@pytest.mark.parametrize("role", ROLES)
def test_every_address_answers_every_role_as_its_rights_say(
    role: str, lms: LearningPlatform, assignment: Assignment
) -> None:
    course, client = assignment.course, Client()
    PlatformCourse.objects.create(platform=lms.row, course=course, memberships_url=f"{lms.url}/members")
    asked = DeepLinkRequest.objects.create(
        platform_course=PlatformCourse.objects.get(), user=course.owner, return_url=f"{lms.url}/links"
    )
    if role != "stranger":
        user = User.objects.create_user(role, is_staff=role == "admin")
        client.force_login(user)
        if role in {"assistant", "instructor"}:
            Membership.objects.create(course=course, user=user, role=role)
    keys: dict[str, list[object]] = {
        "lti_deep_linking": [asked.pk],
        "lti_fill_roster": [course.pk],
        "lti_register": ["a-key"],
    }
    keys |= {name: [lms.row.pk] for name in ("lti_platform", "lti_remove_platform")}
    for name, rights in TABLE.items():
        address = reverse(name, args=keys.get(name))
        for method, right in zip(("GET", "POST"), rights, strict=True):
            assert client.generic(method, address).status_code in ANSWERS[right].get(role, NOT_FOUND), (
                name,
                role,
            )


def test_a_platform_that_still_sends_notices_of_submissions_gets_a_plain_404(lms: LearningPlatform) -> None:
    notices = {"notices": [{"jwt": lms.server.sign(lms.claims("nonce"))}]}
    assert Client().post("/lti/notices/", notices, "application/json").status_code == 404


def test_an_administrator_stores_a_platform(admin_client: Client) -> None:
    response = admin_client.post(reverse("lti_platforms"), FIELDS)
    assert response.headers["Location"] == reverse("lti_platforms")
    row = Platform.objects.get()
    assert (row.deployments, row.trusts_mail) == ("1\n2", False)
    page = get_page(admin_client, reverse("lti_platforms"))
    assert page.texts("tbody th") == ["Moodle"]
    addresses = [str(field.attributes["value"]) for field in page.all(".copy input")]
    assert addresses == [f"http://testserver/lti/{name}/" for name in ("login", "launch", "keys")]


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("jwks_url", "http://moodle.example/keys", "begins with https://"),
        ("token_url", "https://", "names a host"),
        ("auth_url", "javascript:alert(1)", "begins with https://"),
        ("auth_url", "https://a:b@moodle.example/", "names a host"),
        ("service_urls", "https://ok.example\nftp://no.example", "ftp://no.example"),
        ("deployments", "x" * 300, "255 characters"),
    ],
)
def test_a_platform_that_cannot_be_stored_is_said(field: str, value: str, reason: str, admin_client: Client) -> None:
    response = admin_client.post(reverse("lti_platforms"), FIELDS | {field: value})
    assert response.status_code == 422
    assert reason in page_of(response).text("form.card")
    assert not Platform.objects.exists()


def test_a_platform_is_stored_once(admin_client: Client) -> None:
    admin_client.post(reverse("lti_platforms"), FIELDS)
    response = admin_client.post(reverse("lti_platforms"), FIELDS | {"name": "Moodle again"})
    assert "is stored already" in page_of(response).text("form.card")


def test_a_change_of_a_platform_forgets_its_keys(lms: LearningPlatform, admin_client: Client) -> None:
    lms.launch(Client())
    assert Platform.objects.get().keys
    response = admin_client.post(reverse("lti_platform", args=[lms.row.pk]), FIELDS)
    assert response.status_code == 302
    assert (Platform.objects.get().name, Platform.objects.get().keys) == ("Moodle", [])


def test_a_removed_platform_leaves_accounts_and_courses(
    lms: LearningPlatform, client: Client, admin_client: Client
) -> None:
    lms.launch(client)
    admin_client.post(reverse("lti_remove_platform", args=[lms.row.pk]))
    assert not Platform.objects.exists()
    assert Course.objects.get().owner.username == "ina.structor"
    assert client.get(Course.objects.get().get_absolute_url()).status_code == 200


def test_the_public_key_is_that_of_what_is_signed_and_nothing_of_the_private_one(
    client: Client, admin_client: Client
) -> None:
    published = client.get(reverse("lti_keys")).json()
    assert client.get(reverse("lti_keys")).json() == published
    assert ToolKey.objects.count() == 1
    (key,) = published["keys"]
    assert set(key) == {"kty", "key_ops", "n", "e", "kid", "alg", "use"}
    assert jwt.PyJWK(key, "RS256").key.key_size == 2048
    for address in (reverse("lti_platforms"), "/admin/"):
        assert "PRIVATE" not in admin_client.get(address).content.decode()
        assert "Tool" not in admin_client.get(address).content.decode()


def test_the_department_page_leads_to_the_platforms(admin_client: Client) -> None:
    assert reverse("lti_platforms") in get_page(admin_client, reverse("department")).links()


@pytest.mark.parametrize("answer", [{"client_id": one} for one in (None, "", 7, "x" * 300)] + ["another token"])
def test_a_registration_without_a_client_id_or_the_token_of_the_platform_stores_nothing(
    lms: LearningPlatform, address: str, answer: Any
) -> None:
    if isinstance(answer, str):
        assert register(lms, address, registration_token=answer).status_code == 422
    else:
        lms.server.registration_answer = answer
        assert register(lms, address).status_code == 422
    assert Platform.objects.count() == 1


def test_an_address_works_once_and_for_an_hour(lms: LearningPlatform, address: str) -> None:
    later = timezone.now() - HOLDS - timedelta(seconds=1)
    begun = RegistrationAddress.objects.get().created
    RegistrationAddress.objects.update(created=later)
    assert (register(lms, address).status_code, lms.server.asked) == (403, [])
    RegistrationAddress.objects.update(created=begun)
    assert register(lms, address).status_code == 200
    response = register(lms, address)
    assert (response.status_code, "used already" in page_of(response).text("main")) == (403, True)
    assert len(lms.server.registered) == 1


def test_opening_the_address_in_any_frame_asks_the_platform_for_nothing(lms: LearningPlatform, address: str) -> None:
    response = Client().get(f"{address}?openid_configuration={lms.url}/configuration")
    assert f"Register {lms.url.removeprefix('http://')}" in page_of(response).texts("form.card button")
    assert "X-Frame-Options" not in response.headers
    assert "frame-ancestors *" in response.headers["Content-Security-Policy"]
    assert lms.server.asked == []
    assert RegistrationAddress.objects.exists()
