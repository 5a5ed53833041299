"""Uploads in a real browser: dropped folders, previews, rosters, repositories and lost connections."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from moss.integrations.repositories.models import RepositoryFetch
from submissions.models import Assignment, Document, Submission
from tests.conftest import wait_until
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.build_trees import with_build_trees
from tests.support.git_server import GitServer, hand_in
from tests.support.sample_class import CLASS, zipped
from tests.support.tabs import tab
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

JAVA = "class Count { int count(int[] all) { int n = 0; for (int x : all) { n += x; } return n; } }\n"


@pytest.mark.long
def test_files_are_read_again_after_a_question(
    alice: User, assignment: Assignment, hand_in: HandIn, sign_in: SignIn, shoot: Shoot
) -> None:
    hand_in(zipped(CLASS | {"ada/Count.java": JAVA, "ben/Count.java": JAVA}))
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    page.get_by_role("link", name="Settings").click()
    page.locator("select[name=language]").select_option("Java")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("1 file of 1 upload is read again").wait_for()
    check_every_layout(page, shoot, "language-question")
    page.get_by_role("button", name="Change and read again").click()
    page.get_by_role("heading", name="1 case among 3 submissions").wait_for()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("heading", name="Changes of the language").wait_for()
    check_every_layout(page, shoot, "language-settings")
    assignment.language_changes.create(after="ruby", state="reading", documents_total=40, documents_done=12)
    page.goto(assignment.get_absolute_url())
    page.get_by_text("Read again as Ruby.").wait_for()
    check_every_layout(page, shoot, "language-change")


@pytest.mark.long
def test_one_click_counts_a_kind_of_files(alice: User, hand_in: HandIn, sign_in: SignIn, shoot: Shoot) -> None:
    batch = hand_in(zipped(with_build_trees(CLASS)))
    page = sign_in(alice)
    page.goto(batch.get_absolute_url())
    check_every_layout(page, shoot, "left-out")
    page.get_by_role("button", name="Count it: a Python environment").click()
    row = page.get_by_role("row").filter(has_text="a Python environment").first
    expect(row.get_by_text("counts").first).to_be_visible()
    page.goto(reverse("assignment_settings", args=[batch.assignment_id]))
    assert page.get_by_label("Also compare").input_value() == "@environment"
    check_every_layout(page, shoot, "left-out-settings")


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


UNCLOSED = CLASS["ben/main.py"] + 'title = "never closed\n'


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_pages_that_say_what_was_not_read_have_no_fault(
    hand_in: HandIn, alice: User, sign_in: SignIn, shoot: Shoot
) -> None:
    batch = hand_in(zipped({**CLASS, "ben/main.py": UNCLOSED}))
    ben = Submission.objects.get(name="ben")
    Document.objects.filter(files__submission=ben).update(read_share=0.31)
    page = sign_in(alice)
    addresses = {
        "upload": reverse("batch", args=[batch.pk]),
        "students": tab(batch.assignment, "students"),
        "pairs": tab(batch.assignment, "pairs"),
        "submission": reverse("submission", args=[batch.assignment_id, ben.pk]),
    }
    for name, address in addresses.items():
        page.goto(address)
        check_every_layout(page, shoot, f"partly-read-{name}")
