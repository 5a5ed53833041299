"""The audit log has the work of programs by the API, as that of people on the pages."""

import pytest
from django.contrib.auth.models import User

from submissions.models import AuditEntry
from tests.support.api import API, api_client, problem_of, send
from tests.support.every_page import World
from tests.support.sample_class import loose

pytestmark = pytest.mark.services


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
        ("alice", "saw", both),
        ("alice", "decided", both),
        ("alice", "exported", "pairs"),
        ("alice", "exported", both),
        ("alice", "decided", world.pair.left.name),
        ("alice", "shared", ""),
        ("alice", "uploaded", "a.py"),
        ("alice", "deleted", world.batch.name),
        ("alice", "deleted", ""),
    ]
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


def test_an_administrator_reads_the_log_in_parts_and_by_what_it_is_filtered(
    world: World, admin: User
) -> None:
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
