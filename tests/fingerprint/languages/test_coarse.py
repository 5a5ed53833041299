"""The coarse stream: programs that do the same look the same in every language."""

import re
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import front_end
from fingerprint.languages.coarse import FAMILY, Lexeme, coarse_scan
from fingerprint.languages.language_table import COARSE_LANGUAGES
from fingerprint.reading import read
from fingerprint.tokens import kind_id
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
@pytest.mark.parametrize(
    "piece", ["for ", "f(", "a<", "if __name__ ", "cout ", "A():", "func (", "a[", "((a:"]
)
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
