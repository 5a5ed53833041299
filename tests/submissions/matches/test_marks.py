"""What two sources share as people read it: marks, colours, percentages and differences in words."""

import re
import time
from collections import Counter
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st
from selectolax.lexbor import LexborNode

from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, LexicalTerms, RankingInput
from fingerprint.reading import read
from fingerprint.winnowing import Params
from moss.check.outputs import standalone_report
from moss.check.rank import RankingOptions, rank_path
from submissions.intake.packed_readings import syntax_spans
from submissions.matches.differences import (
    LEAST_REPEATS,
    MAX_ALIGNED,
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
    matching_runs,
    renamed_names,
    shorten_lexeme,
    summarise_runs,
)
from submissions.matches.ranked_pairs import (
    parts_in_percent,
    percent_text,
    ranked_pairs,
    round_to_six,
    whole_percent,
)
from submissions.matches.source_html import cuts_between, differing_gaps
from submissions.pages.filters import counted
from submissions.pages.paper import PageLimits, standalone_html
from tests.moss.check.test_check import folder
from tests.support.html import Page
from tests.support.programs import edited, program, remarked, renamed

LINES = st.lists(st.sampled_from(["# a", "# b", "# c", "x = 1", ""]), max_size=8)


def kept(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines that are not cut out of a gap; it begins at the end of a line."""
    text, other = ("\n".join(["", *side, ""]) for side in (lines, others))
    for start, end in cuts_between(text, (0, len(text)), other):
        text = text[:start] + re.sub(".", " ", text[start:end]) + text[end:]
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_in_order(lines: list[str], others: list[str]) -> bool:
    rest = iter(others)
    return all(line in rest for line in lines)


@given(LINES, LINES)
def test_two_gaps_keep_the_same_lines_where_they_have_any(lines: list[str], others: list[str]) -> None:
    on_left = kept(lines, others)
    assert on_left == kept(others, lines)
    assert is_in_order(on_left, lines)
    assert is_in_order(on_left, others)
    assert bool(on_left) == bool({*lines} & {*others} - {""})


class Row(NamedTuple):
    """The text of a line on both sides, and for each side what is marked of it, and which marks are gaps."""

    texts: tuple[str, str]
    marked: tuple[str, str]
    gaps: tuple[set[bool], set[bool]]
    underlined: str


def rows_of(page: Page) -> list[Row]:
    pairs = [both for row in page.all("tr") if len(both := row.css("td.code")) == 2]
    return [
        Row(
            (text(left), text(right)),
            (parts(left, "mark"), parts(right, "mark")),
            (gaps(left), gaps(right)),
            parts(left, "u") + parts(right, "u"),
        )
        for left, right in pairs
    ]


def text(cell: LexborNode) -> str:
    return cell.text(deep=True, separator="").strip()


def gaps(cell: LexborNode) -> set[bool]:
    return {"gap" in (mark.attributes.get("class") or "").split() for mark in cell.css("mark")}


def parts(cell: LexborNode, tag: str) -> str:
    return "".join(text(node) for node in cell.css(tag))


def copied_class(random: Random) -> dict[str, bytes]:
    """Return a class of edited copies of one program, one of them with other names, and of other programs."""
    original = remarked(random, program(random, 4))
    sources = [edited(random, original) for _ in range(4)]
    sources[0] = renamed(sources[0])
    sources += [remarked(random, program(random, 3)) for _ in range(3)]
    return {f"s{number}/m.py": source.encode() for number, source in enumerate(sources)}


# With the last three of them, equal lines were matched otherwise for marks than for the rows.
@pytest.fixture(scope="module", params=[*range(5), 39, 166, 207])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Return the rows of the report on a class; its seed is the parameter."""
    written = folder(tmp_path_factory.mktemp("class"), copied_class(Random(request.param)))
    report = rank_path(written, RankingOptions())
    return rows_of(Page(standalone_html(standalone_report(report, "class")).html))


@pytest.mark.parametrize(
    ("limits", "shown", "listed"),
    [(PageLimits(), None, 0), (PageLimits(characters=1), 1, None), (PageLimits(pairs=2, rows=3), 2, 3)],
)
def test_a_page_keeps_its_limits_and_says_what_it_leaves_out(
    tmp_path: Path, limits: PageLimits, shown: int | None, listed: int | None
) -> None:
    report = rank_path(folder(tmp_path, copied_class(Random(2))), RankingOptions())
    pairs = len(list(report.pairs()))
    html, left_out = standalone_html(standalone_report(report, "class"), limits)
    page = Page(html)
    with_sources = pairs if shown is None else shown
    assert pairs > 6
    assert len(page.all(".pairs-of > details")) == with_sources
    assert len(page.all(".others li")) == (pairs - with_sources if listed is None else listed)
    assert bool(left_out) == (shown is not None)
    assert left_out in " ".join(page.text().split())
    assert (f"The first {shown} of {pairs} pairs" in left_out) == bool(left_out)
    assert ("more are not listed" in left_out) == (limits.rows == 3)


@pytest.mark.slow
def test_equal_lines_side_by_side_are_marked_on_both_sides_as_equal(rows: list[Row]) -> None:
    equal = [row for row in rows if row.texts[0] == row.texts[1] != ""]
    remarks = [row for row in equal if row.texts[0].startswith("#") and any(row.gaps)]
    assert len(equal) > 60
    assert len(remarks) > 1
    assert [row for row in equal if row.gaps[0] != row.gaps[1]] == []
    assert [row for row in equal if True in row.gaps[0]] == []
    assert [row for row in equal if row.underlined] == []


@pytest.mark.slow
def test_a_line_that_is_wholly_marked_as_equal_has_what_differs_underlined(rows: list[Row]) -> None:
    whole = [row for row in rows if row.texts == row.marked and True not in row.gaps[0] | row.gaps[1]]
    # A remark after code on one side and on a line of its own on the other is layout.
    other = [row for row in whole if row.texts[0] != row.texts[1] and "#" not in "".join(row.texts)]
    assert len(other) > 10
    assert [row for row in other if not row.underlined] == []


TEXTS = st.lists(st.sampled_from(["a", "bb", "c", "dddd"]), max_size=6)


def matched(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    return [(at + n, other + n) for at, other, size in matching_runs(left, right) for n in range(size)]


def most_characters(left: list[str], right: list[str]) -> int:
    """Return the most characters that one choice of texts in order has on both sides."""
    choices = [
        {tuple(chosen) for count in range(len(side) + 1) for chosen in combinations(side, count)}
        for side in (left, right)
    ]
    return max(len("".join(chosen)) for chosen in choices[0] & choices[1])


@given(TEXTS, TEXTS)
def test_what_matches_is_equal_in_order_and_has_most_characters(left: list[str], right: list[str]) -> None:
    pairs = matched(left, right)
    assert all(left[at] == right[other] for at, other in pairs)
    assert all(first[0] < after[0] and first[1] < after[1] for first, after in combinations(pairs, 2))
    assert sum(len(left[at]) for at, _ in pairs) == most_characters(left, right)


@given(TEXTS, TEXTS, st.integers(0, 6), st.integers(0, 6))
def test_neither_exchanged_sides_nor_texts_of_one_side_only_change_what_matches(
    left: list[str], right: list[str], at: int, other: int
) -> None:
    pairs = [(left[here], right[theirs]) for here, theirs in matched(left, right)]
    assert sorted(matched(right, left)) == sorted((theirs, here) for here, theirs in matched(left, right))
    longer, other_longer = (
        [*left[:at], "only left", *left[at:]],
        [*right[:other], "only right", *right[other:]],
    )
    assert [(longer[here], other_longer[theirs]) for here, theirs in matched(longer, other_longer)] == pairs


def test_too_many_texts_match_nothing() -> None:
    side = 1 + int(MAX_ALIGNED**0.5)
    assert matching_runs(["a"] * side, ["a"] * side) == []
    assert matching_runs(["a"] * (side - 1), ["a"] * (side - 1)) == [(0, 0, side - 1)]


def token_run(source: str, language: str = "python") -> TokenRun:
    """Return all tokens of a source."""
    scan = read(source.encode(), "", language)
    styles = [(start, end, css[:1]) for start, end, css in syntax_spans(scan.text, language)]
    known = (frozenset(start for start, _, css in styles if css == letter) for letter in "kn")
    comments = [(start, end) for start, end, css in styles if css == "c"]
    return TokenRun(scan.text, scan.tokens, 0, len(scan.tokens), comments, *known)


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


@given(NAMES, st.data())
def test_a_name_that_mostly_stands_for_itself_was_not_changed(names: list[str], data: st.DataObject) -> None:
    times = Counter(names)
    place = data.draw(st.sampled_from([at for at, name in enumerate(names) if times[name] > 2] or [-1]))
    written = ["z" if at == place else name for at, name in enumerate(names)]
    assert is_one_renaming([summary_of(" ; ".join(names), " ; ".join(written))]) == (place < 0)


def test_a_name_that_stands_for_several_beside_many_equal_ones_is_no_renaming_from_either_side() -> None:
    same = "a = b ; b = a ; " * 9
    one, several = same + "c = x ; x = c ; x\n", same + "c = u ; v = c ; w\n"
    assert not is_one_renaming([summary_of(one, several)])
    assert not is_one_renaming([summary_of(several, one)])
    assert is_one_renaming([summary_of(one, one.replace("x", "y"))])


def test_names_of_the_language_and_those_that_also_stand_for_themselves_were_not_renamed() -> None:
    left = "print(a) ; b = len(c) ; d.size = b ; d.first = b\n"
    right = "str(x) ; y = sum(a) ; d.first = y ; d.first = y\n"
    written = summary_of(left, right).names_written
    assert dict(renamed_names(written)) == {("b", "y"): 3, ("a", "x"): 1, ("c", "a"): 1}


def test_the_names_in_the_head_of_a_function_of_matlab_are_no_one_name() -> None:
    left = "function [u, v] = f(x, y)\n  u = x + y;\n  v = x - y;\nend\n"
    right = re.sub(r"\b([uvxy])\b", r"\g<1>2", left)
    runs = token_run(left, "matlab"), token_run(right, "matlab")
    assert {one for one, _ in summarise_runs([runs]).names_written} == {"u", "v", "x", "y"}


def test_names_that_occur_once_say_nothing_of_a_renaming() -> None:
    assert not is_one_renaming([summary_of("a ; b ; c ; d", "e ; f ; g ; h")])


def test_each_token_that_differs_is_known_with_what_the_other_side_wrote() -> None:
    left, right = token_run("a = b + 1\n"), token_run("a = c + 1\n")
    assert list(differences(left, right)) == [(2, "b", "c")]


def part(source: str, words: str) -> TokenRun:
    """Return the tokens of a source from the first of some words to the last."""
    run = token_run(source)
    lexemes, wanted = run.lexemes(), words.split()
    first = next(at for at in range(len(lexemes)) if lexemes[at : at + len(wanted)] == wanted)
    return replace(run, first=first, count=len(wanted))


@pytest.mark.parametrize(
    ("left", "right", "equal", "others", "differing"),
    [
        # An annotation was added, and the parameters before it stand where they stood.
        ("f(1); total = 0", "f(1); total: int = 0", "total = 0", "int = 0", []),
        ("def f(a, b): c", "def f(a: A, b: B): c", "f a b c", "A b B c", []),
        # A call was removed.
        ("x = y(float(a))\nif b: 1", "x = y(a)\nfor b in 1: 1", "x = y float", "x = y a", []),
        # Another statement was added, with the same word in it.
        ("a = 1; name = a", "a = 1; show(name, 2); size = a", "name = a", "size = a", [("name", "size")]),
        ("show(a); mean(a)", "show(a); log(1); show(a)", "mean a", "show a", [("mean", "show")]),
        # Of two names, one was moved, the other replaced.
        ("for x in sorted(a, k)", "return sorted(b(c), k)", "sorted a k", "b c k", [("a", "c")]),
        # The tokens beside both runs are the same.
        ("b = a; a = 1", "b = a; b = 1", "a = 1", "b = 1", [("a", "b")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("exchanged", [False, True])
def test_a_token_beside_what_was_added_is_not_replaced_by_it(
    left: str, right: str, equal: str, others: str, differing: list[tuple[str, str]], *, exchanged: bool
) -> None:
    step = -1 if exchanged else 1
    one, other = (part(left, equal), part(right, others))[::step]
    assert [both[1:] for both in differences(one, other)] == [both[::step] for both in differing]
    assert dict(summarise_runs([(one, other)]).replaced) == dict.fromkeys([both[::step] for both in differing], 1)
    marked = {one.text[slice(*span)] for span in differing_gaps(one, other)}
    assert marked.isdisjoint(both[::step][0] for both in differing)


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
    run = TokenRun("return None", read(b"return None", "a.py").tokens, 0, 2, keywords=keywords)
    assert run.category(0) == "keywords"
    assert counted({"names": 0, "literals": 0, "keywords": 1, "signs": 0}) == ["1 keyword or type"]


@pytest.mark.parametrize(
    ("other", "comments", "gaps"),
    [
        ("a  =  1\n# two\nb = 2\n\n\nc = 3\n", 1, 0),
        ("a = 1  # one\nb = 2  # two\nc = (3)\n", 2, 1),
        ("a = (1)\nb = 2\nc = 3\n", 0, 2),
    ],
)
def test_different_comments_and_brackets_are_counted_each(other: str, comments: int, gaps: int) -> None:
    summary = summary_of("a = 1\nb = 2\nc = 3\n", other)
    assert (summary.comments, summary.gaps, summary.examples) == (comments, gaps, [])


def test_a_long_literal_is_cut_in_an_example() -> None:
    assert shorten_lexeme(f"'{'x' * 90}'") == f"'{'x' * 38}…"
    assert shorten_lexeme("'a\n  b'") == "'a b'"


PARAMS = Params(k=3, window=2)


# A file: for each line the tokens that begin on it.
files = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=12)


cohorts = st.lists(st.lists(files, min_size=1, max_size=3), min_size=2, max_size=4)


def _content(owner: int, file: list[list[int]]) -> CohortFile:
    kinds = np.array([kind for line in file for kind in line], np.uint64)
    lines = np.repeat(np.arange(1, len(file) + 1), [len(line) for line in file]).astype(np.int32)
    none = np.empty(0, np.uint64)
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return CohortFile(owner, kinds, lines, LexicalTerms(none, none, none), hashes)


@pytest.mark.long
@given(cohorts, st.one_of(st.none(), st.integers(1, 3)))
def test_lines_are_where_tokens_begin(submissions: list[list[list[list[int]]]], limit: int | None) -> None:
    contents = [_content(owner, file) for owner, files in enumerate(submissions) for file in files]
    lines = [content.lines for content in contents]
    excluded = Exclusions((), (), limit)
    inputs = RankingInput.from_files(contents, len(submissions), PARAMS.k, excluded)
    ranking = engine.rank(inputs)
    for pair in ranked_pairs(inputs, ranking):
        left = {
            (p.left_file, lines[p.left_file][p.left_token + n])
            for p in pair.passages
            if not p.common
            for n in range(p.tokens)
        }
        right = {
            (p.right_file, lines[p.right_file][p.right_token + n])
            for p in pair.passages
            if not p.common
            for n in range(p.tokens)
        }
        assert pair.lines == max(len(left), len(right))
        assert pair.passages or not pair.similarity


@given(st.lists(st.one_of(st.floats(0, 1), st.integers(0, 10**7).map(lambda n: n / 10**7))))
def test_numbers_are_rounded_as_python_does(values: list[float]) -> None:
    assert round_to_six(np.array(values)) == [round(value, 6) for value in values]


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
