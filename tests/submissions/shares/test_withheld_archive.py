"""Old work of somebody else's course, found in the archive: withheld from everybody, the owner included."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.core.access import withheld
from submissions.courses.retention import delete_assignment, delete_course
from submissions.models import AuditEntry, ReadingRequest, Submission
from tests.submissions.courses.test_roles import client_of
from tests.submissions.shares.test_withheld import FILTERED, leaks, read_everything, told_by_endpoints
from tests.support.api import api_client, send
from tests.support.archive import Department
from tests.support.every_page import address_of
from tests.support.html import get_page
from tests.support.long_rows import rest_is_long
from tests.support.tabs import tab
from tests.support.withheld import Sealed

READERS = ("owner", "instructor", "observer", "administrator with a reason")


@pytest.mark.long
@pytest.mark.parametrize("role", READERS)
def test_no_page_table_or_document_tells_about_a_course_of_somebody_else(role: str, archived: Sealed) -> None:
    # What the owner of both sides, an administrator, was shown is kept, and must not be given to others.
    reader = client_of(role, archived.world)
    for name in FILTERED:
        reader.get(address_of(archived.world, name))
    assert leaks(reader, read_everything(archived)) == []


@pytest.mark.long
@pytest.mark.parametrize("side", rest_is_long(["left_id", "right_id"]))
def test_no_endpoint_tells_the_owner_of_the_new_course(side: str, archived: Sealed) -> None:
    assert told_by_endpoints(archived, archived.world.owner, "write", side) == {}


def test_the_owner_is_told_of_the_match_how_similar_it_is_and_whom_to_ask(archived: Sealed) -> None:
    page = get_page(client_of("owner", archived.world), tab(archived.world.assignment, "pairs"))
    percent = f"{int(100 * archived.withheld.similarity)}"
    rows = page.texts("#withheld li")
    assert any(percent in row and "A submission of another course: ask bob" in row for row in rows), rows
    assert "2 submissions of 1 assignment were looked up" in page.text("main")


def test_the_pair_opens_when_its_owner_agrees_and_is_labelled(archived: Sealed, bob_client: Client) -> None:
    client, pair = client_of("owner", archived.world), archived.withheld
    client.post(reverse("ask_to_read", args=[archived.world.assignment.pk, pair.left_id, pair.right_id]))
    request = ReadingRequest.objects.get()
    bob_client.post(reverse("answer_request", args=[request.pk]), {"state": "agreed"})
    assert "planted_marker" in get_page(client, address_of(archived.world, "pair")).html
    pairs = get_page(client, tab(archived.world.assignment, "pairs"))
    assert "zacharias (Sealed course, Sealed lab, michaelmas)" in pairs.text("table.pairs")
    assert "yvonne" not in pairs.html


@pytest.mark.long
def test_a_match_is_not_listed_any_more_once_either_course_has_left_the_archive(archived: Sealed) -> None:
    client, address = client_of("owner", archived.world), tab(archived.world.assignment, "pairs")
    for course in (archived.old.course, archived.world.assignment.course):
        assert get_page(client, address).has("#withheld")
        course.in_archive = False
        course.save()
        assert not get_page(client, address).has("#withheld")
        assert leaks(client, read_everything(archived)) == []
        course.in_archive = True
        course.save()


@pytest.mark.long
@pytest.mark.parametrize("deleted", rest_is_long(["course", "assignment"]))
def test_nothing_of_a_deleted_assignment_or_course_is_left_in_the_report(
    deleted: str, archived: Sealed, department: Department
) -> None:
    client, asked = client_of("owner", archived.world), read_everything(archived)
    with department.committing(execute=True):
        if deleted == "course":
            delete_course(archived.old.course)
        else:
            delete_assignment(archived.old)
    assert not Submission.objects.filter(name__startswith="zacharias").exists()
    page = get_page(client, tab(archived.world.assignment, "pairs"))
    assert not page.has("#withheld")
    assert leaks(client, asked) == []
    label = archived.world.assignment.batches.get(role="other", origin=None)
    assert label.pk in withheld(archived.world.assignment, archived.world.owner).batches
    assert department.rank().findings
    assert not archived.world.assignment.batches.filter(role="other").exists()


def test_a_submission_whose_only_match_is_withheld_is_said_to_have_one(archived: Sealed) -> None:
    client, world = client_of("owner", archived.world), archived.world
    new = archived.withheld.left if archived.withheld.right.origin_id else archived.withheld.right
    of_class = world.report.pairs.filter(left__origin=None, right__origin=None)
    of_class.filter(left=new).delete()
    of_class.filter(right=new).delete()
    address = reverse("submission", args=[world.assignment.pk, new.pk])
    text = get_page(client, address).text("p.place")
    assert "in another course" in text or "in other courses" in text
    assert "It shares no counted code" not in text


def test_a_program_lists_the_withheld_matches_and_asks_once(archived: Sealed) -> None:
    client, path = api_client(archived.world.owner), f"/assignments/{archived.world.assignment.pk}/withheld"
    listed = send(client, "get", f"{path}?limit=1").json()
    assert listed["next"]
    [match] = listed["items"]
    assert (match["ask"], match["request"]) == ("bob", "")
    assert 0 < match["similarity"] <= 1
    address = f"{path}/{match['left_id']}/{match['right_id']}/request"
    assert [send(client, "post", address, {}).status_code for _ in range(2)] == [201, 200]
    assert send(client, "get", f"{path}?limit=1").json()["items"][0]["request"] == "asked"
    assert AuditEntry.objects.filter(action="asked").latest("pk").page == "api_reading_request"
    ReadingRequest.objects.update(state="agreed")
    assert send(client, "post", address, {}).json() == {"state": "readable"}
    assert send(client, "post", f"{path}/1/1/request", {}).status_code == 404


def test_an_observer_sees_the_match_under_a_made_up_name_and_cannot_ask(archived: Sealed) -> None:
    client_of("observer", archived.world)
    client = api_client(User.objects.get(username="a-observer"))
    path = f"/assignments/{archived.world.assignment.pk}/withheld"
    match = send(client, "get", path).json()["items"][0]
    assert match["left"] not in set(archived.report.submissions.values_list("name", flat=True))
    address = f"{path}/{match['left_id']}/{match['right_id']}/request"
    assert send(client, "post", address, {}).status_code == 403
