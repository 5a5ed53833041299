"""Deep linking: a link of the platform that opens an assignment."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from moss.integrations.lti.models import DeepLinkRequest
from submissions.models import Assignment, Course
from tests.support.html import get_page, page_of
from tests.support.platform import ASSISTANT, CLAIM, CLIENT_ID, DEPLOYMENT, SPEC, LearningPlatform

pytestmark = pytest.mark.services


def read_answer(lms: LearningPlatform, response: HttpResponseBase) -> dict[str, Any]:
    """Return what the page hands to the platform, as the platform reads it."""
    page = page_of(response)
    form = page.one("main form")
    assert form.attributes["action"] == f"{lms.url}/links"
    assert f"form-action {lms.url};" in response.headers["Content-Security-Policy"] + ";"
    lms.server.tool_keys = Client().get("/lti/keys/").json()
    token = page.one("main input[name=JWT]").attributes["value"]
    return lms.server.read(str(token), "https://lms.example")


def test_an_instructor_makes_an_assignment_and_its_link_opens_it(
    lms: LearningPlatform, client: Client
) -> None:
    address = lms.launch(client, **lms.deep_linking(data="what it was")).headers["Location"]
    assert not get_page(client, address).has("select")
    claims = read_answer(lms, client.post(address, {"make": "1", "new-name": "Sheet 1"}))
    assignment = Assignment.objects.get()
    assert (assignment.name, assignment.course.name) == ("Sheet 1", "Algorithms")
    assert (claims["iss"], claims["aud"]) == (CLIENT_ID, "https://lms.example")
    assert claims[f"{CLAIM}message_type"] == "LtiDeepLinkingResponse"
    assert claims[f"{CLAIM}deployment_id"] == DEPLOYMENT
    assert claims[f"{SPEC}dl/claim/data"] == "what it was"
    (item,) = claims[f"{SPEC}dl/claim/content_items"]
    assert (item["type"], item["title"], item["url"]) == (
        "ltiResourceLink",
        "Sheet 1",
        "http://testserver/lti/launch/",
    )
    opened = lms.launch(Client(), sub="2", custom=item["custom"])
    assert opened.headers["Location"] == assignment.get_absolute_url()


def test_an_instructor_chooses_an_assignment_of_the_course_and_of_no_other(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(client)
    lms.launch(client, context={"id": "course-2", "title": "Other"})
    of_course, others = (
        course.assignments.create(name="Sheet 1") for course in Course.objects.order_by("pk")
    )
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    options = get_page(client, address).all("select option")
    assert [option.attributes["value"] for option in options] == [str(of_course.pk)]
    assert client.post(address, {"assignment": others.pk}).status_code == 422
    claims = read_answer(lms, client.post(address, {"assignment": of_course.pk}))
    assert claims[f"{SPEC}dl/claim/content_items"][0]["custom"] == {"moss_assignment": str(of_course.pk)}
    assert f"{SPEC}dl/claim/data" not in claims


def test_a_link_that_was_copied_to_another_course_opens_that_course(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(client)
    sheet = Course.objects.get().assignments.create(name="Sheet 1")
    for number, custom in enumerate((sheet.pk, "9" * 30, "x", "²", ["1"]), 2):
        context = {"id": f"course-{number}", "title": "Copy"}
        response = lms.launch(client, context=context, custom={"moss_assignment": custom})
        copy = Course.objects.latest("pk")
        assert response.headers["Location"] == copy.get_absolute_url()
        page = get_page(client, copy.get_absolute_url())
        assert "was deleted, or belongs to another course" in page.text(".notices")


def test_a_question_is_answered_once_in_time_and_by_who_was_asked(
    lms: LearningPlatform, client: Client, admin_client: Client
) -> None:
    other = Client()
    lms.launch(client)
    lms.launch(other, sub="2")
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    assert other.get(address).status_code == 404
    assert admin_client.get(address).status_code == 404
    DeepLinkRequest.objects.update(created=timezone.now() - timedelta(hours=3))
    assert client.get(address).status_code == 404
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    assert DeepLinkRequest.objects.count() == 1
    client.post(address, {"make": "1", "new-name": "Sheet 1"})
    assert client.get(address).status_code == 404


def test_an_assistant_may_not_choose(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    address = lms.launch(client, sub="2", roles=[ASSISTANT], **lms.deep_linking()).headers["Location"]
    assert client.get(address).status_code == 403


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"deep_link_return_url": "https://evil.example/"}, "other addresses: https://evil.example/"),
        ({"deep_link_return_url": "javascript:alert(1)"}, "not stored"),
        ({"deep_link_return_url": None}, "not stored"),
        ({"accept_types": ["file"]}, "something else than a link"),
        ({"accept_types": ["ltiAssetProcessor"]}, "something else than a link"),
        ({"accept_types": None}, "something else than a link"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(
    asked: dict[str, Any], words: str, lms: LearningPlatform, client: Client
) -> None:
    response = lms.launch(client, **lms.deep_linking(**asked))
    assert response.status_code == 403
    assert words in page_of(response).text("main")
    assert not DeepLinkRequest.objects.exists()


def test_an_address_for_the_answer_has_at_most_as_many_characters_as_its_column(
    lms: LearningPlatform, client: Client
) -> None:
    longest = f"{lms.url}/links?".ljust(2000, "x")
    refused = lms.launch(Client(), **lms.deep_linking(deep_link_return_url=f"{longest}x"))
    assert refused.status_code == 403
    assert lms.launch(client, **lms.deep_linking(deep_link_return_url=longest)).status_code == 302
    assert DeepLinkRequest.objects.get().return_url == longest


def test_a_platform_with_another_host_for_its_courses_gets_the_answer_there(
    lms: LearningPlatform, client: Client
) -> None:
    lms.row.service_urls = "https://courses.example/"
    lms.row.save()
    asked = lms.deep_linking(deep_link_return_url="https://courses.example/links?x=1")
    address = lms.launch(client, **asked).headers["Location"]
    response = client.post(address, {"make": "1", "new-name": "Sheet 1"})
    assert "form-action https://courses.example" in response.headers["Content-Security-Policy"]
