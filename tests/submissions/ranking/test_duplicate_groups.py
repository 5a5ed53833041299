from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from tests.support.html import get_page
from tests.support.sample_class import COPIED, HONEST, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment, Report
    from tests.support.uploads import HandIn


def names(report: Report, ids: list[int]) -> list[str]:
    return [submission.name for submission in report.submissions.filter(pk__in=ids)]


def test_identical_and_lexically_identical_submissions_are_one_group_each(
    hand_in: HandIn, assignment: Assignment
) -> None:
    other = HONEST.replace("bins", "boxes")
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": COPIED, "cleo/m.py": HONEST, "dora/m.py": other}))
    report = assignment.reports.get()
    groups = [(group.sameness, names(report, group.submissions)) for group in report.duplicates]
    assert sorted(groups) == [("identical", ["ada", "ben"]), ("lexical", ["cleo", "dora"])]


def test_empty_submissions_are_not_the_same_as_each_other(hand_in: HandIn, assignment: Assignment) -> None:
    hand_in(zipped({"ada/m.py": "# nothing\n", "ben/m.py": "# nothing\n", "cleo/m.py": COPIED}))
    assert assignment.reports.get().duplicates == []


def test_the_report_names_its_groups_and_what_their_members_share(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": COPIED, "cleo/m.py": HONEST}))
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.texts(".same details > p") == ["2 submissions, the same bytes: ada, ben"]
    assert page.text("#cases-heading") == "Cases"


def test_a_pair_of_nothing_but_common_code_says_so(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    assignment.common_limit = 2
    assignment.save()
    hand_in(zipped({f"{name}/m.py": COPIED for name in ("ada", "ben", "cleo")}))
    report = assignment.reports.get()
    page = get_page(alice_client, reverse("pairs", args=[assignment.pk]))
    assert report.pairs.count() == 3
    assert page.texts("tr.pair td.tokens") == ["common code only"] * 3
    pair = report.pairs.all()[0]
    page = get_page(alice_client, reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    assert "more than 2 submissions have it" in " ".join(page.texts("main > .notice"))
