import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.simhash import simhash, simhashes
from tests.fingerprint import naive

FEATURES = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.5])


def words(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, dtype=np.uint64)


@given(st.lists(FEATURES, min_size=1, max_size=12))
def test_unweighted_simhash_is_the_sign_of_each_bits_votes(features: list[int]) -> None:
    assert simhash(words(features)) == naive.simhash(features, [1.0] * len(features))


@given(st.lists(st.tuples(FEATURES, WEIGHTS), min_size=1, max_size=12))
def test_weighted_simhash_is_the_sign_of_each_bits_weighted_votes(weighted: list[tuple[int, float]]) -> None:
    features, weights = [f for f, _ in weighted], [w for _, w in weighted]
    assert simhash(words(features), np.array(weights)) == naive.simhash(features, weights)


@given(st.lists(st.lists(FEATURES, min_size=1, max_size=4), max_size=5))
def test_fingerprints_of_many_documents_equal_those_of_each_alone(documents: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, documents)])
    together = simhashes(words([feature for document in documents for feature in document]), offsets)
    assert together.tolist() == [simhash(words(document)) for document in documents]


def test_the_fingerprint_is_the_same_on_every_machine() -> None:
    features = words([1, 2**63, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1])
    assert simhash(features) == 0x8000000000000001
    assert simhash(features, np.array([0.0, 0.0, 1.0, 0.0, 0.0])) == 0x0123456789ABCDEF


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1.0, float("nan")], "weight 1 is nan; a weight is a finite number, at least 0"),
        ([-0.5, 1.0], "weight 0 is -0.5; a weight is a finite number, at least 0"),
        ([float("inf"), 1.0], "weight 0 is inf"),
        ([1.0], "1 weights are given for 2 features"),
    ],
)
def test_impossible_weights_are_refused(weights: list[float], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        simhash(words([1, 2]), np.array(weights))


def test_a_document_without_features_is_refused() -> None:
    with pytest.raises(ValueError, match="document 0 has no features"):
        simhash(words([]))
    with pytest.raises(ValueError, match="document 1 has no features"):
        simhashes(words([1, 2]), np.array([0, 1, 1, 2]))


def test_offsets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="they begin with 0 and end with 2"):
        simhashes(words([1, 2]), np.array([0, 1]))
    with pytest.raises(ValueError, match="features are 1-dimensional int64"):
        simhashes(np.array([1, 2]), np.array([0, 2]))
