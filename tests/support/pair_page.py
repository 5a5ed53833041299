"""The page of a pair in a real browser: opening it, and where its parts are on the screen."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Locator, Page

from submissions.models import Assignment, Pair
from submissions.uploads.change import create_batch
from tests.conftest import wait_until
from tests.support.browser import SignIn
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, zipped
from tests.support.uploads import HandIn

IN_VIEW = """(mark) => {
  const side = mark.closest("[data-side]").getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  return box.height > 0 && box.top >= side.top && box.top < side.bottom;
}"""
FILLER = "".join(f"print('line {n}', [{n}, {n}])\nx{n} = {n}\n" for n in range(150))
OTHER = "".join(f"y{n} = {n} + {n} * {n}\nif y{n}: pass\n" for n in range(150))
SEVERAL = {
    "ada/a.py": STARTER,
    "ada/b.py": OTHER + COPIED,
    "ada/c.py": HONEST,
    "ben/main.py": STARTER + FILLER + RENAMED + HONEST,
}
STATEMENTS = (
    "    total = total + values[{n}] * {m}",
    "    if values[{n}] > total:\n        total = values[{n}]",
    "    for item in values:\n        total += item % {m}",
    "    while total > {n}:\n        total //= {m}",
    "    names.append(str(total) + '{n}')",
    "    values = [one for one in values if one != {n}]",
    "    total = max(total, len(names), {n})",
    "    print('{n}', total, names[{m}])",
    "    names, values = sorted(names), values[{n}:]",
)
Open = Callable[[dict[str, str]], Page]


@pytest.fixture
def open_pair(transactional_db: None, alice: User, hand_in: HandIn, sign_in: SignIn) -> Open:
    """Return a function that ranks two submissions in this process and opens the page of their pair."""

    def rank_and_open(files: dict[str, str]) -> Page:
        stored(f"the pair {files}", lambda: hand_in(zipped(files)))
        return _open(sign_in(alice))

    return rank_and_open


@pytest.fixture
def open_pair_of_worker(assignment: Assignment, alice: User, celery_worker_process: Path, sign_in: SignIn) -> Open:
    """Return a function that opens the page of a pair which a worker has ranked, and ranks again."""

    def upload_and_open(files: dict[str, str]) -> Page:
        create_batch(assignment, alice, [zipped(files)])
        wait_until(Pair.objects.exists, what="the ranking")
        return _open(sign_in(alice))

    return upload_and_open


def _open(page: Page) -> Page:
    pair = Pair.objects.select_related("report").get()
    page.goto(reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id]))
    return page


def in_view(part: Locator) -> bool:
    return bool(part.evaluate(IN_VIEW))


def selected_file(page: Page, side: str) -> str:
    return (page.locator(f".side:has([data-side={side}]) [data-files] :checked").text_content() or "").split()[0]


def long_pair(lines: int) -> dict[str, str]:
    """Return two submissions with files of `lines` lines; two of three functions of one are in the other."""
    random, left, right = Random(5), list[str](), list[str]()
    for number in range(lines):
        function = _function(random, f"step_{number}")
        left += function.splitlines()
        right += (function if number % 3 else _function(random, f"other_{number}")).splitlines()
        if min(len(left), len(right)) >= lines:
            break
    return {f"{name}/long.py": "\n".join(side[:lines]) + "\n" for name, side in (("ada", left), ("ben", right))}


def _function(random: Random, name: str) -> str:
    body = [
        random.choice(STATEMENTS).format(n=random.randrange(2, 500), m=random.randrange(2, 50))
        for _ in range(random.randrange(6, 18))
    ]
    return "\n".join([f"def {name}(values, names, total=0):", *body, "    return total\n"])
