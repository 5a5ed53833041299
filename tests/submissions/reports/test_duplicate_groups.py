import pytest
from django.test import Client
from django.urls import reverse

from fingerprint.ranking.score_constants import LEAST_RENAMED
from fingerprint.ranking.threshold import HIGHEST_THRESHOLD
from submissions.models import Assignment, Report
from tests.support.html import get_page
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services


def names(report: Report, ids: list[int]) -> list[str]:
    return [submission.name for submission in report.submissions.filter(pk__in=ids)]


def groups_of(report: Report) -> list[tuple[str, list[str]]]:
    return [(group.sameness, names(report, group.submissions)) for group in report.duplicates]


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "sameness"),
    [
        (HONEST, "identical"),
        (f"# mine\n\n{HONEST}", "layout"),
        (HONEST.replace("bins", "boxes"), "names"),
        (HONEST.replace("1", "7"), "lexical"),
    ],
)
def test_a_group_says_in_which_sense_its_submissions_are_the_same(
    hand_in: HandIn, assignment: Assignment, changed: str, sameness: str
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "cleo/m.py": HONEST, "dora/m.py": changed}))
    assert groups_of(assignment.reports.get()) == [(sameness, ["cleo", "dora"])]


@pytest.mark.long
def test_a_submission_is_in_a_group_of_each_sameness(hand_in: HandIn, assignment: Assignment) -> None:
    other = HONEST.replace("bins", "boxes")
    hand_in(
        zipped({"ada/m.py": HONEST, "ben/m.py": HONEST, "cleo/m.py": f"# c\n{HONEST}", "dora/m.py": other})
    )
    assert groups_of(assignment.reports.get()) == [
        ("identical", ["ada", "ben"]),
        ("layout", ["ada", "ben", "cleo"]),
        ("names", ["ada", "ben", "cleo", "dora"]),
    ]


@pytest.mark.long
def test_projects_of_several_files_with_other_names_are_a_case_at_any_suggestion(
    hand_in: HandIn, assignment: Assignment
) -> None:
    renamed = {"x.py": HONEST.replace("bins", "boxes"), "a.py": RENAMED}
    project = {"a.py": HONEST, "b.py": COPIED}
    files = {f"ada/{name}": text for name, text in project.items()}
    files |= {f"ben/{name}": text for name, text in renamed.items()}
    hand_in(zipped(files | {"cleo/m.py": HONEST}))
    report = assignment.reports.get()
    ada, ben = report.submissions.filter(name__in=["ada", "ben"]).order_by("name")
    pair = report.pairs.get(left=ada, right=ben)
    assert groups_of(report) == [("names", ["ada", "ben"])]
    assert pair.similarity >= LEAST_RENAMED > HIGHEST_THRESHOLD
    assert pair.structure + pair.literals + pair.names + pair.imports == pytest.approx(pair.similarity)


def test_empty_submissions_are_not_the_same_as_each_other(hand_in: HandIn, assignment: Assignment) -> None:
    hand_in(zipped({"ada/m.py": "# nothing\n", "ben/m.py": "# nothing\n", "cleo/m.py": COPIED}))
    assert assignment.reports.get().duplicates == []


@pytest.mark.long
def test_the_report_names_its_groups_and_what_their_members_share(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": COPIED, "cleo/m.py": HONEST}))
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#same-heading") == "Identical submissions"
    assert page.texts(".same > p:not(.hint)") == ["2 submissions, the same bytes: ada, ben"]
    assert page.text("#cases-heading") == "Cases"


@pytest.mark.long
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
