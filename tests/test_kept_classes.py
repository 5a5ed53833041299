"""A class that is brought back as rows is the class that was ranked."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Pair, Report
from tests.support import kept_classes
from tests.support.kept_classes import stored
from tests.support.other_sessions import filled_tables
from tests.support.planned_rankings import content
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

NAME = "a class of this test"


class Store:
    """Stores a class, and counts how often it was ranked for that."""

    def __init__(self, assignment: Assignment, hand_in: HandIn) -> None:
        self.assignment, self.hand_in, self.ranked = assignment, hand_in, 0

    def __call__(self) -> Report:
        stored(NAME, self._rank)
        return self.assignment.reports.get()

    def _rank(self) -> None:
        self.ranked += 1
        self.hand_in(zipped(CLASS))

    def in_an_earlier_test(self) -> tuple[Report, dict[str, object], str]:
        """Store the class in a transaction that ends as that of a test; return what it was."""
        with transaction.atomic():
            report = self()
            was = (report, content(report), kept_classes.rows_of(filled_tables()))
            transaction.set_rollback(True)
        assert not Report.objects.exists()
        return was


@pytest.fixture
def store(assignment: Assignment, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(kept_classes, "KEPT", {})
    return Store(assignment, hand_in)


def test_every_row_and_figure_is_as_it_was(store: Store) -> None:
    report, figures, rows = store.in_an_earlier_test()
    assert store() == report
    assert store.ranked == 1
    assert content(store.assignment.reports.get()) == figures
    assert kept_classes.rows_of(filled_tables()) == rows
    assert '"name": "ada"' in rows


def test_its_times_are_as_if_it_was_stored_now(store: Store) -> None:
    report, _, _ = store.in_an_earlier_test()
    hours = timedelta(hours=5)
    (key, kept), *_ = kept_classes.KEPT.items()
    kept_classes.KEPT[key] = replace(kept, stored=kept.stored - hours)
    assert store().created - report.created >= hours


def test_another_start_or_another_setting_is_ranked_by_itself(store: Store, settings: Settings) -> None:
    store.in_an_earlier_test()
    with transaction.atomic():
        store.assignment.teams = "ada, ben"
        store.assignment.save()
        assert not Pair.objects.filter(report=store(), left__name="ada", right__name="ben").exists()
        transaction.set_rollback(True)
    store.assignment.refresh_from_db()
    settings.SHARD_SECONDS = 1000.0
    assert Pair.objects.filter(report=store(), left__name="ada", right__name="ben").exists()
    assert store.ranked == 3


def test_steps_that_store_accounts_are_refused(db: None) -> None:
    with pytest.raises(AssertionError, match="has no users"):
        stored(NAME, lambda: User.objects.create(username="dora"))
