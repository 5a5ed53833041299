"""Reports of random classes contradict nothing, and whatever is changed in one is found."""

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from submissions.cases.case_list import cases
from submissions.cases.change import CaseNames, DecisionInput, decide, decide_case
from submissions.cases.read import PairNames
from submissions.core.models import DuplicateRecord
from submissions.models import Assignment, Decision, Ignored, Pair, Report
from submissions.reports.change import choose_threshold
from submissions.reports.read import report_state
from tests.support.checking.findings import contradictions
from tests.support.long_rows import rest_is_long
from tests.support.programs import program, renamed
from tests.support.reports import findings_of
from tests.support.sample_class import STARTER, loose, zipped
from tests.support.uploads import HandIn, register_boilerplate

STATES = [state.value for state in Decision.State]


def random_class(random: Random) -> dict[str, str]:
    """Return a class with copies that were renamed, laid out otherwise, cut, extended or left as they are."""
    files = {f"own{n:02}/main.py": STARTER + program(random, random.randrange(1, 5)) for n in range(12)}
    originals = random.sample(sorted(files), 4)
    disguises: list[Callable[[str], str]] = [
        str,
        renamed,
        lambda text: text.replace("\n    ", "\n        ") + "\n# the end\n",
        lambda text: text[: len(text) // 2].rpartition("\n")[0],
        lambda text: program(random, 1) + text + program(random, 1),
    ]
    for number, original in enumerate(originals * 2):
        files[f"copy{number:02}/part.py"] = random.choice(disguises)(files[original])
    files["two/a.py"], files["two/b.py"] = files[originals[0]], program(random, 1)
    return files


def decided_at_random(report: Report, user: User, random: Random) -> None:
    assignment = report.assignment
    for pair in random.sample(list(report.pairs.select_related("left", "right")), min(3, report.pairs.count())):
        names = PairNames.from_pair(pair)
        decide(assignment, names, user, DecisionInput(random.choice(STATES), None, None))
    listed = {frozenset(both) for both in report.pairs.values_list("left__name", "right__name")}
    names_of_class = sorted(report.submissions.values_list("name", flat=True))
    unlisted = [both for both in combinations(names_of_class, 2) if frozenset(both) not in listed]
    for left, right in random.sample(unlisted, min(3, len(unlisted))):
        Decision.objects.create(
            assignment=assignment, left=left, right=right, state=random.choice(("suspicious", "clear"))
        )
    for case in cases(report)[:2]:
        members = CaseNames(case.names, set(), random.choice((0.2, 0.5, 0.9)))
        decide_case(assignment, members, user, DecisionInput(random.choice(STATES), None, None))


@pytest.fixture
def report_of(hand_in: HandIn, assignment: Assignment, alice: User) -> Callable[[int], Report]:
    """Return a function that ranks and decides a class drawn from a seed."""

    def rank(seed: int) -> Report:
        random = Random(seed)
        assignment.compare_mates = seed % 2 == 1
        assignment.teams = "own00, own01, copy00\ncopy01, own03"
        assignment.common_limit = random.choice((None, 5, 12))
        assignment.save()
        if seed % 3:
            register_boilerplate(assignment, loose("starter.py", STARTER))
        hand_in(zipped(random_class(random)))
        report = report_state(assignment).report
        assert report is not None
        decided_at_random(report, alice, random)
        return report

    return rank


@pytest.mark.parametrize("seed", rest_is_long(range(4)))
def test_the_report_of_a_random_class_contradicts_nothing_at_any_threshold(
    report_of: Callable[[int], Report], alice: User, seed: int
) -> None:
    report = report_of(seed)
    assert report.pairs.count() > 10
    assert report.duplicates
    for percent in (None, 20, 55, 90):
        choose_threshold(report.assignment, alice, percent)
        assert list(contradictions(report)) == []


def first(report: Report) -> Pair:
    """Return the most similar pair that has passages."""
    pair = report.pairs.filter(structure__gt=0, tokens__gt=20).first()
    assert pair is not None
    return pair


def changed(name: str, change: Callable[[Any], object]) -> Callable[[Report], object]:
    """Return a function that changes one column of the most similar pair."""

    def apply(report: Report) -> None:
        pair = first(report)
        Pair.objects.filter(pk=pair.pk).update(**{name: change(getattr(pair, name))})

    return apply


def exchange_sides(report: Report) -> None:
    pair = first(report)
    Pair.objects.filter(pk=pair.pk).update(left=pair.right_id, right=pair.left_id)


def move_passage(report: Report) -> None:
    pair = first(report)
    passages = [pair.passages[0]._replace(left_token=pair.passages[0].left_token + 1), *pair.passages[1:]]
    pair.passages = passages
    pair.save()


def repeat_passage(report: Report) -> None:
    pair = first(report)
    pair.passages = [*pair.passages, pair.passages[0]]
    pair.save()


def with_findings(**change: Any) -> Callable[[Report], object]:
    def apply(report: Report) -> None:
        report.findings = findings_of(report).model_copy(update=change)
        report.save()

    return apply


def lower_a_best_match(report: Report) -> None:
    best = [one.model_copy(update={"similarity": one.similarity / 2}) for one in findings_of(report).best]
    with_findings(best=best)(report)


def leave_out_a_best_match(report: Report) -> None:
    with_findings(best=findings_of(report).best[1:])(report)


def join_two_cases(report: Report) -> None:
    listed = findings_of(report).cases
    assert listed
    with_findings(cases=[sorted(pk for ids in listed for pk in ids)])(report)


def call_a_pair_identical(report: Report) -> None:
    pair = report.pairs.order_by("similarity").first()
    assert pair is not None
    group = DuplicateRecord(sameness="identical", submissions=[pair.left_id, pair.right_id])
    report.duplicates = [*report.duplicates, group]
    report.save()


def count_what_is_ignored(report: Report) -> None:
    Ignored.objects.filter(report=report).delete()


PLANTED: dict[str, tuple[Callable[[Report], object], str]] = {
    "similarity": (changed("similarity", lambda value: value / 2), "the evidence adds up"),
    "left share": (changed("left_share", lambda value: value - 0.01), "the left share is"),
    "right share": (changed("right_share", lambda value: value * 0.99), "the right share is"),
    "tokens": (changed("tokens", lambda value: value + 1), "the number of tokens is"),
    "lines": (changed("lines", lambda value: value + 1), "the number of lines is"),
    "longest": (changed("longest", lambda value: value - 1), "the longest passage is"),
    "evidence": (changed("literals", lambda _value: -0.1), "literals is -0.1"),
    "sides": (exchange_sides, "the name on the right sorts first"),
    "passage": (move_passage, "of a passage are not those of its files"),
    "overlap": (repeat_passage, "passages overlap"),
    "listed": (with_findings(listed=1), "1 listed pairs are stated"),
    "scored": (with_findings(scored=1), "1 pairs were scored"),
    "above": (with_findings(above=1), "1 pairs stand out, it is stated"),
    "best": (lower_a_best_match, "above the best match"),
    "no best": (leave_out_a_best_match, "no best match is stated"),
    "cases": (join_two_cases, "is shown only"),
    "identical": (call_a_pair_identical, "called identical"),
    "ignored": (count_what_is_ignored, "share is"),
}


def is_found(report: Report, change: Callable[[Report], object], expected: str) -> bool:
    """Return whether a change of a report is found; it is undone."""
    with transaction.atomic():
        change(Report.objects.get(pk=report.pk))
        lines = list(contradictions(Report.objects.get(pk=report.pk)))
        transaction.set_rollback(True)
    return any(expected in line for line in lines)


def test_each_figure_that_is_changed_in_a_report_is_found(report_of: Callable[[int], Report]) -> None:
    report = report_of(1)
    assert [name for name, planted in PLANTED.items() if not is_found(report, *planted)] == []
