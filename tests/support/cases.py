"""A report with two cases, and deciding them on their pages."""

from typing import Any

from django.test import Client
from django.urls import reverse

from submissions.cases.case_list import Case, cases
from submissions.models import Report
from submissions.reports.read import PairFilter, ranked_pairs
from tests.support.html import Page, page_of

# A case of Ann, Ben and Cal, and one of Eve and Fay.
SIMILARITIES = {("ann", "ben"): 0.9, ("ben", "cal"): 0.6, ("ann", "cal"): 0.2, ("eve", "fay"): 0.7}


def case_of(report: Report, name: str) -> Case:
    """Return the case of the submission with this name."""
    return next(case for case in cases(report) if name in case.names)


def address(report: Report, name: str, page: str = "case") -> str:
    """Return the address of a page of the case of this submission."""
    return reverse(page, args=[report.assignment_id, case_of(report, name).key])


def decide(client: Client, report: Report, name: str, **sent: Any) -> Page:
    """Decide the case of this submission on its page, and return the page that answers."""
    unchanged = {"state": "undecided", "assignee": "", "notes": "", "seen": 0}
    sent = unchanged | {"decided_on": case_of(report, name).members_key} | sent
    return page_of(client.post(address(report, name, "decide_case"), sent, follow=True))


def states(report: Report) -> dict[tuple[str, str], str]:
    """Return the decision on each pair by the names of its submissions."""
    return {(pair.left.name, pair.right.name): pair.decision for pair in ranked_pairs(report, PairFilter())}
