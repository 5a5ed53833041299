"""Any two submissions side by side as plain lines, whether the report has them as a pair or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from hypothesis import given, strategies as st

from submissions.models import Report, Submission
from submissions.pages.source_view.line_diff import MAX_LINES, diff
from tests.support.html import get_page, page_of
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import HandIn

texts = st.lists(st.sampled_from(["a", "b", "  c", "", "a  "]), max_size=12)


@given(texts, texts)
def test_every_line_is_shown_once_on_its_side_and_equal_ones_beside_each_other(
    left: list[str], right: list[str]
) -> None:
    rows = diff(left, right).rows
    assert [row.left for row in rows if row.left_number] == [line.rstrip() for line in left]
    assert [row.right for row in rows if row.right_number] == [line.rstrip() for line in right]
    assert [row.left_number for row in rows if row.left_number] == [*range(1, len(left) + 1)]
    for row in rows:
        assert (row.kind == "same") == (bool(row.left_number and row.right_number) and row.left == row.right)


def test_of_long_files_the_page_says_how_much_it_does_not_show() -> None:
    both = diff(["x"] * (MAX_LINES + 7), ["x"])
    assert (both.left_more, both.right_more, both.equal) == (7, 0, 1)


@pytest.fixture
def ids(hand_in: HandIn, assignment: Assignment) -> dict[str, int]:
    """Return the submissions by name: Ada's and Ben's are a pair, Cleo's shares nothing with theirs."""
    files = {"ada/a.py": COPIED, "ben/a.py": RENAMED, "cleo/a.py": HONEST, "cleo/other.py": "x = 1\n"}
    stored("two alike and one other", lambda: hand_in(zipped(files)))
    report = Report.objects.get(assignment=assignment)
    assert {(pair.left.name, pair.right.name) for pair in report.pairs.all()} >= {("ada", "ben")}
    return dict(report.submissions.values_list("name", "pk"))


def address(assignment: Assignment, ids: dict[str, int], left: str, right: str) -> str:
    return reverse("lines", args=[assignment.pk, ids[left], ids[right]])


@pytest.mark.long
def test_two_that_are_no_pair_are_shown_line_by_line(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    assert not Report.objects.get(assignment=assignment).pairs.filter(right__name="cleo").exists()
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "These two are no pair of the newest report" in page.text(".lead")
    shown = [text for text in page.texts(".lines td:nth-child(2)") if text]
    assert shown == [line.strip() for line in COPIED.splitlines() if line.strip()]
    other = Submission.objects.get(pk=ids["cleo"]).files.get(path__endswith="other.py")
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"), right=str(other.pk))
    assert [text for text in page.texts(".lines td:nth-child(4)") if text] == ["x = 1"]


def test_a_suspicion_of_two_that_are_no_pair_is_stored_with_its_notes(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    form = page.one("#decision-panel form").attributes["action"]
    sent = {
        name: page.values(f'#decision-panel [name="{name}"]', "value")[0] for name in ("decided_on", "seen")
    }
    sent |= {"state": "suspicious", "notes": "They sat side by side."}
    assert alice_client.post(str(form), sent).status_code == 302
    stored_one = assignment.decisions.get()
    assert (stored_one.left, stored_one.right, stored_one.state) == ("ada", "cleo", "suspicious")
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "They sat side by side." in page.text("#decision-panel textarea")
    cases = get_page(alice_client, assignment.get_absolute_url())
    assert cases.texts(".suspicions .name, .suspicions .decided") == ["ada and cleo", "Suspicious"]
    listed = get_page(alice_client, reverse("submission", args=[assignment.pk, ids["cleo"]]))
    assert "suspicious" in listed.text("main").lower()


def test_a_pair_links_to_its_lines_and_back(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    passages = reverse("pair", args=[assignment.pk, ids["ada"], ids["ben"]])
    lines = address(assignment, ids, "ada", "ben")
    assert get_page(alice_client, passages).has(f'a[href="{lines}"]')
    assert get_page(alice_client, lines).has(f'.lead a[href="{passages}"]')


def test_a_submission_is_compared_with_another_by_its_name(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    form = reverse("compare_with", args=[assignment.pk, ids["ada"]])
    response = alice_client.get(form, {"with": "CLEO"})
    assert response.headers["Location"] == address(assignment, ids, "ada", "cleo")
    for text, said in (("e", "2 submissions have this name: ben, cleo."), ("zoe", "No other submission")):
        response = alice_client.get(form, {"with": text}, follow=True)
        assert said in page_of(response).text(".notices")


def test_nobody_else_reads_the_lines(bob_client: Client, assignment: Assignment, ids: dict[str, int]) -> None:
    assert bob_client.get(address(assignment, ids, "ada", "cleo")).status_code == 404
