"""The parts of archive screening that need no database: text of pages, matching by arrays, recipes."""

import argparse
import csv
import difflib
import heapq
import textwrap
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.sketches.shingling import Sketches, mod_containment, mod_resemblance
from submissions.archive.screening import (
    Estimate,
    index_sketches,
    near_fingerprints,
    shared_values,
    sharing_features,
)
from submissions.archive.signatures import (
    MAX_DEPTH,
    RECIPE,
    Recipe,
    compute_signatures,
    decode_document,
    html_text,
    token_kinds,
)
from tests.fingerprint import naive

SKETCHES = st.lists(st.sets(st.integers(0, 12), max_size=8), max_size=6)


def arrays(sketches: list[set[int]]) -> list[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    return [np.array(sorted(sketch), dtype=np.uint64) for sketch in sketches]


@given(SKETCHES, SKETCHES)
def test_shared_values_are_those_of_the_sets(new: list[set[int]], stored: list[set[int]]) -> None:
    shared = shared_values(index_sketches(arrays(new)), Sketches.from_sketches(arrays(stored)))
    rows = sorted(zip(*(column.tolist() for column in shared), strict=True))
    assert rows == [(i, j, len(a & b)) for i, a in enumerate(new) for j, b in enumerate(stored) if a & b]


@given(st.sets(st.integers(0, 12), min_size=1), st.sets(st.integers(0, 12), min_size=1))
def test_an_estimate_is_that_of_the_engine(new: set[int], stored: set[int]) -> None:
    a, b = arrays([new, stored])
    estimate = Estimate.from_sizes(len(new & stored), len(new), len(stored))
    assert estimate == (mod_resemblance(a, b), mod_containment(a, b), mod_containment(b, a))


@given(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(1, 3), st.data())
def test_features_are_counted_place_by_place(query: list[int], r: int, data: st.DataObject) -> None:
    features = st.lists(st.integers(0, 2), min_size=3, max_size=3)
    stored = data.draw(st.lists(features, max_size=5))
    table = np.array(stored, dtype=np.uint64).reshape(-1, 3)
    rows, counts = sharing_features(np.array(query, dtype=np.uint64), table, r)
    naive_counts = [sum(a == b for a, b in zip(query, other, strict=True)) for other in stored]
    assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == {
        row: count for row, count in enumerate(naive_counts) if count >= r
    }


@given(st.integers(0, 6), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4), st.data())
def test_every_simhash_within_any_covered_distance_is_found(
    distance: int, stored: list[int], data: st.DataObject
) -> None:
    bits = data.draw(st.sets(st.integers(0, 63), max_size=8))
    query = [stored[0] ^ sum(1 << bit for bit in bits)]
    near = near_fingerprints(np.array(query, np.uint64), np.array(stored, np.uint64), distance)
    rows = sorted(zip(*(column.tolist() for column in near), strict=True))
    assert rows == naive.near(query, stored, distance)


@pytest.mark.parametrize("distance", [-1, 7])
def test_a_distance_that_is_not_covered_is_refused(distance: int) -> None:
    none = np.empty(0, dtype=np.uint64)
    with pytest.raises(ValueError, match=f"distance is {distance}; 0 to 6"):
        near_fingerprints(none, none, distance)


@pytest.mark.parametrize("tokens", [0, 1, RECIPE.gram - 1, RECIPE.gram, RECIPE.w - 1, RECIPE.w])
def test_a_document_of_any_length_has_the_signatures_that_its_length_allows(tokens: int) -> None:
    signatures = compute_signatures(np.arange(tokens, dtype=np.uint64))
    assert signatures.tokens == tokens
    assert len(signatures.features) == (RECIPE.k if tokens >= RECIPE.w else 0)
    assert (signatures.simhash is None) == (tokens < RECIPE.gram)


def test_different_programs_are_not_near_copies() -> None:
    modules = (argparse, csv, difflib, heapq, textwrap)
    sources = [Path(module.__file__).read_bytes() for module in modules if module.__file__]
    simhashes = [
        compute_signatures(token_kinds(decode_document("module.py", source))).simhash or 0
        for source in sources
    ]
    assert len(simhashes) == len(modules)
    assert all((a ^ b).bit_count() > 6 for a, b in combinations(simhashes, 2))


def test_recipes_with_other_parameters_have_other_keys() -> None:
    others = [Recipe(w=9), Recipe(m=5), Recipe(k=7), Recipe(s=13), Recipe(gram=2)]
    assert len({recipe.key for recipe in [RECIPE, *others]}) == 6


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<title>T</title><div>He<b>llo</b> wor<!-- c -->ld</div>", "T\nHello world"),
        ("<table><tr><td>a<td>b</table>c<br>d", "a\nb\nc\nd"),
        ("<ul><li>a<li>b</ul><p>c<p>d", "a\nb\nc\nd"),
        ("x<script>var y</script><style>p {}</style><template>t</template><noscript>n</noscript>", "x"),
        ("&amp;&eacute;&#x1F600;&nosuch;", "&é😀&nosuch;"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_the_text_of_a_page_is_what_a_reader_sees(markup: str, text: str) -> None:
    assert html_text(markup) == text


def test_words_never_run_together_across_blocks_nor_part_within_a_word() -> None:
    page = "<div>one<p>two<span>three</span></p>four<hr>five<i>six</i></div>seven"
    assert html_text(page).split() == ["one", "twothree", "four", "fivesix", "seven"]


@pytest.mark.parametrize("markup", ["<div>", "<div></x>", "<DIV\n>", "<a><b><i>"])
def test_a_page_nested_too_deep_is_refused_before_it_is_parsed(markup: str) -> None:
    with pytest.raises(ValueError, match=f"{MAX_DEPTH:,} deep"):
        html_text(markup * (MAX_DEPTH + 1) + "x")


def test_a_long_page_of_flat_or_closed_elements_is_read() -> None:
    assert (
        len(html_text("<p>a<br><div>b</div><li>c" * (MAX_DEPTH + 1)).split()) == 4 * MAX_DEPTH - MAX_DEPTH + 3
    )
