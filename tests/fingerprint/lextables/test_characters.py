"""Character classes hold what `re` says, for every code point."""

import re

import numpy as np
import pytest

from fingerprint.lextables.characters import LIMIT, CharacterClass, class_pattern, folded, members, partition

EVERY = np.arange(LIMIT, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
WORD, DIGIT, NO_SPACE = "CATEGORY_WORD", "CATEGORY_DIGIT", "CATEGORY_NOT_SPACE"
CLASSES = [
    CharacterClass(items, negated, flags)
    for flags in (0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII)
    for negated in (False, True)
    for items in (
        (WORD,), (DIGIT, ord("_")), (NO_SPACE,), (ord("k"),), ((ord("a"), ord("z")),), (0x130, 0x3C3),
        ((0x80, 0x24F), ord("x")), ((0x10400, 0x1044F),), (WORD, NO_SPACE), ((0x41, 0x1FFFF),),
    )
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("one", CLASSES, ids=class_pattern)
def test_a_class_has_the_characters_that_re_matches(one: CharacterClass) -> None:
    spans = [at for match in re.finditer(f"{class_pattern(one)}+", EVERY, one.flags) for at in match.span()]
    assert members(one).tolist() == spans


@pytest.mark.slow
def test_characters_are_of_one_kind_if_they_are_in_the_same_classes() -> None:
    parts = partition(CLASSES)
    kinds = parts.kinds[(parts.pages.astype(np.int64)[:, None] * 128 + np.arange(128)).reshape(-1)]
    assert len(kinds) == LIMIT
    assert kinds.max() + 1 == parts.kind_count
    for one, mask in zip(CLASSES, parts.masks, strict=True):
        inside = np.zeros(LIMIT + 1, np.int64)
        inside[members(one)] = 1
        has_kind = np.array([mask >> kind & 1 for kind in range(parts.kind_count)], dtype=np.int64)
        assert np.array_equal(np.cumsum(inside[:LIMIT]) & 1, has_kind[kinds])


def test_two_characters_are_equal_without_case_where_re_says_so() -> None:
    equal = re.compile(r"(.)\1", re.IGNORECASE | re.DOTALL)
    cased = [char for char in EVERY if char.lower() != char or char.upper() != char]
    assert len(cased) > 2000
    for char in cased:
        for other in {*char.lower(), *char.upper(), *char.casefold()}:
            assert bool(equal.fullmatch(char + other)) == (folded([ord(char)]) == folded([ord(other)]))
