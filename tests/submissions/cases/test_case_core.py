"""The code that all submissions of a case share, on a page and in a document, against their sources."""

import re
from collections.abc import Callable
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from fingerprint.engine import Params
from fingerprint.reading import read
from submissions.cases.case_list import cases
from submissions.cases.read import case_core
from submissions.models import Assignment, Report
from submissions.reports.change import choose_threshold
from tests.support.checking.findings import contradictions
from tests.support.html import Page, get_page
from tests.support.programs import program
from tests.support.reports import create_report
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

ALL, *PARTS = (program(Random(seed), 4) for seed in (3, 1, 2, 4))


STATED = re.compile("At least ([0-9]+)\u202f% of (\\w+)\u2019s code is in the code of each of the 2 others.")


def kinds(source: str) -> list[int]:
    return [int(kind) for kind in read(source.encode(), "m.py").tokens.kinds]


def kgrams(source: str) -> list[tuple[int, ...]]:
    tokens, k = kinds(source), Params().k
    return [tuple(tokens[at : at + k]) for at in range(len(tokens) - k + 1)]


def covered(source: str, other: str) -> set[int]:
    """Return the tokens of a source that are in a k-gram which the other one has too."""
    there = {*kgrams(other)}
    return {at + n for at, kgram in enumerate(kgrams(source)) if kgram in there for n in range(Params().k)}


@pytest.fixture
def pages_of(
    alice: User, alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> Callable[..., list[Page]]:
    """Return a function that hands in a class, and returns the page and the document of its first case."""

    def pages(**sources: str) -> list[Page]:
        hand_in(zipped({f"{name}/m.py": source for name, source in sources.items()}))
        choose_threshold(assignment, alice, 20)
        report = Report.objects.get(assignment=assignment)
        assert list(contradictions(report)) == []
        key = cases(report)[0].key
        queries = {"case": {}, "export_case": {"format": "html", "names": "open", "decision": "on"}}
        return [
            get_page(alice_client, reverse(name, args=[assignment.pk, key]), **query)
            for name, query in queries.items()
        ]

    return pages


def test_it_is_the_code_that_one_member_shares_with_every_other_one(
    pages_of: Callable[..., list[Page]],
) -> None:
    sources = {
        name: ALL + source_of_core for name, source_of_core in zip(("ann", "ben", "cal"), PARTS, strict=False)
    }
    pages = pages_of(**sources)
    for page in pages:
        match = STATED.search(page.text())
        assert match, page.text()
        source_of_core, others = (
            sources[match[2]],
            [source for name, source in sources.items() if name != match[2]],
        )
        at_most = set.intersection(*(covered(source_of_core, other) for other in others))
        stated, total = int(match[1]), len(kinds(source_of_core))
        assert 100 * len(kinds(ALL)) / total - 2 < stated <= 100 * len(at_most) / total


def test_a_case_that_holds_together_two_by_two_has_no_code_in_common(
    pages_of: Callable[..., list[Page]],
) -> None:
    first, second, *_ = PARTS
    for page in pages_of(ann=first, ben=first + second, cal=second):
        assert "The passages that ben shares with 2 others have no code in common." in page.text()


def test_nothing_is_said_of_a_pair(assignment: Assignment) -> None:
    report = create_report(assignment, {("ann", "ben"): 0.9})
    assert case_core(report, list(report.submissions.all())) is None
