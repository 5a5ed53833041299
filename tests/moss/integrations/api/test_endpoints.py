"""The endpoints on a class: from an upload to a decision."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.courses.api import AssignmentChange, CourseChange
from submissions.courses.forms import CourseSettingsForm, SettingsForm
from submissions.models import Assignment, Batch, CaseChange, Decision, Report
from tests.support.api import API, api_client, problem_of, send
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import Committing


@pytest.fixture
def caller(alice: User) -> Client:
    return api_client(alice)


@pytest.fixture
def path(assignment: Assignment) -> str:
    return f"/assignments/{assignment.pk}"


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


def test_an_upload_with_the_same_key_is_stored_once(
    caller: Client, path: str, assignment: Assignment
) -> None:
    key = {"Idempotency-Key": "upload 1"}
    answers = [
        caller.post(f"{API}{path}/uploads", {"files": zipped(CLASS)}, headers=key).json() for _ in range(2)
    ]
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


def test_a_decision_on_a_case_is_that_of_all_of_its_members(
    caller: Client, report: Report, path: str
) -> None:
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


@pytest.mark.long
def test_an_assignment_is_deleted_with_everything(caller: Client, report: Report, path: str) -> None:
    assert send(caller, "delete", path).status_code == 204
    assert problem_of(send(caller, "get", path))["status"] == 404
    assert not Report.objects.exists()


def test_a_link_is_shared_opened_and_revoked(
    caller: Client, report: Report, path: str, client: Client
) -> None:
    share = send(caller, "post", f"{path}/shares", {"lasting": "day"}).json()
    assert client.get(share["url"]).status_code == 200
    assert send(caller, "get", f"{path}/shares").json()["items"] == [share]
    assert send(caller, "delete", f"/shares/{share['id']}").status_code == 204
    assert client.get(share["url"]).status_code == 410
    [ended] = send(caller, "get", f"{path}/shares").json()["items"]
    assert ended["url"] is None
    assert problem_of(send(caller, "post", f"{path}/shares", {"left_id": 1}))["status"] == 422
