"""What programs do by the API is in the audit log, as what people do on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import AuditEntry
from tests.support.api import API, api_client, send
from tests.support.sample_class import loose

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from tests.support.every_page import World


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
