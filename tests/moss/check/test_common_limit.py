"""The common limit by default and with `-m`: what a ring shares is shown, or is common code."""

import json
from pathlib import Path
from random import Random

import pytest

from tests.moss.check.test_check import check, folder
from tests.support.html import Page
from tests.support.programs import program

RING, HONEST = 12, 12


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    """A class in which twelve handed in the same program."""
    random = Random(1)
    copied = program(random)
    copies = {f"ring{number:02}.py": copied for number in range(RING)}
    return folder(tmp_path / "class", copies | {f"own{n:02}.py": program(random) for n in range(HONEST)})


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "limit", "hidden"),
    [((), 10, False), (("-m", "10"), 10, True), (("-m", "90%"), 21, False), (("-m", "40%"), 9, True)],
)
def test_copies_count_as_one_by_default_and_each_with_a_chosen_limit(
    ring: Path,
    options: tuple[str, ...],
    limit: int,
    hidden: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    report = json.loads(check(ring, *options, "--format", "json").stdout)
    assert report["common_limit"] == limit
    assert report["counts_alike_as_one"] == (not options)
    pairs = [row for row in report["pairs"] if row["left"][:4] == row["right"][:4] == "ring"]
    assert len(pairs) == RING * (RING - 1) // 2
    assert {row["similarity"] for row in pairs} == {1.0}
    # What is common is listed all the same, and marked.
    assert all(row["passages"] for row in pairs)
    assert {all(one["common"] for one in row["passages"]) for row in pairs} == {hidden}
    text = Page(check(ring, *options, "--format", "html").stdout).text(".lead")
    assert ("alike count as one" in text) == (not options)
    assert ("common code only" in check(ring, *options).stdout) == hidden
