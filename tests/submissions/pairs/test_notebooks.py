"""Lines of notebooks are given as people see them: by their cells, and by their places in these."""

import re
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from submissions.cases.case_list import cases
from submissions.models import Pair
from tests.support.html import Page, get_page
from tests.support.notebooks import CODE, MARKDOWN, notebook_with
from tests.support.programs import program, renamed
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

MARK = "───── cell"


def notebook(*cells: str) -> bytes:
    return notebook_with(cells=[{**CODE, "source": cell.rstrip("\n")} for cell in cells])


@pytest.fixture
def pair(hand_in: HandIn) -> Pair:
    """Return a pair of notebooks, of which one has the cells of the other in another order."""
    random = Random(4)
    first, second, third = (program(random, 3) for _ in range(3))
    sides = {"ada": notebook(first, second, third), "ben": notebook(renamed(second), first, third)}
    batch = hand_in(zipped({f"{name}/work.ipynb": data for name, data in sides.items()}))
    return batch.assignment.reports.get().pairs.get()


def in_cells(rows: list[tuple[str, str]]) -> None:
    """Check that the numbers beside lines begin with 1 after each line above a cell, which has none."""
    expected = None
    for number, line in rows:
        if line.startswith(MARK):
            assert number == ""
            expected = 0
        elif expected is not None:
            expected += 1
            assert number == str(expected)
    assert expected


def test_line_by_line_numbers_lines_within_their_cells(alice_client: Client, pair: Pair) -> None:
    address = reverse("lines", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    page = get_page(alice_client, address)
    rows = [row for row in page.rows(".lines tbody tr") if len(row) == 4]
    in_cells([(row[0], row[1]) for row in rows if row[0] or row[1]])
    code = [(one, other) for at, one, place, other in rows if at and place and one]
    identical = sum(one == other for one, other in code)
    assert page.text("p.lead").startswith(f"{identical} lines are identical, ")
    (moved,) = {*page.texts(".lines tr.elsewhere td")}
    place = r"cell \d, line \d+"
    assert re.fullmatch(rf"On the right side, {place} to {place}: beside {place}\.", moved)


@pytest.mark.parametrize("text", ["Tides", ""])
def test_code_and_text_are_said_of_notebooks_that_have_both(hand_in: HandIn, alice_client: Client, text: str) -> None:
    random = Random(4)
    parts = [program(random, 3) for _ in range(2)]
    cells = [{**CODE, "source": part} for part in parts] + [{**MARKDOWN, "source": text}] * bool(text)
    work = {"ada": notebook_with(cells=cells), "ben": notebook_with(cells=[cells[1], cells[0], *cells[2:]])}
    batch = hand_in(zipped({f"{name}/work.ipynb": data for name, data in work.items()}))
    pair = batch.assignment.reports.get().pairs.get()
    page = get_page(alice_client, reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id]))
    assert ("’s code and text is in " if text else "’s code is in ") in page.texts(".summary")[0]


CHUNK = "```{{r}}\n{}```\n"
CELL = "level <- mean(tides$height)\nif (level > 2.5) print(level)\nplot(tides$height, tides$hour)\n"
PROSE = "The tide of 51 harbours rises in the morning, and falls in the evening, as the table of 1951 shows.\n"


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("work.Rmd", CHUNK.format(CELL), "code"),
        ("work.qmd", PROSE, "text"),
        ("work.qmd", PROSE + CHUNK.format(CELL), "code and text"),
        ("work.html", f"<p>{PROSE}</p><script>{CELL.replace('<-', '=')}</script>", "code and text"),
    ],
)
def test_code_and_text_are_said_of_documents_and_pages_that_have_both(
    hand_in: HandIn, alice_client: Client, path: str, text: str, said: str
) -> None:
    batch = hand_in(zipped({f"ada/{path}": text.encode(), f"ben/{path}": f"{text}\n".encode()}))
    pair = batch.assignment.reports.get().pairs.get()
    page = get_page(alice_client, reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id]))
    assert page.texts(".summary")[0].startswith(f"All of ada’s {said} is in ben’s")
    kinds = {kind for one in page.texts(".traces li") if (kind := one.split()[0])}
    assert ("word" in kinds, "name" in kinds) == ("text" in said, "code" in said)


@pytest.mark.parametrize(
    "beside", ["package.json", "pom.xml", "build.yml", "notes.txt", "data.csv", "empty.html", "a.ipynb"]
)
def test_files_that_are_only_kept_beside_programs_are_no_text_of_them(
    hand_in: HandIn, alice_client: Client, beside: str
) -> None:
    kept = {f"{name}/{beside}": b"{}" if beside.endswith("json") else b" " for name in ("ada", "ben")}
    programs = {f"{name}/a.py": program(Random(4), 5).encode() for name in ("ada", "ben")}
    batch = hand_in(zipped({**programs, **kept, "ben/more.py": b"left = [1]\n"}))
    pair = batch.assignment.reports.get().pairs.get()
    key = [pair.report.assignment_id, pair.left_id, pair.right_id]
    page = get_page(alice_client, reverse("pair", args=key))
    assert page.texts(".summary")[0].startswith("All of ada’s code is in ben’s")
    assert get_page(alice_client, reverse("export_pair", args=key), format="html", names="open").has(".passage")


def test_the_lines_of_a_case_have_the_numbers_of_their_cells(alice_client: Client, pair: Pair) -> None:
    (case,) = cases(pair.report, 0.2)
    address = reverse("case", args=[pair.report.assignment_id, case.key])
    page = get_page(alice_client, address, threshold="20")
    captions = page.texts(".opened figcaption")
    assert all(re.search(r"cell \d, line \d+", caption) for caption in captions)
    for caption, figure in zip(captions, page.all(".opened figure"), strict=True):
        shown = [(one.attributes["data-n"] or "", one.text().strip()) for one in figure.css(".numbered")]
        first = re.findall(r"line (\d+)", caption)[0]
        assert shown[0][0] == first
        if any(line.startswith(MARK) for _, line in shown):
            in_cells(shown)


def test_a_document_prints_the_numbers_that_lines_have_in_their_cells(alice_client: Client, pair: Pair) -> None:
    address = reverse("export_pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    page: Page = get_page(alice_client, address, format="html", names="open", sources="on")
    for table in page.all("table.beside"):
        rows = [[cell.text().strip() for cell in row.css("td")] for row in table.css("tbody tr")]
        cell = re.findall(r"cell \d+, line (\d+)", table.css("thead")[0].text())
        assert rows[0][0] == cell[0]
    in_cells([(row[0], row[2]) for row in page.rows("table.lines tbody tr") if len(row) == 3])
