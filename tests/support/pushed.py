"""Submissions that the learning platform of the tests pushes: its notices, and the files behind them."""

from __future__ import annotations

import base64
import time
import uuid
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from moss.integrations.lti.models import PushedSubmission
from submissions.models import Assignment, Batch
from tests.support.html import page_of
from tests.support.jobs import carry_out
from tests.support.platform import CLAIM, CLIENT_ID, DEPLOYMENT, SPEC

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

    from tests.support.platform import LearningPlatform
    from tests.support.uploads import Committing

    Gather = Callable[[], Batch]

State = PushedSubmission.State
CODE = b"def area(width, height):\n    result = width * height\n    print(result)\n    return result\n" * 3
ACTIVITY = "activity-1"


class Pusher:
    """A platform whose activity 1 is attached to an assignment here."""

    def __init__(self, lms: LearningPlatform, client: Client) -> None:
        self.lms, self.client = lms, client
        self.address = lms.launch(client, **self.asked()).headers["Location"]
        lms.server.tool_keys = client.get("/lti/keys/").json()
        self.attached = client.post(self.address, {"make": "1", "new-name": "Sheet 1"})
        self.assignment = Assignment.objects.get()
        # The number of reports that a test has looked at.
        self.seen = 0

    def asked(self, **changes: Any) -> dict[str, Any]:
        """Return the changes of the claims that ask for a processor of activity 1."""
        asked = self.lms.deep_linking(accept_types=["ltiAssetProcessor"])
        return {**asked, "activity": {"id": ACTIVITY}, **changes}

    def item(self) -> dict[str, Any]:
        """Return the content item that the platform got."""
        token = str(page_of(self.attached).one("main input[name=JWT]").attributes["value"])
        claims = self.lms.server.read(token, "https://lms.example")
        (item,) = claims[f"{SPEC}dl/claim/content_items"]
        assert isinstance(item, dict)
        return item

    def asset(self, path: str, data: bytes = CODE, **changes: Any) -> dict[str, Any]:
        """Store a file on the platform; return what a notice says of it."""
        self.lms.server.files[f"/files/{path}"] = data
        name = path.rpartition("/")[2]
        return {
            "asset_id": f"asset-{path}",
            "url": f"{self.lms.url}/files/{path}",
            "sha256_checksum": base64.b64encode(sha256(data).digest()).decode(),
            "timestamp": "2026-03-01T10:00:00Z",
            "size": len(data),
            "content_type": "text/x-python",
            "title": name,
            "filename": name,
        } | changes

    def claims(self, student: int, *assets: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Return the claims of a notice that a student handed in these files."""
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": "https://lms.example",
            "aud": CLIENT_ID,
            "azp": CLIENT_ID,
            "iat": now,
            "exp": now + 3600,
            "nonce": str(uuid.uuid4()),
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}notice": {
                "id": str(uuid.uuid4()),
                "timestamp": "2026-03-01T10:00:00Z",
                "type": "LtiAssetProcessorSubmissionNotice",
            },
            f"{CLAIM}custom": {"moss_assignment": str(self.assignment.pk)},
            f"{CLAIM}for_user": {"user_id": f"student-{student}", "name": f"Student {student}"},
            f"{CLAIM}assetservice": {"assets": list(assets)},
            f"{CLAIM}assetreport": {"report_url": f"{self.lms.url}/reports"},
            f"{CLAIM}activity": {"id": ACTIVITY},
            f"{CLAIM}submission": {"id": f"submission-{student}"},
        }
        for name, value in changes.items():
            key = name if name in claims else CLAIM + name
            claims[key] = value
        return {name: value for name, value in claims.items() if value is not None}

    def send(self, *claims: dict[str, Any]) -> Answer:
        """Send notices as the platform does, without a session."""
        return self.send_tokens(*map(self.lms.server.sign, claims))

    def send_tokens(self, *tokens: str) -> Answer:
        notices = {"notices": [{"jwt": token} for token in tokens]}
        return Client().post("/lti/notices/", notices, "application/json")

    def push(self, student: int, *assets: dict[str, Any], **changes: Any) -> PushedSubmission:
        """Send a notice of a student's files; return what was stored of it."""
        response = self.send(self.claims(student, *assets, **changes))
        assert response.status_code == 200, response.content
        return PushedSubmission.objects.latest("pk")


@pytest.fixture
def pusher(lms: LearningPlatform, client: Client) -> Pusher:
    return Pusher(lms, client)


@pytest.fixture
def gathered(pusher: Pusher, eager_tasks: None, django_capture_on_commit_callbacks: Committing) -> Gather:
    """Return a function that fetches what was pushed, and returns the upload of it once it is ranked."""

    def run() -> Batch:
        for row in PushedSubmission.objects.filter(state=State.WAITING):
            carry_out("fetch_submission", row.pk)
        with django_capture_on_commit_callbacks(execute=True):
            carry_out("gather_submissions", pusher.assignment.pk)
        return Batch.objects.latest("pk")

    return run
