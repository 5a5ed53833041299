"""An invented report of a large class: submissions and pairs as rows, without sources."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from submissions.core.models import BestMatch, Findings
from submissions.matches.groups import connected_components
from submissions.models import Batch, Pair, Report, Submission

if TYPE_CHECKING:
    from submissions.models import Assignment, Course

THRESHOLD = 0.5
# Most pairs of a class are alike by chance, about so much.
USUAL_SIMILARITY, SPREAD, PAIRS_THAT_STAND_OUT = 0.2, 0.07, 0.03


def invented_report(course: Course, submissions: int, pairs: int, seed: int = 11) -> Assignment:
    """Create an assignment with a finished report of so many submissions and pairs, and return it."""
    random = Random(seed)
    assignment: Assignment = course.assignments.create(name="Invented")
    batch = assignment.batches.create(name="class.zip", state=Batch.State.DONE)
    names = (f"student-{number:04}" for number in range(submissions))
    members = Submission.objects.bulk_create(Submission(batch=batch, name=name) for name in names)
    threshold = {"value": THRESHOLD, "reason": "this report is invented"}
    report = assignment.reports.create(state=Report.State.DONE, parameters={"threshold": threshold})
    report.submissions.set(members)
    rows = _pairs(random, report, members, pairs)
    Pair.objects.bulk_create(rows, batch_size=1_000)
    report.findings = _findings(members, rows)
    report.save()
    return assignment


def _pairs(random: Random, report: Report, members: list[Submission], count: int) -> list[Pair]:
    count = min(count, len(members) * (len(members) - 1) // 2)
    chosen: set[tuple[int, int]] = set()
    while len(chosen) < count:
        left, right = sorted(random.sample(range(len(members)), 2))
        chosen.add((left, right))
    return [_pair(random, report, members[left], members[right]) for left, right in sorted(chosen)]


def _pair(random: Random, report: Report, left: Submission, right: Submission) -> Pair:
    stands_out = random.random() < PAIRS_THAT_STAND_OUT
    usual = min(max(random.gauss(USUAL_SIMILARITY, SPREAD), 0.01), THRESHOLD - 0.01)
    share = random.uniform(THRESHOLD, 1) if stands_out else usual
    tokens = round(400 * share)
    parts = {"structure": share, "literals": 0.0, "names": 0.0}
    sizes = {"tokens": tokens, "lines": tokens // 5, "longest": tokens // 2}
    sides = ("left_share", "right_share", "left_with_common", "right_with_common")
    shares = dict.fromkeys(("similarity", *sides), share)
    return Pair(report=report, left=left, right=right, **shares, **sizes, **parts)


def _findings(members: list[Submission], pairs: list[Pair]) -> Findings:
    best = {member.pk: BestMatch(submission=member.pk, match=None, similarity=0.0) for member in members}
    for pair in sorted(pairs, key=lambda pair: pair.similarity):
        for one, other in ((pair.left_id, pair.right_id), (pair.right_id, pair.left_id)):
            best[one] = BestMatch(submission=one, match=other, similarity=pair.similarity)
    above = [(pair.left_id, pair.right_id) for pair in pairs if pair.similarity >= THRESHOLD]
    return Findings(
        best=list(best.values()),
        scored=len(members) * (len(members) - 1) // 2,
        listed=len(pairs),
        above=len(above),
        cases=[sorted(ids) for ids in connected_components(above)],
    )
