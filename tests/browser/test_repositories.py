"""Repositories from the form to the report, in a real browser with a real worker and a real Git server."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from moss.integrations.repositories.models import RepositoryFetch
from submissions.models import Assignment
from tests.conftest import wait_until
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.git_server import GitServer, hand_in
from tests.support.sample_class import CLASS

pytestmark = pytest.mark.services


@pytest.mark.long
@pytest.mark.usefixtures("celery_worker_process")
def test_a_list_is_fetched_compared_and_planned_again(
    alice: User, assignment: Assignment, git_server: GitServer, sign_in: SignIn, shoot: Shoot
) -> None:
    names = [Path(name).parts[0] for name in CLASS]
    for name, text in zip(names, CLASS.values(), strict=True):
        hand_in(git_server.repository(name), {"main.py": text.encode()}, hours=-24 * 400)
    assignment.due = timezone.now() + timedelta(days=1)
    assignment.save()
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    page.click("text=Fetch from Git repositories")
    check_every_layout(page, shoot, "page-repositories")
    addresses = [f"{name},{git_server.url(name)}" for name in (*names, "not-there")]
    page.fill("textarea", "\n".join(addresses))
    page.check("input[name=again_after_due]")
    page.click("main button.primary")
    wait_until(RepositoryFetch.objects.exists, what="the answer")
    fetch = RepositoryFetch.objects.get()
    wait_until(lambda: RepositoryFetch.objects.get().state == "done", what="the repositories")
    page.reload()
    check_every_layout(page, shoot, "page-repositories-fetched")
    fetch.refresh_from_db()
    assert fetch.batch is not None
    wait_until(lambda: assignment.reports.filter(state="done").exists(), what="the report")
    page.goto(assignment.get_absolute_url())
    assert page.locator("text=The repositories are fetched again and compared").count() == 1
    check_every_layout(page, shoot, "page-repositories-planned")
