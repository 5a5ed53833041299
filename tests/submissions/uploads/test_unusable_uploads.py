import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment
from submissions.uploads.change import create_batch
from tests.support.sample_class import loose
from tests.support.uploads import Committing

pytestmark = pytest.mark.services


@pytest.mark.long
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"\x1f\x8b\x08\x00 not gzip"])
def test_an_upload_of_which_nothing_can_be_used_fails_with_a_message(
    assignment: Assignment,
    alice: User,
    eager_tasks: None,
    django_capture_on_commit_callbacks: Committing,
    content: bytes,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        batch = create_batch(assignment, alice, [loose("class.zip", content)])
    batch.refresh_from_db()
    assert batch.state == "failed"
    assert batch.message
