"""Uses of names against an oracle on lists, and what they are made to survive."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.languages.lexical_terms import REACH, name_uses
from fingerprint.reading import read
from fingerprint.tokens import TokenStream, joined

# Kinds of tokens, which are hashes of 64 bits, with the name of those that are names.
KINDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
TOKENS = st.lists(st.tuples(st.sampled_from(KINDS), st.one_of(st.none(), st.integers(1, 3))), max_size=30)
PROGRAMS = {
    "python": (
        "def total(values):\n    result = 0\n    for value in values:\n"
        "        result = result + value\n    return result\n"
    ),
    "c": "int total(int n) { int s = 0; for (int i = 0; i < n; i++) { s = s + i * n; } return s; }\n",
    "java": "class A { int f(int a, int b) { int c = a * b; while (c > a) { c = c - b; } return c; } }\n",
    "matlab": "function r = f(x)\n  r = 0;\n  for k = 1:x\n    r = r + k * x;\n  end\nend\n",
}
NAMES = {"python": "result value values total", "c": "s i n total", "java": "a b c f", "matlab": "r k x f"}


def streams(tokens: list[tuple[int, int | None]]) -> tuple[TokenStream, TokenStream]:
    """Return the tokens and the names among them; each token has two characters."""
    triples = [(kind, 2 * at, 2 * at + 2) for at, (kind, _) in enumerate(tokens)]
    names = [(name, 2 * at, 2 * at + 2) for at, (_, name) in enumerate(tokens) if name is not None]
    return TokenStream.from_triples(triples), TokenStream.from_triples(names)


def naive_uses(tokens: list[tuple[int, int | None]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the kinds around both places of each use."""
    kinds = [0] * REACH + [kind for kind, _ in tokens] + [0] * REACH
    last: dict[int, tuple[int, ...]] = {}
    uses = []
    for at, (_, name) in enumerate(tokens):
        around = (*kinds[at : at + REACH], *kinds[at + REACH + 1 : at + 2 * REACH + 1])
        if name is not None:
            if name in last:
                uses.append((last[name], around))
            last[name] = around
    return uses


@given(TOKENS, TOKENS)
def test_uses_are_equal_where_the_tokens_around_both_places_are(
    left: list[tuple[int, int | None]], right: list[tuple[int, int | None]]
) -> None:
    pairs = [streams(tokens) for tokens in (left, right)]
    uses, ends = name_uses(*map(joined, zip(*pairs, strict=True)))
    uses_of_sides = [uses[: ends[0]].tolist(), uses[ends[0] : ends[1]].tolist()]
    expected = [naive_uses(tokens) for tokens in (left, right)]
    assert list(map(len, uses_of_sides)) == list(map(len, expected))
    shared = set(expected[0]) & set(expected[1])
    assert len(set(uses_of_sides[0]) & set(uses_of_sides[1])) == len(shared)


def uses_of(text: str, language: str) -> set[int]:
    return set(read(text.encode(), "program", language).lexical.uses.tolist())


@pytest.mark.parametrize("language", PROGRAMS)
def test_renaming_changes_no_use_of_a_name(language: str) -> None:
    text = PROGRAMS[language]
    renamed = re.sub(rf"\b({NAMES[language].replace(' ', '|')})\b", r"other_\1", text)
    assert renamed != text
    assert uses_of(renamed, language) == uses_of(text, language) != set()


def test_a_statement_of_other_names_leaves_uses_that_it_cut_a_passage_between() -> None:
    text = "def f(a, b):\n    c = a * b + 1\n    d = c - a\n    return [d, c]\n"
    padded = text.replace("    d =", "    unused = len('x') * 3\n    d =")
    assert len(uses_of(text, "python") & uses_of(padded, "python")) >= len(uses_of(text, "python")) / 2


def test_a_name_beyond_the_tokens_has_no_use() -> None:
    tokens, names = streams([(1, 1), (2, None), (1, 1)])
    none = TokenStream.from_triples(())
    uses, ends = name_uses(joined([none, tokens, tokens]), joined([names, none, names]))
    assert ends.tolist() == [0, 0, 1]
    assert uses.dtype == np.uint64
