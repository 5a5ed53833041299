"""Uploads that wait in their preview, and changing how they are grouped."""

from collections.abc import Callable, Mapping

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch
from tests.support.sample_class import zipped
from tests.support.uploads import Committing

Upload = Callable[[Mapping[str, str | bytes]], Batch]


@pytest.fixture
def preview_upload(
    alice_client: Client, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> Upload:
    """Return a function that uploads a zip as the page does, for a preview."""

    def send(files: Mapping[str, str | bytes]) -> Batch:
        with django_capture_on_commit_callbacks(execute=True):
            data = {"files": zipped(files), "preview": "on"}
            assert alice_client.post(reverse("upload", args=[assignment.pk]), data).status_code == 302
        return Batch.objects.latest("pk")

    return send


def group(client: Client, batch: Batch, **data: object) -> HttpResponse:
    """Change the grouping of an upload as the form of its preview does."""
    address = reverse("group_batch", args=[batch.pk])
    return client.post(address, data, headers={"HX-Request": "true"})  # type: ignore[return-value]
