import time

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import assume, example, given, strategies as st

from fingerprint.reading import read
from submissions.intake.packed_readings import syntax_spans
from submissions.matches.differences import (
    LEAST_REPEATS,
    NEARLY_ALL,
    WORD,
    DifferenceExample,
    DifferenceSummary,
    DifferingPart,
    TokenRun,
    count_changed,
    differences,
    differing_parts,
    is_one_renaming,
    shorten_lexeme,
    summarise_runs,
)
from submissions.models import Assignment
from submissions.pages.filters import counted
from tests.support.html import get_page
from tests.support.sample_class import COPIED, RENAMED, zipped
from tests.support.uploads import HandIn


def token_run(source: str) -> TokenRun:
    """Return all tokens of a Python source."""
    scan = read(source.encode(), "a.py")
    keywords = frozenset(start for start, _, css in syntax_spans(scan.text, "python") if css.startswith("k"))
    return TokenRun(scan.text, scan.tokens, 0, len(scan.tokens), keywords)


def summary_of(left: str, right: str) -> DifferenceSummary:
    left_run, right_run = token_run(left), token_run(right)
    return summarise_runs([(left_run, right_run)])


def test_what_was_renamed_is_counted_and_the_commonest_change_comes_first() -> None:
    left = "total = 0\nfor x in xs:\n    total = total + x\n"
    summary = summary_of(left, left.replace("total", "acc").replace("x in", "y in").replace("+ x", "+ y"))
    assert summary.examples == [DifferenceExample("total", "acc", 3), DifferenceExample("x", "y", 2)]
    assert counted(count_changed([summary])) == ["2 names"]


def test_a_name_that_was_changed_in_two_passages_is_counted_once() -> None:
    summaries = [summary_of(text, text.replace("a", "z")) for text in ("a = b + 1\n", "c = a\n", "a(a)\n")]
    assert count_changed(summaries) == {"names": 1, "literals": 0, "keywords": 0, "signs": 0}


NAMES = st.lists(st.sampled_from("abcdef"), min_size=20, max_size=60)


@given(NAMES, st.permutations("uvwxyz"), st.integers(0, 2))
def test_one_renaming_explains_a_copy_in_which_nearly_every_name_has_one_other_name(
    names: list[str], others: list[str], exceptions: int
) -> None:
    new = dict(zip("abcdef", others, strict=True))
    written = [new[name] for name in names[exceptions:]]
    left, right = " ; ".join(names), " ; ".join([*"g" * exceptions, *written])
    assume((len(names) - len({*names}) - 2 * exceptions) >= NEARLY_ALL * (len(names) - len({*names})))
    assume(len(names) - len({*names}) >= LEAST_REPEATS)
    assert is_one_renaming([summary_of(left, right)])


@given(NAMES)
def test_no_renaming_explains_names_that_stand_for_several_others(names: list[str]) -> None:
    # Every second place of each name has another name.
    seen: dict[str, int] = {}
    written = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        written.append(f"{name}{seen[name] % 2}")
    assert not is_one_renaming([summary_of(" ; ".join(names), " ; ".join(written))])


def test_names_that_occur_once_say_nothing_of_a_renaming() -> None:
    assert not is_one_renaming([summary_of("a ; b ; c ; d", "e ; f ; g ; h")])


def test_each_token_that_differs_is_known_with_what_the_other_side_wrote() -> None:
    left, right = token_run("a = b + 1\n"), token_run("a = c + 1\n")
    assert list(differences(left, right)) == [(2, "b", "c")]


WORDS = st.lists(st.sampled_from(["ab", "c", " ", ", ", "'", "d"]), max_size=12).map("".join)


@given(WORDS, WORDS)
@example(" ab ", "abab , ab")
@example(" c", ", ab c ")
def test_without_what_is_underlined_both_sides_say_the_same(left: str, right: str) -> None:
    assume(left != right)
    parts = differing_parts(left, right)
    assert parts
    assert without([part.left for part in parts], left) == without([part.right for part in parts], right)
    assert [part[::-1] for part in differing_parts(right, left)] == [tuple(part) for part in parts]
    for part, (left_words, right_words) in ((part, words_of(part, left, right)) for part in parts):
        assert left_words or right_words, part
        assert left_words[:1] != right_words[:1]
        assert left_words[-1:] != right_words[-1:]


def without(spans: list[tuple[int, int]], text: str) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}~{text[end:]}"
    return text


def words_of(part: DifferingPart, left: str, right: str) -> tuple[list[str], list[str]]:
    return WORD.findall(left[slice(*part.left)]), WORD.findall(right[slice(*part.right)])


@pytest.mark.parametrize(
    ("left", "right", "underlined"),
    [
        ("'no book of this title'", "'no film of this name'", [("book", "film"), ("title", "name")]),
        ("'the total is'", "'the sum is'", [("total", "sum")]),
        ("'the total'", "'the grand total'", [("", "grand ")]),
        ("'a b c d'", "'a x y d'", [("b c", "x y")]),
        ("total", "sum", [("total", "sum")]),
        ("'so'", "'not so, they say'", [("", "not "), ("", ", they say")]),
    ],
)
def test_in_a_message_only_the_words_that_differ_are_underlined(
    left: str, right: str, underlined: list[tuple[str, str]]
) -> None:
    parts = differing_parts(left, right)
    assert [(left[slice(*part.left)], right[slice(*part.right)]) for part in parts] == underlined


def test_words_of_a_very_long_text_are_not_aligned_one_by_one() -> None:
    left, right = (f"'same {' '.join(f'{side}{n} and' for n in range(900))} same'" for side in "lr")
    began = time.thread_time()
    (part,) = differing_parts(left, right)
    assert time.thread_time() - began < 0.1
    assert (part.left[0], part.left[1]) == (6, len(left) - len(" and same'"))


def test_names_literals_and_keywords_are_counted_apart() -> None:
    summary = summary_of("x = 1\nreturn 'a'\n", "y = 2\nreturn 'b'\n")
    assert counted(count_changed([summary])) == ["1 name", "2 literals"]


def test_a_keyword_that_is_folded_with_another_is_called_one() -> None:
    keywords = {start for start, _, _ in syntax_spans("return None", "python")}
    run = TokenRun("return None", read(b"return None", "a.py").tokens, 0, 2, keywords)
    assert run.category(0) == "keywords"


def test_different_comments_are_counted_and_different_layout_is_not() -> None:
    summary = summary_of("a = 1\nb = 2\nc = 3\n", "a  =  1\n# two\nb = 2\n\n\nc = 3\n")
    assert (summary.gaps, summary.examples) == (1, [])


def test_a_long_literal_is_cut_in_an_example() -> None:
    assert shorten_lexeme(f"'{'x' * 90}'") == f"'{'x' * 22}…"
    assert shorten_lexeme("'a\n  b'") == "'a b'"


@pytest.mark.long
def test_the_pair_page_says_what_was_renamed(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": RENAMED}))
    pair = assignment.reports.get().pairs.get()
    page = get_page(alice_client, reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    assert page.text("#about-1").startswith("Written differently: ")
    lexemes = page.texts("#about-1 code")
    assert ("value", "item") in zip(lexemes[::2], lexemes[1::2], strict=True)
    assert "value → item" in page.text("#about-1")
    assert page.texts(".passages .meta") == ["in at most 2 of 2"]
    assert "From structure" in page.terms(".figures")
    assert set(page.texts('[data-side="L"] i[data-there="item"]')) == {"value"}
    assert set(page.texts('[data-side="R"] i[data-there="value"]')) == {"item"}
