"""Pairs of brackets, and the number of items between them."""

import itertools
from collections.abc import Sequence

from hypothesis import given, strategies as st

from fingerprint.languages.coarse import match_brackets


def naive_close(texts: Sequence[str], start: int) -> int:
    """Return where the bracket at `start` is closed, by deleting matched pairs again and again."""
    alive = list(range(len(texts)))
    pairs = {"(": ")", "[": "]", "{": "}"}
    changed = True
    while changed:
        changed = False
        brackets = [at for at in alive if texts[at] in "()[]{}"]
        for one, other in itertools.pairwise(brackets):
            if pairs.get(texts[one]) == texts[other]:
                if one == start:
                    return other
                alive = [at for at in alive if at not in {one, other}]
                changed = True
                break
    return -1


@given(st.lists(st.sampled_from("()[],x"), max_size=12))
def test_brackets_of_balanced_programs_match_as_by_deleting_pairs(texts: list[str]) -> None:
    opened = [at for at, text in enumerate(texts) if text in "(["]
    expected = [naive_close(texts, at) for at in opened]
    balanced = -1 not in expected and len(opened) == sum(text in ")]" for text in texts)
    closes = match_brackets(texts).closes
    if balanced:
        assert [closes[at] for at in opened] == expected
    assert all(close == -1 or texts[at] + texts[close] in {"()", "[]"} for at, close in enumerate(closes))


def test_items_between_brackets_are_counted_without_those_of_inner_ones() -> None:
    texts = list("f(a,g(b,c),[d,e],)()")
    brackets = match_brackets(texts)
    assert [brackets.counts[at] for at, text in enumerate(texts) if text in "(["] == [3, 2, 2, 0]
