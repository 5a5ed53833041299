"""What is taken away of a report: who may, under which names, and what a document says."""

from __future__ import annotations

import hashlib
import io
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from pypdf import PdfReader

from submissions.models import Decision, Pair, Report
from submissions.pages.exports import documents, paper
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

    from submissions.models import Assignment
    from tests.support.uploads import CountQueries, HandIn

ADA, BEN, CLEO = "Ada Lovelace", "Miller_Ben-4711307", "Cleo Quist"
ADDRESS = "ben.miller@uni.example"
BENS = f'''"""Written by Ben Miller <{ADDRESS}>, 4711307."""
{STARTER}{RENAMED}
# thanks to Cleo Quist
'''
NAMED = {
    f"{ADA}/main.py": f"# Ada Lovelace, with help of Ben Miller\n{STARTER}{COPIED}",
    f"{BEN}/ben_miller.py": BENS,
    f"{CLEO}/main.py": STARTER + HONEST,
}


@pytest.fixture
def named(hand_in: HandIn) -> Pair:
    """The pair of Ada and Ben, whose sources name each other."""
    return Report.objects.get(assignment=hand_in(zipped(NAMED)).assignment).pairs.all()[0]


def of_pair(pair: Pair, **chosen: str | int) -> tuple[str, dict[str, str | int]]:
    address = reverse("export_pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    return address, {"format": "html", "names": "open", **chosen}


def of_all(assignment: Assignment, **chosen: str | int) -> tuple[str, dict[str, str | int]]:
    return reverse("exports", args=[assignment.pk]), {"format": "html", "names": "open", **chosen}


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


def text_of(answer: Answer) -> str:
    """Give all that can be read of a document, its metadata too."""
    assert answer.status_code == 200, answer.content.decode()
    if answer.headers["Content-Type"] != "application/pdf":
        return unescape(re.sub(r"<[^>]*>", "", answer.content.decode()))
    pdf = PdfReader(io.BytesIO(answer.content))
    return "\n".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])


@pytest.mark.parametrize("form", ["html", "pdf"])
def test_a_pair_is_one_document_with_figures_passages_and_hashes(
    alice_client: Client, named: Pair, form: str
) -> None:
    answer = alice_client.get(*of_pair(named, format=form, decision="on", sources="on"))
    text = " ".join(text_of(answer).split())
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="statistics-ada-lovelace-miller_ben-4711307.{form}"'
    )
    for content in list(NAMED.values())[:2]:
        assert hashlib.sha256(content.encode()).hexdigest() in text.replace(" ", "")
    for said in ("Programming 1", "Statistics", ADA, BEN, "Passage 1", "Undecided", "Window", "Profiles"):
        assert said in text
    assert f"{named.tokens} tokens on {named.lines} lines" in text


def test_lines_of_a_passage_stand_side_by_side_with_their_numbers(alice_client: Client, named: Pair) -> None:
    page = alice_client.get(*of_pair(named)).content.decode()
    row = re.search(r"<tr>(?:(?!</tr>).)*worst(?:(?!</tr>).)*</tr>", page)
    assert row
    cells = [unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in re.findall(r"<td.*?</td>", row[0])]
    left, right = (NAMED[name].split("\n") for name in (f"{ADA}/main.py", f"{BEN}/ben_miller.py"))
    assert left[int(cells[0]) - 1].strip() == cells[1]
    assert right[int(cells[2]) - 1].strip() == cells[3]
    assert "<u>value" in page.replace("<u>values", "<u>value")


def test_the_decision_its_notes_and_history_are_left_out_when_they_are_not_asked_for(
    alice_client: Client, named: Pair
) -> None:
    decide(named, notes="She was very sorry.")
    said = text_of(alice_client.get(*of_pair(named, decision="on")))
    assert "Confirmed" in said
    assert said.count("She was very sorry.") == 2
    silent = text_of(alice_client.get(*of_pair(named)))
    assert "Decision" not in silent
    assert "sorry" not in silent


def assert_hidden(answer: Answer) -> None:
    text = text_of(answer) + answer.content.decode("latin-1") + str(answer.headers)
    for telling in ("Ben", "Miller", "4711307", "miller", ADDRESS, "uni.example"):
        assert telling not in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("form", ["html", "pdf"])
def test_a_copy_for_one_student_tells_nobody_the_other(alice_client: Client, named: Pair, form: str) -> None:
    decide(named, notes="Ben Miller (4711307) admitted it; Ada Lovelace did not.")
    chosen = of_pair(named, format=form, names=named.left_id, decision="on", sources="on")
    answer = alice_client.get(*chosen)
    assert_hidden(answer)
    text = text_of(answer)
    assert "another student" in text
    assert f"Copy for {ADA}" in text
    assert "Quist" not in text
    assert "ada-lovelace" in answer.headers["Content-Disposition"]


def test_a_copy_for_one_student_tells_nobody_who_is_in_no_report(alice_client: Client, named: Pair) -> None:
    late = named.report.assignment.batches.create(name="late.zip", state="fingerprinting")
    late.submissions.create(name="Zara Whitfield")
    decide(named, notes="Zara Whitfield sat beside them.")
    text = text_of(alice_client.get(*of_pair(named, names=named.left_id, decision="on")))
    assert "[name] sat beside them." in text
    assert "Whitfield" not in text


@pytest.mark.parametrize("form", ["html", "pdf"])
def test_made_up_names_stand_for_everybody(alice_client: Client, named: Pair, form: str) -> None:
    decide(named)
    answer = alice_client.get(*of_all(named.report.assignment, format=form, names="made-up", sources="on"))
    assert_hidden(answer)
    assert "Lovelace" not in text_of(answer)


def test_in_anonymous_mode_nobody_can_be_told(alice_client: Client, named: Pair) -> None:
    decide(named)
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    address, chosen = of_all(named.report.assignment)
    page = alice_client.get(address).content.decode()
    assert ADA not in page
    assert "A copy for" not in page
    assert alice_client.get(address, chosen).status_code == 422
    assert_hidden(alice_client.get(address, {**chosen, "names": "made-up"}))


def test_a_students_copy_of_confirmed_pairs_has_only_their_own(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped(CLASS | {"dan/main.py": CLASS["ada/main.py"] + "\nprint(average([1]))\n"}))
    report = Report.objects.get(assignment=batch.assignment)
    pairs = {(pair.left.name, pair.right.name): pair for pair in report.pairs.all()}
    for names in (("ada", "ben"), ("ada", "dan"), ("ben", "dan")):
        decide(pairs[names])
    ben = pairs["ben", "dan"].left
    assert "ada and ben" in text_of(alice_client.get(*of_all(batch.assignment)))
    copied = text_of(alice_client.get(*of_all(batch.assignment, names=ben.pk)))
    assert "Student A and ben" in copied
    assert "ben and Student B" in copied
    assert "Student A and Student B" not in copied
    assert "dan" not in copied.split()


def test_without_a_confirmed_pair_the_page_says_what_to_do(alice_client: Client, named: Pair) -> None:
    decide(named, "suspicious")
    address, chosen = of_all(named.report.assignment)
    for query in ({}, chosen):
        answer = alice_client.get(address, query)
        assert "No pair is confirmed yet" in answer.content.decode()
        assert "Content-Disposition" not in answer.headers


def test_without_a_report_the_page_says_what_to_do(alice_client: Client, assignment: Assignment) -> None:
    page = alice_client.get(reverse("exports", args=[assignment.pk])).content.decode()
    assert "There is no report yet" in page
    assert alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"])).status_code == 404


def test_a_confirmed_pair_that_is_no_longer_ranked_is_counted(alice_client: Client, named: Pair) -> None:
    decide(named)
    named.report.assignment.decisions.create(left="Xu", right="Yi", state="confirmed")
    page = alice_client.get(reverse("exports", args=[named.report.assignment_id])).content.decode()
    assert "1 confirmed pair is not in the current report" in page


def test_charlie_can_take_nothing_of_alices(charlie_client: Client, named: Pair) -> None:
    decide(named)
    assignment = named.report.assignment
    for address, query in (of_pair(named), of_all(assignment), of_pair(named, format="pdf")):
        assert charlie_client.get(address, query).status_code == 404
    for form in ("csv", "json"):
        assert charlie_client.get(reverse("table", args=[assignment.pk, "pairs", form])).status_code == 404


@pytest.mark.parametrize("query", [{"names": "0"}, {"names": "open' --"}, {"format": "exe"}, {"names": ""}])
def test_what_cannot_be_chosen_is_refused(alice_client: Client, named: Pair, query: dict[str, str]) -> None:
    answer = alice_client.get(*of_pair(named, **query))
    assert answer.status_code == 422
    assert "Content-Disposition" not in answer.headers


def test_sides_in_the_other_order_lead_to_the_pair(alice_client: Client, named: Pair) -> None:
    assignment_id = named.report.assignment_id
    swapped = reverse("export_pair", args=[assignment_id, named.right_id, named.left_id])
    assert alice_client.get(swapped).headers["Location"] == of_pair(named)[0]
    unknown = reverse("export_pair", args=[assignment_id, named.left_id, 10**9])
    assert alice_client.get(unknown).status_code == 404


def test_too_much_for_one_document_is_refused_with_what_to_do(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper.RowBudget, "__init__", lambda self: setattr(self, "remaining", 5))
    refused = alice_client.get(*of_pair(named))
    assert refused.status_code == 422
    assert "leave the whole sources out" in refused.content.decode()


def test_too_many_pairs_for_one_document_are_refused(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(named)
    monkeypatch.setattr(documents, "MAX_PAIRS", 0)
    refused = alice_client.get(*of_all(named.report.assignment))
    assert refused.status_code == 422
    assert "too many for one document" in refused.content.decode()


def test_a_document_takes_a_bounded_number_of_queries_for_each_pair(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    files = {f"{who}/{n}.py": CLASS[f"{who}/main.py"] for who in ("ada", "ben") for n in range(9)}
    pair = Pair.objects.get(report__assignment=hand_in(zipped(files)).assignment)
    decide(pair)
    # session, user, assignment, 3 of the report, confirmed pairs, 2 for those elsewhere, decisions,
    # boilerplate, similarities of all pairs; for each pair its changes, passages, files, what was ignored
    with django_assert_num_queries(12 + 4):
        alice_client.get(*of_all(pair.report.assignment, decision="on"))
