"""The effect of ignoring lines, measured before it is stored, and starter code that is offered."""

from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from submissions.cases.read import report_cases
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Boilerplate, IgnoringProposal, Report
from submissions.pairs.read import threshold_of
from submissions.reports import jobs as measuring
from submissions.reports.change import choose_lines, ignore_lines, propose_passage
from submissions.reports.cohort import LoadedCohort, Selection, load_cohort
from submissions.reports.jobs import GONE
from submissions.uploads.change import rerank
from tests.submissions.reports.test_findings import TEMPLATE
from tests.support.html import get_page, page_of
from tests.support.jobs import carry_out, let_time_pass, work_off
from tests.support.kept_classes import stored
from tests.support.programs import program
from tests.support.sample_class import COPIED, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn

# Line 1 is empty. Every program goes on with the head of a function, whose body is its own.
TEMPLATE_LINES = (2, 5)


def copied() -> str:
    """Return code that two submissions share, besides the template that everybody was given."""
    return program(Random(900)) + COPIED


@pytest.fixture
def report(hand_in: HandIn, assignment: Assignment) -> Report:
    """Return the report of twenty submissions with a template; the code below it of two of them is one."""
    parts = [program(Random(n)) for n in range(20)]
    parts[4] = parts[5] = copied()
    files = {f"student-{n:02}/main.py": TEMPLATE + part for n, part in enumerate(parts)}
    stored("a copy below a template", lambda: hand_in(zipped(files)))
    return Report.objects.get(assignment=assignment, state=Report.State.DONE)


@pytest.fixture
def proposal(report: Report) -> IgnoringProposal:
    """Return the proposal of the passage of the copy, with its effect."""
    pair = report.pairs.all()[0]
    assert {pair.left.name, pair.right.name} == {"student-04", "student-05"}
    proposal = propose_passage(report.assignment, pair, pair.passages[0].key)
    assert proposal
    return measured(proposal)


def measured(proposal: IgnoringProposal) -> IgnoringProposal:
    work_off("measure_ignoring")
    proposal.refresh_from_db()
    assert proposal.message == ""
    return proposal


def chosen_lines(client: Client, proposal: IgnoringProposal) -> tuple[int, int]:
    page = get_page(client, reverse("ignoring", args=[proposal.pk]))
    numbers = [int(text) for text in page.texts("tr.picked th")]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    return numbers[0], numbers[-1]


def test_of_a_copy_below_starter_code_only_the_starter_code_is_chosen_and_the_copy_stays_a_case(
    alice_client: Client, proposal: IgnoringProposal, committing: Committing
) -> None:
    assert chosen_lines(alice_client, proposal) == TEMPLATE_LINES
    assert proposal.counts
    by_line = dict(enumerate(proposal.counts.counts, proposal.counts.first))
    assert {by_line[line] for line in range(TEMPLATE_LINES[0], TEMPLATE_LINES[1] + 1)} == {20}
    assert 2 in by_line.values()
    said = proposal.effect
    assert said
    with committing(execute=True):
        ignore_lines(proposal)
    newest = Report.objects.get(assignment=proposal.assignment, state=Report.State.DONE)
    assert newest.pairs.all()[0].similarity > threshold_of(newest)
    assert (said.cases, said.threshold) == (len(report_cases(newest)), threshold_of(newest))
    assert said.cases >= 1


def test_what_was_said_before_is_what_the_next_report_has(
    report: Report, proposal: IgnoringProposal, committing: Committing
) -> None:
    def above(report: Report) -> set[tuple[str, str]]:
        pairs = report.pairs.filter(similarity__gte=threshold_of(report))
        return set(pairs.values_list("left__name", "right__name"))

    before = above(report)
    assert choose_lines(proposal, 1, 10**6)
    said = measured(proposal).effect
    assert said
    assert said.cases_before == len(report_cases(report))
    with committing(execute=True):
        ignore_lines(proposal)
    newest = Report.objects.get(assignment=proposal.assignment, state=Report.State.DONE)
    assert (said.cases, said.threshold) == (len(report_cases(newest)), threshold_of(newest))
    assert said.lowered_count == len(before - above(newest)) == 1
    assert said.raised_count == len(above(newest) - before)
    lowered = sorted([said.lowered[0].left, said.lowered[0].right])
    assert [one.submissions for one in newest.duplicates if one.sameness == "identical"] == [lowered]


def test_an_effect_is_measured_although_another_report_comes_meanwhile(
    report: Report, proposal: IgnoringProposal, monkeypatch: pytest.MonkeyPatch
) -> None:

    def load_and_rank_again(assignment: Assignment, selection: Selection) -> LoadedCohort:
        cohort = load_cohort(assignment, selection)
        if Report.objects.filter(pk=report.pk).exists():
            rerank(assignment)
            carry_out("rank", assignment.pk)
        return cohort

    said = proposal.effect
    monkeypatch.setattr(measuring, "load_cohort", load_and_rank_again)
    assert choose_lines(proposal, *TEMPLATE_LINES)
    carry_out("measure_ignoring", proposal.pk)
    assert not Report.objects.filter(pk=report.pk).exists()
    let_time_pass()
    assert measured(proposal).effect == said


def test_the_page_lists_the_pair_that_falls_and_calls_rare_lines_so(
    alice_client: Client, proposal: IgnoringProposal
) -> None:
    address, choose = (reverse(name, args=[proposal.pk]) for name in ("ignoring", "choose_lines"))
    alice_client.post(choose, {"first": 1, "last": 999})
    assert get_page(alice_client, address).has("#proposal[hx-get] progress")
    measured(proposal)
    page = get_page(alice_client, address)
    assert "1 pair falls below the threshold." in page.texts("#proposal li")
    row = page.text("#proposal .moved tbody th")
    assert row == "student-04 and student-05 stays listed as identical"
    assert not Boilerplate.objects.exists()
    assert proposal.counts
    line = proposal.counts.first + proposal.counts.counts.index(2)
    alice_client.post(choose, {"first": line, "last": line})
    measured(proposal)
    rare = get_page(alice_client, address).text("#change-heading ~ p")
    assert rare.startswith("Some of these lines are in only 2 of 20 submissions")
    alice_client.post(choose, {"first": 1, "last": 1})
    effect = measured(proposal).effect
    assert effect
    assert not effect.lowered_count
    assert "No pair falls below the threshold." in get_page(alice_client, address).texts("#proposal li")


@pytest.mark.parametrize("sent", [{}, {"first": "0", "last": "3"}, {"first": "5000", "last": "6000"}, {"first": "x"}])
def test_lines_without_code_change_nothing(
    alice_client: Client, proposal: IgnoringProposal, sent: dict[str, str]
) -> None:
    response = alice_client.post(reverse("choose_lines", args=[proposal.pk]), sent)
    assert response.status_code == 422
    before = (proposal.chosen_first, proposal.chosen_after, proposal.effect)
    proposal.refresh_from_db()
    assert (proposal.chosen_first, proposal.chosen_after, proposal.effect) == before


def test_code_of_most_of_the_class_is_offered_to_who_may_register_it(
    alice_client: Client, report: Report, committing: Committing
) -> None:
    page = get_page(alice_client, report.assignment.get_absolute_url())
    assert "All 20 submissions have this code" in page.text(".starter form > p")
    fields = {name: page.one(f".starter [name={name}]").attributes["value"] for name in ("document", "first")}
    response = alice_client.post(reverse("propose_starter", args=[report.assignment_id]), fields)
    proposal = measured(IgnoringProposal.objects.get())
    assert response.headers["Location"] == reverse("ignoring", args=[proposal.pk])
    assert chosen_lines(alice_client, proposal) == TEMPLATE_LINES
    with committing(execute=True):
        alice_client.post(reverse("ignore_lines", args=[proposal.pk]))
    assert not get_page(alice_client, report.assignment.get_absolute_url()).has(".starter")
    assert get_page(alice_client, tab(report.assignment, "ignored")).text("section.left-out .acts .name") == (
        "passage of main.py, lines 2 to 5"
    )


def test_only_code_that_the_report_found_can_be_proposed(alice_client: Client, report: Report) -> None:
    address = reverse("propose_starter", args=[report.assignment_id])
    for sent in ({}, {"document": "987654321", "first": "0"}, {"document": "٣", "first": "9" * 400}):
        response = alice_client.post(address, sent, follow=True)
        assert "not common code of the newest report" in page_of(response).text(".notices")
    assert not IgnoringProposal.objects.exists()


def test_of_lines_whose_upload_was_deleted_meanwhile_it_is_said_why_nothing_is_measured(
    report: Report, assignment: Assignment, hand_in: HandIn
) -> None:
    pair = report.pairs.all()[0]
    proposal = propose_passage(assignment, pair, pair.passages[0].key)
    assert proposal
    batch = assignment.batches.get()
    hand_in(zipped({f"late-{n}/main.py": program(Random(50 + n)) for n in range(3)}))
    delete_batch(batch)
    work_off("measure_ignoring")
    proposal.refresh_from_db()
    assert proposal.message == GONE
    assert not proposal.is_pending
