from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Pair, Report
from submissions.pages.filters import percent
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import CLASS, COPIED, HONEST, STARTER, loose, zipped
from tests.support.uploads import CountQueries, HandIn

pytestmark = pytest.mark.services


def address(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def best(report: Report) -> Pair:
    return report.pairs.all()[0]


def get_pair(client: Client, pair: Pair) -> Page:
    return get_page(client, address(pair))


def newest(pair: Pair) -> Report:
    return Report.objects.filter(assignment=pair.report.assignment_id, state=Report.State.DONE)[0]


def test_both_sources_are_shown_with_passages_that_lead_to_each_other(
    alice_client: Client, report: Report
) -> None:
    pair = best(report)
    page = get_pair(alice_client, pair)
    assert pair.passages
    expected = {
        (f"badge c{(number - 1) % 7 + 1}", f"{side}-p{number}", f"#{other}-p{number}", str(number))
        for number in range(1, len(pair.passages) + 1)
        for side, other in ("LR", "RL")
    }
    badges = [node.attributes for node in page.all(".source a.badge")]
    actual = [(node["class"], node["id"], node["href"], node["data-passage"]) for node in badges]
    assert sorted(actual) == sorted(expected)


def test_no_anchor_is_used_twice(alice_client: Client, report: Report) -> None:
    ids = get_pair(alice_client, best(report)).values("[id]", "id")
    assert len(ids) == len(set(ids))
    assert {"L1", "R1", "L-p1", "R-p1"} <= set(ids)


@pytest.mark.long
def test_a_passage_marks_the_same_code_on_both_sides(alice_client: Client, hand_in: HandIn) -> None:
    shifted = "import os\nimport re\n\n" + COPIED
    batch = hand_in(zipped({"ada/a.py": COPIED, "ben/b.py": shifted}))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = get_pair(alice_client, pair)

    def marked(side: str) -> str:
        """Return the code of the first passage on a side, without white space."""
        marks = page.texts(f'[data-side={side}] mark.c1[data-passage="1"]')
        return "".join("".join(marks).split())

    assert marked("L") == marked("R") != ""
    assert page.has('.places a[aria-label^="Left, a.py, lines 2 to "]')
    assert page.has('.places a[aria-label^="Right, b.py, lines 5 to "]')


def test_the_header_gives_the_figures_of_the_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    figures = get_pair(alice_client, pair).terms(".figures")
    assert figures["Similarity"] == percent(pair.similarity)
    assert figures["Tokens"] == str(pair.tokens)
    assert figures["Lines"] == str(pair.lines)
    assert figures["Longest"] == str(pair.longest)


@pytest.mark.long
def test_boilerplate_is_grey(alice_client: Client, report: Report, starter: Callable[[], None]) -> None:
    pair = best(report)
    assert not get_pair(alice_client, pair).has(".ignored")
    starter()
    assert any("read_numbers" in text for text in get_pair(alice_client, pair).texts(".source .ignored"))


@pytest.mark.long
def test_a_passage_counts_the_tokens_that_the_figures_of_the_pair_count(
    alice_client: Client, hand_in: HandIn, assignment: Assignment, starter: Callable[[], None]
) -> None:
    whole = COPIED + STARTER + COPIED.replace("count", "tally")
    hand_in(zipped({"ada/main.py": whole, "ben/main.py": whole, "cleo/main.py": HONEST}))
    before = assignment.reports.get().pairs.get()
    starter()
    pair = newest(before).pairs.get()
    assert pair.tokens == pair.longest < before.longest
    page = get_pair(alice_client, pair)
    assert f"{pair.longest} tokens" in page.texts(".passages .size")
    assert "Grey code is not counted." in page.texts(".passages .about p")


def test_the_address_of_a_pair_survives_a_new_ranking(
    alice_client: Client, report: Report, starter: Callable[[], None]
) -> None:
    pair = best(report)
    starter()
    assert newest(pair) != report
    assert alice_client.get(address(pair)).status_code == 200


def test_sides_in_the_other_order_lead_to_the_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    swapped = reverse("pair", args=[report.assignment_id, pair.right_id, pair.left_id])
    assert alice_client.get(swapped).headers["Location"] == address(pair)


@pytest.mark.long
def test_a_pair_that_is_no_longer_ranked_says_so(
    alice_client: Client, report: Report, hand_in: HandIn
) -> None:
    pair = best(report)
    hand_in(zipped({"ada/main.py": HONEST}))
    response = alice_client.get(address(pair))
    assert response.status_code == 404
    assert page_of(response).text("h1") == "Not in the current report"
    for other in (10**9, pair.left_id):
        no_pair = reverse("pair", args=[report.assignment_id, pair.left_id, other])
        assert page_of(alice_client.get(no_pair)).text("h1") == "No such page"


def test_a_pair_is_not_found_under_another_assignment(alice_client: Client, report: Report) -> None:
    pair = best(report)
    other = report.assignment.course.assignments.create(name="Other")
    assert alice_client.get(reverse("pair", args=[other.pk, pair.left_id, pair.right_id])).status_code == 404


def test_several_files_have_headings_and_a_list_to_jump_by(alice_client: Client, hand_in: HandIn) -> None:
    files = {"ada/a.py": STARTER, "ada/b.py": COPIED, "ben/main.py": STARTER + HONEST + COPIED}
    batch = hand_in(zipped(files))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = get_pair(alice_client, pair)
    assert page.text(".file-list summary") == "2 of 2 files share code"
    assert page.texts("nav.files a") == ["b.py 1 passage", "a.py 1 passage"]
    assert page.values("nav.files a", "href") == ["#L-f2", "#L-f1"]
    assert page.values("nav.files a", "id") == ["L-f2-tab", "L-f1-tab"]
    assert page.text("h3#L-f2").startswith("b.py ")
    assert page.has("#L2-1")
    assert page.text("h3#R-f1").startswith("main.py ")


def test_hostile_sources_are_text(alice_client: Client, hand_in: HandIn) -> None:
    nasty = COPIED + '\ns = "</script><script>alert(1)</script>\u202e\x1b[31m"\nt = "' + "y" * 100_000 + '"\n'
    batch = hand_in(loose("ada.py", nasty), loose("ben.py", COPIED + "\nprint(average([]))\n"))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = get_pair(alice_client, pair)
    assert page.inline_code() == []
    source = page.text("[data-side=L] .source")
    assert '"</script><script>alert(1)</script>‹U+202E›‹U+001B›[31m"' in source
    assert page.texts("[data-side=L] .source .unseen") == ["‹U+202E›", "‹U+001B›"]
    assert "\u202e" not in page.html
    assert "\x1b" not in page.html


def test_a_pair_takes_as_many_queries_for_many_files_as_for_one(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    batch = hand_in(
        zipped({f"{who}/{n}.py": CLASS["ada/main.py"] for who in ("ada", "ben") for n in range(9)})
    )
    pair_address = address(Pair.objects.get(report__assignment=batch.assignment))
    # 7 of the audit log,
    # session, user, assignment, report, pair, its version, passages, files, ignored, sources, documents,
    # running uploads, boilerplate that is read, a change of the language, its decision, who may decide,
    # groups of identical submissions and findings for its flags, whether the hint was dismissed, statements
    with django_assert_num_queries(29):
        alice_client.get(pair_address)
