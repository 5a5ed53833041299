import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, strategies as st

from fingerprint.hashing import kgram_hashes
from fingerprint.kernels.types import Hashes, Positions
from fingerprint.winnowing import Params, best_safe_p, modulo, robust_winnow, safe_modulo, winnow
from tests.fingerprint import naive

Select = Callable[[Hashes, int], Positions]
Shared = tuple[list[int], list[int], int, int, Params]

FIGURE_2 = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
HASHES = st.lists(st.integers(0, 3), min_size=1, max_size=40)
SYMBOLS = st.lists(st.integers(0, 2), max_size=20)
WINDOW = st.integers(1, 12)


def array(hashes: list[int]) -> Hashes:
    return np.array(hashes, dtype=np.uint64)


@st.composite
def shared_runs(draw: st.DrawFn) -> Shared:
    """Draw two documents that share a run of `guarantee` tokens, its start in each, and the parameters."""
    params = Params(k=draw(st.integers(1, 5)), window=draw(st.integers(1, 6)))
    run = draw(st.lists(st.integers(0, 2), min_size=params.guarantee, max_size=params.guarantee))
    first, second = draw(SYMBOLS), draw(SYMBOLS)
    left, right = first + run + draw(SYMBOLS), second + run + draw(SYMBOLS)
    return left, right, len(first), len(second), params


def selected_in_window(document: list[int], start: int, params: Params, *, robust: bool) -> list[tuple[int, int]]:
    """Return (hash, position - start) of each fingerprint in the window of hashes at `start`."""
    hashes = kgram_hashes(array(document), params.k)
    positions = (robust_winnow if robust else winnow)(hashes, params.window)
    return [(int(hashes[at]), int(at) - start) for at in positions if start <= at < start + params.window]


@given(HASHES, WINDOW)
def test_winnowing_is_definition_1(hashes: list[int], window: int) -> None:
    assume(window <= len(hashes))
    assert winnow(array(hashes), window).tolist() == naive.winnow(hashes, window)


@given(HASHES, WINDOW)
def test_robust_winnowing_is_definition_3(hashes: list[int], window: int) -> None:
    assert robust_winnow(array(hashes), window).tolist() == naive.robust_winnow(hashes, window)


@given(HASHES, st.integers(1, 4))
def test_modulo_selects_the_multiples(hashes: list[int], p: int) -> None:
    assert modulo(array(hashes), p).tolist() == naive.modulo(hashes, p)


@given(HASHES, st.integers(1, 4), WINDOW)
def test_safe_modulo_selects_the_good_and_the_bad_positions(hashes: list[int], p: int, window: int) -> None:
    assume(window <= len(hashes))
    assert safe_modulo(array(hashes), p, window).tolist() == naive.safe_modulo(hashes, p, window)


@pytest.mark.parametrize("select", [winnow, robust_winnow])
def test_long_documents_agree_with_the_definitions(select: Select) -> None:
    random = np.random.default_rng(3)
    oracle = getattr(naive, select.__name__)
    for window in (1, 2, 4, 5, 6, 16, 33, 100):
        for span in (2, 50, 2**63):
            hashes = random.integers(0, span, 1500, dtype=np.uint64)
            assert select(hashes, window).tolist() == oracle(hashes.tolist(), window)


@pytest.mark.parametrize("length", [511, 512, 513, 515, 516, 1027, 1030])
def test_selection_continues_across_blocks_of_windows(length: int) -> None:
    random = np.random.default_rng(length)
    for window in (3, 4):
        rare_ties = random.integers(0, 3000, length, dtype=np.uint64)
        constant = np.full(length, 7, dtype=np.uint64)
        mixed = np.concatenate((rare_ties[: length // 2], constant[: length // 2]))
        for hashes in (rare_ties, constant, mixed):
            assert robust_winnow(hashes, window).tolist() == naive.robust_winnow(hashes.tolist(), window)
            assert winnow(hashes, window).tolist() == naive.winnow(hashes.tolist(), window)


@pytest.mark.parametrize("window", [4, 9])
def test_signed_and_strided_hashes_give_the_same_selection(window: int) -> None:
    hashes = np.random.default_rng(window).integers(0, 2**64, 400, dtype=np.uint64)
    views: list[npt.NDArray[np.integer]] = [hashes.view(np.int64), np.repeat(hashes, 2)[::2]]
    for view in views:
        assert winnow(view, window).tolist() == winnow(hashes, window).tolist()
        assert robust_winnow(view, window).tolist() == robust_winnow(hashes, window).tolist()
        assert modulo(view, 7).tolist() == modulo(hashes, 7).tolist()


def test_the_largest_hash_is_a_hash_like_any_other() -> None:
    top = array([2**64 - 1] * 5)
    assert winnow(top, 2).tolist() == [1, 2, 3, 4]
    assert robust_winnow(top, 2).tolist() == [1, 3]


def test_figure_2_has_the_fingerprints_and_positions_of_the_paper() -> None:
    paper = [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]
    assert [(FIGURE_2[at], at) for at in winnow(array(FIGURE_2), 4).tolist()] == paper


@given(shared_runs())
def test_every_shared_run_of_guarantee_tokens_is_found_at_the_same_position(documents: Shared) -> None:
    left, right, at, other, params = documents
    assert set(selected_in_window(left, at, params, robust=False)) & set(
        selected_in_window(right, other, params, robust=False)
    )


@given(shared_runs())
def test_every_shared_run_of_guarantee_tokens_is_found_by_robust_winnowing_less_than_a_window_apart(
    documents: Shared,
) -> None:
    left, right, at, other, params = documents
    in_left = selected_in_window(left, at, params, robust=True)
    in_right = selected_in_window(right, other, params, robust=True)
    assert any(a == b and abs(i - j) <= params.window - 1 for a, i in in_left for b, j in in_right)


@pytest.mark.parametrize("window", [1, 4, 100])
def test_a_constant_run_has_one_robust_fingerprint_for_each_window_length(window: int) -> None:
    constant = np.full(10_000, 5, dtype=np.uint64)
    assert robust_winnow(constant, window).tolist() == list(range(window - 1, 10_000, window))
    assert len(winnow(constant, window)) == 10_000 - window + 1


@pytest.mark.parametrize("window", [4, 100])
def test_a_document_shorter_than_a_window_is_its_own_window(window: int) -> None:
    assert robust_winnow(array([5, 3, 3]), window).tolist() == [2]
    assert robust_winnow(array([]), window).tolist() == []


@pytest.mark.parametrize("window", [2, 10, 100, 1000])
def test_the_best_modulus_is_near_the_papers_optimum(window: int) -> None:
    def density(p: int) -> float:
        return 1 / p + (1 - 1 / p) ** window

    best = best_safe_p(window)
    assert all(density(best) <= density(p) for p in range(1, 4 * window))
    if window >= 100:
        assert best == pytest.approx(window / math.log(window), rel=0.1)


def test_the_best_modulus_of_a_window_of_one_selects_everything() -> None:
    assert safe_modulo(array(FIGURE_2), best_safe_p(1), 1).tolist() == list(range(len(FIGURE_2)))


def test_positions_are_int64() -> None:
    for positions in (
        winnow(array(FIGURE_2), 4),
        robust_winnow(array(FIGURE_2), 4),
        modulo(array(FIGURE_2), 7),
        safe_modulo(array(FIGURE_2), 7, 4),
    ):
        assert positions.dtype == np.int64


@pytest.mark.parametrize("window", [0, -3])
def test_a_window_below_one_is_refused(window: int) -> None:
    one = array([1])
    calls: list[Callable[[], object]] = [
        lambda: winnow(one, window),
        lambda: robust_winnow(one, window),
        lambda: safe_modulo(one, 2, window),
        lambda: best_safe_p(window),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"window is {window}; a window holds at least 1 hash"):
            call()


@pytest.mark.parametrize("hashes", [[], [1, 2]])
def test_a_window_longer_than_the_document_is_refused(hashes: list[int]) -> None:
    calls: list[Callable[[], object]] = [lambda: winnow(array(hashes), 3), lambda: safe_modulo(array(hashes), 2, 3)]
    for call in calls:
        with pytest.raises(ValueError, match=f"window is 3; the document has {len(hashes)} hashes"):
            call()


@pytest.mark.parametrize("p", [0, -2])
def test_a_modulus_below_one_is_refused(p: int) -> None:
    calls: list[Callable[[], object]] = [lambda: modulo(array([1]), p), lambda: safe_modulo(array([1]), p, 1)]
    for call in calls:
        with pytest.raises(ValueError, match=f"p is {p}; a modulus is at least 1"):
            call()
