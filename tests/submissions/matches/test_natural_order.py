from hypothesis import given, strategies as st

from submissions.matches.groups import natural_key


def test_numbers_count_by_value_and_case_and_accents_do_not() -> None:
    names = ["HW10", "hw2", "HW1", "Émile", "Eva", "emil", "10", "9 lives", "Zoë", ""]
    expected = ["", "9 lives", "10", "emil", "Émile", "Eva", "HW1", "hw2", "HW10", "Zoë"]
    assert sorted(names, key=natural_key) == expected


NAMES = st.lists(st.text(max_size=20), max_size=20)


@given(NAMES.flatmap(lambda names: st.tuples(st.just(names), st.permutations(names))))
def test_any_names_have_one_order(both: tuple[list[str], list[str]]) -> None:
    names, others = both
    assert sorted(names, key=natural_key) == sorted(others, key=natural_key)
