from __future__ import annotations

from typing import TYPE_CHECKING

from submissions import ranking
from submissions.models import Report
from tests.cast import CLASS, STARTER, zipped

if TYPE_CHECKING:
    import pytest

    from tests.handing_in import HandIn

pytest_plugins = ["tests.handing_in"]


def test_every_submission_has_its_best_match(report: Report) -> None:
    names = dict(report.submissions.values_list("pk", "name"))
    of_pairs = [
        (side, other, pair.similarity)
        for pair in report.pairs.all()
        for side, other in ((pair.left_id, pair.right_id), (pair.right_id, pair.left_id))
    ]
    assert [names[pk] for pk, *_ in report.findings["best"]] == ["ada", "ben", "cleo"]
    for pk, other, similarity in report.findings["best"]:
        assert similarity == max(value for side, _, value in of_pairs if side == pk)
        assert (pk, other, similarity) in of_pairs


def test_best_matches_are_told_from_pairs_that_are_not_listed_too(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "SHOWN", 1)
    report = Report.objects.get(assignment=hand_in(zipped(CLASS)).assignment)
    assert report.pairs.count() == 1
    assert all(other for _, other, _ in report.findings["best"])


def test_a_submission_that_is_like_nobodys_has_no_best_match(hand_in: HandIn) -> None:
    lonely = {"ada/main.py": CLASS["cleo/main.py"].removeprefix(STARTER), "ben/main.py": "print('hello')\n"}
    report = Report.objects.get(assignment=hand_in(zipped(lonely)).assignment)
    assert [(other, similarity) for _, other, similarity in report.findings["best"]] == [(None, 0.0)] * 2
