"""Percentages: rounded once, downwards, so that no figure contradicts a threshold or a sum."""

from decimal import ROUND_FLOOR, Decimal

from hypothesis import given, strategies as st

from submissions.matches.ranked_pairs import parts_in_percent, percent_text, whole_percent

millionths = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)


@given(millionths)
def test_a_share_is_rounded_downwards_and_a_whole_percentage_is_kept(share: float) -> None:
    exact = Decimal(round(share * 1_000_000)) / 10_000
    assert whole_percent(share) == int(exact.to_integral_value(ROUND_FLOOR))


@given(millionths, st.integers(1, 100))
def test_a_share_below_a_threshold_is_never_shown_at_it(share: float, threshold: int) -> None:
    assert (whole_percent(share) >= threshold) == (share >= threshold / 100)


def test_only_nothing_is_zero_percent_and_only_all_is_a_hundred() -> None:
    texts = [percent_text(share) for share in (0.0, 0.000001, 0.009, 0.01, 0.999999, 1.0)]
    assert texts == ["0%", "<1%", "<1%", "1%", "99%", "100%"]


@given(st.lists(millionths, min_size=4, max_size=4))
def test_parts_add_up_to_their_sum_and_each_is_less_than_one_percent_off(values: list[float]) -> None:
    parts = [value / 4 for value in values]
    percents = parts_in_percent(parts, sum(parts))
    assert sum(percents) == whole_percent(sum(parts))
    assert all(abs(whole - part * 100) < 1 for whole, part in zip(percents, parts, strict=True))
