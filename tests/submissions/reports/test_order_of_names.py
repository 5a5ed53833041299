"""Decisions find their pairs again in a database that sorts names otherwise: it is not asked."""

from itertools import combinations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.cases.read import pair_names
from submissions.models import Assignment, Submission
from submissions.reports.results import name_ranks

pytestmark = pytest.mark.services

# Sorted as a dictionary has them, which differs from the order of their code points.
NAMES = ("a", "a-b", "aa", "Ä", "B", "z")


def test_the_sides_of_a_pair_and_of_its_decision_follow_from_the_code_points_of_the_names(
    assignment: Assignment,
) -> None:
    batch = assignment.batches.create(name="class.zip", state="done")
    submissions = [batch.submissions.create(name=name) for name in NAMES]
    ranks = dict(zip(NAMES, ranks_without_the_database(submissions), strict=True))
    assert sorted(NAMES, key=ranks.__getitem__) == sorted(NAMES)
    for one, other in combinations(submissions, 2):
        with CaptureQueriesContext(connection) as asked:
            names = pair_names(assignment, one.pk, other.pk)
        assert ranks[names.left] < ranks[names.right]
        assert not any("ORDER BY" in query["sql"] for query in asked)


def ranks_without_the_database(submissions: list[Submission]) -> list[int]:
    with CaptureQueriesContext(connection) as asked:
        ranks = name_ranks(submissions)
    assert len(asked) == 0
    return ranks
