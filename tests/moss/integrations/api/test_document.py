"""docs/do/api.md and the page about the API say what is true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Course
from tests.moss.integrations.api.test_roles import PREFIX, QUERIES, endpoints
from tests.moss.integrations.api.test_unknown_fields import JSON, operations
from tests.support.api import api_client, secret_of
from tests.support.every_page import World, api_places
from tests.support.html import get_page
from tests.support.paths import ROOT
from tests.support.sample_class import CLASS, zipped
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

DOCUMENT = (ROOT / "docs" / "do" / "api.md").read_text()


@pytest.mark.long
@pytest.mark.slow
def test_the_example_runs_as_it_stands_there(celery_worker_process: Path, tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len([line for line in example.splitlines() if line]) == 10
    owner = User.objects.create_user("alice")
    course = Course.objects.create(owner=owner, name="Programming 1")
    assignment = Assignment.objects.create(course=course, name="Statistics")
    (tmp_path / "class.zip").write_bytes(zipped(CLASS).read())
    with web_server() as port:
        variables = {
            "MOSS_SERVER": f"http://localhost:{port}",
            "MOSS_TOKEN": secret_of(owner),
            "MOSS_ASSIGNMENT": str(assignment.pk),
        }
        command = [sys.executable, "-c", example]
        run = subprocess.run(
            command, env=os.environ | variables, cwd=tmp_path, capture_output=True, text=True, timeout=200,
            check=False,
        )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(r"\d+%  ada  ben", run.stdout.splitlines()[0])


@pytest.mark.django_db
def test_the_page_lists_every_endpoint_and_loads_nothing_from_elsewhere(client: Client) -> None:
    page = get_page(client, reverse("api_docs"))
    assert set(page.texts("main li .name code")) == {
        f"{method.upper()} {PREFIX}{path}" for method, path in endpoints()
    }
    assert page.texts("#problem-429 .name") == ["429"]
    assert not [link for link in page.links() if link.startswith("http")]
    assert client.get("/api/v1/openapi.json").json()["openapi"].startswith("3.")


def test_every_example_of_a_body_is_one_that_the_service_accepts(world: World) -> None:
    client = api_client(world.owner)
    listed = world.assignment.batches.create(name="listed", state=Batch.State.LISTED, preview=True)
    places, sent = api_places(world, world.owner) | {"upload_id": listed.pk}, 0
    for method, path, content in operations():
        if JSON in content:
            address = PREFIX + path.format(**places) + QUERIES.get(path, "")
            response = getattr(client, method)(address, content[JSON]["example"], content_type=JSON)
            assert response.status_code < 300, (method, path, response.content)
            sent += 1
    assert sent >= 15
