"""The table of constants chosen without one source, on a tiny class that is labelled twice."""

import json
import sys
from pathlib import Path

import pytest

from bench import left_out
from bench.accuracy import pair_scores
from bench.labelled import read_set
from bench.left_out import Constant, leave_out
from bench.rescoring import Rescorer, changed, read_labelled
from bench.tools import find_tool
from fingerprint.ranking import score_constants
from tests.bench.test_accuracy import make_set

pytestmark = pytest.mark.slow


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Two sets of different sources."""
    for name in ("class_one", "course_two"):
        make_set(tmp_path / "sets" / name)
    return tmp_path / "sets"


@pytest.mark.long
def test_scores_with_the_constants_in_force_are_those_of_moss_check(sets: Path) -> None:
    labelled = read_set(sets / "class_one")
    expected = pair_scores(find_tool("moss"), labelled)
    assert Rescorer(read_labelled(labelled)).scores({}).tolist() == pytest.approx(expected.tolist(), abs=1e-6)


def test_a_constant_is_changed_for_one_evaluation_only(sets: Path) -> None:
    rescorer = Rescorer(read_labelled(read_set(sets / "class_one")))
    before = rescorer.scores({})
    names = score_constants.NAMES
    changes: list[dict[str, object]] = [
        {"NAMES": names._replace(cap=0.0)},
        {"LENGTHS": score_constants.LENGTHS._replace(half_length=5.0)},
        {"RARITY_EXPONENT": 1.0},
    ]
    for change in changes:
        assert (rescorer.scores(change) != before).any(), change
    assert rescorer.scores({}).tolist() == before.tolist()
    assert names is score_constants.NAMES
    with pytest.raises(AttributeError), changed({"NO_SUCH_CONSTANT": 1}):
        pass


def test_each_source_gets_the_value_that_is_best_for_the_others(
    sets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make one source best with value 1, the other with 2: each must be measured with the other's best."""
    rescorers = [Rescorer(read_labelled(read_set(sets / name))) for name in ("class_one", "course_two")]
    by_value = {
        0.6: {"class": 0.5, "course": 0.5},
        1.0: {"class": 0.9, "course": 0.1},
        2.0: {"class": 0.3, "course": 0.8},
    }
    monkeypatch.setattr(left_out, "figures", lambda _, constants: by_value[constants["LEAST_PASSAGE_PART"]])
    constant = Constant("the floor", "LEAST_PASSAGE_PART", "", (1.0, 2.0), 1.0)
    rows = leave_out(constant, rescorers)
    assert rows["class"] == (2.0, 0.3, 0.9, 0.5)
    assert rows["course"] == (1.0, 0.1, 0.1, 0.5)
    assert "0.300 (2)*" in left_out.table({constant: rows})


def test_the_command_prints_the_table(
    sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    arguments = ["left_out", str(sets), "--constant", "LEAST_PASSAGE_PART", "--json", str(out)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert left_out.main() == 0
    assert "least part of passages, 0.6" in capsys.readouterr().out
    (row,) = json.loads(out.read_text())
    assert set(row["sources"]) == {"class", "course"}
    assert row["sources"]["class"]["now"] == 1.0


def test_one_source_is_refused(
    sets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["left_out", str(sets / "class_one")])
    assert left_out.main() == 1
    assert "at least two sources" in capsys.readouterr().err
