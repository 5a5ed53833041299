"""Exported documents: who may export them, their content, and passages on paper."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st
from playwright.sync_api import Page as BrowserPage
from pypdf import PdfReader

from submissions.cases import documents
from submissions.cases.case_list import cases
from submissions.matches.differences import LinePair, align_lines
from submissions.matches.source_html import Layers, PassageMark, Spans, line_starts
from submissions.models import Decision, Pair, Report
from submissions.pages import paper
from submissions.pages.paper import ROW_CHARACTERS, PassageSide, PrintedSource, passage_rows, source_rows
from tests.support.every_page import World
from tests.support.hostile_class import LINE, LIVE, NAMES
from tests.support.html import Page, get_page, page_of, text_of
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped

if TYPE_CHECKING:
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
    names = {"left": pair.left.name, "right": pair.right.name}
    decision = Decision.objects.create(assignment=pair.report.assignment, **names, state=state, notes=notes)
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
def test_a_pair_is_printed_with_passages_and_hashes(alice_client: Client, named: Pair, suffix: str) -> None:
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


def test_the_first_page_on_paper_has_what_a_hearing_needs_and_questions_follow(
    alice_client: Client, named: Pair
) -> None:
    named.left.handed_in = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    named.left.save()
    response = alice_client.get(*pair_document(named, format="pdf", sources="on"))
    first, second, *rest = (page.extract_text() for page in PdfReader(io.BytesIO(response.content)).pages)
    for content in list(NAMED.values())[:2]:
        assert hashlib.sha256(content.encode()).hexdigest() in "".join(first.split())
    for part in ("Lines to look at first", "Names in the same places", "2 Mar 2026", "time unknown"):
        assert part in first
        assert part not in "".join((second, *rest))
    assert second.count("Explain line") >= len((ADA, BEN))
    assert "Questions for the conversation" in second
    assert "Annex" in rest[0]


def steps_of(part: int, word: str) -> str:
    """Return functions of one file, with names that begin with a word and strings that no other file has."""
    names = ([f"{word}_{part}{step}_{name}" for name in ("bound", "gap", "row")] for step in range(6))
    return f"# part {part} of the tides\n" + "".join(
        f"""
def step_{part}_{step}({bound}, {gap}):
    for {row} in range({part + 7 * step}, {bound}):
        if {row} % {gap} == {step}:
            print("high water {part} {step}", {bound} - {row} // {gap}, {row} + {part}, "in the {step}. port")
    return {gap}
"""
        for step, (bound, gap, row) in enumerate(names)
    )


def test_what_a_hearing_needs_of_a_pair_with_many_files_is_on_one_page(
    alice_client: Client, assignment: Assignment, hand_in: HandIn
) -> None:
    words = {ADA: "value", "Ben Miller": "amount"}
    files = {f"{who}/planning/part_{n}.py": steps_of(n, word) for who, word in words.items() for n in range(6)}
    hand_in(zipped({**files, f"{CLEO}/main.py": HONEST}))
    pair = assignment.reports.get().pairs.all()[0]
    pair.left.handed_in = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    pair.left.save()
    response = alice_client.get(*pair_document(pair, format="pdf"))
    first, second, *_ = (page.extract_text() for page in PdfReader(io.BytesIO(response.content)).pages)
    assert "Questions for the conversation" in second
    shown = re.findall(r"Miller planning/(part_\d.py), lines", first)
    for who in words:
        content = files[f"{who}/planning/{shown[0]}"]
        assert hashlib.sha256(content.encode()).hexdigest() in "".join(first.split())
    assert " ".join(first.split()).count("and 5 more files") == len(words)


def test_a_students_copy_has_no_questions_and_no_times(alice_client: Client, named: Pair) -> None:
    named.left.handed_in = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    named.left.save()
    page = page_of(alice_client.get(*pair_document(named, names=named.left_id)))
    assert page.has(".hearing .hashes")
    assert not page.has(".questions")
    assert not {"Handed in", "2026"} & {*page.texts("th")} | {*re.findall("2 Mar 2026", page.html)}
    page = page_of(alice_client.get(*pair_document(named, names="made-up")))
    assert page.has(".questions")
    assert not {"Handed in"} & {*page.texts("th")}


def test_each_source_of_a_case_is_printed_once(alice_client: Client, hand_in: HandIn) -> None:
    files = {f"{name}/main.py": CLASS["ada/main.py"] for name in ("ada", "dan")}
    batch = hand_in(zipped(CLASS | files | {"ben/more.py": CLASS["cleo/main.py"]}))
    report = Report.objects.get(assignment=batch.assignment)
    (case,) = (case for case in cases(report, 0.3) if "dan" in case.names)
    address = reverse("export_case", args=[batch.assignment_id, case.key])
    query = {"format": "html", "names": "open", "sources": "on", "threshold": "30"}
    page = page_of(alice_client.get(address, query))
    printed = [" ".join(text_of(row) for row in node.css("tbody tr")) for node in page.all(".whole table.lines")]
    assert len(printed) == len(set(printed)) == len({*files.values(), CLASS["ben/main.py"], CLASS["cleo/main.py"]})
    sections = page.texts(".whole")
    assert sum("The same bytes are printed above:" in text for text in sections) == len(sections) - len(printed)
    assert len(sections) > len(printed)
    members = len(case.members)
    assert len(page.all(".hearing .matrix td.cell")) == members * members


def test_decision_notes_and_history_are_left_out_unless_asked_for(alice_client: Client, named: Pair) -> None:
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
def test_a_copy_for_one_student_hides_the_other(alice_client: Client, named: Pair, suffix: str) -> None:
    decide(named, notes="Ben Miller (4711307) admitted it; Ada Lovelace did not.")
    options: dict[str, str | int] = {"format": suffix, "decision": "on", "sources": "on"}
    response = alice_client.get(*pair_document(named, names=named.left_id, **options))
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


def test_the_page_offers_a_copy_for_each_unless_anonymous(alice_client: Client, named: Pair) -> None:
    decide(named)
    address, query = confirmed_document(named.report.assignment)
    copies = [f"A copy for {name}: all other names are hidden" for name in (ADA, BEN)]
    for place in (pair_document(named)[0], address):
        offered = readers(get_page(alice_client, place))
        assert offered == ["As they are", *copies, "Made-up names for all"]
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    page = get_page(alice_client, address)
    assert ADA not in page.html
    assert readers(page) == ["Made up, as on your pages"]
    assert alice_client.get(address, query).status_code == 422
    assert_hidden(alice_client.get(address, {**query, "names": "made-up"}))


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


def test_without_a_confirmed_pair_or_report_it_says_what_to_do(alice_client: Client, named: Pair) -> None:
    decision = decide(named, "suspicious")
    assignment = named.report.assignment
    address, query = confirmed_document(assignment)
    for parameters in ({}, query):
        response = alice_client.get(address, parameters)
        assert page_of(response).text(".empty strong") == "No pair is confirmed yet."
        assert "Content-Disposition" not in response.headers
    Decision.objects.filter(pk=decision.pk).update(state="confirmed")
    for name, words in (("Yi", "1 confirmed pair is"), ("Zoe", "2 confirmed pairs are")):
        assignment.decisions.create(left="Xu", right=name, state="confirmed")
        hints = get_page(alice_client, address).texts("section > .hint")
        assert any(hint.startswith(f"{words} not in the current report") for hint in hints)
    assignment.reports.all().delete()
    assert get_page(alice_client, address).text(".empty strong") == "There is no report yet."
    assert alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"])).status_code == 404


def test_what_cannot_be_chosen_is_refused(alice_client: Client, named: Pair) -> None:
    for query in ({"names": "0"}, {"names": "open' --"}, {"format": "exe"}, {"names": ""}):
        response = alice_client.get(*pair_document(named, **query))
        assert response.status_code == 422
        assert "Content-Disposition" not in response.headers
    assignment_id = named.report.assignment_id
    swapped = reverse("export_pair", args=[assignment_id, named.right_id, named.left_id])
    assert alice_client.get(swapped).headers["Location"] == pair_document(named)[0]
    unknown = reverse("export_pair", args=[assignment_id, named.left_id, 10**9])
    assert alice_client.get(unknown).status_code == 404


def test_too_much_for_one_document_is_refused_and_a_pair_is_printed_in_part(
    alice_client: Client, named: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper.RowBudget, "__init__", lambda self: setattr(self, "remaining", 5))
    page = page_of(alice_client.get(*pair_document(named)))
    assert len(page.all(".passage table.beside tbody tr")) == 5
    assert "more lines of this passage are left out here; the page of the pair has all" in page.text("main")
    decide(named)
    for asked, words in (
        (pair_document(named, sources="on"), "leave the whole sources out"),
        (confirmed_document(named.report.assignment), "too many for one document"),
    ):
        monkeypatch.setattr(documents, "MAX_PAIRS", int("whole" in words))
        refused = alice_client.get(*asked)
        assert refused.status_code == 422
        assert words in page_of(refused).text('[role="alert"]')


def test_a_document_takes_a_bounded_number_of_queries_for_each_pair(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    files = {f"{name}/{n}.py": CLASS[f"{name}/main.py"] for name in ("ada", "ben") for n in range(9)}
    pair = Pair.objects.get(report__assignment=hand_in(zipped(files)).assignment)
    decide(pair)
    # 6 of the audit log, session, user, assignment, 3 of the report, confirmed pairs, 1 for those elsewhere,
    # 2 of decisions, boilerplate, statements, similarities, shared lines; for each pair changes, passages,
    # files, ignored
    with django_assert_num_queries(20 + 4):
        alice_client.get(*confirmed_document(pair.report.assignment, decision="on"))


OPTIONS = {"names": "open", "decision": "on", "sources": "on"}


@pytest.fixture
def decided(nasty: World) -> World:
    """Confirm every pair, with notes as nasty as the names; the course breaks out of a stylesheet."""
    assignment = nasty.assignment
    assignment.course.name = '</style><script>window.hacked=1</script> "; } body { display: none'
    assignment.course.save()
    for pair, name in zip(nasty.report.pairs.all(), cycle(NAMES), strict=False):
        decision = Decision.objects.create(
            assignment=assignment,
            left=pair.left.name,
            right=pair.right.name,
            state="confirmed",
            notes=f"{name}\n{name}",
        )
        decision.changes.create(who=name[:100], field="notes", before=name, after=name)
    return nasty


def assert_harmless(page: Page, style_sheets: int) -> None:
    """Fail if the page has elements, handlers or characters of the hostile class."""
    for live in LIVE:
        assert live not in page.html
    assert not page.has("img[src='x'], svg[onload], script:not([src])")
    assert len(page.inline_code()) == len(page.all("style")) == style_sheets


def test_a_document_and_its_form_show_names_as_text_once(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    page = get_page(alice_client, address, **OPTIONS, format="html")
    assert_harmless(page, style_sheets=1)
    assert not page.has("script")
    text = page.text("main")
    for shown in ("‹U+202E›fdp.yrots‹U+2066›", "<script>window.hacked=1</script>", "<img src=x onerror="):
        assert shown in text
    page = get_page(alice_client, address)
    options = page.texts('select[name="names"] option')
    for name in ("<script>window.hacked=1</script>", "‹U+202E›fdp.yrots‹U+2066›"):
        assert f"A copy for {name}: all other names are hidden" in options
    assert_harmless(page, style_sheets=0)


@pytest.mark.long
def test_a_document_runs_nothing_and_requests_nothing(
    alice_client: Client, decided: World, page: BrowserPage, tmp_path: Path
) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    path = tmp_path / "export.html"
    path.write_bytes(alice_client.get(address, {**OPTIONS, "format": "html"}).content)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert requests == [path.as_uri()]
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_hostile_class_is_printed(alice_client: Client, decided: World) -> None:
    address = reverse("exports", args=[decided.assignment.pk])
    response = alice_client.get(address, {**OPTIONS, "format": "pdf"})
    assert response.headers["Content-Type"] == "application/pdf"
    pdf = PdfReader(io.BytesIO(response.content))
    text = "\n".join(page.extract_text() for page in pdf.pages)
    for character in ("\u202e", "\u2066", "\u200b", "\x1b", "\x07"):
        assert character not in text
    assert "‹U+202E›fdp.yrots‹U+2066›" in text
    assert "window.hacked" in text
    assert text.count("x") >= LINE


@pytest.mark.long
def test_a_single_pair_of_hostile_names_has_a_title_and_a_file_name_that_mislead_nobody(
    alice_client: Client, decided: World
) -> None:
    for pair in decided.report.pairs.all()[:8]:
        address = reverse("export_pair", args=[decided.assignment.pk, pair.left_id, pair.right_id])
        response = alice_client.get(address, {**OPTIONS, "format": "pdf"})
        disposition = response.headers["Content-Disposition"]
        metadata = PdfReader(io.BytesIO(response.content)).metadata
        assert metadata is not None
        assert not {"\u202e", "\u2066", "\x1b", "\x07", "\n", "\r"} & set(f"{metadata.title}{disposition}")
        assert len(disposition) < 2_000


steps = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


def printed_source(text: str, **layers: Spans) -> PrintedSource:  # type: ignore[type-arg]
    return PrintedSource(text, line_starts(text), Layers(**layers))


def marks(*spans: tuple[int, int, int]) -> Spans[PassageMark]:
    return Spans((start, end, PassageMark(start, end, number)) for start, end, number in spans)


def table_of(rows: Iterable[str]) -> Page:
    return Page(f"<table><tbody>{''.join(rows)}</tbody></table>")


def printed_texts(page: Page, selector: str) -> list[str]:
    """Return the text of each element, with all white space."""
    return [node.text(deep=True, separator="") for node in page.all(selector)]


def numbered(line: int) -> str:
    """Return the text of a line that equals no line with another number."""
    return f"line {line}"


def left_text(line: int) -> str:
    return f"left {line}"


UNEQUAL = left_text, numbered


@pytest.mark.parametrize(
    ("lines", "last", "pairs"),
    [
        (
            [(3, 10), (3, 10), (4, 12), (7, 13)],
            (7, 13),
            [(3, 10), (None, 11), (4, 12), (5, None), (6, None), (7, 13)],
        ),
        ([(1, 1), (1, 2), (1, 3), (2, 4)], (2, 4), [(1, 1), (None, 2), (None, 3), (2, 4)]),
        ([(1, 1), (2, 2)], (4, 3), [(1, 1), (2, 2), (3, 3), (4, None)]),
    ],
    ids=["the same tokens", "a line that one side breaks up", "a last token that goes on"],
)
def test_lines_with_the_same_tokens_stand_side_by_side(
    lines: list[tuple[int, int]], last: tuple[int, int], pairs: list[tuple[int | None, int | None]]
) -> None:
    assert list(align_lines(lines, last, UNEQUAL)) == [LinePair(*pair) for pair in pairs]


def test_equal_remarks_between_tokens_stand_side_by_side() -> None:
    left, right = ["f(", "# a", "# b", "", "x)"], ["f(", "# new", "", "# a", "#  b", "x)"]
    texts = (lambda line: left[line - 1]), (lambda line: right[line - 1])
    pairs = [(1, 1), (None, 2), (None, 3), (2, 4), (3, 5), (4, None), (5, 6)]
    assert list(align_lines([(1, 1), (5, 6)], (5, 6), texts)) == [LinePair(*pair) for pair in pairs]


def token_lines(steps: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return the lines of each token on both sides, and the last ones, from the steps between tokens."""
    lines, left, right = [], 1, 1
    for left_step, right_step in steps:
        left, right = left + left_step, right + right_step
        lines.append((left, right))
    return lines, (left, right)


@given(steps)
def test_every_line_is_in_one_row_in_order_and_no_token_before_it(steps: list[tuple[int, int]]) -> None:
    lines, (left, right) = token_lines(steps)
    rows = list(align_lines(lines, (left, right), (numbered, numbered)))
    assert [row.left for row in rows if row.left] == list(range(lines[0][0], left + 1))
    assert [row.right for row in rows if row.right] == list(range(lines[0][1], right + 1))
    heights = {("left", row.left): n for n, row in enumerate(rows)}
    heights |= {("right", row.right): n for n, row in enumerate(rows)}
    unambiguous = {(a, b) for a, b in lines if sum(a == c or b == d for c, d in set(lines)) == 1}
    assert all(heights["left", a] == heights["right", b] for a, b in unambiguous)


@given(st.text(alphabet="ab <&\"'\n\r\t\u202e\x00\x1b\U0001f600é", max_size=60))
def test_everything_in_a_source_is_shown_as_text(text: str) -> None:
    page = table_of(source_rows(printed_source(text)))
    assert {node.tag for node in page.all("body *")} <= {"table", "tbody", "tr", "td", "span"}
    assert not set(page.html) & set("\x00\x1b\u202e")
    plain = re.sub(r"[\r\n]", "", text)
    spelt = plain.replace("\u202e", "‹U+202E›").replace("\x00", "‹U+0000›").replace("\x1b", "‹U+001B›")
    assert "".join(printed_texts(page, "td.code")) == spelt


def test_a_long_line_is_cut_into_rows_that_fit_a_page() -> None:
    text = "x" * 100_000 + "\nlast"
    rows = list(source_rows(printed_source(text)))
    assert len(rows) == -(-100_000 // ROW_CHARACTERS) + 1
    assert max(map(len, rows)) < ROW_CHARACTERS + 200
    page = table_of(rows)
    assert [text[:1] for text in page.texts("tr")[:3]] == ["1", "x", "x"]
    assert page.text("table") == "1" + "x" * 100_000 + "2last"


def test_a_passage_keeps_its_numbers_and_is_marked_with_its_badge_and_differences() -> None:
    left, right = printed_source("one\ntwo\nthree\n"), printed_source("eins\nzwei\n")
    sides = PassageSide(left, range(2, 4)), PassageSide(right, range(1, 2))
    page = table_of(passage_rows(*sides, [LinePair(2, 1), LinePair(3, None)]))
    assert page.rows("tr") == [["2", "two", "1", "eins"], ["3", "three", "", ""]]
    text = "  total = best\n"
    (line,) = printed_source(text, marks=marks((0, 14, 3)), differing=Spans([(2, 7, "sum")])).lines()
    assert line.rows == ['  <mark class="c3"><u>total</u> = best</mark>']
    assert [mark.number for mark in line.marks] == [3]
    page = table_of(source_rows(printed_source("a\nb\nc\n", marks=marks((2, 5, 1)))))
    assert page.rows("tr") == [["1", "", "a"], ["2", "1", "b"], ["3", "1", "c"]]
    assert page.values("td.margin span", "class") == ["badge c1", "again c1"]


def test_a_replaced_name_is_written_once_and_never_shown_in_part() -> None:
    text = "# by Ada\nLovelace, 1843\n" + "x" * (ROW_CHARACTERS - 2) + "Ada\n"
    spans = Spans([(5, 17, "Student 1"), (22 + ROW_CHARACTERS, 25 + ROW_CHARACTERS, "Student 1")])
    page = table_of(source_rows(printed_source(text, renamed=spans, differing=Spans([(5, 9, "Ben")]))))
    assert "Ada" not in page.html
    assert "Lovelace" not in page.html
    assert page.texts("td.code .made-up") == ["Student 1"] * 2
    assert page.text("table").count("Student 1") == 2
