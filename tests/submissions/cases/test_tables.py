"""Tables of a report for spreadsheets and scripts."""

import codecs
import csv
import io
import json
import re
import unicodedata
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import example, given, strategies as st

from submissions.matches.file_formats import FORMATS, TABLE_FORMATS, CsvForm, ExportTable, excel_form, write_csv
from submissions.matches.ranked_pairs import PairRow
from submissions.models import Assignment, Decision, Pair, Report
from submissions.reports.exports import TABLES
from tests.support.html import get_page
from tests.support.sample_class import CLASS, COPIED, RENAMED, zipped
from tests.support.uploads import MANY, CountQueries, HandIn

FORMULAS = ("=2+5", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http;x")')


def download(client: Client, assignment: Assignment, table: str, suffix: str, **query: str | int) -> str:
    response = client.get(reverse("table", args=[assignment.pk, table, suffix]), query)
    assert response.status_code == 200
    assert response.streaming
    name = f"{assignment.name.lower()}-{table}.{suffix}"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response.headers["Content-Type"] == FORMATS[suffix].content_type
    return response.getvalue().decode()


def rows(client: Client, assignment: Assignment, table: str = "pairs", **query: str | int) -> list[dict[str, str]]:
    text = download(client, assignment, table, "csv", **query)
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_pairs_come_with_figures_and_decisions(alice_client: Client, report: Report, alice: User) -> None:
    pair = report.pairs.all()[0]
    decided = {"state": "suspicious", "assignee": alice, "notes": 'Said: "we\nlearnt together"'}
    Decision.objects.create(assignment=report.assignment, left="ada", right="ben", **decided)
    first = rows(alice_client, report.assignment)[0]
    # The service has the flags of all kinds in a column of their own.
    shared = PairRow._fields[: PairRow._fields.index("flag")]
    assert tuple(first)[: len(shared)] == shared
    assert (first["left"], first["right"]) == ("ada", "ben")
    for figure in ("similarity", "left_share", "right_share", "structure", "literals", "names", "imports"):
        assert float(first[figure]) == round(getattr(pair, figure), 6)
    for count in ("tokens", "lines", "longest"):
        assert int(first[count]) == getattr(pair, count)
    assert first["decision"] == "suspicious"
    assert first["assignee"] == "alice"
    assert first["notes"] == 'Said: "we\nlearnt together"'


def test_json_has_the_same_rows_and_parameters_of_the_report(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    for table in TABLES:
        document: dict[str, Any] = json.loads(download(alice_client, assignment, table, "json"))
        assert (document["course"], document["assignment"]) == ("Programming 1", "Statistics")
        assert document["parameters"]["k"] == report.parameters["k"]
        plain = [
            {name: "" if value is None else str(value) for name, value in row.items() if name != "flags"}
            for row in document[table]
        ]
        listed = rows(alice_client, assignment, table)
        for row in listed:
            row.pop("flags", None)
        assert plain == listed != []


def test_tables_hold_what_the_filter_lets_through(alice_client: Client, report: Report) -> None:
    assignment, lowest = report.assignment, min(pair.similarity for pair in report.pairs.all())
    assert len(rows(alice_client, assignment)) == report.pairs.count() > 1
    assert len(rows(alice_client, assignment, threshold=int(lowest * 100) + 1)) == report.pairs.count() - 1
    Decision.objects.create(assignment=assignment, left="ada", right="ben", state="clear")
    assert [row["right"] for row in rows(alice_client, assignment, decision="clear")] == ["ben"]
    assert {row["left"] for row in rows(alice_client, assignment, sort="-left", q="cleo")} == {"ada", "ben"}
    assert [row["submission"] for row in rows(alice_client, assignment, "submissions", q="cleo")] == ["cleo"]
    assert json.loads(download(alice_client, assignment, "pairs", "json", q="nobody"))["pairs"] == []
    assert rows(alice_client, assignment, q="nobody") == []
    for table, suffix in (("pairs", "xml"), ("people", "csv")):
        address = reverse("table", args=[assignment.pk, table, suffix])
        assert alice_client.get(address).status_code == 404


def test_submissions_come_with_their_best_match_and_rank(alice_client: Client, report: Report) -> None:
    listed = {row["submission"]: row for row in rows(alice_client, report.assignment, "submissions")}
    assert list(listed) == ["ada", "ben", "cleo"]
    ada, ben, cleo = listed.values()
    assert (ada["best_match"], ben["best_match"]) == ("ben", "ada")
    assert (ada["rank"], ben["rank"], cleo["rank"]) == ("1", "1", "3")
    assert float(ada["similarity"]) == round(report.pairs.all()[0].similarity, 6)
    submission = report.submissions.get(name="cleo")
    assert cleo["files"] == "1"
    assert int(cleo["tokens"]) == submission.files.get().document.token_count
    assert cleo["uploaded"] == submission.batch.created.isoformat()


@pytest.mark.long
def test_flags_of_a_pair_are_named(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped({"ada/a.py": COPIED, "ben/b.py": COPIED, "cleo/c.py": RENAMED})).assignment
    assignment.teams = "ada, ben"
    assignment.save()
    flags = {(row["left"], row["right"]): row["flags"] for row in rows(alice_client, assignment)}
    assert flags["ada", "ben"] == "identical; team"
    assert flags["ada", "cleo"] == "names"


@pytest.mark.long
def test_names_that_a_spreadsheet_takes_for_formulas_are_texts_in_a_csv_and_unchanged_in_json(
    alice_client: Client, hand_in: HandIn
) -> None:
    assignment = hand_in(zipped({f"{name}/main.py": COPIED for name in FORMULAS})).assignment
    names = set(assignment.batches.get().submissions.values_list("name", flat=True))
    assert names
    listed = rows(alice_client, assignment)
    assert {row[side] for row in listed for side in ("left", "right")} == {f"'{name}" for name in names}
    pairs = json.loads(download(alice_client, assignment, "pairs", "json"))["pairs"]
    assert {pair[side] for pair in pairs for side in ("left", "right")} == names
    page = get_page(alice_client, reverse("exports", args=[assignment.pk]))
    hint = page.text('[aria-labelledby="tables-heading"] .hint')
    assert "JSON has the names as they were handed in" in hint


def written(table: ExportTable) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(write_csv(table)), newline="")))


def test_every_start_of_a_formula_is_made_a_text_and_a_return_a_line_end_within_its_cell() -> None:
    for start in ("=", "+", "-", "@", "\t", "\n", "\uff1d"):
        table = ExportTable("pairs", ("notes", "similarity"), [(f"{start}1+1", -1.5), ("a=1", 0)], {})
        assert written(table) == [["notes", "similarity"], [f"'{start}1+1", "-1.5"], ["a=1", "0"]]
    table = ExportTable("pairs", ("left", "notes"), [("ada", "one\r=1+1\r\ntwo"), ("\r=1", "")], {})
    assert written(table)[1:] == [["ada", "one\n'=1+1\ntwo"], ["'\n'=1", ""]]


# Format characters of these are seen.
SEEN = re.compile("(?:ARABIC(?! LETTER MARK)|SYRIAC|KAITHI|EGYPTIAN|SHORTHAND|MUSICAL) ")
UNSEEN = "".join(
    char
    for char in map(chr, range(0x110000))
    if unicodedata.category(char) in {"Zs", "Zl", "Zp", "Cc", "Cf"} and not SEEN.match(unicodedata.name(char, ""))
)


def test_after_what_nobody_sees_a_sign_begins_no_formula() -> None:
    for form in (CsvForm(), excel_form("de")):
        table = ExportTable("pairs", ("notes",), [(f"{char} \u200d=1",) for char in UNSEEN], {})
        cells = [row[0] for row in csv.reader(io.StringIO("".join(write_csv(table, form)), newline=""))]
        assert [cell for cell in cells[1:] if "'" not in cell] == []


@example([';"='], ";")
@example([" =1"], ",")
@given(
    st.lists(st.text("a;,= \t\n\"-'\xa0\u200b\uff1d\x00\x1f\u2003\u202f\u2060"), min_size=1, max_size=3),
    st.sampled_from(",;\t"),
)
def test_no_text_is_a_formula_whatever_separates_cells(texts: list[str], separator: str) -> None:
    table = ExportTable("pairs", ("left", "notes"), [("ada", text) for text in texts], {})
    written = csv.reader(io.StringIO("".join(write_csv(table)), newline=""), delimiter=separator)
    cells = [cell.lstrip(f'"{UNSEEN}'.replace("\t", "").replace("\n", "")) for row in written for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "-", "\uff1d"))]


CELLS = st.one_of(
    st.text(st.sampled_from("ab ,;\"\n\t'é"), max_size=6).map(lambda text: f"a{text}"),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.sampled_from(["", None]),
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5))
def test_a_table_is_written_as_by_the_library_of_csv(rows: list[tuple[object, ...]]) -> None:
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n").writerows([("left", "right", "notes"), *rows])
    table = ExportTable("pairs", ("left", "right", "notes"), rows, {})
    assert "".join(write_csv(table)) == expected.getvalue()


class Excel(NamedTuple):
    """What Excel makes of a CSV file that is opened with a double click, by its language."""

    separator: str
    decimal: str
    thousands: str

    def cells(self, file: bytes) -> list[list[object]]:
        assert file.startswith(codecs.BOM_UTF8)  # Excel takes it for another code page otherwise
        text = file.decode("utf-8-sig")
        return [[*map(self.cell, row)] for row in csv.reader(io.StringIO(text, newline=""), delimiter=self.separator)]

    def cell(self, text: str) -> object:
        if text.startswith(("=", "+", "-", "@")) and not self.number(text):
            return "formula", text
        if (number := self.number(text)) is not None:
            return number
        if re.fullmatch(r"\d{1,4}[./-]\d{1,2}([./-]\d{1,4})?", text) or re.fullmatch(r"\d+:\d+", text):
            return "date", text
        return text

    def number(self, text: str) -> float | None:
        bare = text.replace(self.thousands, "").replace(self.decimal, ".").replace(" ", "")
        return float(bare) if re.fullmatch(r"-?\d*\.?\d+(e[+-]?\d+)?", bare, re.IGNORECASE) else None


ENGLISH, GERMAN = Excel(",", ".", ","), Excel(";", ",", ".")
NAMES = st.one_of(
    st.text(st.sampled_from("ab1.;,=+-@ \t\n\"'"), max_size=5),
    st.sampled_from(["1.5", "1,5", "007", "3-4", "1e5", "12:30", "2026-01-02", "42"]),
)


@given(st.lists(st.tuples(NAMES, st.floats(0, 1), st.integers(0, 10**9), st.none() | NAMES), max_size=5))
def test_csv_for_excel_opens_alike_in_a_german_and_an_english_excel(rows: list[tuple[object, ...]]) -> None:
    table = ExportTable("pairs", ("left", "similarity", "tokens", "notes"), rows, {})
    english, german = (
        excel.cells("".join(write_csv(table, excel_form(language))).encode())
        for excel, language in ((ENGLISH, "en"), (GERMAN, "de"))
    )
    assert english == german
    assert len(english) == len(rows) + 1
    for row, cells in zip(rows, english[1:], strict=True):
        assert cells[1:3] == [row[1], row[2]]
        assert [cell for cell in cells if isinstance(cell, tuple)] == []  # no formula and no date
        for text, cell in ((row[0], cells[0]), (row[3] or "", cells[3])):
            assert isinstance(cell, str) or str(cell).removesuffix(".0") == str(text).strip()


@pytest.mark.parametrize(("language", "separator"), [("en", ","), ("de", ";"), ("es", ";")])
def test_the_page_of_exports_offers_csv_for_excel_in_the_language_of_its_reader(
    alice_client: Client, report: Report, language: str, separator: str
) -> None:
    alice_client.cookies.load({settings.LANGUAGE_COOKIE_NAME: language})
    address = reverse("table", args=[report.assignment_id, "pairs", "excel"])
    assert address in get_page(alice_client, reverse("exports", args=[report.assignment_id])).links()
    response = alice_client.get(address)
    assert response.headers["Content-Disposition"].endswith('pairs.csv"')
    text = response.getvalue().decode()
    assert text.startswith(f"\ufeffleft{separator}right{separator}similarity{separator}")
    plain = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "csv"])).getvalue()
    assert plain.startswith(b"left,right,similarity,")


@pytest.mark.long
@pytest.mark.parametrize("suffix", TABLE_FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_sent_whole_although_its_assignment_is_deleted_meanwhile(
    table: str, suffix: str, alice_client: Client, report: Report
) -> None:
    whole = download(alice_client, report.assignment, table, suffix)
    begun = alice_client.get(reverse("table", args=[report.assignment.pk, table, suffix]))
    report.assignment.delete()
    assert begun.getvalue().decode() == whole


def test_in_anonymous_mode_tables_hold_made_up_names_only(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    Decision.objects.create(assignment=assignment, left="ada", right="ben", state="clear", notes="ada asked ben")
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    for table in TABLES:
        for suffix in TABLE_FORMATS:
            text = download(alice_client, assignment, table, suffix)
            assert not {"ada", "ben", "cleo"} & set(text.replace('"', " ").replace(",", " ").split())


def test_a_table_takes_as_many_queries_for_many_rows_as_for_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    for files in (CLASS, MANY):
        assignment = hand_in(zipped(files)).assignment
        # 6 of the audit log, session, user, assignment, 4 of the report, model solutions, decisions, links,
        # pairs
        with django_assert_num_queries(19):
            download(alice_client, assignment, "pairs", "csv")
        # 6 of the audit log, session, user, assignment, 2 of the report, links, submissions, files, the class
        with django_assert_num_queries(16):
            download(alice_client, assignment, "submissions", "csv")
    assert Pair.objects.filter(report=assignment.reports.all()[0]).count() > 100
