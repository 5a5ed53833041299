"""Digests by which documents that differ in layout or names only are known."""

import pytest

from fingerprint.reading import UNKNOWN, Reading, read

SOURCES = {
    "python": """
import os

def total(values, start=0):
    for value in values:
        start += value * 2
    return start, "sum"
""",
    "java": """
import os.List;

class Sum {
    int total(List<Integer> values) {
        int sum = 0;
        for (int value : values) sum += value * 2;
        System.out.println("sum");
        return sum;
    }
}
""",
    "c": """
#include <os.h>
int total(int *values, int n) {
    int sum = 0;
    while (n--) sum += values[n] * 2;
    printf("sum");
    return sum;
}
""",
    "haskell": """
import os
total values = foldr (\\value sum -> sum + value * 2) 0 values
shown values = "sum" ++ show (total values)
""",
}
COMMENTS = {"python": "# new\n", "java": "// new\n", "c": "/* new */\n", "haskell": "-- new\n"}
LANGUAGES = pytest.mark.parametrize("language", SOURCES)


def read_as(language: str, source: str) -> Reading:
    return read(source.encode(), "", language, spelling=True)


@LANGUAGES
def test_layout_and_comments_change_neither_digest(language: str) -> None:
    source = SOURCES[language]
    changed = COMMENTS[language] + source.replace("\n", "\n\n").replace(" + ", "  +  ").replace(" * ", "  *  ")
    assert changed != source
    assert read_as(language, changed).spelling == read_as(language, source).spelling


@LANGUAGES
def test_a_name_changes_one_digest_and_not_the_other(language: str) -> None:
    source = SOURCES[language]
    before, after = (read_as(language, text) for text in (source, source.replace("values", "numbers")))
    assert before.tokens.kinds.tolist() == after.tokens.kinds.tolist()
    assert before.spelling.tokens != after.spelling.tokens
    assert before.spelling.without_names == after.spelling.without_names


@LANGUAGES
@pytest.mark.parametrize(("old", "new"), [("2", "3"), ('"sum"', '"all"'), ("*", "-"), ("os", "sys")])
def test_whatever_is_no_name_changes_both_digests(language: str, old: str, new: str) -> None:
    source = SOURCES[language]
    assert old in source
    before, after = (read_as(language, text).spelling for text in (source, source.replace(old, new)))
    assert before.tokens != after.tokens
    assert before.without_names != after.without_names


def test_types_that_normalisation_makes_equal_are_told_apart() -> None:
    before, after = (read_as("java", SOURCES["java"].replace("int sum", f"{kind} sum")) for kind in ("int", "long"))
    assert before.tokens.kinds.tolist() == after.tokens.kinds.tolist()
    assert before.spelling.without_names != after.spelling.without_names


def test_the_digests_are_made_where_they_are_asked_for() -> None:
    assert read(SOURCES["c"].encode(), "sum.c").spelling == UNKNOWN
