"""Any two submissions side by side as plain lines, whether the report has them as a pair or not."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from submissions.models import Assignment, Decision, Report, Submission, SubmissionFile
from submissions.pairs.views import MAX_LINES, diff
from tests.support.html import get_page, page_of
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.shares import link_to, shared_report
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
    left_lines = [text for text in page.texts(".lines td:nth-child(2)") if text]
    assert left_lines == [line.strip() for line in COPIED.splitlines() if line.strip()]
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
    listed = get_page(alice_client, reverse("submission", args=[assignment.pk, ids["cleo"]]))
    assert "suspicious" in listed.text("main").lower()


@pytest.fixture
def suspected(assignment: Assignment, ids: dict[str, int]) -> Decision:
    """Return the decision that Ada's and Cleo's submissions, which are no pair, are suspicious."""
    notes = "They sat side by side."
    return assignment.decisions.create(left="ada", right="cleo", state="suspicious", notes=notes)


def test_a_suspicion_by_hand_is_a_numbered_case_of_the_list_and_is_counted(
    alice_client: Client, assignment: Assignment, ids: dict[str, int], suspected: Decision
) -> None:
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#report-heading").startswith("2 cases among 3 submissions")
    assert "1 of them was entered by hand." in page.text(".lead")
    [_computed, row] = page.rows(".cases tbody tr")
    assert row[0] == "2 Case 2 suspected by hand"
    assert row[-1] == "suspicious"
    assert address(assignment, ids, "ada", "cleo") in page.values(".cases th a", "href")
    course = get_page(alice_client, assignment.course.get_absolute_url())
    assert "2 cases" in course.text("main")
    for query, headings in (("cleo", ["Case 2"]), ("case:2", ["Case 2"]), ("ben", ["Case 1"])):
        page_of_query = get_page(alice_client, assignment.get_absolute_url(), q=query)
        assert page_of_query.texts(".cases th a") == headings
    suspected.state = "clear"
    suspected.save()
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#report-heading").startswith("1 case among")


def test_a_suspicion_by_hand_is_printed_with_its_number_files_and_notes(
    alice_client: Client, assignment: Assignment, ids: dict[str, int], suspected: Decision
) -> None:
    lines = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "They are case 2, entered by hand." in lines.text(".lead")
    export = reverse("export_pair", args=[assignment.pk, ids["ada"], ids["cleo"]])
    assert export in lines.values(".lead a", "href")
    assert get_page(alice_client, export).text("h1") == "Export: case 2"
    document = page_of(alice_client.get(export, {"format": "html", "names": "open", "decision": "on"}))
    assert document.text("h1") == "Case 2"
    assert "They sat side by side." in document.text("blockquote")
    assert "entered by hand" in document.text("main")
    digests = SubmissionFile.objects.filter(submission__name__in=("ada", "cleo"))
    assert sorted(document.texts("td.hash")) == sorted(digests.values_list("source__sha256", flat=True))
    hidden = alice_client.get(export, {"format": "html", "names": "made-up", "decision": "on"})
    assert not {"ada", "cleo"} & {*page_of(hidden).text("main").casefold().split()}


def test_nobody_sees_a_suspicion_by_hand_behind_a_share_link(
    client: Client, alice: User, assignment: Assignment, suspected: Decision
) -> None:
    page = get_page(client, link_to(shared_report(assignment.reports.get(), alice)))
    assert page.text("#report-heading").startswith("1 case among")
    assert not page.has(".cases tbody tr:nth-child(2)")


def test_two_that_nobody_suspects_are_not_printed(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    export = reverse("export_pair", args=[assignment.pk, ids["ada"], ids["cleo"]])
    assert alice_client.get(export).status_code == 404


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
