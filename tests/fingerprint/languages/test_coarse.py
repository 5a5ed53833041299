"""The coarse stream: programs that do the same look the same in every language."""

import re
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import front_end
from fingerprint.languages.coarse import FAMILY, Lexeme, coarse_scan, number_value, pack_terms, text_terms
from fingerprint.languages.language_table import COARSE_LANGUAGES
from fingerprint.languages.lexical_terms import REACH, name_uses
from fingerprint.reading import read
from fingerprint.tokens import TokenStream, joined, kind_id
from tests.support.long_rows import rest_is_long

SUM = {
    "python": """
def total(prices, limit):
    count = 0
    for price in prices:
        if price > limit and price != 7:
            count += 1
            print("too much:", price)
    return clip(count, 42)
""",
    "java": """
import java.util.*;
public class Shop {
    private int unused;
    public static int total(List<Integer> prices, final int limit) throws Exception {
        int count = 0;
        for (int price : prices) {
            if (price > limit && price != 7) {
                count++;
                System.out.println("too much: " + price);
            }
        }
        return clip(count, 42);
    }
}
""",
    "c": """
#include <stdio.h>
int total(int prices[], int limit) {
    int i;
    int count = 0;
    for (i = 0; prices[i] >= 0; i++)
        if (prices > limit && prices != 7) {
            count++;
            printf("too much: %d", prices);
        }
    return clip(count, 42);
}
""",
    "cpp": """
using namespace std;
int total(const vector<int>& prices, int limit) {
    int count = 0;
    for (const auto& price : prices) {
        if (price > limit && price != 7) {
            count += 1;
            cout << "too much: " << price << endl;
        }
    }
    return clip(count, 42);
}
""",
    "csharp": """
using System;
class Shop {
    public int Total(List<int> prices, int limit) {
        int count = 0;
        foreach (var price in prices) {
            if (price > limit && price != 7) { count++; Console.WriteLine($"too much: {price}"); }
        }
        return Clip(count, 42);
    }
}
""",
    "javascript": """
function total(prices, limit) {
  let count = 0;
  for (const price of prices) {
    if (price > limit && price !== 7) {
      count += 1;
      console.log(`too much: ${price}`);
    }
  }
  return clip(count, 42);
}
""",
    "go": """
package main
import "fmt"
func total(prices []int, limit int) int {
	count := 0
	for _, price := range prices {
		if price > limit && price != 7 {
			count++
			fmt.Println("too much:", price)
		}
	}
	return clip(count, 42)
}
""",
}


SYMBOLS = [
    "define 2",
    "assign",
    "number 0.0",
    "loop",
    "branch",
    "compare",
    "logic",
    "compare",
    "number 7.0",
    "update",
    "print",
    "return",
    "call 2",
    "number 42.0",
]


def symbols(language: str, source: str) -> list[int]:
    coarse = front_end(language).scan(source, coarse=True).coarse
    assert coarse is not None
    kinds: list[int] = coarse.tokens.kinds.tolist()
    return kinds


def ids(names: Sequence[str]) -> list[int]:
    return [kind_id(FAMILY, name) for name in names]


@pytest.mark.parametrize("language", SUM)
def test_one_function_has_the_same_symbols_in_every_language(language: str) -> None:
    assert symbols(language, SUM[language]) == ids(SYMBOLS)


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("cpp", "struct A { int x; A(int v) : x(v) {} };", "define 1|assign"),
        ("cpp", "Node* next = nullptr;", "assign|null"),
        ("cpp", "int n = a * b;", "assign|arithmetic"),
        ("java", "Map<String, List<Integer>> m = new HashMap<>();", "assign"),
        ("java", "boolean b = i < n && j > m;", "assign|compare|logic|compare"),
        ("java", "names.put(key, names.get(key));", "index|assign|index"),
        ("python", "names[key] = names[key]", "index|assign|index"),
        ("python", 'if __name__ == "__main__":\n    start()', "call 0"),
        ("java", "public static void main(String[] args) { start(); }", "call 0"),
        ("go", "for i < 3 { i++ }", "loop|compare|number 3.0|update"),
        ("python", "for i in range(3):\n    i += 1", "loop|number 3.0|update"),
        ("javascript", "class A { f(a, b) { return a.length; } }", "define 2|return|length"),
        ("csharp", "int F(int a) => a * 2;", "define 1|arithmetic|number 2.0"),
        ("python", "text = a + 'x' + b", "assign|string"),
    ],
)
def test_what_only_one_language_needs_disappears(language: str, source: str, expected: str) -> None:
    assert symbols(language, source) == ids(expected.split("|"))


def test_positions_are_those_of_the_shown_text() -> None:
    source = 'x = 1\r\nprint("ä")\r\nreturn 23\r\n'
    coarse = read(source.encode(), "a.py", coarse=True).coarse
    assert coarse is not None
    starts, ends = coarse.tokens.starts.tolist(), coarse.tokens.ends.tolist()
    parts = [source[start:end] for start, end in zip(starts, ends, strict=True)]
    assert parts == ["=", "1", "print", "return", "23"]


def test_a_language_without_symbols_and_a_reading_that_does_not_ask_have_no_coarse_stream() -> None:
    assert front_end("sql").scan("select 1", coarse=True).coarse is None
    assert front_end("text").scan("a text", coarse=True).coarse is None
    assert front_end("python").scan("x = 1").coarse is None


def test_asking_for_the_coarse_stream_changes_nothing_else() -> None:
    plain, both = (front_end("java").scan(SUM["java"], coarse=coarse) for coarse in (False, True))
    for one, other in ((plain.tokens, both.tokens), (plain.lexical, both.lexical)):
        assert np.array_equal(one.kinds, other.kinds)
        assert np.array_equal(one.starts, other.starts)


@given(
    st.sampled_from(sorted(COARSE_LANGUAGES)),
    st.lists(
        st.sampled_from(
            [
                "f",
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                "<",
                ">",
                ",",
                ";",
                ":",
                "=",
                "=>",
                "->",
                "*",
                "&",
                "for",
                "if",
                "def",
                "func",
                "main",
                "__name__",
                "'a'",
                "1",
                "\n",
                "new",
            ]
        )
    ),
)
def test_any_broken_program_has_symbols_in_text_order(language: str, words: list[str]) -> None:
    source = " ".join(words)
    coarse = front_end(language).scan(source, coarse=True).coarse
    assert coarse is not None
    tokens = coarse.tokens
    assert (np.diff(tokens.starts) >= 0).all()
    assert (tokens.ends > tokens.starts).all()
    assert tokens.ends.max(initial=0) <= len(source)


@pytest.mark.slow
@pytest.mark.parametrize("language", rest_is_long(sorted(COARSE_LANGUAGES), first=3))
@pytest.mark.parametrize("piece", ["for ", "f(", "a<", "if __name__ ", "cout ", "A():", "func (", "a[", "((a:"])
def test_repeated_pieces_take_linear_time(language: str, piece: str) -> None:
    count = 10_000
    lexemes = [Lexeme(*word, at, at + 1) for at, word in enumerate(kinds_of(piece) * count)]
    started = time.process_time()
    coarse_scan(language, lexemes)
    assert time.process_time() - started < 2


def kinds_of(piece: str) -> list[tuple[str, str]]:
    """Return kind and text of the lexemes of a piece: words that are no keywords are names."""
    words = re.findall(r"\w+|\W", piece.replace(" ", ""))
    return [("<name>" if re.match(r"(?!for|if|func)\w", word) else word, word) for word in words]


@pytest.mark.parametrize("lexeme", ["255", "255.0", "255L", "2_5_5", "0xFF", "-255", "+255f"])
def test_a_number_is_known_by_its_value(lexeme: str) -> None:
    assert number_value(lexeme) == "255.0"


@given(st.text())
def test_any_lexeme_of_a_number_has_some_value(lexeme: str) -> None:
    assert isinstance(number_value(lexeme), str)


def test_messages_share_their_words_however_a_language_puts_them_together() -> None:
    formatted, joined = text_terms('"Paid %d to the owner"'), text_terms('" to the owner"')
    assert {"the owner", "to the", "owner"} <= set(formatted) & set(joined)
    assert text_terms('"#-#-#"') == ("#-#-#",)
    assert len(pack_terms([*formatted, *formatted])) == len(set(formatted))


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
