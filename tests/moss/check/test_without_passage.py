"""`moss check` of a pair that shares names, a message and an import, but no passage."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.moss.check.test_check import check, folder
from tests.support.html import Page
from tests.support.rewritten import ORIGINAL, REWRITTEN


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return folder(tmp_path / "class", {"ada.py": ORIGINAL.encode(), "ben.py": REWRITTEN.encode()})


def test_the_tables_mark_it(pair: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(check(pair, "--format", "csv").stdout))
    assert (row["mark"], row["tokens"], row["longest"]) == ("no passage", "0", "0")
    assert 0 < float(row["similarity"]) < 0.5
    assert check(pair).stdout.splitlines()[1].endswith("no passage")


def test_json_has_what_is_shared_with_its_lines(pair: Path) -> None:
    report = json.loads(check(pair, "--format", "json").stdout)
    (row,) = report["pairs"]
    assert row["passages"] == []
    terms = {term["text"]: term for term in row["terms"]}
    assert terms['"boat has overstayed its berth"'] == {
        "kind": "literal",
        "text": '"boat has overstayed its berth"',
        "left": [{"file": "ada.py", "lines": [7]}],
        "right": [{"file": "ben.py", "lines": [4]}],
    }
    assert terms["import shipping_register"]["kind"] == "import"
    assert terms["find_overdue_boats"]["kind"] == "name"
    assert "overdue" not in terms


def test_the_html_file_says_that_no_passage_is_equal_and_what_is(pair: Path) -> None:
    page = Page(check(pair, "--format", "html").stdout)
    assert "These two share no passage of 9 tokens" in page.text(".pairs-of > details")
    assert "no equal passage" in page.text(".pairs-of summary")
    assert '"boat has overstayed its berth" literal ada.py, line 7 ben.py, line 4' in page.texts(".terms tr")


def test_a_message_that_was_handed_out_is_not_shown_as_shared(pair: Path, tmp_path: Path) -> None:
    handed_out = tmp_path / "given.py"
    handed_out.write_text('x = "boat has overstayed its berth"\n')
    report = json.loads(check(pair, "-b", str(handed_out), "--format", "json").stdout)
    texts = [term["text"] for row in report["pairs"] for term in row["terms"]]
    assert "find_overdue_boats" in texts
    assert '"boat has overstayed its berth"' not in texts
