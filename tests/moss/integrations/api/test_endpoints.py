"""The endpoints of the API, from an upload to a decision, and what the audit log has of them."""

import csv
import io
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.webhooks.models import Webhook
from moss.integrations.webhooks.sending import KEPT
from submissions.courses.api import AssignmentChange, CourseChange
from submissions.courses.forms import CourseSettingsForm, SettingsForm
from submissions.models import (
    ApiToken,
    Assignment,
    AuditEntry,
    Batch,
    CaseChange,
    Course,
    Decision,
    Invitation,
    Membership,
    Report,
)
from tests.conftest import PASSWORD
from tests.support.api import API, api_client, client_with, problem_of, secret_of, send
from tests.support.every_page import World
from tests.support.html import get_page, page_of
from tests.support.paths import ROOT
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import Committing

URL = "https://hooks.example.org/moss"


def upload(
    client: Client, path: str, committing: Committing, files: dict[str, Any] | None = None, **fields: str
) -> Any:
    with committing(execute=True):
        return client.post(f"{API}{path}/uploads", {"files": zipped(files or dict(CLASS)), **fields})


def test_courses_and_assignments_are_created_listed_and_changed(caller: Client) -> None:
    course = send(caller, "post", "/courses", {"name": "Algorithms"}).json()
    created = send(caller, "post", f"/courses/{course['id']}/assignments", {"name": "Sorting"}).json()
    change = {"due": "2026-12-01T12:00:00Z", "common_limit": 12, "include_patterns": "*.csv"}
    changed = send(caller, "patch", f"/assignments/{created['id']}", change).json()
    assert changed == created | change
    kept = send(caller, "patch", f"/assignments/{created['id']}", {"due": None}).json()
    assert (kept["due"], kept["common_limit"]) == (None, 12)
    listed = send(caller, "get", f"/courses/{course['id']}/assignments").json()["items"]
    assert listed == [kept]
    wrong = send(caller, "patch", f"/assignments/{created['id']}", {"common_limit": 1})
    assert problem_of(wrong)["errors"][0]["field"] == "common_limit"


def test_settings_that_are_left_out_stay(caller: Client, assignment: Assignment, path: str) -> None:
    course = f"/courses/{assignment.course_id}"
    kept = {"keep_months": 24, "keep_sources_days": 30, "in_archive": True}
    assert send(caller, "patch", course, kept).json().items() >= kept.items()
    assert send(caller, "patch", course, {"name": "Renamed"}).json().items() >= kept.items()
    held = {"hold": "An open case.", "term": "autumn 2026", "teams": "ada, ben", "compare_mates": True}
    assert send(caller, "patch", path, held).json().items() >= held.items()
    assert send(caller, "patch", path, {"name": "Renamed"}).json().items() >= held.items()
    assert send(caller, "patch", path, {"hold": ""}).json()["hold"] == ""


def test_every_setting_of_the_pages_is_one_of_the_api() -> None:
    assert CourseChange.model_fields.keys() == CourseSettingsForm.base_fields.keys()
    # A threshold is chosen on the report.
    besides = {"read_again", "threshold"}
    assert AssignmentChange.model_fields.keys() - besides == SettingsForm.base_fields.keys()


def test_another_language_is_confirmed_first(caller: Client, report: Report, path: str) -> None:
    assert problem_of(send(caller, "patch", path, {"language": "java"}))["status"] == 409
    confirmed = send(caller, "patch", path, {"language": "java", "read_again": True})
    assert confirmed.json()["language"] == "java"


@pytest.mark.usefixtures("eager_tasks")
def test_an_upload_is_read_and_ranked(
    caller: Client, path: str, django_capture_on_commit_callbacks: Committing
) -> None:
    assert send(caller, "get", f"{path}/report").json()["state"] == "none"
    assert problem_of(send(caller, "get", f"{path}/pairs"))["status"] == 404
    response = upload(caller, path, django_capture_on_commit_callbacks)
    assert response.status_code == 202
    state = send(caller, "get", f"/uploads/{response.json()['id']}").json()
    assert (state["state"], state["documents_done"], state["name"]) == ("done", 3, "class.zip")
    summary = send(caller, "get", f"{path}/report").json()
    assert (summary["state"], summary["submissions"], summary["ranking"]) == ("done", 3, None)
    assert 0 < summary["threshold"]["value"] <= 1
    deleted = send(caller, "delete", f"/uploads/{state['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert problem_of(send(caller, "get", f"/uploads/{state['id']}"))["status"] == 410


@pytest.mark.usefixtures("eager_tasks")
def test_an_upload_waits_for_its_layout(
    caller: Client, path: str, django_capture_on_commit_callbacks: Committing
) -> None:
    response = upload(caller, path, django_capture_on_commit_callbacks, preview="true")
    address = f"/uploads/{response.json()['id']}"
    assert send(caller, "get", address).json()["state"] == "listed"
    preview = send(caller, "get", f"{address}/preview").json()
    assert [one["name"] for one in preview["submissions"]] == ["ada", "ben", "cleo"]
    chosen = send(caller, "put", f"{address}/layout", {"renames": {"cleo": "zoe"}}).json()
    assert [one["name"] for one in chosen["submissions"]] == ["ada", "ben", "zoe"]
    assert problem_of(send(caller, "put", f"{address}/layout", {"layout": "no such"}))["status"] == 422
    with django_capture_on_commit_callbacks(execute=True):
        assert send(caller, "post", f"{address}/read").status_code == 202
    assert send(caller, "get", address).json()["state"] == "done"
    for method, rest in (("get", "preview"), ("post", "read"), ("put", "layout")):
        body: object = {} if method == "put" else None
        assert problem_of(send(caller, method, f"{address}/{rest}", body))["status"] == 409


def test_an_upload_with_the_same_key_is_stored_once(caller: Client, path: str, assignment: Assignment) -> None:
    key = {"Idempotency-Key": "upload 1"}
    answers = [caller.post(f"{API}{path}/uploads", {"files": zipped(CLASS)}, headers=key).json() for _ in range(2)]
    assert answers[0] == answers[1]
    other = caller.post(f"{API}{path}/uploads", {"files": zipped({"ada/a.py": "x"})}, headers=key)
    assert problem_of(other)["status"] == 422
    assert assignment.batches.count() == 1


def test_uploads_are_listed_in_parts(caller: Client, path: str, alice: User, assignment: Assignment) -> None:
    for name in "abc":
        assignment.batches.create(uploaded_by=alice, name=name, state=Batch.State.FAILED)
    first = send(caller, "get", f"{path}/uploads?limit=2").json()
    assert [one["name"] for one in first["items"]] == ["c", "b"]
    rest = send(caller, "get", f"{path}/uploads?limit=2&cursor={first['next']}").json()
    assert ([one["name"] for one in rest["items"]], rest["next"]) == (["a"], None)
    assert problem_of(send(caller, "get", f"{path}/uploads?cursor=nonsense"))["status"] == 422


def test_files_are_taken_only_with_a_token_and_where_they_belong(
    client: Client, caller: Client, path: str, settings: Any
) -> None:
    file = {"files": loose("main.py", b"x" * 3_000_000)}
    assert problem_of(client.post(f"{API}{path}/uploads", file))["status"] in {401, 413}
    assert problem_of(caller.post(f"{API}/courses", {"files": loose("a", b"x" * 3_000_000)}))["status"] == 413
    settings.MAX_UPLOAD_BYTES = 1_000_000
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 10
    file = {"files": loose("main.py", b"x" * 3_000_000)}
    assert problem_of(caller.post(f"{API}{path}/uploads", file))["status"] == 413


@pytest.mark.parametrize("size", [1_000, 3_000_000])
def test_a_token_that_is_not_valid_is_told_whatever_the_size_of_the_upload(
    client: Client, path: str, size: int
) -> None:
    file = {"files": loose("main.py", b"x" * size)}
    refusal = client.post(f"{API}{path}/uploads", file, headers={"Authorization": "Bearer of-yesterday"})
    assert problem_of(refusal)["detail"].endswith("Create a new one.")
    assert (refusal.status_code, refusal.headers["WWW-Authenticate"]) == (401, 'Bearer realm="moss"')


@pytest.mark.usefixtures("eager_tasks")
@pytest.mark.parametrize(("options", "kind"), [({}, "file"), ({"statement": "true"}, "statement")])
def test_boilerplate_is_added_listed_and_removed(
    caller: Client,
    path: str,
    options: dict[str, str],
    kind: str,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        sent = caller.post(f"{API}{path}/boilerplate", {"files": loose("main.py", STARTER)} | options)
    assert sent.status_code == 202
    [item] = send(caller, "get", f"{path}/boilerplate").json()["items"]
    assert (item["name"], item["kind"]) == ("main.py", kind)
    assert send(caller, "delete", f"/boilerplate/{item['id']}").status_code == 204
    assert send(caller, "get", f"{path}/boilerplate").json()["items"] == []


@pytest.mark.long
def test_pairs_are_filtered_and_paged_as_on_the_pages(caller: Client, report: Report, path: str) -> None:
    everything = send(caller, "get", f"{path}/pairs").json()
    assert everything["report"] == report.pk
    assert (everything["items"][0]["left"], everything["items"][0]["right"]) == ("ada", "ben")
    parts: list[Any] = []
    following: str | None = ""
    while following is not None:
        part = send(caller, "get", f"{path}/pairs?limit=1&cursor={following}").json()
        parts += part["items"]
        following = part["next"]
    assert parts == everything["items"]
    pairs = send(caller, "get", f"{path}/pairs?q=cleo&sort=left").json()["items"]
    assert all("cleo" in (one["left"], one["right"]) for one in pairs)
    assert problem_of(send(caller, "get", f"{path}/pairs?sort=colour"))["status"] == 422
    first = send(caller, "get", f"{path}/pairs?limit=1").json()["next"]
    report.delete()
    assert send(caller, "get", f"{path}/pairs?cursor={first}").status_code == 404


def test_the_last_part_of_the_pairs_names_no_other(caller: Client, report: Report, path: str) -> None:
    count = report.pairs.count()
    parts = {limit: send(caller, "get", f"{path}/pairs?limit={limit}").json() for limit in (count - 1, count)}
    assert [limit for limit, part in parts.items() if part["next"] is None] == [count]


@pytest.mark.long
def test_a_pair_has_its_passages_with_their_lines(caller: Client, report: Report, path: str) -> None:
    row = send(caller, "get", f"{path}/pairs").json()["items"][0]
    pair = send(caller, "get", f"{path}/pairs/{row['right_id']}/{row['left_id']}").json()
    assert {name: pair[name] for name in row} == row
    passage = pair["passages"][0]
    assert passage["left"]["file"] == "main.py"
    assert passage["left"]["last_line"] > passage["left"]["first_line"] >= 1
    assert sum(one["counted"] for one in pair["passages"]) == pair["tokens"]


def test_a_decision_is_read_and_changed(caller: Client, report: Report, path: str) -> None:
    row = send(caller, "get", f"{path}/pairs").json()["items"][0]
    address = f"{path}/pairs/{row['left_id']}/{row['right_id']}/decision"
    before = send(caller, "get", address).json()
    assert (before["state"], before["version"]) == ("undecided", 0)
    body = {"state": "confirmed", "assignee": "alice", "notes": "Both cite nothing."}
    after = send(caller, "put", address, body | {"version": 0}).json()
    assert {name: after[name] for name in body} == body
    assert send(caller, "put", address, {"notes": ""}).json()["state"] == "confirmed"
    assert problem_of(send(caller, "put", address, {"state": "clear", "version": 0}))["status"] == 409
    assert problem_of(send(caller, "put", address, {"assignee": "nobody"}))["status"] == 422
    assert Decision.objects.get().state == "confirmed"
    assert send(caller, "get", f"{path}/pairs?decision=confirmed").json()["items"][0]["left"] == "ada"


@pytest.mark.long
def test_cases_and_tables_are_those_of_the_pages(caller: Client, report: Report, path: str) -> None:
    [case] = send(caller, "get", f"{path}/cases?threshold=50").json()["items"]
    assert [one["name"] for one in case["members"]] == ["ada", "ben"]
    table = b"".join(send(caller, "get", f"{path}/exports/pairs.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert (rows[0]["left"], rows[0]["right"]) == ("ada", "ben")
    assert problem_of(send(caller, "get", f"{path}/exports/pairs.pdf"))["status"] == 422


def test_a_case_that_was_entered_by_hand_is_listed_counted_and_printed(
    caller: Client, report: Report, path: str
) -> None:
    report.pairs.filter(left__name="ada", right__name="cleo").delete()
    report.assignment.decisions.create(left="ada", right="cleo", state="suspicious", notes="Both sat there.")
    computed, by_hand = send(caller, "get", f"{path}/cases?threshold=50").json()["items"]
    assert (computed["by_hand"], by_hand["by_hand"], by_hand["number"]) == (False, True, 2)
    assert (by_hand["id"], by_hand["similarity"], by_hand["notes"]) == (None, None, "Both sat there.")
    assert send(caller, "get", f"{path}/report?threshold=50").json()["cases"] == 2
    ids = "/".join(str(one["id"]) for one in by_hand["members"])
    document = send(caller, "get", f"{path}/pairs/{ids}/document?format=html")
    assert b"Both sat there." in document.content


def test_a_decision_on_a_case_is_that_of_all_of_its_members(caller: Client, report: Report, path: str) -> None:
    [case] = send(caller, "get", f"{path}/cases?threshold=50").json()["items"]
    for member in case["members"]:
        address = f"{path}/cases/{member['id']}/decision?threshold=50"
        before = send(caller, "get", address).json()
        body = {"state": "confirmed", "notes": "", "version": before["version"]}
        assert send(caller, "put", address, body).json()["state"] == "confirmed"
    assert send(caller, "get", f"{path}/cases?threshold=50").json()["items"][0]["decision"] == "confirmed"
    assert problem_of(send(caller, "put", address, {"state": "clear", "version": 0}))["status"] == 409
    assert problem_of(send(caller, "get", address.replace("=50", "=100")))["status"] == 404
    assert [one.who for one in CaseChange.objects.all()] == ["alice"]


@pytest.mark.long
def test_documents_have_the_passages_and_the_names_that_are_asked_for(
    caller: Client, report: Report, path: str
) -> None:
    row = send(caller, "get", f"{path}/pairs").json()["items"][0]
    pair = f"{path}/pairs/{row['left_id']}/{row['right_id']}/document"
    html = send(caller, "get", f"{pair}?format=html").content.decode()
    assert "ada and ben" in html
    for_ada = send(caller, "get", f"{pair}?format=html&names={row['left_id']}").content.decode()
    assert "ada" in for_ada
    assert "ben" not in for_ada
    case = send(caller, "get", f"{path}/cases/{row['left_id']}/document?threshold=50&format=html")
    assert "Case 1" in case.content.decode()
    assert send(caller, "get", pair).content.startswith(b"%PDF")
    assert problem_of(send(caller, "get", f"{path}/document"))["status"] == 404
    assert problem_of(send(caller, "get", f"{pair}?names=nobody"))["errors"][0]["field"] == "names"


def test_a_link_is_shared_opened_and_revoked(caller: Client, report: Report, path: str, client: Client) -> None:
    share = send(caller, "post", f"{path}/shares", {"lasting": "day"}).json()
    assert client.get(share["url"]).status_code == 200
    assert send(caller, "get", f"{path}/shares").json()["items"] == [share]
    assert send(caller, "delete", f"/shares/{share['id']}").status_code == 204
    assert client.get(share["url"]).status_code == 410
    [ended] = send(caller, "get", f"{path}/shares").json()["items"]
    assert ended["url"] is None
    assert problem_of(send(caller, "post", f"{path}/shares", {"left_id": 1}))["status"] == 422


def test_an_assignment_is_deleted_with_everything(caller: Client, report: Report, path: str) -> None:
    kept = report.assignment.course.assignments.create(name="Kept")
    assert send(caller, "delete", path).status_code == 204
    assert problem_of(send(caller, "get", path))["status"] == 404
    assert not Report.objects.exists()
    assert Assignment.objects.get() == kept


def test_a_course_is_deleted_by_its_name_and_not_under_a_hold(alice: User, assignment: Assignment) -> None:
    caller, course = api_client(alice), assignment.course
    kept = Course.objects.create(owner=alice, name="Networks").assignments.create(name="Sockets")
    path, named = f"/courses/{course.pk}", f"?name={quote(course.name)}"
    for query in ("", "?name=", "?name=another"):
        assert problem_of(send(caller, "delete", path + query))["status"] == 422, query
    send(caller, "patch", f"/assignments/{assignment.pk}", {"hold": "An appeal."})
    held = problem_of(send(caller, "delete", path + named))
    assert (held["status"], assignment.name in held["detail"]) == (409, True)
    send(caller, "patch", f"/assignments/{assignment.pk}", {"hold": ""})
    assert send(caller, "delete", path + named).status_code == 204
    assert (Course.objects.get(), Assignment.objects.get()) == (kept.course, kept)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.action, entry.course) == ("alice", "deleted", course.name)


@pytest.fixture
def tess(course: Course) -> Membership:
    user = User.objects.create_user("tess", first_name="Tess", last_name="Tan")
    return Membership.objects.create(course=course, user=user, role="assistant", group="cs-tutors")


def people(course: Course) -> list[tuple[str, str, str]]:
    """Return the entries of the log about a course."""
    rows = AuditEntry.objects.filter(course=course.name).order_by("pk")
    return list(rows.values_list("who", "action", "subject"))


def test_members_are_listed_changed_and_removed(course: Course, tess: Membership, alice: User) -> None:
    client, path = api_client(alice), f"/courses/{course.pk}/members"
    listed = send(client, "get", path).json()
    [member] = listed["items"]
    assert listed["owner"] == "alice"
    expected = {"id": tess.pk, "user": "tess", "name": "Tess Tan", "role": "assistant", "group": "cs-tutors"}
    assert member.items() >= expected.items()
    changed = send(client, "patch", f"{path}/{tess.pk}", {"role": "instructor"}).json()
    assert changed == member | {"role": "instructor", "group": ""}
    assert problem_of(send(client, "patch", f"{path}/{tess.pk}", {"role": "owner"}))["status"] == 422
    assert send(client, "delete", f"{path}/{tess.pk}").status_code == 204
    assert send(client, "get", path).json()["items"] == []
    assert problem_of(send(client, "delete", f"{path}/{tess.pk}"))["status"] == 404
    assert people(course) == [
        ("alice", "people", "tess: assistant; instructor"),
        ("alice", "people", "tess: instructor"),
    ]


def test_nobody_changes_their_own_role_but_may_leave(course: Course, tess: Membership) -> None:
    Membership.objects.update(role="instructor")
    path = f"/courses/{course.pk}/members/{tess.pk}"
    assert send(api_client(tess.user), "patch", path, {"role": "observer"}).status_code == 403
    assert send(api_client(tess.user, "read"), "delete", path).status_code == 403
    assert Membership.objects.get().role == "instructor"
    assert send(api_client(tess.user), "delete", path).status_code == 204
    assert not Membership.objects.exists()


def test_a_member_is_found_in_the_course_of_the_address_only(course: Course, tess: Membership, alice: User) -> None:
    other = Course.objects.create(owner=alice, name="Trees")
    invitation = Invitation.objects.create(
        course=course, email="a@example.org", role="observer", invited_by=alice, expires=tess.created
    )
    client = api_client(alice)
    for method, place in (
        ("patch", f"members/{tess.pk}"),
        ("delete", f"members/{tess.pk}"),
        ("delete", f"invitations/{invitation.pk}"),
    ):
        body = {"role": "observer"} if method == "patch" else None
        assert send(client, method, f"/courses/{other.pk}/{place}", body).status_code == 404
        assert (
            send(api_client(alice, "write", [other]), method, f"/courses/{course.pk}/{place}", body).status_code == 404
        )
    assert (Membership.objects.get().role, Invitation.objects.count()) == ("assistant", 1)


def test_an_invitation_is_made_mailed_accepted_and_withdrawn(
    course: Course, alice: User, settings: Settings, mailoutbox: list[Any]
) -> None:
    settings.MAIL = True
    client, path = api_client(alice), f"/courses/{course.pk}/invitations"
    created = send(client, "post", path, {"email": "ben@example.org", "role": "assistant"})
    assert (created.status_code, created.json()["mailed"]) == (201, True)
    url = created.json()["url"]
    assert url in mailoutbox[0].body
    ben = Client()
    ben.force_login(User.objects.create_user("ben"))
    assert ben.post(url.removeprefix("http://testserver")).status_code == 302
    assert [one["user"] for one in send(client, "get", f"/courses/{course.pk}/members").json()["items"]] == ["ben"]
    second = send(client, "post", path, {"email": "cleo@example.org", "role": "observer"}).json()
    assert [one["id"] for one in send(client, "get", path).json()["items"]] == [second["id"]]
    assert send(client, "delete", f"{path}/{second['id']}").status_code == 204
    assert send(client, "get", path).json()["items"] == []
    assert people(course) == [
        ("alice", "people", "ben@example.org; assistant"),
        ("ben", "people", "ben@example.org: assistant; invited by alice"),
        ("alice", "people", "cleo@example.org; observer"),
        ("alice", "people", "cleo@example.org: observer"),
    ]


def test_the_link_is_for_who_made_the_invitation(course: Course, tess: Membership, alice: User) -> None:
    Membership.objects.update(role="instructor")
    path, body = f"/courses/{course.pk}/invitations", {"email": "ben@example.org", "role": "observer"}
    assert send(api_client(alice), "post", path, body).json()["mailed"] is False
    [seen] = send(api_client(tess.user), "get", path).json()["items"]
    assert (seen["invited_by"], seen["url"]) == ("alice", None)
    assert problem_of(send(api_client(alice), "post", path, body | {"email": "ben"}))["errors"][0]["field"] == "email"


def test_an_account_invites_so_many_in_an_hour_by_the_api_and_the_page(
    course: Course, alice: User, alice_client: Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.courses.forms.MOST_INVITATIONS", 3)
    Membership.objects.create(course=course, user=bob, role="instructor")
    path, page = f"/courses/{course.pk}/invitations", reverse("people", args=[course.pk])
    body = {"email": "a@example.org", "role": "observer"}
    for _ in range(2):
        created = send(api_client(alice), "post", path, body).json()
        send(api_client(alice), "delete", f"{path}/{created['id']}")
    assert alice_client.post(page, body).status_code == 302
    assert "Go on later" in problem_of(send(api_client(alice), "post", path, body))["detail"]
    assert alice_client.post(page, body).status_code == 422
    assert send(api_client(bob), "post", path, body).status_code == 201
    assert Invitation.objects.count() == 1


def test_what_an_administrator_changes_is_marked_as_such(course: Course, tess: Membership, admin: User) -> None:
    client = api_client(admin)
    assert send(client, "patch", f"/courses/{course.pk}/members/{tess.pk}", {"role": "observer"}).status_code == 403
    assert send(client, "delete", f"/courses/{course.pk}/members/{tess.pk}").status_code == 204
    assert people(course) == [("admin", "people", "tess: assistant; as an administrator")]


def entries() -> list[tuple[str, str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("who", "action", "subject"))


def test_what_a_program_sees_decides_exports_shares_and_deletes_is_logged(world: World) -> None:
    client, path = api_client(world.owner), f"/assignments/{world.assignment.pk}"
    pair = f"{path}/pairs/{world.pair.left_id}/{world.pair.right_id}"
    both = "; ".join(sorted((world.pair.left.name, world.pair.right.name)))
    send(client, "get", pair)
    send(client, "put", f"{pair}/decision", {"state": "clear"})
    send(client, "get", f"{path}/exports/pairs.csv")
    send(client, "get", f"{pair}/document?format=html")
    send(client, "put", f"{path}/cases/{world.pair.left_id}/decision?threshold=1", {"state": "clear"})
    send(client, "post", f"{path}/shares", {})
    for _ in range(2):
        client.post(f"{API}{path}/uploads", {"files": loose("a.py", "x")}, headers={"Idempotency-Key": "1"})
    send(client, "delete", f"/uploads/{world.batch.pk}")
    send(client, "delete", path)
    assert entries() == [
        ("alice", "saw", both), ("alice", "decided", both), ("alice", "exported", "pairs"),
        ("alice", "exported", both), ("alice", "decided", world.pair.left.name), ("alice", "shared", ""),
        ("alice", "uploaded", "a.py"), ("alice", "deleted", world.batch.name), ("alice", "deleted", ""),
    ]  # fmt: skip
    assert AuditEntry.objects.latest("pk").course == world.assignment.course.name


def test_what_is_refused_is_not_logged(world: World, charlie: User) -> None:
    client, path = api_client(charlie), f"/assignments/{world.assignment.pk}"
    send(client, "get", f"{path}/pairs/{world.pair.left_id}/{world.pair.right_id}")
    send(client, "get", f"{path}/pairs/x/{10**30}")
    send(client, "get", "/uploads/x/preview")
    send(client, "delete", f"/uploads/{world.batch.pk}")
    send(api_client(world.owner), "get", "/uploads/99999999999999999999/preview")
    assert entries() == []


def test_changes_of_what_is_kept_are_logged(world: World) -> None:
    client, assignment = api_client(world.owner), world.assignment
    send(client, "patch", f"/assignments/{assignment.pk}", {"hold": "An appeal."})
    send(client, "patch", f"/courses/{assignment.course_id}", {"keep_months": 12})
    send(client, "patch", f"/courses/{assignment.course_id}", {"keep_months": -1})
    assert entries() == [
        ("alice", "course", "hold: An appeal.; compare_archive: False; threshold: "),
        ("alice", "course", "keep_months: 12; keep_sources_days: ; in_archive: False"),
    ]


def test_an_administrator_reads_the_log_in_parts_and_by_what_it_is_filtered(world: World, admin: User) -> None:
    owner, path = api_client(world.owner), f"/assignments/{world.assignment.pk}"
    for _ in range(3):
        send(owner, "get", f"{path}/exports/pairs.csv")
    send(owner, "post", f"{path}/shares", {})
    client = api_client(admin, "read")
    first = send(client, "get", "/audit?limit=3").json()
    assert [one["action"] for one in first["items"]] == ["shared", "exported", "exported"]
    rest = send(client, "get", f"/audit?limit=3&cursor={first['next']}").json()
    assert [one["who"] for one in rest["items"]] == ["alice"]
    assert rest["next"] is None
    today = first["items"][0]["created"][:10]
    for query, count in {
        "action=shared": 1,
        "action=exported&q=ali": 3,
        f"since={today}&q=ali": 4,
        "until=2020-01-01": 0,
        "q=nobody": 0,
    }.items():
        assert len(send(client, "get", f"/audit?{query}").json()["items"]) == count, query
    numbers = dict(AuditEntry.objects.values_list("number", "digest"))
    assert {one["number"]: one["digest"] for one in first["items"]}.items() <= numbers.items()
    assert AuditEntry.objects.filter(who=admin.username, subject="audit log").count() == 7


def test_nobody_else_reads_the_log_nor_does_a_token_for_some_courses(world: World, admin: User) -> None:
    for client in (api_client(world.owner), api_client(admin, "read", [world.assignment.course])):
        assert problem_of(send(client, "get", "/audit"))["status"] == 403
    assert problem_of(send(api_client(admin), "get", "/audit?action=burnt"))["status"] == 422


PAGE = reverse("api_tokens")


FORM = {"name": "nightly upload", "scope": "write", "lasting": "30", "password": PASSWORD}


def test_a_token_is_shown_once_and_stored_as_a_digest(alice_client: Client, assignment: Assignment) -> None:
    page = page_of(alice_client.post(PAGE, FORM))
    secret = str(page.one("#secret").attributes["value"])
    token = ApiToken.objects.get()
    assert secret.startswith(token.prefix)
    assert secret not in str(vars(token))
    assert secret not in get_page(alice_client, PAGE).html
    answer = send(client_with(secret), "get", "/courses").json()
    assert [course["name"] for course in answer["items"]] == ["Programming 1"]


def test_creating_and_revoking_ask_for_the_password(alice: User, alice_client: Client) -> None:
    assert alice_client.post(PAGE, FORM | {"password": "guess"}).status_code == 422
    assert not ApiToken.objects.exists()
    secret = secret_of(alice)
    chosen = {"revoke_chosen": "1", "old-revoke": str(ApiToken.objects.get().pk)}
    assert alice_client.post(PAGE, chosen | {"old-password": "guess"}).status_code == 422
    assert send(client_with(secret), "get", "/courses").status_code == 200
    assert alice_client.post(PAGE, chosen | {"old-password": PASSWORD}).status_code == 302
    assert send(client_with(secret), "get", "/courses").status_code == 401


def test_nobody_revokes_the_token_of_somebody_else(alice: User, bob_client: Client) -> None:
    secret = secret_of(alice)
    key = str(ApiToken.objects.get().pk)
    data = {"revoke_chosen": "1", "old-revoke": key, "old-password": PASSWORD}
    assert bob_client.post(PAGE, data).status_code == 422
    assert send(client_with(secret), "get", "/courses").status_code == 200


@pytest.mark.parametrize("change", ["expired", "revoked", "inactive", "unknown", "missing", "a cookie"])
def test_a_token_that_is_not_valid_is_refused(change: str, alice: User, alice_client: Client, client: Client) -> None:
    secret = secret_of(alice)
    caller = client_with(secret)
    if change == "expired":
        ApiToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    if change == "revoked":
        ApiToken.objects.update(revoked=timezone.now())
    if change == "inactive":
        alice.is_active = False
        alice.save()
    others = {"unknown": client_with(secret + "x"), "missing": client, "a cookie": alice_client}
    caller = others.get(change, caller)
    response = send(caller, "get", "/courses")
    assert problem_of(response)["status"] == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_for_one_course_knows_no_other(alice: User, assignment: Assignment) -> None:
    other = Course.objects.create(owner=alice, name="Other")
    client = api_client(alice, courses=[assignment.course])
    assert [one["name"] for one in send(client, "get", "/courses").json()["items"]] == ["Programming 1"]
    assert send(client, "get", f"/courses/{assignment.course_id}").status_code == 200
    assert problem_of(send(client, "get", f"/courses/{other.pk}"))["status"] == 404
    assert problem_of(send(client, "post", "/courses", {"name": "New"}))["status"] == 403
    assignment.course.delete()
    assert send(client, "get", "/courses").json()["items"] == []


def test_the_last_use_is_noted(alice: User, alice_client: Client) -> None:
    client = api_client(alice)
    assert "never used" in get_page(alice_client, PAGE).text("main")
    send(client, "get", "/courses")
    assert "last used" in get_page(alice_client, PAGE).text("main")


def test_too_many_requests_have_to_wait(alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_REQUESTS_A_MINUTE = 2
    monkeypatch.setattr("moss.integrations.api.time.time", lambda: 1_000_000_000.0)
    client, other = api_client(alice), api_client(alice)
    assert [send(client, "get", "/courses").status_code for _ in range(2)] == [200, 200]
    response = send(client, "get", "/courses")
    assert problem_of(response)["status"] == 429
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert send(other, "get", "/courses").status_code == 200


def test_a_webhook_is_created_listed_changed_and_deleted(alice: User, assignment: Assignment) -> None:
    client, path = api_client(alice), f"/courses/{assignment.course_id}/webhooks"
    private = send(client, "post", path, {"url": "https://10.0.0.1/", "events": ["report.ready"]})
    assert (private.status_code, problem_of(private)["errors"][0]["field"]) == (422, "url")
    created = send(client, "post", path, {"url": URL, "events": ["report.ready"]})
    assert created.status_code == 201
    secret = created.json()["secret"]
    assert secret == Webhook.objects.get().secret
    one = f"{path}/{created.json()['id']}"
    [item] = send(client, "get", path).json()["items"]
    assert item == {key: value for key, value in created.json().items() if key != "secret"}
    changed = send(client, "patch", one, {"events": ["pair.decided"], "active": False})
    assert (changed.json()["events"], changed.json()["state"]) == (["pair.decided"], "paused")
    assert send(client, "post", f"{one}/test").status_code == 409
    assert send(client, "patch", one, {"active": True}).json()["events"] == ["pair.decided"]
    answers = [send(client, "get", address) for address in (path, one)]
    assert not [answer for answer in answers if secret in answer.content.decode()]
    assert send(client, "delete", one).status_code == 204
    assert send(client, "get", one).status_code == 404
    assert [entry.page for entry in AuditEntry.objects.order_by("pk")] == [
        "api_webhooks", "api_webhook", "api_webhook", "api_webhook",
    ]  # fmt: skip


def test_deliveries_are_listed_in_parts_and_sent_again(alice: User, assignment: Assignment, webhook: Webhook) -> None:
    client = api_client(alice)
    one = f"/courses/{assignment.course_id}/webhooks/{webhook.pk}"
    sent = [send(client, "post", f"{one}/test").json()["id"] for _ in range(3)]
    first = send(client, "get", f"{one}/deliveries?limit=2").json()
    rest = send(client, "get", f"{one}/deliveries?limit=2&cursor={first['next']}").json()
    assert [item["id"] for item in first["items"] + rest["items"]] == sent[::-1]
    assert rest["next"] is None
    again = send(client, "post", f"{one}/deliveries/{sent[0]}/again")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    assert send(client, "post", f"{one}/deliveries/{sent[0] + 100}/again").status_code == 404


@pytest.mark.django_db
def test_the_description_and_the_document_say_how_long_deliveries_are_listed(client: Client) -> None:
    listed = f"in the last {KEPT.days} days"
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    operation = paths[f"{API}/courses/{{course_id}}/webhooks/{{webhook_id}}/deliveries"]["get"]
    assert listed in operation["description"]
    assert listed in (ROOT / "docs" / "do" / "webhooks.md").read_text()
