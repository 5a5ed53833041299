"""A client that `openapi-python-client` generates from the OpenAPI document has every endpoint, and works."""

import json
import os
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from moss.integrations.api import api
from submissions.models import Course
from tests.moss.integrations.api.test_protocol import operations
from tests.support.api import secret_of
from tests.support.processes import completed
from tests.support.web_server import web_server

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

GENERATOR = Path(sys.executable).with_name("openapi-python-client")
SETTINGS = Path(__file__).with_name("openapi_client.yml")
# What a program does with it: create, list, be refused.
PROGRAM = """
import os
from moss_client import AuthenticatedClient
from moss_client.api.courses import create_course, list_courses
from moss_client.api.people import invite
from moss_client.models import CourseIn, InvitationIn, InvitationInRole, Problem

client = AuthenticatedClient(os.environ["MOSS_SERVER"], os.environ["MOSS_TOKEN"])
made = create_course.sync(client=client, body=CourseIn(name="Algorithms", keep_months=24))
print(made.name, made.keep_months, made.created.year)
print([course.name for course in list_courses.sync(client=client).items])
observer = InvitationIn(email="a@example.org", role=InvitationInRole.OBSERVER)
invited = invite.sync(made.id, client=client, body=observer)
print(invited.role, invited.mailed)
refused = create_course.sync(client=client, body=CourseIn(name="Algorithms"))
print(isinstance(refused, Problem), refused.status, refused.errors[0].field)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Generate the client; its folder is that of the package `moss_client`."""
    document, target = tmp_path / "openapi.json", tmp_path / "moss_client"
    document.write_text(json.dumps(api.get_openapi_schema()))
    options: list[str | Path] = [
        "--path", document, "--output-path", target, "--meta=none", "--config", SETTINGS,
    ]  # fmt: skip
    done = completed([GENERATOR, "generate", "--fail-on-warning", *options], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return target


def test_it_has_every_endpoint_and_lists_courses_of_a_running_server(package: Path, alice: User) -> None:
    modules = {path.stem for path in (package / "api").glob("*/*.py")} - {"__init__"}
    document = api.get_openapi_schema()["paths"]
    assert modules == {one["operationId"] for methods in document.values() for one in methods.values()}
    assert len(modules) == len(list(operations()))
    Course.objects.create(owner=alice, name="Programming 1")
    with web_server() as port:
        done = completed(
            [sys.executable, "-c", PROGRAM],
            env=os.environ
            | {"PYTHONPATH": os.fspath(package.parent), "MOSS_TOKEN": secret_of(alice)}
            | {"MOSS_SERVER": f"http://localhost:{port}"},
            cwd=package.parent,
        )
    assert done.returncode == 0, done.stderr
    year = Course.objects.get(name="Algorithms").created.year
    assert done.stdout.splitlines() == [
        f"Algorithms 24 {year}",
        "['Algorithms', 'Programming 1']",
        "observer False",
        "True 422 name",
    ]
