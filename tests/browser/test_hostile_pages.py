"""Names, files and notes that attack the pages, on every page in a real browser: nothing of them runs.

The fixtures of the browser fail a test for an error of the console, which a violation of the security policy
is, and for a request to another host.
"""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page

from submissions.models import Decision
from tests.support.browser import SignIn
from tests.support.every_page import ACCOUNT_PAGES, INVITATIONS, PAGES, PUBLIC, STAFF_PAGES, World, address_of

pytestmark = pytest.mark.services

MARKUP = "</script><script>window.hacked=1</script><img src=x onerror=alert(1)>"
# Each has to be inert in a page, a table, a terminal, or all of them.
NOTE = f"=1+1 {MARKUP} \u202egnp.exe\u2066 ' \" {{{{ settings.SECRET_KEY }}}} javascript:alert(1)"
HACKED = "window.hacked !== undefined || document.querySelector('[onerror], [onload], [onclick]') !== null"


@pytest.fixture
def attacked(nasty: World) -> World:
    """Return the hostile class, with hostile names and notes of its instructor too."""
    assignment, course = nasty.assignment, nasty.assignment.course
    type(course).objects.filter(pk=course.pk).update(name=f"=1+1{MARKUP}")
    teams = f"{MARKUP}, =1+1\n\u202e, ' onfocus='alert(1)"
    type(assignment).objects.filter(pk=assignment.pk).update(name=f"@SUM(1){MARKUP}", teams=teams)
    type(nasty.owner).objects.filter(pk=nasty.owner.pk).update(
        first_name=MARKUP[:30], last_name="\u202e'\"<b>"
    )
    sides = {"left": nasty.pair.left.name, "right": nasty.pair.right.name}
    Decision.objects.create(assignment=assignment, **sides, state="confirmed", notes=NOTE)
    return nasty


@pytest.fixture
def dialogs(page: Page) -> Iterator[list[str]]:
    """Return the messages of the dialogs that pages open."""
    messages: list[str] = []

    def note(dialog: Dialog) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    yield messages
    page.remove_listener("dialog", note)


@pytest.mark.long
def test_nothing_that_a_student_or_an_instructor_wrote_runs_on_any_page(
    attacked: World, admin: User, sign_in: SignIn, dialogs: list[str]
) -> None:
    page = sign_in(attacked.owner)
    for name in (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *PUBLIC):
        check(page, address_of(attacked, name))
    page = sign_in(admin)
    for name in STAFF_PAGES:
        check(page, address_of(attacked, name))
    assert dialogs == []


def check(page: Page, path: str) -> None:
    response = page.goto(path, wait_until="networkidle")
    assert response is not None
    assert response.status == 200, path
    assert not page.evaluate(HACKED), path
    assert "\x1b" not in page.content(), path
    assert page.url.endswith(path), "the page was left"
