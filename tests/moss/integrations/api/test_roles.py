"""The rights of each role by the API: every endpoint, every verb, every role, with each scope."""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from moss.integrations.api import api
from submissions.courses import change as people
from submissions.courses.change import read_roster, replace_roster
from submissions.models import AuditEntry, Batch, Membership, ResumableUpload
from tests.submissions.courses.test_roles import ANY, ROLES, STAFF, is_at_a_boundary
from tests.submissions.pages.test_access import body_of, names_in
from tests.support.api import api_client, problem_of
from tests.support.every_page import World, api_places
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import loose

READ, DECIDE, CHANGE, SHARE, DELETE = "read", "decide", "change", "share", "delete"
NAMES, INVITE, MANAGE, OWN = "names", "invite", "manage", "own"
# Everybody with a token; `ANY` is everybody with any right in the course.
ANYBODY = "anybody"
COURSE = "/courses/{course_id}"
MEMBER, ROSTER = f"{COURSE}/members/{{member_id}}", f"{COURSE}/roster"
ASSIGNMENT, PAIR = "/assignments/{assignment_id}", "/assignments/{assignment_id}/pairs/{left_id}/{right_id}"
WEBHOOKS, WEBHOOK = "/courses/{course_id}/webhooks", "/courses/{course_id}/webhooks/{webhook_id}"
REPOSITORIES = f"{ASSIGNMENT}/repositories"
RESUMABLE = "/resumable/{resumable_id}"
CASE = f"{ASSIGNMENT}/cases/{{submission_id}}"
# The right that each endpoint takes, and a body that it accepts.
RIGHTS: dict[tuple[str, str], str] = {
    ("get", "/audit"): STAFF,
    ("get", "/accounts"): STAFF,
    ("post", "/accounts"): STAFF,
    ("post", "/accounts/{account_id}/invitation"): STAFF,
    ("post", "/accounts/{account_id}/disable"): STAFF,
    ("get", "/courses"): ANYBODY,
    ("post", "/courses"): ANYBODY,
    ("get", "/courses/{course_id}"): READ,
    ("patch", "/courses/{course_id}"): MANAGE,
    ("delete", COURSE): OWN,
    ("get", f"{COURSE}/members"): ANY,
    ("patch", MEMBER): INVITE,
    ("delete", MEMBER): MANAGE,
    ("get", f"{COURSE}/invitations"): MANAGE,
    ("post", f"{COURSE}/invitations"): INVITE,
    ("delete", f"{COURSE}/invitations/{{invitation_id}}"): MANAGE,
    ("get", ROSTER): READ,
    ("post", ROSTER): CHANGE,
    ("delete", ROSTER): CHANGE,
    ("get", f"{ROSTER}/students"): NAMES,
    ("get", "/courses/{course_id}/assignments"): READ,
    ("post", "/courses/{course_id}/assignments"): CHANGE,
    ("get", ASSIGNMENT): READ,
    ("patch", ASSIGNMENT): CHANGE,
    ("delete", ASSIGNMENT): DELETE,
    ("get", f"{ASSIGNMENT}/submissions"): READ,
    ("get", f"{ASSIGNMENT}/uploads"): READ,
    ("post", f"{ASSIGNMENT}/uploads"): CHANGE,
    ("post", f"{ASSIGNMENT}/resumable"): CHANGE,
    ("get", RESUMABLE): CHANGE,
    ("head", RESUMABLE): CHANGE,
    ("patch", RESUMABLE): CHANGE,
    ("delete", RESUMABLE): CHANGE,
    ("get", "/uploads/{upload_id}"): READ,
    ("delete", "/uploads/{upload_id}"): DELETE,
    ("get", "/uploads/{upload_id}/preview"): CHANGE,
    ("put", "/uploads/{upload_id}/layout"): CHANGE,
    ("post", "/uploads/{upload_id}/read"): CHANGE,
    ("post", REPOSITORIES): CHANGE,
    ("get", REPOSITORIES): CHANGE,
    ("patch", REPOSITORIES): CHANGE,
    ("get", f"{REPOSITORIES}/{{fetch_id}}"): CHANGE,
    ("post", f"{REPOSITORIES}/{{fetch_id}}/cancel"): CHANGE,
    ("post", f"{REPOSITORIES}/{{fetch_id}}/retry"): CHANGE,
    ("get", f"{ASSIGNMENT}/boilerplate"): READ,
    ("post", f"{ASSIGNMENT}/boilerplate"): CHANGE,
    ("delete", "/boilerplate/{boilerplate_id}"): CHANGE,
    ("get", f"{ASSIGNMENT}/report"): READ,
    ("post", f"{ASSIGNMENT}/report"): CHANGE,
    ("get", f"{ASSIGNMENT}/cases"): READ,
    ("get", f"{CASE}/decision"): READ,
    ("put", f"{CASE}/decision"): DECIDE,
    ("get", f"{ASSIGNMENT}/document"): READ,
    ("get", f"{PAIR}/document"): READ,
    ("get", f"{CASE}/document"): READ,
    ("get", f"{ASSIGNMENT}/exports/{{table}}.{{suffix}}"): READ,
    ("get", f"{ASSIGNMENT}/withheld"): READ,
    ("post", f"{ASSIGNMENT}/withheld/{{left_id}}/{{right_id}}/request"): DECIDE,
    ("get", f"{ASSIGNMENT}/pairs"): READ,
    ("get", PAIR): READ,
    ("get", f"{PAIR}/decision"): READ,
    ("put", f"{PAIR}/decision"): DECIDE,
    ("get", f"{ASSIGNMENT}/shares"): SHARE,
    ("post", f"{ASSIGNMENT}/shares"): SHARE,
    ("delete", "/shares/{share_id}"): SHARE,
    ("get", WEBHOOKS): SHARE,
    ("post", WEBHOOKS): SHARE,
    ("get", WEBHOOK): SHARE,
    ("patch", WEBHOOK): SHARE,
    ("delete", WEBHOOK): SHARE,
    ("post", f"{WEBHOOK}/test"): SHARE,
    ("get", f"{WEBHOOK}/deliveries"): SHARE,
    ("post", f"{WEBHOOK}/deliveries/{{delivery_id}}/again"): SHARE,
}
NEW = {"name": "New"}
BODIES: dict[tuple[str, str], Any] = {
    ("post", "/courses"): NEW,
    ("post", "/accounts"): {"username": "new"},
    ("post", "/courses/{course_id}/assignments"): NEW,
    ("patch", MEMBER): {"role": "observer"},
    ("post", f"{COURSE}/invitations"): {"email": "new@example.org", "role": "observer"},
    ("post", REPOSITORIES): {"repositories": "https://git.example.org/anna"},
    ("patch", REPOSITORIES): {"again_after_due": False},
    ("post", WEBHOOKS): {"url": "https://hooks.example.org/", "events": ["report.ready"]},
}
HEADERS = {
    ("post", f"{ASSIGNMENT}/resumable"): {"Upload-Length": "5"},
    ("patch", RESUMABLE): {"Upload-Offset": "0"},
}
# Every pair is in a case at this threshold; printing takes seconds.
AT, AS_HTML = "?threshold=1", "?format=html"
QUERIES = {
    f"{CASE}/decision": AT,
    f"{ASSIGNMENT}/document": AS_HTML,
    f"{PAIR}/document": AS_HTML,
    f"{CASE}/document": f"{AT}&format=html",
}
PREFIX = "/api/v1"
ROSTER_FILE = b"name,login\nAnna Berg,aberg\n"


def endpoints() -> set[tuple[str, str]]:
    """Return the method and the path of every endpoint."""
    paths = api.get_openapi_schema()["paths"]
    return {(method, path.removeprefix(PREFIX)) for path, methods in paths.items() for method in methods}


def user_with(role: str, world: World) -> User:
    course = world.assignment.course
    if role == "owner":
        return world.owner
    user = User.objects.create_user(f"a-{role.split(maxsplit=1)[0]}")
    if role.startswith("administrator"):
        user.is_staff = True
        user.save()
    elif role != "stranger":
        Membership.objects.create(course=course, user=user, role=role)
    if role.endswith("reason"):
        people.state_reason(course, user, "A student appealed.")
    return user


def statuses(
    user: User, scope: str, world: World, asked: Iterable[tuple[str, str]] = RIGHTS, said: list[str] | None = None
) -> dict[tuple[str, str], int]:
    """Return the status of the answer of each endpoint; nothing that they change is kept.

    Heads and bodies of the answers are added to `said`.
    """
    client = api_client(user, scope)
    listed = world.assignment.batches.create(name="listed", state=Batch.State.LISTED, preview=True)
    sides = sorted((world.pair.left.name, world.pair.right.name))
    confirmed = world.assignment.decisions.get_or_create(left=sides[0], right=sides[1])[0]
    world.assignment.decisions.filter(pk=confirmed.pk).update(state="confirmed")
    places = api_places(world, user) | {"upload_id": listed.pk, "table": "pairs", "suffix": "csv"}
    course = world.assignment.course
    replace_roster(course, "class.csv", read_roster(ROSTER_FILE))
    statuses_of = {}
    for method, path in sorted(asked):
        address = PREFIX + path.format(**places) + QUERIES.get(path, "")
        if (method, path) == ("delete", COURSE):
            address += f"?name={quote(course.name)}"
        with transaction.atomic():
            response = getattr(client, method)(address, **_content(method, path))
            transaction.set_rollback(True)
        statuses_of[method, path] = response.status_code
        if said is not None:
            said.append(f"{response.headers} {body_of(response)}")
        if response.status_code >= 400 and method != "head":
            problem_of(response)
    listed.delete()
    ResumableUpload.objects.all().delete()
    return statuses_of


def _content(method: str, path: str) -> dict[str, Any]:
    """Return the headers and the body of a request that the endpoint accepts."""
    headers = {"headers": HEADERS.get((method, path))}
    if method in {"get", "head"}:
        return headers
    if (method, path) == ("post", ROSTER):
        return headers | {"data": {"file": loose("class.csv", ROSTER_FILE)}}
    if method == "post" and path.endswith(("/uploads", "/boilerplate")):
        return headers | {"data": {"files": loose("main.py", "x = 1")}}
    if (method, path) == ("patch", RESUMABLE):
        return headers | {"data": b"x = 1", "content_type": "application/offset+octet-stream"}
    body = BODIES.get((method, path), {})
    return headers | {"data": body, "content_type": "application/json"}


def test_the_table_has_every_endpoint() -> None:
    assert RIGHTS.keys() ^ endpoints() == set()


def check(scope: str, role: str, world: World, asked: Iterable[tuple[str, str]]) -> None:
    for endpoint, status in statuses(user_with(role, world), scope, world, asked).items():
        needed, is_write = RIGHTS[endpoint], endpoint[0] != "get"
        granted = ROLES[role] & {READ, NAMES, STAFF} if scope == "read" else ROLES[role]
        refused = needed not in {*granted, ANY, ANYBODY} or (is_write and scope == "read")
        if refused:
            assert status == 403, endpoint
        else:
            assert status < 300, endpoint


def at_boundaries(role: str) -> Iterator[tuple[str, str]]:
    """Yield the endpoints at the boundaries of a role's rights; of those that take one right, one is used."""
    used = set[tuple[str, str]]()
    for (method, path), right in RIGHTS.items():
        needed = ANY if right == ANYBODY else right
        is_granted = needed in {*ROLES[role], ANY}
        if is_at_a_boundary(role, needed) and not (is_granted and (method, needed) in used):
            yield method, path
            used |= {(method, needed)} if is_granted else set()


@pytest.mark.parametrize("role", ROLES)
def test_every_endpoint_answers_the_roles_at_the_boundaries_of_its_right(role: str, world: World) -> None:
    check("write", role, world, at_boundaries(role))


# What the scope takes away does not depend on the role.
READERS = [("read", role) for role in dict.fromkeys(["owner", "administrator", *ROLES])]
ROWS = rest_is_long([*READERS, *(("write", role) for role in ROLES)])


@pytest.mark.parametrize(("scope", "role"), ROWS)
def test_every_endpoint_answers_every_role_as_its_rights_say(scope: str, role: str, world: World) -> None:
    check(scope, role, world, RIGHTS)


def test_an_administrator_without_a_reason_reads_no_name(world: World) -> None:
    course, assignment = world.assignment.course, world.assignment
    for subject in ("Anna Berg", world.pair.left.name, f"{world.pair.left.name}: They asked."):
        for page in ("pair", "student_data", "export_student"):
            AuditEntry.objects.create(
                who="alice", action="saw", course=course.name, assignment=assignment.name, subject=subject, page=page
            )
    said = list[str]()
    answers = statuses(
        user_with("administrator", world), "read", world, [one for one in RIGHTS if one[0] == "get"], said
    )
    assert answers["get", "/audit"] == 200
    assert names_in(" ".join(said)) == set()
    assert "Berg" not in " ".join(said)


def test_a_stranger_finds_nothing(world: World) -> None:
    for endpoint, status in statuses(user_with("stranger", world), "write", world).items():
        if RIGHTS[endpoint] != ANYBODY:
            assert status == (403 if RIGHTS[endpoint] == STAFF else 404), endpoint
