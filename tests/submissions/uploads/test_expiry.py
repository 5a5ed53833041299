"""An upload that waits for its uploader is deleted after some days, unless it is changed or read."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.operations import maintenance
from submissions.intake.choices import Choices
from submissions.models import Assignment, Batch, Source
from submissions.uploads.change import create_batch, group_as
from tests.support.html import get_page
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("empty_queues", "eager_tasks")


@pytest.fixture
def listed(assignment: Assignment, alice: User, committing: Committing) -> Batch:
    with committing(execute=True):
        batch = create_batch(assignment, alice, [zipped(CLASS)], preview=True)
    batch.refresh_from_db()
    assert batch.state == "listed"
    return batch


def age(batch: Batch, days: float) -> None:
    Batch.objects.filter(pk=batch.pk).update(touched=timezone.now() - timedelta(days=days))


def test_it_is_deleted_with_its_sources_and_files_and_its_address_says_so(
    listed: Batch, alice_client: Client, caplog: pytest.LogCaptureFixture, committing: Committing
) -> None:
    age(listed, 14.1)
    stored = listed.uploads.get().file.name
    with caplog.at_level("INFO"), committing(execute=True):
        maintenance.sweep()
    assert not Batch.objects.exists()
    assert not Source.objects.exists()
    assert not default_storage.exists(stored)
    assert f"batch {listed.pk} of assignment {listed.assignment_id}: deleted" in caplog.text
    assert listed.name not in caplog.text
    assert alice_client.get(listed.get_absolute_url()).status_code == 410


def test_its_page_says_when(listed: Batch, alice_client: Client, settings: Settings) -> None:
    settings.PREVIEW_DAYS = 3
    day = listed.touched + timedelta(days=3)
    page = get_page(alice_client, listed.get_absolute_url())
    assert f"An upload that is not read is deleted on {day.day} {day:%B %Y}" in page.text("#preview")


def test_what_was_changed_lately_or_is_read_stays(listed: Batch, alice: User) -> None:
    age(listed, 20)
    group_as(listed, Choices(layout="folders"))
    maintenance.sweep()
    assert Batch.objects.get().state == "listed"
    Batch.objects.update(state="done", touched=timezone.now() - timedelta(days=90))
    maintenance.sweep()
    assert Batch.objects.exists()
