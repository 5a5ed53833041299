"""The same class has the same figures in `moss check` and on the web."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from moss.check.outputs import pair_row
from moss.check.rank import LocalReport, RankingOptions, rank_path
from submissions.matches.ranked_pairs import PairRow
from submissions.models import Assignment, Pair, Report
from tests.moss.check.test_check import folder
from tests.support.long_rows import rest_is_long
from tests.support.programs import program, renamed
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

Figures = dict[frozenset[tuple[str, float, float | None]], tuple[float, ...]]

pytestmark = pytest.mark.services


def class_of(*, ring: int, template: str, functions: int) -> dict[str, str]:
    """Return 20 unlike programs and a ring of copies, half of them renamed, with a template before all."""
    honest = {f"s{n:02}": program(Random(n), functions) for n in range(20)}
    copied = program(Random(50), functions)
    copies = {f"r{n:02}": renamed(copied) if n % 2 else copied for n in range(ring)}
    return {f"{name}/a.py": template + source for name, source in (honest | copies).items()}


def figures(rows: Iterable[PairRow]) -> Figures:
    """Return the figures of pairs, each share with the name of its side."""
    return {
        frozenset(
            [
                (row.left, row.left_share, row.left_without_common),
                (row.right, row.right_share, row.right_without_common),
            ]
        ): (row.similarity, row.tokens, row.lines, row.longest)
        for row in rows
    }


def stored_row(pair: Pair) -> PairRow:
    return PairRow(
        pair.left.name,
        pair.right.name,
        similarity=round(pair.similarity, 6),
        left_share=round(pair.left_with_common, 6),
        right_share=round(pair.right_with_common, 6),
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
        mark="",
        left_without_common=round(pair.left_share, 6),
        right_without_common=round(pair.right_share, 6),
    )


def local(root: Path) -> LocalReport:
    return rank_path(root, RankingOptions(show=5_000), lambda _count: lambda: None)


@pytest.mark.long
@pytest.mark.parametrize(
    "files",
    rest_is_long(
        [
            class_of(ring=12, template=program(Random(99), 1), functions=2),
            class_of(ring=2, template="", functions=4),
            class_of(ring=3, template=program(Random(98), 2), functions=1),
        ]
    ),
    ids=["a ring of twelve and a template", "two copies", "intro task"],
)
def test_every_figure_and_the_threshold_are_the_same(
    tmp_path: Path, hand_in: HandIn, assignment: Assignment, files: dict[str, str]
) -> None:
    hand_in(zipped(files))
    report = Report.objects.get(assignment=assignment)
    checked = local(folder(tmp_path, files))
    on_web = [stored_row(pair) for pair in report.pairs.select_related("left", "right")]
    assert figures(on_web) == figures(pair_row(checked, pair) for pair in checked.pairs())
    threshold = report.parameters["threshold"]
    assert threshold == checked.ranking.threshold._asdict() | {"many_whole": threshold["many_whole"]}
    assert report.parameters["common_limit"] == checked.inputs.cohort.limit
    with_passages = {(pair.left.name, pair.right.name) for pair in report.pairs.all() if pair.passages}
    assert len(with_passages) == len(on_web)
