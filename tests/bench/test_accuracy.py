"""Measurements of accuracy on labelled pairs: metrics, intervals, ranks and constants."""

import csv
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench import accuracy, labelled as labelled_module, left_out, metrics, tools
from bench.accuracy import pair_scores
from bench.intervals import precision_interval, sources, weighted_precision
from bench.labelled import LabelledPair, SetError, find_sets, read_set, write_pairs
from bench.left_out import Constant, leave_out
from bench.metrics import Labels, Scores, average_precision
from bench.processes import RunFailed, run
from bench.reliability import draw, points, table
from bench.rescoring import Rescorer, changed, read_labelled
from bench.threshold import SetFigures
from bench.tools import find_tool
from fingerprint.ranking import score_constants
from tests.bench import naive_metrics
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

SAMPLE = ROOT / "moss" / "sample" / "submissions"


def labelled_pairs(most: int) -> st.SearchStrategy[naive_metrics.Labelled]:
    """Return a strategy for pairs with few distinct scores, so many ties, and at least one of each label."""
    pair = st.tuples(st.integers(0, 3), st.booleans())
    one_of_each = st.tuples(st.integers(0, 3), st.integers(0, 3))
    return st.builds(
        lambda pairs, scores: [*pairs, (scores[0], True), (scores[1], False)],
        st.lists(pair, max_size=most - 2),
        one_of_each,
    )


def arrays(pairs: naive_metrics.Labelled) -> tuple[Scores, Labels]:
    scores, labels = zip(*pairs, strict=True)
    return np.array(scores, dtype=np.float64), np.array(labels, dtype=np.bool_)


@pytest.mark.parametrize(
    ("measured", "oracle"),
    [
        (metrics.average_precision, naive_metrics.average_precision),
        (metrics.auc, naive_metrics.auc),
        (metrics.best_f1, naive_metrics.best_f1),
    ],
)
@given(pairs=labelled_pairs(25))
def test_a_metric_equals_its_naive_version(
    measured: Callable[[Scores, Labels], float],
    oracle: Callable[[naive_metrics.Labelled], float],
    pairs: naive_metrics.Labelled,
) -> None:
    assert measured(*arrays(pairs)) == pytest.approx(float(oracle(pairs)), abs=1e-12)


@given(pairs=labelled_pairs(6))
def test_precision_at_n_is_the_mean_over_every_order_of_tied_pairs(pairs: naive_metrics.Labelled) -> None:
    assert metrics.precision_at_n(*arrays(pairs)) == pytest.approx(float(naive_metrics.precision_at_n(pairs)))


@given(pairs=labelled_pairs(25), data=st.data())
def test_the_order_in_which_pairs_are_listed_changes_no_figure(
    pairs: naive_metrics.Labelled, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(pairs))
    assert metrics.measure(*arrays(pairs)) == pytest.approx(metrics.measure(*arrays(shuffled)))


def test_metrics_of_scores_that_are_all_equal_are_those_of_chance() -> None:
    measured = metrics.measure(np.zeros(8), np.arange(8) < 2)
    assert measured == pytest.approx((8, 2, 0.25, 0.5, 0.4, 0.25))


def test_the_auc_of_a_level_uses_the_negative_pairs_of_all_levels() -> None:
    scores, labels = np.array([0.9, 0.1, 0.5, 0.3]), np.array([True, True, False, False])
    levels = np.array(["L1", "L2", "non", "non"])
    assert metrics.level_aucs(scores, labels, levels) == {"L1": 1.0, "L2": 0.0}
    assert metrics.level_aucs(scores, labels, np.array(["train"] * 4)) == {}


def make_set(folder: Path) -> list[LabelledPair]:
    """Write a set from the sample class: a verbatim copy, a renamed copy, and pairs that are no copies."""
    group = folder / "files" / "fines"
    group.mkdir(parents=True)
    names = ["amara-okafor", "jonas-weidler", "felix-oduya", "priya-raman", "omar-haddad", "mateo-quispe"]
    for name in names:
        (group / f"{name}.py").write_bytes((SAMPLE / name / "fines.py").read_bytes())
    copies = {("amara-okafor", "jonas-weidler"): "verbatim", ("felix-oduya", "priya-raman"): "renamed"}
    pairs = [
        LabelledPair(f"fines/{a}.py", f"fines/{b}.py", (a, b) in copies, "fines", copies.get((a, b), "non"))
        for number, a in enumerate(names)
        for b in names[number + 1 :]
    ]
    write_pairs(folder, [pair._replace(label=int(pair.label)) for pair in pairs])
    return pairs


def test_the_command_scores_a_set_with_the_real_moss_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_set(tmp_path / "sets" / "class")
    out = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["accuracy", str(tmp_path / "sets"), "--json", str(out)])
    assert accuracy.main() == 0
    (figures,) = json.loads(out.read_text())
    assert figures["set"] == "class"
    assert figures["tool"] == "moss"
    assert (figures["pairs"], figures["positives"]) == (15, 2)
    assert figures["ap"] == figures["auc"] == figures["best_f1"] == figures["precision_at_n"] == 1.0
    assert figures["level_auc"] == {"renamed": 1.0, "verbatim": 1.0}
    assert "| class | moss |    15 |         2 | 1.000 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("fines/amara-okafor.py,fines/absent.py,0,fines,non", "fines/absent.py does not exist"),
        ("fines/amara-okafor.py,fines/omar-haddad.py,yes,fines,non", "label must be 0 or 1, not 'yes'"),
        ("fines/amara-okafor.py,fines/amara-okafor.py,1,fines,non", "is paired with itself"),
        ("fines/amara-okafor.py,fines/omar-haddad.py,0,java,non", "is not directly in group 'java'"),
        ("fines/../fines.py,fines/omar-haddad.py,0,fines,non", "is not directly in group 'fines'"),
        ("fines/amara-okafor.py,fines/omar-haddad.py,0", "5 fields are needed"),
        ("fines/omar-haddad.py,fines/amara-okafor.py,0,fines,non", "are paired more than once"),
    ],
)
def test_a_bad_row_is_refused_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    make_set(tmp_path)
    with (tmp_path / "pairs.csv").open("a") as file:
        file.write(row + "\n")
    with pytest.raises(SetError, match=reason):
        read_set(tmp_path)


def test_a_folder_without_sets_or_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="no set found"):
        find_sets(tmp_path)
    with pytest.raises(SetError, match="is not a folder"):
        find_sets(tmp_path / "absent")
    (tmp_path / "pairs.csv").write_text("left,right\n")
    with pytest.raises(SetError, match="the first line must be a,b,label,group,level"):
        find_sets(tmp_path)


def test_a_pair_that_is_not_reported_scores_zero(tmp_path: Path) -> None:
    """Use a tool that reports one pair, with its sides swapped."""
    pairs = make_set(tmp_path)
    reported = "left,right,similarity\npriya-raman.py,felix-oduya.py,0.5\n"
    script = f"import sys; open(sys.argv[2], 'w').write({reported!r})"
    tool = tools.Tool("one", (sys.executable, "-c", script))
    scores = accuracy.pair_scores(tool, read_set(tmp_path))
    assert [score for pair, score in zip(pairs, scores, strict=True) if pair.level == "renamed"] == [0.5]
    assert np.count_nonzero(scores) == 1


@pytest.mark.parametrize("row", ["a,b,1\nb,a,1", "a,a,1", "a,c,1"])
def test_a_report_of_impossible_pairs_is_refused_and_not_scored_zero(tmp_path: Path, row: str) -> None:
    out = tmp_path / "out.csv"
    out.write_text(f"left,right,similarity\n{row}\n")
    with pytest.raises(tools.ToolError, match="invalid pair in the output"):
        tools.read_scores(out, "similarity", {"a", "b"})


def test_a_tool_that_is_not_installed_is_reported_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_set(tmp_path)
    arguments = ["accuracy", str(tmp_path), "--tool", "copydetect", "--python", str(tmp_path / "python")]
    monkeypatch.setattr(sys, "argv", arguments)
    assert accuracy.main() == 1
    errors = capsys.readouterr().err
    assert "copydetect is left out" in errors
    assert "none of the tools is installed" in errors


def test_memory_is_counted_over_the_whole_process_tree() -> None:
    child = "import time; data = bytearray(60_000_000); time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    alone = run([sys.executable, "-c", "import time; time.sleep(0.2)"])
    tree = run([sys.executable, "-c", parent])
    assert alone.peak is not None
    assert tree.peak is not None
    assert tree.peak > alone.peak + 60_000_000


def test_a_command_that_fails_is_reported_with_its_last_error_output() -> None:
    with pytest.raises(RunFailed, match="ended with 3: no such thing"):
        run([sys.executable, "-c", "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"])


def test_a_command_that_runs_too_long_is_ended() -> None:
    with pytest.raises(RunFailed, match=r"ran for more than 0.2 s"):
        run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)


def test_pairs_with_a_doubtful_label_are_counted_and_left_out_of_a_second_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Label a pair as a copy that is none: the second figure is as if it were not there."""
    make_set(tmp_path / "class")
    row = "fines/amara-okafor.py,fines/felix-oduya.py"
    path = tmp_path / "class" / "pairs.csv"
    path.write_text(path.read_text().replace(f"{row},0", f"{row},1"))
    stated = labelled_module.DOUBTFUL.read_text().splitlines()
    assert all(row["reason"] and row["a"] != row["b"] for row in csv.DictReader(stated))
    listed = tmp_path / "doubtful.csv"
    monkeypatch.setattr(labelled_module, "DOUBTFUL", listed)
    listed.write_text(f"set,a,b,reason\nother,{row},of another set\n")
    tool = tools.find_tool("moss")
    assert accuracy.score_set(tool, read_set(tmp_path / "class")).ap_without_doubtful is None
    listed.write_text(f"set,a,b,reason\nclass,{row},independent\n")
    result = accuracy.score_set(tool, read_set(tmp_path / "class"))
    assert result.metrics.positives == 3
    assert result.metrics.ap < 1
    assert (result.doubtful, result.ap_without_doubtful) == (1, 1.0)
    assert "|              1 |" in accuracy.doubtful_tables([result])[0]


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


def test_each_source_gets_the_value_that_is_best_for_the_others(sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_one_source_is_refused(sets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["left_out", str(sets / "class_one")])
    assert left_out.main() == 1
    assert "at least two sources" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("scores", "labels", "reason"),
    [([0, 0, 0], [0, 0, 0], "0 of 3 pairs are plagiarised"), ([0.5, math.nan], [1, 0], "1 scores are NaN")],
)
def test_pairs_of_one_label_and_scores_that_are_nan_are_refused(
    scores: list[float], labels: list[int], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        metrics.measure(np.array(scores), np.array(labels, dtype=np.bool_))


rows = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=20)


@given(rows)
def test_a_pair_that_counts_twice_is_one_that_occurs_twice(scored: list[tuple[int, bool, int]]) -> None:
    scores, labels, weights = (np.array(column) for column in zip(*scored, strict=True))
    repeated = np.repeat(np.arange(len(scores)), weights)
    precision = weighted_precision(
        np.argsort(-scores, kind="stable"), scores.astype(float), labels, weights.astype(float)
    )
    if labels[repeated].any():
        expected = average_precision(scores[repeated].astype(float), labels[repeated])
        assert precision == pytest.approx(expected)
    else:
        assert np.isnan(precision)


def pair(a: str, b: str, group: str = "g") -> LabelledPair:
    return LabelledPair(a, b, 1, group, "")


def test_the_source_is_the_group_or_the_program_that_others_were_made_from() -> None:
    assert sources([pair("a", "b", "g"), pair("c", "d", "h")]).tolist() == [0, 1]
    assert sources([pair("copy1", "own"), pair("own", "copy2"), pair("own", "copy3"), pair("x", "y")]).tolist() == [
        0,
        0,
        0,
        1,
    ]


def test_the_interval_contains_the_measured_value_and_shrinks_with_more_sources() -> None:
    random = np.random.default_rng(3)
    widths = []
    for count in (20, 200):
        labels = np.arange(4 * count) % 4 == 0
        scores = random.normal(labels * 1.5, 1.0)
        low, high = precision_interval(scores, labels, np.repeat(np.arange(count), 4))
        assert low <= average_precision(scores, labels) <= high
        widths.append(high - low)
    assert widths[1] < widths[0]


def figures(name: str, expected: float, true: int) -> SetFigures:
    """Return the figures of a set that states one in 100 of some pairs, and nothing rarer."""
    of_set = SetFigures(name)
    of_set.expected[100], of_set.true[100] = expected, true
    return of_set


def test_a_true_statement_lies_on_the_diagonal_and_pairs_of_all_sets_count_the_same() -> None:
    (point,) = points([figures("a", 10, 10)])
    assert point.stated == point.true == 0.01
    (both,) = points([figures("a", 10, 10), figures("b", 30, 70)])
    assert both.true == pytest.approx(0.02)


@pytest.mark.slow
def test_what_no_set_states_has_no_point(tmp_path: Path) -> None:
    sets = [figures("a", 10, 20)]
    assert [round(one.stated, 4) for one in points(sets)] == [0.01]
    assert "2.00%" in table(sets)
    draw(sets, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
