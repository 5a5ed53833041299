"""A submission of which not all was read is marked wherever it is listed: no match of it is no finding."""

import io

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from fingerprint.engine import read
from submissions.models import Assignment, Batch, Document, Submission
from submissions.pairs.read import partly_read
from tests.support.html import Page, get_page, page_of
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import CLASS, zipped
from tests.support.tabs import tab
from tests.support.uploads import HandIn

UNCLOSED = CLASS["ben/main.py"] + 'title = "never closed\nprint(title)\n'
LINE = UNCLOSED.count("\n") - 1
# Of each of these files one thing was not read, and the submission is marked.
BADLY = {"main.py": UNCLOSED, "failing.py": "harm: fail\n"}


@pytest.fixture(params=rest_is_long(BADLY))
def batch(request: pytest.FixtureRequest, hand_in: HandIn, harmful_reader: None) -> Batch:
    """An upload of a class in which ben's work was read in part."""
    return hand_in(zipped({**CLASS, f"ben/{request.param}": BADLY[request.param]}))


def marked(client: Client, address: str, rows: str, **query: str) -> list[str]:
    """Return the texts of those of the `rows` of a page that have the mark."""
    return [text for text in get_page(client, address, **query).texts(rows) if "partly read" in text]


@pytest.mark.long
def test_it_is_marked_in_every_list_and_table(alice_client: Client, batch: Batch) -> None:
    for address, rows in (
        (reverse("batch", args=[batch.pk]), "ul.names li"),
        (tab(batch.assignment, "students"), "tbody tr"),
    ):
        (row,) = marked(alice_client, address, rows)
        assert row.startswith("ben")
    pairs = tab(batch.assignment, "pairs")
    every = get_page(alice_client, pairs).texts("table.pairs tbody tr")
    flagged = marked(alice_client, pairs, "table.pairs tbody tr", flag="partly")
    assert flagged == [row for row in every if "ben" in row]
    assert 0 < len(flagged) < len(every)
    address = reverse("table", args=[batch.assignment_id, "submissions", "csv"])
    table = [line.split(",") for line in alice_client.get(address).getvalue().decode().splitlines()]
    at = table[0].index("partly_read")
    assert {row[0]: row[at] for row in table[1:]} == {"ada": "False", "ben": "True", "cleo": "False"}


@pytest.mark.long
def test_its_case_marks_it_alone(alice_client: Client, batch: Batch) -> None:
    # The unread file may have made them less similar than the suggestion.
    Assignment.objects.filter(pk=batch.assignment_id).update(threshold=0.1)
    ben = Submission.objects.get(name="ben")
    for address, members in (
        (batch.assignment.get_absolute_url(), "table.cases td.members li"),
        (reverse("case", args=[batch.assignment_id, ben.pk]), "table.members tbody th"),
    ):
        rows = page_of(alice_client.get(address, follow=True)).texts(members)
        assert len(rows) > 1
        assert ["partly read" in row for row in rows] == ["ben" in row for row in rows]


@pytest.mark.long
def test_its_own_page_says_what_of_it_was_not_read(alice_client: Client, batch: Batch) -> None:
    ben = Submission.objects.get(name="ben")
    page = get_page(alice_client, reverse("submission", args=[batch.assignment_id, ben.pk]))
    assert any("Not all of this submission was read" in text for text in page.texts(".notice"))
    files = " ".join(page.texts("table.files tbody tr"))
    assert f"begins in line {LINE} never ends" in files or "Could not be read" in files
    for name in ("ada", "cleo"):
        other = Submission.objects.get(name=name)
        page = get_page(alice_client, reverse("submission", args=[batch.assignment_id, other.pk]))
        assert not any("Not all of this" in text for text in page.texts(".notice"))


@pytest.mark.long
def test_an_upload_names_a_string_that_never_ends(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped({**CLASS, "ben/main.py": UNCLOSED}))
    notices = get_page(alice_client, reverse("batch", args=[batch.pk])).texts(".notice")
    assert f"A string or comment never ends: ben/main.py (opened in line {LINE})." in notices
    documents = Document.objects.select_related("source")
    assert len(documents) == len(CLASS)
    for document in documents:
        reading = read(bytes(document.source.data), "main.py")
        assert document.read_share == reading.share
        assert document.disguised == reading.disguised
        assert document.unclosed_line == min(reading.unclosed, default=None)


def test_characters_that_look_like_others_are_found(alice_client: Client, hand_in: HandIn) -> None:
    disguised = CLASS["ben/main.py"].replace("return", "ret\u200burn")
    count = disguised.count("\u200b")
    assert count > 1
    batch = hand_in(zipped({**CLASS, "ben/main.py": disguised}))
    ben = Submission.objects.get(name="ben")
    said = f"{count} characters in words look like others or cannot be seen."
    page = get_page(alice_client, reverse("submission", args=[batch.assignment_id, ben.pk]))
    assert said in " ".join(page.texts("table.files tbody tr"))
    notices = get_page(alice_client, reverse("batch", args=[batch.pk])).texts(".notice")
    warning = f"Characters look like others but are not, or cannot be seen: {count} in ben/main.py."
    assert warning in notices
    rows = get_page(alice_client, tab(batch.assignment, "pairs"), flag="disguised").texts("table.pairs tbody tr")
    rows = [row for row in rows if not row.startswith("Below the threshold")]
    assert rows
    assert [row for row in rows if "with characters that look like others" not in row] == []
    assert [row for row in rows if "ben" not in row] == []
    address = reverse("table", args=[batch.assignment_id, "submissions", "csv"])
    table = [line.split(",") for line in alice_client.get(address).getvalue().decode().splitlines()]
    at = table[0].index("disguised")
    assert {row[0]: row[at] for row in table[1:]} == {"ada": "0", "ben": str(count), "cleo": "0"}


@pytest.mark.parametrize("language", [None, "de"])
def test_documents_for_a_hearing_say_how_many_characters_look_like_others(
    alice_client: Client, hand_in: HandIn, language: str | None
) -> None:
    disguised = CLASS["ben/main.py"].replace("return", "ret\u200burn")
    report = hand_in(zipped({**CLASS, "ben/main.py": disguised})).assignment.reports.get()
    pair = next(pair for pair in report.pairs.all() if {pair.left.name, pair.right.name} == {"ada", "ben"})
    count = disguised.count("\u200b")
    said = f"{count} characters in words look like others or cannot be seen."
    if language:
        said = f"{count} Zeichen in Wörtern sehen aus wie andere oder sind nicht zu sehen."
        alice_client.cookies.load({settings.LANGUAGE_COOKIE_NAME: language})
    address = reverse("export_pair", args=[report.assignment_id, pair.left_id, pair.right_id])
    document = alice_client.get(address, {"format": "html", "names": "open"}).content.decode()
    [row] = [row for row in Page(document).texts("table.files tbody tr") if said in row]
    assert row.startswith("ben main.py")
    pdf = PdfReader(io.BytesIO(alice_client.get(address, {"format": "pdf", "names": "open"}).content))
    assert said in " ".join(" ".join(page.extract_text() for page in pdf.pages).split())


@pytest.mark.long
@pytest.mark.parametrize(("tokens", "share", "marked"), [(10, 0.49, 1), (10, 0.5, 0), (0, 0.0, 0)])
def test_half_read_submissions_are_marked(hand_in: HandIn, tokens: int, share: float, marked: int) -> None:
    hand_in(zipped(CLASS))
    ben = Submission.objects.filter(name="ben")
    Document.objects.filter(files__submission__in=ben).update(token_count=tokens, read_share=share)
    assert partly_read(Submission.objects.all()) == set(ben.values_list("pk", flat=True)[:marked])
