"""Boilerplate on the page of an assignment: adding it, removing it, and what of it cannot be read."""

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Boilerplate, Report
from tests.support.html import get_page
from tests.support.sample_class import STARTER, loose
from tests.support.tabs import tab
from tests.support.uploads import Committing

pytestmark = pytest.mark.services


@pytest.mark.long
def test_boilerplate_lowers_what_is_ranked_and_its_removal_brings_it_back(
    alice_client: Client,
    report: Report,
    eager_tasks: None,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    assignment = report.assignment

    def best_pair_lines() -> int:
        return int(Report.objects.filter(assignment=assignment, state="done")[0].pairs.all()[0].lines)

    before = best_pair_lines()
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(
            reverse("add_boilerplate", args=[assignment.pk]), {"files": [loose("main.py", STARTER)]}
        )
    assert best_pair_lines() < before
    removal = reverse("remove_boilerplate", args=[Boilerplate.objects.get().pk])
    page = get_page(alice_client, tab(assignment, "ignored"))
    assert page.has(f'form[method=post][action="{removal}"]')
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(removal)
    assert best_pair_lines() == before
    assert not Boilerplate.objects.exists()


def test_boilerplate_that_cannot_be_read_is_named_with_its_reason(
    alice_client: Client,
    assignment: Assignment,
    eager_tasks: None,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    sent = {"files": [loose("scan.pdf", b"%PDF-1.7 \0\0")]}
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("add_boilerplate", args=[assignment.pk]), sent)
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#boilerplate .notice .path") == "scan.pdf"
    assert "PDF document" in page.text("#boilerplate .notice .meta")
    assert not Boilerplate.objects.exists()
