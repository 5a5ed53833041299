"""A kernel that is called as machine code does what its Python function does."""

import threading
import time

import numpy as np
import psutil
import pytest
from hypothesis import given, strategies as st

from fingerprint.kernels.compiler import parameters
from fingerprint.kernels.library import Array, Parts, exported_kernels, from_json, to_json
from fingerprint.kernels.types import Rows
from tests.fingerprint.kernels import samples
from tests.fingerprint.kernels.conftest import Built
from tests.fingerprint.kernels.samples import Columns

int64 = st.integers(-(2**63), 2**63 - 1)


def columns(ids: list[int]) -> tuple[Columns, tuple[int, np.ndarray[tuple[int], np.dtype[np.bool_]]]]:
    numbers = np.array(ids, dtype=np.int32)
    return Columns(numbers, numbers / 4), (3, numbers % 2 == 0)


@pytest.mark.slow
@given(number=int64)
def test_integers_are_passed_exactly_and_their_arithmetic_wraps(built: Built, number: int) -> None:
    wrapped = (4 * number + 2**63) % 2**64 - 2**63
    assert built.kernel(samples.double_twice)(number) == wrapped
    assert built.kernel(samples.double_twice)(np.int64(number)) == wrapped


@given(number=st.floats(allow_nan=False))
def test_floats_are_passed_exactly(built: Built, number: float) -> None:
    assert built.kernel(samples.halve)(number) == number / 2


@given(value=st.integers(0, 2**64 - 1))
def test_unsigned_numbers_are_passed_exactly(built: Built, value: int) -> None:
    hashes = np.zeros(1, dtype=np.uint64)
    assert built.kernel(samples.next_hash)(np.uint64(value), hashes) is None
    assert hashes[0] == (value + 1) % 2**64


@given(ids=st.lists(st.integers(-100, 100)))
def test_tuples_of_arrays_and_numbers_are_passed_by_their_parts(built: Built, ids: list[int]) -> None:
    assert built.kernel(samples.weigh)(*columns(ids)) == samples.weigh.py_func(*columns(ids))


@given(size=st.integers(0, 50))
def test_an_array_that_a_kernel_made_is_returned(built: Built, size: int) -> None:
    numbers = built.kernel(samples.count_up)(size)
    assert numbers.dtype == np.int32
    assert numbers.tolist() == list(range(size))


@given(count=st.integers(0, 6), at=st.integers(0, 6))
def test_parts_of_an_argument_are_returned_as_copies(built: Built, count: int, at: int) -> None:
    rows = np.arange(2 * count, dtype=np.int64).reshape(count, 2)
    at = min(at, count)
    before, after, place = built.kernel(samples.split)(rows, at)
    expected = rows.copy()
    rows[:] = -1
    assert place == at
    assert before.tolist() == expected[:at].tolist()
    assert after.tolist() == expected[at:].tolist()


@given(numbers=st.lists(st.integers(-9, 9), min_size=1))
def test_a_kernel_that_makes_no_arrays_changes_its_arguments(built: Built, numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.int32)
    smooth = [*map(min, numbers, numbers[1:]), numbers[-1]]
    assert built.kernel(samples.smooth)(array) == sum(map(int.__ne__, numbers, smooth))
    assert array.tolist() == smooth


def test_an_array_that_is_returned_two_times_lives_as_long_as_one_of_them(built: Built) -> None:
    first, second = built.kernel(samples.twice)(100_000)
    del first
    built.kernel(samples.twice)(100_000)
    assert second.sum() == 100_000


def test_the_memory_of_results_is_freed(built: Built) -> None:
    process, count_up = psutil.Process(), built.kernel(samples.count_up)
    count_up(5_000_000)
    before = process.memory_info().rss
    for _ in range(40):
        count_up(5_000_000)
    assert process.memory_info().rss - before < 60_000_000


def test_an_error_in_a_kernel_is_raised(built: Built) -> None:
    divide = built.kernel(samples.divide)
    assert divide(-7, 2) == -4
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        divide(7, 0)


def test_a_result_that_is_too_large_for_the_memory_is_a_memory_error(built: Built) -> None:
    with pytest.raises(MemoryError):
        built.kernel(samples.count_up)(1 << 50)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(4, dtype=np.int64),
        np.zeros((2, 2), dtype=np.uint64),
        np.zeros(4, dtype=np.uint64)[::2],
        np.frombuffer(bytes(17), dtype=np.uint8)[1:].view(np.uint64),
    ],
    ids=["dtype", "dimensions", "gaps", "alignment"],
)
def test_an_array_that_a_kernel_would_misread_is_refused(
    built: Built, array: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    with pytest.raises(TypeError, match="a kernel takes a contiguous array of 1 dimension of uint64"):
        built.kernel(samples.next_hash)(np.uint64(1), array)


def test_a_wrong_number_of_arguments_is_refused(built: Built) -> None:
    with pytest.raises(ValueError, match="argument"):
        built.kernel(samples.double_twice)(1, 2)


def test_other_threads_run_while_a_kernel_does(built: Built) -> None:
    rest, ticks = built.kernel(samples.rest_for), 0
    thread = threading.Thread(target=rest, args=(400_000_000, np.uint64(1)))
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 10


def test_the_layouts_of_arguments_follow_from_their_annotations() -> None:
    columns = Parts((Array("int32", 1), Array("float64", 1)), samples.Columns)
    assert parameters(samples.weigh.py_func) == [columns, Parts(("int64", Array("bool", 1)))]
    assert parameters(samples.split.py_func) == [Array("int64", 2), "int64"]
    assert parameters(samples.next_hash.py_func) == ["uint64", Array("uint64", 1)]


def test_every_kernel_has_a_layout_that_the_library_keeps() -> None:
    for kernel in exported_kernels():
        for layout in parameters(kernel.py_func):
            assert to_json(from_json(to_json(layout))) == to_json(layout)


def test_an_annotation_that_kernels_cannot_take_is_refused() -> None:
    def search(rows: Rows, name: str) -> int:
        return len(rows) + len(name)

    with pytest.raises(TypeError, match="search has a parameter of type <class 'str'>"):
        parameters(search)
