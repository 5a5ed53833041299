"""Ranks of copies: ties, groups and tasks, and the rewrites that the ranks are measured on."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import ranks
from bench.labelled import LabelledPair, LabelledSet, find_sets, write_pairs
from bench.ranks import copy_ranks, place, summary_rows
from tests.support.paths import ROOT

REWRITES = ROOT / "bench" / "rewrites"


def pair(first: str, second: str, label: int, group: str = "c", level: str = "non") -> LabelledPair:
    return LabelledPair(f"{group}/{first}", f"{group}/{second}", label, group, level)


def test_the_best_pair_has_place_one_and_equal_pairs_are_in_the_middle() -> None:
    assert place(0.9, np.array([0.1, 0.8])) == 1
    assert place(0.5, np.array([0.9, 0.5, 0.5, 0.1])) == 3
    assert place(0.0, np.array([0.0, 0.0, 0.0, 0.0])) == 3


def test_a_copy_is_ranked_among_the_honest_pairs_of_its_group_and_of_its_task() -> None:
    pairs = [
        pair("maze_original.c", "maze_heavy.c", 1, level="heavy"),
        pair("maze_original.c", "maze_honest.c", 0),
        pair("maze_original.c", "bank_honest.c", 0),
        pair("bank_original.c", "bank_heavy.c", 1, level="moderate"),
        pair("maze_original.c", "maze_honest.c", 0, group="java"),
    ]

    heavy, moderate = copy_ranks(pairs, np.array([0.5, 0.4, 0.6, 0.1, 0.9]))

    assert (heavy.level, heavy.rank, heavy.part, heavy.rank_in_task) == ("heavy", 2, 0.5, 1)
    assert (moderate.level, moderate.rank, moderate.part, moderate.rank_in_task) == ("moderate", 3, 1, 1)


@pytest.mark.parametrize("labelled", find_sets(REWRITES), ids=lambda labelled: labelled.name)
def test_each_rewrite_is_the_copy_of_one_original_beside_honest_programs(labelled: LabelledSet) -> None:
    copies = [pair for pair in labelled.pairs if pair.label]
    honest = [pair for pair in labelled.pairs if not pair.label]

    assert sorted(pair.level for pair in copies) == ["heavy"] * 10 + ["moderate"] * 10
    assert {pair.level for pair in honest} == {"non"}
    assert all("_original." in pair.a + pair.b and f"_{pair.level}." in pair.a + pair.b for pair in copies)
    scores = np.array([float(pair.label) for pair in labelled.pairs])
    rows = summary_rows(labelled, "perfect", copy_ranks(labelled.pairs, scores))
    assert [row[1:] for row in rows] == [
        ["heavy", "perfect", "10", "1.0", "100%", "100%", "1.0"],
        ["moderate", "perfect", "10", "1.0", "100%", "100%", "1.0"],
    ]


def test_the_halves_of_the_rewrites_have_no_task_in_common() -> None:
    tuned, held_out = (
        {path.name.partition("_")[0] for path in (REWRITES / half / "files").glob("*/*")}
        for half in ("tuned", "held_out")
    )

    assert len(tuned) == 20
    assert not tuned & held_out


@pytest.mark.slow
def test_the_command_prints_a_row_for_each_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (labelled,) = find_sets(REWRITES / "tuned")
    shutil.copytree(labelled.folder / "files" / "c", tmp_path / "files" / "c")
    write_pairs(tmp_path, [one for one in labelled.pairs if one.group == "c"])
    monkeypatch.setattr(sys, "argv", ["ranks", str(tmp_path)])

    assert ranks.main() == 0

    rows = [line.split("|")[2:5] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["heavy", "moss", "2"],
        ["moderate", "moss", "2"],
    ]


def test_a_folder_without_a_set_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ranks", str(tmp_path)])

    assert ranks.main() == 1

    assert "no set found" in capsys.readouterr().err
