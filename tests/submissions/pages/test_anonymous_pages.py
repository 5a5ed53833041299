"""No page and no file of the site names a student once names are hidden."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, cast

import pytest
from django.urls import reverse
from pypdf import PdfReader

from moss.commands.demo import SAMPLE
from submissions import actions
from submissions.models import Pair, Submission
from tests.support.every_page import FILES, FRAGMENTS, PAGES, PUBLIC, address
from tests.support.sample_class import loose, zipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpResponseBase
    from django.test import Client

    from tests.support.every_page import World
    from tests.support.uploads import HandIn


CLASS = sorted(path.name for path in (SAMPLE / "submissions").iterdir())
# Of the sample's names those parts that are no word of its programs.
WORDS = {part for name in CLASS for part in name.split("-") if len(part) > 3} - {"grace"}


@pytest.fixture
def reader(world: World, alice_client: Client) -> Client:
    """Give Alice with names hidden."""
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    return alice_client


def named(page: str) -> set[str]:
    """Give the students, and parts of their names, that a page names."""
    text = page.casefold()
    whole = {name for name in CLASS if re.search(name.replace("-", r"[\s_,./-]{0,2}"), text)}
    return whole | {word for word in WORDS if re.search(rf"(?<![a-z]){word}(?![a-z])", text)}


def test_with_names_shown_every_student_is_found(world: World, alice_client: Client) -> None:
    assert {*CLASS} <= named(alice_client.get(address(world, "batch")).content.decode())
    assert named(alice_client.get(address(world, "pair")).content.decode())


def body(answer: HttpResponseBase) -> str:
    return b"".join(cast("Iterable[bytes]", answer)).decode()


@pytest.mark.parametrize("name", [*PAGES, *FRAGMENTS, *FILES, *PUBLIC])
def test_no_page_names_anybody(name: str, world: World, reader: Client) -> None:
    answer = reader.get(address(world, name))
    assert answer.status_code == 200
    assert named(body(answer)) == set()
    assert named(str(answer.headers)) == set()


@pytest.fixture
def crowded(world: World, hand_in: HandIn) -> World:
    """Have names in everything that an instructor writes and an upload brings."""
    assignment, pair = world.assignment, world.pair
    assignment.teams = "amara-okafor, arjun-bhatt"
    assignment.save()
    made = assignment.decisions.create(
        left=pair.left.name, right=pair.right.name, notes="Ask Marek Zielinski."
    )
    made.changes.create(who="alice", field="notes", before="Heard Salma Idrissi.", after=made.notes)
    assignment.shares.create(
        left=pair.left.name, right=pair.right.name, created_by=world.owner, expires=world.share.expires
    )
    hand_in(
        zipped(
            {
                "amara-okafor/salma-idrissi.py": "x = 1\n",
                "amara-okafor/Dubois.class": "x",
                "kofi-mensah/kofi.png": b"\x89PNG\r\n\x1a\n\0\0",
                "somebody-else/photo.png": b"\x89PNG\r\n\x1a\n\0\0",
            },
            "amara-okafor.zip",
        )
    )
    named_after = loose("Claire Dubois starter.py", "def pay(loan):\n    return loan\n")
    assert actions.add_boilerplate(assignment, [named_after]) == []
    return world


def test_nothing_that_was_written_or_uploaded_names_anybody(crowded: World, reader: Client) -> None:
    later = crowded.assignment.batches.latest("pk")
    places = {name: address(crowded, name) for name in (*PAGES, *FRAGMENTS, *FILES, *PUBLIC)}
    places |= {name: reverse(name, args=[later.pk]) for name in ("batch", "delete_batch", "batch_progress")}
    for name, place in places.items():
        page = body(reader.get(place))
        assert named(page) == set(), name
        assert "somebody-else" not in page, name


def read_pdf(answer: HttpResponseBase) -> str:
    pdf = PdfReader(io.BytesIO(b"".join(cast("Iterable[bytes]", answer))))
    text = "\n".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])
    assert len(text) > 1_000
    return text


@pytest.mark.parametrize("form", ["html", "pdf"])
@pytest.mark.parametrize("page", ["exports", "export_pair"])
def test_no_document_names_anybody(page: str, form: str, crowded: World, reader: Client) -> None:
    crowded.assignment.decisions.update(state="confirmed")
    answer = reader.get(
        address(crowded, page), {"names": "made-up", "decision": "on", "sources": "on", "format": form}
    )
    assert answer.headers["Content-Type"].startswith(("text/html", "application/pdf"))
    assert "attachment" in answer.headers["Content-Disposition"]
    assert named(str(answer.headers)) == set()
    assert named(body(answer) if form == "html" else read_pdf(answer)) == set()


@pytest.mark.parametrize("name", ["pairs", "submissions"])
@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_table_names_anybody(name: str, form: str, crowded: World, reader: Client) -> None:
    page = body(reader.get(reverse("table", args=[crowded.assignment.pk, name, form])))
    assert page.count("\n") > 10
    assert named(page) == set()


def test_no_message_names_anybody(crowded: World, reader: Client) -> None:
    assignment = crowded.assignment
    for name, sent in (
        ("assignment_settings", {"name": "Renamed"}),
        ("decide", {"state": "clear", "seen": "0"}),
        ("delete_batch", {}),
    ):
        assert named(body(reader.post(address(crowded, name), sent, follow=True))) == set(), name
    handed_out = assignment.boilerplate.get(name__contains="Dubois")
    assert named(body(reader.post(reverse("remove_boilerplate", args=[handed_out.pk]), follow=True))) == set()
    assert named(body(reader.get(address(crowded, "batch")))) == set()
    assignment.refresh_from_db()
    assert assignment.teams == "amara-okafor, arjun-bhatt"


def test_no_pair_names_anybody_in_its_sources(world: World, reader: Client) -> None:
    for pair in Pair.objects.filter(report=world.report)[:12]:
        place = reverse("pair", args=[world.assignment.pk, pair.left_id, pair.right_id])
        assert named(reader.get(place).content.decode()) == set(), place


def test_no_submission_names_anybody(world: World, reader: Client) -> None:
    for submission in Submission.objects.filter(batch=world.batch):
        place = reverse("submission", args=[world.assignment.pk, submission.pk])
        assert named(reader.get(place).content.decode()) == set(), submission.name


def test_filters_and_htmx_name_nobody(world: World, reader: Client) -> None:
    place = address(world, "assignment")
    for query in ({"threshold": 10}, {"q": "otter"}, {"sort": "left"}, {"page": 2}, {"decision": "clear"}):
        for headers in ({}, {"HX-Request": "true"}):
            assert named(reader.get(place, query, headers=headers).content.decode()) == set(), query


def test_a_search_for_a_hidden_name_finds_nothing(world: World, reader: Client) -> None:
    answer = reader.get(address(world, "assignment"), {"q": CLASS[0].split("-")[0]})
    assert "No pair passes this filter" in answer.content.decode()
