"""The pages of platforms, and who may open which address of LTI."""

import jwt
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from moss.integrations.lti import views as urls
from moss.integrations.lti.models import DeepLinkRequest, Platform, PlatformCourse, ToolKey
from submissions.models import Assignment, Course, Membership
from tests.support.html import get_page, page_of
from tests.support.platform import LearningPlatform

FIELDS = {
    "name": "Moodle",
    "issuer": "https://moodle.example",
    "client_id": "abc",
    "deployments": "1\r\n2\r\n1",
    "auth_url": "https://moodle.example/mod/lti/auth.php",
    "token_url": "https://moodle.example/mod/lti/token.php",
    "jwks_url": "https://moodle.example/mod/lti/certs.php",
    "token_audience": "",
    "service_urls": "",
}
# What a GET and a POST take, by the name of the address.
ANYBODY, STAFF, CHANGE, ASKED, NOTHING = "anybody", "staff", "change", "asked", "nothing"
TABLE = {
    "lti_login": (ANYBODY, ANYBODY),
    "lti_launch": (NOTHING, ANYBODY),
    "lti_keys": (ANYBODY, NOTHING),
    "lti_deep_linking": (ASKED, ASKED),
    "lti_fill_roster": (NOTHING, CHANGE),
    "lti_platforms": (STAFF, STAFF),
    "lti_platform": (STAFF, STAFF),
    "lti_remove_platform": (NOTHING, STAFF),
    "lti_offer_registration": (NOTHING, STAFF),
    "lti_register": (ANYBODY, ANYBODY),
}
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
def test_a_platform_that_cannot_be_stored_is_said(
    field: str, value: str, reason: str, admin_client: Client
) -> None:
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
