from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Pair, Report
from submissions.pages.templatetags.pages import percent
from tests.support.sample_class import CLASS, COPIED, HONEST, STARTER, loose, zipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import CountQueries, HandIn


BADGE = re.compile(r'<a class="badge c(\d)" id="([LR])-p(\d+)" href="#([LR])-p(\d+)" data-passage="(\d+)"')


def address(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def best(report: Report) -> Pair:
    return report.pairs.all()[0]


def newest(pair: Pair) -> Report:
    return Report.objects.filter(assignment=pair.report.assignment_id, state=Report.State.DONE)[0]


def test_both_sources_are_shown_with_passages_that_lead_to_each_other(
    alice_client: Client, report: Report
) -> None:
    pair = best(report)
    page = alice_client.get(address(pair)).content.decode()
    badges = BADGE.findall(page)
    assert len(badges) == 2 * len(pair.passages) > 0
    ids = set(re.findall(r'id="([LR]-p\d+)"', page))
    for hue, side, number, other, target, data in badges:
        assert {side, other} == {"L", "R"}
        assert number == target == data
        assert int(hue) == (int(number) - 1) % 7 + 1
        assert f"{other}-p{target}" in ids


def test_no_anchor_is_used_twice(alice_client: Client, report: Report) -> None:
    ids = re.findall(r'\sid="([^"]+)"', alice_client.get(address(best(report))).content.decode())
    assert len(ids) == len(set(ids))
    assert {"L1", "R1", "L-p1", "R-p1"} <= set(ids)


def test_a_passage_marks_the_same_code_on_both_sides(alice_client: Client, hand_in: HandIn) -> None:
    shifted = "import os\nimport re\n\n" + COPIED
    batch = hand_in(zipped({"ada/a.py": COPIED, "ben/b.py": shifted}))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = alice_client.get(address(pair)).content.decode()
    left, right = page.split('data-side="R"')

    def marked(side: str) -> str:
        parts = re.findall(r'<mark class="c1" data-passage="1">(.*?)</mark>', side)
        return re.sub(r"<[^>]*>|\s", "", "".join(parts))

    assert marked(left) == marked(right) != ""
    assert 'aria-label="Left, a.py, lines 2 to' in page
    assert 'aria-label="Right, b.py, lines 5 to' in page


def test_the_header_gives_the_figures_of_the_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    page = alice_client.get(address(pair)).content.decode()
    for label, value in (
        ("Similarity", percent(pair.similarity)),
        ("Tokens", pair.tokens),
        ("Lines", pair.lines),
        ("Longest", pair.longest),
    ):
        assert f"<dt>{label}</dt><dd>{value}</dd>" in page


def test_boilerplate_is_grey(alice_client: Client, report: Report, starter: Callable[[], None]) -> None:
    pair = best(report)
    assert b'class="ignored"' not in alice_client.get(address(pair)).content
    starter()
    page = alice_client.get(address(pair)).content.decode()
    assert re.search(r'<span class="ignored">[^<]*read_numbers', page)


def test_a_passage_counts_the_tokens_that_the_figures_of_the_pair_count(
    alice_client: Client, hand_in: HandIn, assignment: Assignment, starter: Callable[[], None]
) -> None:
    whole = COPIED + STARTER + COPIED.replace("count", "tally")
    hand_in(zipped({"ada/main.py": whole, "ben/main.py": whole, "cleo/main.py": HONEST}))
    before = assignment.reports.get().pairs.get()
    starter()
    pair = newest(before).pairs.get()
    assert pair.tokens == pair.longest < before.longest
    page = alice_client.get(address(pair)).content.decode()
    assert f'<span class="size">{pair.longest} tokens</span>' in page
    assert f"{before.longest - pair.longest} more tokens of it are left out." in page


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


def test_a_pair_that_is_no_longer_ranked_says_so(
    alice_client: Client, report: Report, hand_in: HandIn
) -> None:
    pair = best(report)
    hand_in(zipped({"ada/main.py": HONEST}))
    answer = alice_client.get(address(pair))
    assert answer.status_code == 404
    assert b"Not in the current report" in answer.content
    unknown = reverse("pair", args=[report.assignment_id, pair.left_id, 10**9])
    assert b"No such page" in alice_client.get(unknown).content


def test_a_pair_is_not_found_under_another_assignment(alice_client: Client, report: Report) -> None:
    pair = best(report)
    other = report.assignment.course.assignments.create(name="Other")
    assert alice_client.get(reverse("pair", args=[other.pk, pair.left_id, pair.right_id])).status_code == 404


def test_several_files_have_headings_and_a_list_to_jump_by(alice_client: Client, hand_in: HandIn) -> None:
    files = {"ada/a.py": STARTER, "ada/b.py": COPIED, "ben/main.py": STARTER + HONEST + COPIED}
    batch = hand_in(zipped(files))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = alice_client.get(address(pair)).content.decode()
    assert re.findall(r'<a href="(#L-f\d)" id="L-f\d-tab"[^>]*>([^ ]*) <span class="meta">(\d)', page) == [
        ("#L-f1", "a.py", "1"),
        ("#L-f2", "b.py", "1"),
    ]
    assert '<h3 id="L-f2">b.py' in page
    assert 'id="L2-1"' in page
    assert "R-f1" in page


def test_hostile_sources_are_text(alice_client: Client, hand_in: HandIn) -> None:
    nasty = COPIED + '\ns = "</script><script>alert(1)</script>\u202e\x1b[31m"\nt = "' + "y" * 100_000 + '"\n'
    batch = hand_in(loose("ada.py", nasty), loose("ben.py", COPIED + "\nprint(average([]))\n"))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = alice_client.get(address(pair)).content.decode()
    assert "<script>alert" not in page
    assert "⟨U+202E⟩" in page
    assert "⟨U+001B⟩" in page
    assert "\u202e" not in page


def test_a_pair_takes_as_many_queries_for_many_files_as_for_one(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    batch = hand_in(
        zipped({f"{who}/{n}.py": CLASS["ada/main.py"] for who in ("ada", "ben") for n in range(9)})
    )
    opened = address(Pair.objects.get(report__assignment=batch.assignment))
    # session, user, assignment, 2 of the report, boilerplate awaited, pair, files, ignored, running uploads,
    # its decision, who may decide
    with django_assert_num_queries(12):
        alice_client.get(opened)
