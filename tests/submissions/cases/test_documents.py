"""Exported documents: who may export them, under which names, and their content."""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from pypdf import PdfReader

from submissions.cases import documents
from submissions.models import Decision, Pair, Report
from submissions.pages import paper
from tests.support.html import Page, get_page, page_of
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

    from submissions.models import Assignment
    from tests.support.uploads import CountQueries, HandIn

ADA, BEN, CLEO = "Ada Lovelace", "Miller_Ben-4711307", "Cleo Quist"
ADDRESS = "ben.miller@uni.example"
BENS_SOURCE = f'''"""Written by Ben Miller <{ADDRESS}>, 4711307."""
{STARTER}{RENAMED}
# thanks to Cleo Quist
'''
NAMED = {
    f"{ADA}/main.py": f"# Ada Lovelace, with help of Ben Miller\n{STARTER}{COPIED}",
    f"{BEN}/ben_miller.py": BENS_SOURCE,
    f"{CLEO}/main.py": STARTER + HONEST,
}


@pytest.fixture
def named(hand_in: HandIn, assignment: Assignment) -> Pair:
    """Return the pair of Ada and Ben, whose sources name each other."""
    stored("named students", lambda: hand_in(zipped(NAMED)))
    return assignment.reports.get().pairs.all()[0]


def pair_document(pair: Pair, **options: str | int) -> tuple[str, dict[str, str | int]]:
    """Return the address and the query of a document about one pair."""
    address = reverse("export_pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    return address, {"format": "html", "names": "open", **options}


def confirmed_document(assignment: Assignment, **options: str | int) -> tuple[str, dict[str, str | int]]:
    """Return the address and the query of a document about all confirmed pairs."""
    return reverse("exports", args=[assignment.pk]), {"format": "html", "names": "open", **options}


def decide(pair: Pair, state: str = "confirmed", notes: str = "") -> Decision:
    decision = Decision.objects.create(
        assignment=pair.report.assignment,
        left=pair.left.name,
        right=pair.right.name,
        state=state,
        notes=notes,
    )
    decision.changes.create(who="alice", field="notes", before="", after=notes)
    return decision


def document_text(response: Response) -> str:
    """Return all text of a document, with its metadata."""
    assert response.status_code == 200, response.content.decode()
    if response.headers["Content-Type"] != "application/pdf":
        return page_of(response).text("html")
    pdf = PdfReader(io.BytesIO(response.content))
    return "\n".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])


def readers(page: Page) -> list[str]:
    """Return the choices of a reader for whom a document can be made."""
    return page.texts('select[name="names"] option, label:has([type="radio"][name="names"])')


@pytest.mark.parametrize("suffix", ["html", pytest.param("pdf", marks=pytest.mark.long)])
def test_a_pair_is_one_document_with_figures_passages_and_hashes(
    alice_client: Client, named: Pair, suffix: str
) -> None:
    response = alice_client.get(*pair_document(named, format=suffix, decision="on", sources="on"))
    text = " ".join(document_text(response).split())
    name = f"statistics-ada-lovelace-miller_ben-4711307.{suffix}"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    for path, content in list(NAMED.items())[:2]:
        row = f"{path.replace('/', ' ')} {len(content.splitlines())} {len(content.encode())}"
        assert row in text or suffix == "pdf"  # where each cell is a text of its own
        assert hashlib.sha256(content.encode()).hexdigest() in text.replace(" ", "")
    versions = ("(windows of 4)", "Front-ends")
    for part in ("Programming 1", "Statistics", ADA, BEN, "Passage 1", "Undecided", *versions):
        assert part in text
    assert f"{named.tokens} tokens on {named.lines} lines" in text


def test_lines_of_a_passage_stand_side_by_side_with_their_numbers(alice_client: Client, named: Pair) -> None:
    page = page_of(alice_client.get(*pair_document(named)))
    left, right = (NAMED[name].split("\n") for name in (f"{ADA}/main.py", f"{BEN}/ben_miller.py"))
    rows = page.rows(".passage table.lines tbody tr")
    cells = next(cells for cells in rows if "worst" in cells[1])
    assert left[int(cells[0]) - 1].strip() == cells[1]
    assert right[int(cells[2]) - 1].strip() == cells[3]
    assert {"value", "values"} <= set(page.texts(".passage td.code u"))


def test_the_decision_its_notes_and_history_are_left_out_when_they_are_not_asked_for(
    alice_client: Client, named: Pair
) -> None:
    decide(named, notes="She was very sorry.")
    page = page_of(alice_client.get(*pair_document(named, decision="on")))
    assert "Decision" in page.texts("h3")
    assert "Confirmed" in page.texts(".chapter p > strong")
    assert page.texts("blockquote, .history .kept") == ["She was very sorry.", "", "She was very sorry."]
    text = document_text(alice_client.get(*pair_document(named)))
    assert "Decision" not in text
    assert "sorry" not in text


def assert_hidden(response: Response) -> None:
    text = document_text(response) + response.content.decode("latin-1") + str(response.headers)
    for identifier in ("Ben", "Miller", "4711307", "miller", ADDRESS, "uni.example"):
        assert identifier not in re.sub(r"\s+", " ", text)


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["html", "pdf"])
def test_a_copy_for_one_student_does_not_name_the_other(
    alice_client: Client, named: Pair, suffix: str
) -> None:
    decide(named, notes="Ben Miller (4711307) admitted it; Ada Lovelace did not.")
    options: dict[str, str | int] = {
        "format": suffix,
        "names": named.left_id,
        "decision": "on",
        "sources": "on",
    }
    response = alice_client.get(*pair_document(named, **options))
    assert_hidden(response)
    text = document_text(response)
    assert "another student" in text
    assert f"Copy for {ADA}" in text
    assert "Quist" not in text
    assert "ada-lovelace" in response.headers["Content-Disposition"]


def test_a_copy_for_one_student_names_nobody_who_is_in_no_report(alice_client: Client, named: Pair) -> None:
    late = named.report.assignment.batches.create(name="late.zip", state="fingerprinting")
    late.submissions.create(name="Zara Whitfield")
    decide(named, notes="Zara Whitfield sat beside them.")
    text = document_text(alice_client.get(*pair_document(named, names=named.left_id, decision="on")))
    assert "[name] sat beside them." in text
    assert "Whitfield" not in text


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["html", "pdf"])
def test_made_up_names_stand_for_everybody(alice_client: Client, named: Pair, suffix: str) -> None:
    decide(named)
    options = {"format": suffix, "names": "made-up", "sources": "on"}
    response = alice_client.get(*confirmed_document(named.report.assignment, **options))
    assert_hidden(response)
    assert "Lovelace" not in document_text(response)


def test_in_anonymous_mode_no_copy_names_anybody(alice_client: Client, named: Pair) -> None:
    decide(named)
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    address, query = confirmed_document(named.report.assignment)
    page = get_page(alice_client, address)
    assert ADA not in page.html
    assert readers(page) == ["Made up, as on your pages"]
    assert alice_client.get(address, query).status_code == 422
    assert_hidden(alice_client.get(address, {**query, "names": "made-up"}))


def test_the_page_offers_a_copy_for_each_student(alice_client: Client, named: Pair) -> None:
    decide(named)
    for address, _ in (pair_document(named), confirmed_document(named.report.assignment)):
        assert readers(get_page(alice_client, address)) == [
            "As they are",
            *(f"A copy for {name}: all other names are hidden" for name in (ADA, BEN)),
            "Made-up names for all",
        ]


@pytest.mark.long
def test_a_students_copy_of_confirmed_pairs_has_only_their_own(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped(CLASS | {"dan/main.py": CLASS["ada/main.py"] + "\nprint(average([1]))\n"}))
    report = Report.objects.get(assignment=batch.assignment)
    pairs = {(pair.left.name, pair.right.name): pair for pair in report.pairs.all()}
    for names in (("ada", "ben"), ("ada", "dan"), ("ben", "dan")):
        decide(pairs[names])
    ben = pairs["ben", "dan"].left
    page = page_of(alice_client.get(*confirmed_document(batch.assignment)))
    assert {name[3:] for name in page.texts("h2.name")} == {"ada and ben", "ada and dan", "ben and dan"}
    copy = page_of(alice_client.get(*confirmed_document(batch.assignment, names=ben.pk)))
    first, second = copy.texts("h2.name")
    assert {first[3:], second[3:]} == {"Student A and ben", "Student B and ben"}
    assert copy.texts(".contents td > a") == copy.texts("h2.name")
    assert not re.search(r"\bdan\b", copy.html)


def test_without_a_confirmed_pair_the_page_says_what_to_do(alice_client: Client, named: Pair) -> None:
    decide(named, "suspicious")
    address, query = confirmed_document(named.report.assignment)
    for parameters in ({}, query):
        response = alice_client.get(address, parameters)
        assert page_of(response).text(".empty strong") == "No pair is confirmed yet."
        assert "Content-Disposition" not in response.headers


def test_without_a_report_the_page_says_what_to_do(alice_client: Client, assignment: Assignment) -> None:
    page = get_page(alice_client, reverse("exports", args=[assignment.pk]))
    assert page.text(".empty strong") == "There is no report yet."
    assert alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"])).status_code == 404


def test_confirmed_pairs_that_are_no_longer_ranked_are_counted(alice_client: Client, named: Pair) -> None:
    decide(named)
    for name, words in (("Yi", "1 confirmed pair is"), ("Zoe", "2 confirmed pairs are")):
        named.report.assignment.decisions.create(left="Xu", right=name, state="confirmed")
        page = get_page(alice_client, reverse("exports", args=[named.report.assignment_id]))
        hints = page.texts("section > .hint")
        assert any(hint.startswith(f"{words} not in the current report") for hint in hints)


def test_charlie_can_export_nothing_of_alices(charlie_client: Client, named: Pair) -> None:
    decide(named)
    assignment = named.report.assignment
    for address, query in (
        pair_document(named),
        confirmed_document(assignment),
        pair_document(named, format="pdf"),
    ):
        assert charlie_client.get(address, query).status_code == 404
    for suffix in ("csv", "json"):
        assert charlie_client.get(reverse("table", args=[assignment.pk, "pairs", suffix])).status_code == 404


@pytest.mark.parametrize("query", [{"names": "0"}, {"names": "open' --"}, {"format": "exe"}, {"names": ""}])
def test_what_cannot_be_chosen_is_refused(alice_client: Client, named: Pair, query: dict[str, str]) -> None:
    response = alice_client.get(*pair_document(named, **query))
    assert response.status_code == 422
    assert "Content-Disposition" not in response.headers


def test_sides_in_the_other_order_lead_to_the_pair(alice_client: Client, named: Pair) -> None:
    assignment_id = named.report.assignment_id
    swapped = reverse("export_pair", args=[assignment_id, named.right_id, named.left_id])
    assert alice_client.get(swapped).headers["Location"] == pair_document(named)[0]
    unknown = reverse("export_pair", args=[assignment_id, named.left_id, 10**9])
    assert alice_client.get(unknown).status_code == 404


def test_too_much_for_one_document_is_refused_with_what_to_do(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper.RowBudget, "__init__", lambda self: setattr(self, "remaining", 5))
    refused = alice_client.get(*pair_document(named, sources="on"))
    assert refused.status_code == 422
    assert "leave the whole sources out" in page_of(refused).text('[role="alert"]')


def test_a_pair_that_is_too_long_is_printed_in_part_and_says_so(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper.RowBudget, "__init__", lambda self: setattr(self, "remaining", 5))
    page = page_of(alice_client.get(*pair_document(named)))
    assert len(page.all("table.beside tbody tr")) == 5
    assert "more lines of this passage are left out here; the page of the pair has all" in page.text("main")


def test_too_many_pairs_for_one_document_are_refused(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(named)
    monkeypatch.setattr(documents, "MAX_PAIRS", 0)
    refused = alice_client.get(*confirmed_document(named.report.assignment))
    assert refused.status_code == 422
    assert "too many for one document" in page_of(refused).text('[role="alert"]')


def test_a_document_takes_a_bounded_number_of_queries_for_each_pair(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    files = {f"{name}/{n}.py": CLASS[f"{name}/main.py"] for name in ("ada", "ben") for n in range(9)}
    pair = Pair.objects.get(report__assignment=hand_in(zipped(files)).assignment)
    decide(pair)
    # 6 of the audit log, session, user, assignment, 3 of the report, confirmed pairs, 1 for those elsewhere,
    # 2 of decisions, boilerplate, statements, similarities; for each pair changes, passages, files, ignored
    with django_assert_num_queries(19 + 4):
        alice_client.get(*confirmed_document(pair.report.assignment, decision="on"))
