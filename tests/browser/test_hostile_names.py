"""Hostile names in every field that people write: on no page a script runs, or a text leaves the screen."""

import pytest
from django.contrib.auth.models import User
from django.db.models import CharField, Model, TextField
from playwright.sync_api import Page

from submissions.cases.change import add_statement
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Course,
    CourseRoster,
    Decision,
    EnrolledStudent,
    Entry,
    Statement,
    Submission,
    SubmissionFile,
    SubmissionStudent,
)
from tests.support.browser import SIZES, SignIn
from tests.support.every_page import ACCOUNT_PAGES, INVITATIONS, PAGES, PUBLIC, STAFF_PAGES, World, address_of

pytestmark = [pytest.mark.long, pytest.mark.services]

LENGTH = 300
HACKED = "window.hacked !== undefined || document.querySelector('[onerror], [onload], [onclick]') !== null"
# What is repeated up to that length, or to that of its field.
NAMES = {
    "markup": "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>",
    "an attribute": "' onfocus='window.hacked=1' autofocus=' \" onload=\"window.hacked=1\"",
    "one word": "W",
    "right to left": "\u202e\u2066\u0645\u062d\u0645\u062f\u200f",
    "emoji": "\U0001f469\u200d\U0001f467\u200d\U0001f466\ufe0f\U0001f3fd",
    "marks": "a\u0301\u0489\u0e49",
    "a template": "{{ settings.SECRET_KEY }}{% csrf_token %}{# %(name)s {0}",
}
# Columns with what people write; `teams` is a list of names.
WRITTEN: dict[type[Model], tuple[str, ...]] = {
    Course: ("name",),
    Assignment: ("name", "teams"),
    Batch: ("name",),
    Submission: ("name", "identifier"),
    SubmissionStudent: ("name", "identifier"),
    EnrolledStudent: ("name", "identifier", "login", "section", "team"),
    Statement: ("file_name",),
    SubmissionFile: ("path",),
    Entry: ("name",),
    Boilerplate: ("name",),
    BoilerplateUpload: ("name",),
    Decision: ("notes",),
    User: ("first_name", "last_name"),
}


def text_for(model: type[Model], column: str, value: str, key: int) -> str:
    field = model._meta.get_field(column)
    assert isinstance(field, CharField | TextField), column
    most = min(LENGTH, field.max_length or LENGTH) - len(str(key))
    return f"{value * LENGTH}"[:most] + str(key)


def name_everything(world: World, value: str) -> None:
    course, pair = world.assignment.course, world.pair
    roster = CourseRoster.objects.create(course=course)
    EnrolledStudent.objects.create(roster=roster, name="Ada", identifier="1", login="ada")
    sides = {"left": pair.left.name, "right": pair.right.name}
    Decision.objects.create(assignment=world.assignment, **sides, state="confirmed", notes="x")
    add_statement(world.assignment, pair.left.name, world.owner, f"{value}.txt"[-60:], value.encode())
    for model, columns in WRITTEN.items():
        for row in model._default_manager.all():
            names = {column: text_for(model, column, value, row.pk) for column in columns}
            model._default_manager.filter(pk=row.pk).update(**names)
    renamed = {"left": Submission.objects.get(pk=pair.left_id).name}
    Decision.objects.update(**renamed, right=Submission.objects.get(pk=pair.right_id).name)


WIDEST = """() => [...document.querySelectorAll("body *")]
  .filter((node) => node.getBoundingClientRect().right > innerWidth + 1
    && ![...node.querySelectorAll("*")].some((one) => one.getBoundingClientRect().right > innerWidth + 1))
  .slice(0, 3).map((node) => {
    const parents = []; for (let at = node; at && at !== document.body; at = at.parentElement)
      parents.push(at.localName + (at.className ? "." + at.className : ""));
    return parents.slice(0, 5).join(" < ");
  })"""


def visit(page: Page, path: str) -> str:
    """Return what is wrong with a page; empty where nothing is."""
    answer = page.goto(path)
    faults = [] if answer and answer.status == 200 else [f"status {answer and answer.status}"]
    if page.evaluate(HACKED):
        faults.append("a script ran")
    if "\x1b" in page.content():
        faults.append("a control of a terminal is in it")
    if answer and page.url != answer.url:
        faults.append("the page was left")
    page.wait_for_load_state("load")
    if (wider := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
        widest = page.evaluate(WIDEST)
        faults.append(f"{wider} pixels too wide: {widest}")
    return f"{path}: {', '.join(faults)}" if faults else ""


@pytest.mark.parametrize("kind", NAMES)
def test_no_page_runs_a_name_or_is_wider_than_a_telephone(
    kind: str, nasty: World, admin: User, sign_in: SignIn
) -> None:
    name_everything(nasty, NAMES[kind])
    width, height = SIZES["narrow"]
    page = sign_in(nasty.owner)
    page.set_viewport_size({"width": width, "height": height})
    faults = [visit(page, address_of(nasty, name)) for name in (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *PUBLIC)]
    page = sign_in(admin)
    faults += [visit(page, address_of(nasty, name)) for name in STAFF_PAGES]
    assert [fault for fault in faults if fault] == []
