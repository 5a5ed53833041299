import pytest
from hypothesis import given, strategies as st

from submissions.intake.limits import format_size


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (300, "300 bytes"), (1000, "1 kB"), (1_234_567, "1.23 MB")],
)
def test_a_size_is_written_with_three_digits_and_its_unit(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize("size", [999_500, 999_999, 999_999_999, 5 * 10**13])
def test_a_size_just_below_the_next_unit_is_written_in_that_unit(size: int) -> None:
    assert "e+" not in format_size(size)


@given(st.integers(0, 10**15))
def test_a_size_is_written_without_an_exponent(size: int) -> None:
    number, _, unit = format_size(size).partition(" ")
    assert set(number) <= set("0123456789.")
    assert unit in {"byte", "bytes", "kB", "MB", "GB", "TB", "PB"}
