"""Reading through the API as an observer."""

import pytest
from django.contrib.auth.models import User

from submissions.models import Membership, Report
from tests.support.api import api_client, send

pytestmark = pytest.mark.services


@pytest.mark.long
def test_an_observer_reads_made_up_names_only(report: Report, path: str) -> None:
    user = User.objects.create_user("olga")
    Membership.objects.create(course=report.assignment.course, user=user, role="observer")
    client = api_client(user)
    row = send(client, "get", f"{path}/pairs").json()["items"][0]
    sides = f"{path}/pairs/{row['left_id']}/{row['right_id']}"
    reads = [path, *(f"{path}/{one}" for one in ("uploads", "boilerplate", "report", "cases?threshold=10"))]
    for address in (*reads, f"{path}/pairs", sides, f"{sides}/decision", f"{path}/exports/pairs.json"):
        response = send(client, "get", address)
        assert response.status_code == 200, address
        text = b"".join(response) if response.streaming else response.content
        assert not [name for name in (b'"ada"', b'"ben"', b'"cleo"') if name in text], address
