"""No page and no file of the site names a student once names are hidden."""

import io
import itertools
import re
from collections.abc import Iterable
from typing import cast

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from moss.sample import SAMPLE
from submissions.core.models import Refusal
from submissions.models import Pair, Submission
from tests.support.every_page import FILES, FRAGMENTS, PAGES, PUBLIC, World, address_of
from tests.support.html import get_page
from tests.support.sample_class import loose, zipped
from tests.support.shares import decided_on
from tests.support.uploads import HandIn, register_boilerplate

pytestmark = pytest.mark.services


CLASS = sorted(path.name for path in (SAMPLE / "submissions").iterdir())
# Of the sample's names those parts that are no word of its programs.
WORDS = {part for name in CLASS for part in name.split("-") if len(part) > 3} - {"grace"}


@pytest.fixture
def reader(world: World, alice_client: Client) -> Client:
    """Return the client of Alice, from whom names are hidden."""
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    return alice_client


def names_in(page: str) -> set[str]:
    """Return the students, and the parts of their names, that a page names anywhere."""
    text = page.casefold()
    whole = {name for name in CLASS if re.search(name.replace("-", r"[\s_,./-]{0,2}"), text)}
    return whole | {word for word in WORDS if re.search(rf"(?<![a-z]){word}(?![a-z])", text)}


def test_with_names_shown_every_student_is_found(world: World, alice_client: Client) -> None:
    assert {*CLASS} <= names_in(get_page(alice_client, address_of(world, "batch")).html)
    assert names_in(get_page(alice_client, address_of(world, "pair")).html)


def body_of(response: HttpResponseBase) -> str:
    return b"".join(cast("Iterable[bytes]", response)).decode()


def test_no_page_names_anybody(world: World, reader: Client) -> None:
    for name in (*PAGES, *FRAGMENTS, *FILES, *PUBLIC):
        response = reader.get(address_of(world, name), follow=True)
        # What a student stated has names in it.
        assert response.status_code == (404 if name == "statement" else 200), name
        assert names_in(body_of(response)) == set(), name
        assert names_in(str(response.headers)) == set(), name


@pytest.fixture
def crowded(world: World, hand_in: HandIn) -> World:
    """Return a world with names in everything that an instructor writes and an upload brings."""
    assignment, pair = world.assignment, world.pair
    assignment.teams = "amara-okafor, arjun-bhatt"
    assignment.save()
    decision = assignment.decisions.create(
        left=pair.left.name, right=pair.right.name, notes="Ask Marek Zielinski."
    )
    decision.changes.create(who="alice", field="notes", before="Heard Salma Idrissi.", after=decision.notes)
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
    register_boilerplate(assignment, named_after)
    assignment.boilerplate_uploads.create(
        name="amara-okafor.zip",
        state="done",
        refused=2,
        refusals=[
            Refusal(name="amara-okafor/Dubois.class", reason="compiled, for Kofi Mensah"),
            Refusal(name="somebody-else/notes.class", reason="compiled"),
        ],
    )
    return world


@pytest.mark.long
def test_nothing_that_was_written_or_uploaded_names_anybody(crowded: World, reader: Client) -> None:
    later = crowded.assignment.batches.latest("pk")
    addresses = [address_of(crowded, name) for name in (*PAGES, *FRAGMENTS, *FILES, *PUBLIC)]
    addresses += [reverse(name, args=[later.pk]) for name in ("batch", "delete_batch", "batch_progress")]
    for address in addresses:
        page = body_of(reader.get(address, follow=True))
        assert names_in(page) == set(), address
        assert "somebody-else" not in page, address


def read_pdf(response: HttpResponseBase) -> str:
    pdf = PdfReader(io.BytesIO(b"".join(cast("Iterable[bytes]", response))))
    text = "\n".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])
    assert len(text) > 1_000
    return text


@pytest.mark.long
def test_no_document_names_anybody(crowded: World, reader: Client) -> None:
    crowded.assignment.decisions.update(state="confirmed")
    for name, suffix in itertools.product(("exports", "export_pair"), ("html", "pdf")):
        options = {"names": "made-up", "decision": "on", "sources": "on", "format": suffix}
        response = reader.get(address_of(crowded, name), options, follow=True)
        assert response.headers["Content-Type"].startswith(("text/html", "application/pdf"))
        assert "attachment" in response.headers["Content-Disposition"]
        assert names_in(str(response.headers)) == set(), (name, suffix)
        text = body_of(response) if suffix == "html" else read_pdf(response)
        assert names_in(text) == set(), (name, suffix)


@pytest.mark.long
def test_no_table_names_anybody(crowded: World, reader: Client) -> None:
    for name, suffix in itertools.product(("pairs", "submissions"), ("csv", "json")):
        table = body_of(reader.get(reverse("table", args=[crowded.assignment.pk, name, suffix])))
        assert table.count("\n") > 10
        assert names_in(table) == set(), (name, suffix)


def test_no_message_names_anybody(crowded: World, reader: Client) -> None:
    assignment = crowded.assignment
    for name, sent in (
        ("assignment_settings", {"name": "Renamed"}),
        ("decide", {"state": "clear", "seen": "0", "decided_on": decided_on(crowded.pair)}),
        ("delete_batch", {}),
    ):
        assert names_in(body_of(reader.post(address_of(crowded, name), sent, follow=True))) == set(), name
    boilerplate = assignment.boilerplate.get(name__contains="Dubois")
    removed = reader.post(reverse("remove_boilerplate", args=[boilerplate.pk]), follow=True)
    assert names_in(body_of(removed)) == set()
    assert names_in(body_of(reader.get(address_of(crowded, "batch")))) == set()
    assignment.refresh_from_db()
    assert assignment.teams == "amara-okafor, arjun-bhatt"


@pytest.mark.long
def test_no_pair_names_anybody_in_its_sources(world: World, reader: Client) -> None:
    for pair in Pair.objects.filter(report=world.report)[:12]:
        address = reverse("pair", args=[world.assignment.pk, pair.left_id, pair.right_id])
        assert names_in(body_of(reader.get(address, follow=True))) == set(), address


@pytest.mark.long
def test_no_submission_names_anybody(world: World, reader: Client) -> None:
    for submission in Submission.objects.filter(batch=world.batch):
        address = reverse("submission", args=[world.assignment.pk, submission.pk])
        assert names_in(get_page(reader, address).html) == set(), submission.name


@pytest.mark.long
def test_filters_and_htmx_name_nobody(world: World, reader: Client) -> None:
    for page in ("assignment", "pairs", "students"):
        address = address_of(world, page)
        _assert_nobody_named(reader, address)


def _assert_nobody_named(reader: Client, address: str) -> None:
    for query in ({"threshold": 10}, {"q": "otter"}, {"sort": "left"}, {"page": 2}, {"decision": "clear"}):
        for headers in ({}, {"HX-Request": "true"}):
            assert names_in(body_of(reader.get(address, query, headers=headers))) == set(), query


def test_a_search_for_a_hidden_name_finds_nothing(world: World, reader: Client) -> None:
    page = get_page(reader, address_of(world, "pairs"), q=CLASS[0].split("-")[0])
    assert page.text("#findings .empty strong") == "No pair passes this filter."
