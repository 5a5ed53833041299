import json
import sys
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from bench import sketches


def test_neighbours_have_the_declared_resemblance() -> None:
    sets = sketches.neighbours(300, 4)
    shared = [len(np.intersect1d(a, b)) / len(np.union1d(a, b)) for a, b in pairwise(sets)]
    assert shared == pytest.approx([sketches.RESEMBLANCE] * 3, abs=0.01)


def test_the_benchmark_reports_rates_and_errors_of_every_contender(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAYON_NUM_THREADS", "1")
    monkeypatch.setattr(sketches, "SIZES", (50,))
    arguments = ["--json", "--rounds=1", "--length=50000", "--values=2000"]
    monkeypatch.setattr(sys, "argv", ["sketches", *arguments])
    sketches.main()
    result = json.loads(capsys.readouterr().out)
    assert {"hash bytes, k = 50", "robust winnowing, w = 100"} <= {row["work"] for row in result["throughput"]}
    contenders = {row["contender"]: row["error"] for row in result["minhash"]}
    assert {"min_wise", "binned_min_wise"} <= set(contenders)
    assert any("datasketch" in name for name in contenders) == bool(find_spec("datasketch"))
    # 40 sets of 128 places: a standard deviation is 0.044, and a sketch that estimates nothing errs by 0.5.
    assert all(0 < error < 0.1 for error in contenders.values())


def test_the_time_of_the_fastest_round_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 5.0, 5.0, 6.0, 6.0, 8.0, 8.0, 20.0])
    monkeypatch.setattr("time.process_time", lambda: next(ticks))
    assert sketches.fastest({"a": int, "b": int}, rounds=2) == {"a": 2.0, "b": 1.0}
