"""The judge: what a ranked class of a test states is compared with its own sources and decisions."""

from submissions.models import Assignment, Report
from tests.support.checking.findings import contradictions


def judge(assignment: Assignment) -> None:
    """Fail where the newest report of an assignment contradicts itself."""
    report = assignment.reports.filter(state=Report.State.DONE).order_by("pk").last()
    found = list(contradictions(report)) if report else []
    assert not found, found
