"""Intervals of average precision, by resampling whole sources of pairs."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench.intervals import precision_interval, sources, weighted_precision
from bench.labelled import LabelledPair
from bench.metrics import average_precision

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
