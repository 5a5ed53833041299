"""A reader's view of a class is the same to the byte with and without old work that is withheld."""

import random
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.models import Assignment, Course, Report
from submissions.shares import links as shares
from submissions.uploads.change import create_batch, rerank
from tests.moss.integrations.api.test_roles import PREFIX, QUERIES, endpoints
from tests.submissions.courses.test_roles import client_of
from tests.submissions.shares.test_withheld import DOCUMENTS, FILTERED, FILTERS
from tests.support.api import api_client
from tests.support.every_page import World, address_of, addresses, api_places, world_of
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import CLASS, COPIED, STARTER, loose, zipped
from tests.support.uploads import Committing, HandIn, register_boilerplate

# Code that most of the class has, so that it is common code there.
HELPER = """
def chunks(rows, size):
    part = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
"""
STATEMENTS = (
    "    total_{n} = {n} + left[{n}]\n",
    "    for key_{n} in left:\n        left[key_{n}] -= {n}\n",
    "    while len(left) > {n}:\n        left.pop()\n",
    "    if not left or left[0] == {n}:\n        return [{n}, None]\n",
    "    left = dict(zip(left, [one_{n} for one_{n} in left]))\n",
    "    assert isinstance(left, list), 'part {n}'\n",
    "    try:\n        left.remove({n})\n    except ValueError:\n        raise\n",
    "    print(f'{{left}} {n}', file=None, end='')\n",
)
# Who reads the class, and how many of the filters, documents and endpoints: all, or each third one.
READERS = rest_is_long([("instructor", 3), ("instructor", 1), ("observer", 1), ("administrator with a reason", 1)])
# Pages about what is not of the class, and those that say when something was used or sent.
LEFT_OUT = {
    "audit_log", "audit_file", "all_tokens", "department", "student_data", "erasure", "receipt_file",
    "service", "service_now", "api_tokens", "webhook",
}  # fmt: skip


def program(seed: int) -> str:
    """Return a program that is like no other."""
    chosen = random.Random(seed)
    lines = [chosen.choice(STATEMENTS).format(n=seed * 100 + row) for row in range(14)]
    return f"def work_{seed}(left):\n{''.join(lines)}    return left\n"


LARGER_CLASS = CLASS | {f"own{seed:02}/main.py": STARTER + HELPER + program(seed) for seed in range(12)}
# What the old course handed out: students of the class wrote it themselves.
GIVEN = COPIED[COPIED.index("def average") :]
# Sixty copies of what students of the class handed in, with names and literals that only two of them share.
OLD = {
    f"sealed{number:02}/main.py": (COPIED, HELPER + program(number % 12), CLASS["ada/main.py"])[number % 3]
    + f"\nplanted_marker_{number} = 'part {100 * (number % 12)}'\n"
    for number in range(60)
}


@pytest.fixture
def alone(alice: User, assignment: Assignment, hand_in: HandIn) -> World:
    """Return a class that was compared with nothing else, and the pair of it that is most similar."""
    register_boilerplate(assignment, loose("starter.py", STARTER))
    hand_in(zipped(LARGER_CLASS))
    report = assignment.reports.get(state=Report.State.DONE)
    return world_of(assignment, report.pairs.all()[0])


@pytest.fixture
def compare(alone: World, alice: User, committing: Committing) -> Callable[[], Report]:
    """Return a function that ranks the class again with sixty copies of another course of its owner."""

    def rank() -> Report:
        course = Course.objects.create(owner=alice, name="Sealed course")
        old = Assignment.objects.create(course=course, name="Sealed lab", term="michaelmas")
        with committing(execute=True):
            create_batch(old, alice, [zipped(OLD, "sealed.zip")])
        with committing(execute=True):
            register_boilerplate(old, loose("given.py", GIVEN))
        alone.assignment.compared_with.add(old)
        with committing(execute=True):
            rerank(alone.assignment)
        return alone.assignment.reports.filter(state=Report.State.DONE).latest("pk")

    return rank


def pages_of(world: World, step: int) -> list[str]:
    """Return the addresses of all pages, parts and tables of a class, and of documents and with filters."""
    by_name = {name: one for name, one in addresses(world).items() if name not in LEFT_OUT}
    pk, pair = world.assignment.pk, world.pair
    pages = [one for name, one in by_name.items() if not name.startswith(("shared", "lti"))]
    pages += [reverse("submission", args=[pk, side]) for side in (pair.left_id, pair.right_id)]
    pages += [by_name[name] + query for name in FILTERED for query in FILTERS][::step]
    pages += [
        reverse("table", args=[pk, name, suffix]) for name in ("pairs", "submissions") for suffix in ("csv", "json")
    ]
    return pages + [page + query for page in pages if "export" in page for query in DOCUMENTS][::step]


def shared_pages(world: World, maker: User) -> list[str]:
    """Return the addresses behind a link that a reader of the class made."""
    expires = timezone.now() + timedelta(days=1)
    token = shares.share_token(shares.create_share(world.assignment, maker, expires))
    pair = [world.pair.left_id, world.pair.right_id]
    pages = [reverse(name, args=[token]) for name in ("shared", "shared_pairs", "shared_ignored")]
    case = reverse("shared_case", args=[token, pair[0]])
    return [*pages, case, reverse("shared_pair", args=[token, *pair])]


def endpoints_of(world: World, reader: User) -> list[str]:
    """Return the addresses of the API that answer a GET, for the objects of a class."""
    places = api_places(world, reader) | {"suffix": "json"}
    return [
        PREFIX + path.format(**places, table=table) + QUERIES.get(path, "")
        for method, path in sorted(endpoints())
        for table in (("pairs", "submissions") if "{table}" in path else ("",))
        if method == "get" and not path.endswith(("/withheld", "/audit"))
    ]


def figures_of(client: Client, pages: list[str], report: Report) -> dict[str, str]:
    """Return what each address answers, without what is of the request or the ranking alone."""
    Report.objects.update(finished="2026-01-01T10:00Z", created="2026-01-01T10:00Z")
    return {page: _steady(client.get(page, follow=True).getvalue().decode(), report) for page in pages}


def _steady(text: str, report: Report) -> str:
    text = re.sub(r"(csrfmiddlewaretoken\W+value=|csrftoken\W+)\W*\w{64}", r"\1", text)
    text = re.sub(r"activity/\?seen=\d+&amp;was=\w+", "", text)
    # The place where it says that there are matches, how similar, and whom to ask.
    text = re.sub(r'<section[^>]*id="withheld".*?</section>', "", text, flags=re.DOTALL)
    text = re.sub(r"Made [^<]{,60} from", "Made from", text)
    # It has the number of the report in it.
    text = re.sub(r'"next": "\w+"', '"next": ""', text)
    return re.sub(rf'("report": |"id": (?={report.pk}, "finished")){report.pk}\b', r"\1", text)


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the lines that are not the same, each with its address."""
    lines = []
    for page, text in before.items():
        one, other = text.splitlines(), after[page].splitlines()
        lines += [f"{page}: {line}" for line in set(one) ^ set(other)]
    return lines


@pytest.mark.parametrize(("role", "step"), READERS)
def test_no_page_answer_or_link_differs_with_withheld_work(
    role: str, step: int, alone: World, compare: Callable[[], Report]
) -> None:
    client = client_of(role, alone)
    reader = User.objects.get(username=f"a-{role.split(maxsplit=1)[0]}")
    asked = (
        (client, pages_of(alone, step)),
        (api_client(reader, "read"), endpoints_of(alone, reader)[::step]),
        (Client(), shared_pages(alone, reader)[::step]),
    )
    before = [figures_of(*one, alone.report) for one in asked]
    assert "in more than 10 " in before[0][address_of(alone, "ignored")]
    report = compare()
    assert report.submissions.filter(batch__role="other").count() > 20
    after = [figures_of(*one, report) for one in asked]
    differing = [one for pair in zip(before, after, strict=True) for one in differences(*pair)]
    assert not differing, "\n".join(differing)
