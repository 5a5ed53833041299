"""The role of an upload: this class, or earlier work that is compared with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions.models import Batch
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment


@pytest.mark.parametrize(
    ("sent", "role"), [({}, "class"), ({"role": "class"}, "class"), ({"role": "earlier"}, "earlier")]
)
def test_an_upload_has_the_role_that_was_chosen(
    alice_client: Client, assignment: Assignment, sent: dict[str, str], role: str
) -> None:
    address = reverse("upload", args=[assignment.pk])
    alice_client.post(address, {"files": [zipped(CLASS)]} | sent)
    batch = Batch.objects.get()
    assert batch.role == role
    lead = get_page(alice_client, batch.get_absolute_url()).text(".lead")
    assert ("earlier or other work" in lead) == (role == "earlier")


def test_a_role_that_does_not_exist_is_refused_with_the_reason(
    alice_client: Client, assignment: Assignment
) -> None:
    sent = {"files": [zipped(CLASS)], "role": "handed-out"}
    response = alice_client.post(reverse("upload", args=[assignment.pk]), sent)
    assert response.status_code == 422
    assert "handed-out is not one of the available choices" in page_of(response).text(".upload .error")
    assert not Batch.objects.exists()
