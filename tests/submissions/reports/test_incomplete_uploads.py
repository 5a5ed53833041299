"""A report of an upload that was not read to its end says so, on every page, in the API and in documents."""

import pytest
from django.test import Client

from submissions.models import Report
from tests.support.api import api_client
from tests.support.archives import tarred
from tests.support.every_page import PAGES, PUBLIC, World, address_of
from tests.support.sample_class import CLASS, loose
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

NOTICE = "Not all of an upload was read, so work of students is missing."
# Pages that are about no report: of a course, of settings, of links, of where work comes from.
OTHERS = {
    "courses", "course", "people", "rename_course", "roster", "delete_course", "assignment_settings",
    "delete_assignment", "delete_batch", "shares", "webhooks", "webhook", "repositories", "repository_fetch",
    "batch",
}  # fmt: skip


def test_every_page_of_an_incomplete_report_says_so(world: World, client: Client) -> None:
    client.force_login(world.owner)
    addresses = [address_of(world, name) for name in (*PAGES, *PUBLIC) if name not in OTHERS]
    assert not [one for one in addresses if NOTICE in client.get(one, follow=True).content.decode()]
    world.report.parameters["incomplete"] = True
    world.report.save()
    assert not [one for one in addresses if NOTICE not in client.get(one, follow=True).content.decode()]


def test_a_document_of_an_incomplete_report_says_so(world: World, client: Client) -> None:
    client.force_login(world.owner)
    address = f"{address_of(world, 'export_pair')}?format=html&names=real"
    assert NOTICE not in client.get(address).content.decode()
    world.report.parameters["incomplete"] = True
    world.report.save()
    assert NOTICE in client.get(address).content.decode()


@pytest.mark.parametrize("cut", [0, 1500], ids=["whole", "cut off"])
def test_an_upload_that_is_cut_off_is_incomplete_and_so_is_its_report(
    hand_in: HandIn, client: Client, cut: int
) -> None:
    data = tarred({name: source.encode() for name, source in CLASS.items()})
    end = data.rstrip(b"\0")
    batch = hand_in(loose("class.tar", end[: len(end) - cut] + (b"" if cut else bytes(10_240))))
    assert batch.state == "done"
    report = Report.objects.get(assignment=batch.assignment, state="done")
    assert batch.incomplete is report.is_incomplete is bool(cut)
    api = api_client(batch.assignment.course.owner)
    assert api.get(f"/api/v1/uploads/{batch.pk}").json()["incomplete"] is bool(cut)
    assert api.get(f"/api/v1/assignments/{batch.assignment_id}/report").json()["incomplete"] is bool(cut)
    client.force_login(batch.assignment.course.owner)
    assert (NOTICE in client.get(batch.get_absolute_url()).content.decode()) is bool(cut)
