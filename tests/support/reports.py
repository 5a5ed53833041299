"""Finished reports of invented pairs, for tests that need similarities but no sources."""

import random
from collections.abc import Mapping
from itertools import pairwise

from submissions.core.models import BestMatch, Findings
from submissions.models import Assignment, Pair, Report, Submission

SimilarityByPair = dict[tuple[str, str], float]


def build_pair(report: Report, left: Submission, right: Submission, similarity: float) -> Pair:
    return Pair(
        report=report,
        left=left,
        right=right,
        similarity=similarity,
        left_share=similarity,
        right_share=similarity,
        left_with_common=similarity,
        right_with_common=similarity,
        tokens=round(400 * similarity),
        lines=round(80 * similarity),
        longest=round(200 * similarity),
        structure=similarity,
        literals=0.0,
        names=0.0,
    )


def create_report(assignment: Assignment, pairs: Mapping[tuple[str, str], float], threshold: float = 0.5) -> Report:
    """Return a report with these similarities by pair of names, as if all came from one upload."""
    batch = assignment.batches.create(name="class.zip", state="done")
    names = sorted({name for both in pairs for name in both})
    submissions = {name: batch.submissions.create(name=name) for name in names}
    reason = f"no pair lies between {threshold - 0.1:.2f} and {threshold:.2f}"
    report: Report = assignment.reports.create(
        state="done", parameters={"guarantee": 12, "threshold": {"value": threshold, "reason": reason}}
    )
    report.submissions.set(submissions.values())
    Pair.objects.bulk_create(
        build_pair(report, submissions[left], submissions[right], value) for (left, right), value in pairs.items()
    )
    best = [_best(name, submissions, pairs) for name in names]
    report.findings = Findings(best=best, scored=len(pairs), listed=len(pairs))
    report.save()
    return report


def findings_of(report: Report) -> Findings:
    """Return the findings of a report, which must not be None."""
    assert report.findings is not None
    return report.findings


def _best(name: str, submissions: Mapping[str, Submission], pairs: Mapping[tuple[str, str], float]) -> BestMatch:
    value, match = max((value, both[both[0] == name]) for both, value in pairs.items() if name in both)
    return BestMatch(submission=submissions[name].pk, match=submissions[match].pk, similarity=value)


def random_similarities(size: int, seed: int = 5) -> SimilarityByPair:
    """Return similarities by pair of names: most of them low, those of some pairs and a few groups high."""
    generator = random.Random(seed)
    names = [f"student-{number:04}" for number in range(size)]
    pairs: SimilarityByPair = {}
    for at, name in enumerate(names):
        pairs[name, names[(at + 7) % size]] = min(0.45, max(0.02, generator.gauss(0.22, 0.07)))
    shuffled = generator.sample(names, size)
    groups = [8, 5, 4, 3, 3, *([2] * (size // 25))]
    for group in groups:
        members = [shuffled.pop() for _ in range(min(group, len(shuffled)))]
        for first, second in pairwise(members):
            pairs[first, second] = generator.uniform(0.55, 0.98)
        for _ in range(len(members) - 2):
            first, second = generator.sample(members, 2)
            pairs[first, second] = generator.uniform(0.5, 0.9)
    ordered = {tuple(sorted(both)): value for both, value in pairs.items()}
    return {(left, right): value for (left, right), value in ordered.items()}
