"""Starter code that is offered ends where a statement ends, and with no head whose body is not in it."""

from typing import NamedTuple

import pytest

from fingerprint import engine
from fingerprint.engine import Cohort
from fingerprint.languages.token_rows import token_lines
from fingerprint.reading import Reading, read

K = 9


class Code(NamedTuple):
    """Lines of a language: a whole function, the head of another, and the first line of its body."""

    file: str
    whole: str
    head: str
    body: str


CODE = [
    Code(
        "a.py",
        "def total(rows, path):\n    rest = sum(rows)\n    print('all', round(rest, 2))\n    return rest\n",
        "def entry(field, group):\n",
        "    field.append(group)\n",
    ),
    Code(
        "A.cs",
        "class A {\n    private int a = 1, b = 2;\n    int Sum(int c) {\n        return a + b + c;\n    }\n",
        "    [Serializable]\n    public A(int first,\n        int second)\n        : base(first, second)\n    {\n",
        "        a = first * second;\n",
    ),
    Code(
        "a.cpp",
        "int total(int *rows, int n) {\n    int sum = 0;\n    while (n > 0) sum += rows[--n];\n    return sum;\n}\n",
        "Boat::Boat(int length,\n           int berth)\n    : length_(length),\n      berth_(berth)\n{\n",
        "    puts(berth);\n",
    ),
    Code(
        "A.java",
        "class A {\n    int a = 1, b = 2;\n    int sum(int c) {\n        return a + b + c;\n    }\n",
        "    @Override\n    public int berth(int a,\n        int b) throws IOException {\n",
        "        a = b * 2;\n",
    ),
    Code(
        "a.js",
        "function total(rows) {\n  let sum = 0\n  for (const row of rows) sum += row\n  return sum\n}\n",
        "function entry(field, group) {\n",
        "  field.push(group)\n",
    ),
    Code(
        "a.go",
        "func total(rows []int) int {\n\tsum := 0\n\tfor _, row := range rows {\n"
        "\t\tsum += row\n\t}\n\treturn sum\n}\n",
        "func entry(field string, group int) int {\n",
        "\tfield = field + field\n",
    ),
    Code(
        "a.rs",
        "fn total(rows: &[i32]) -> i32 {\n    let mut sum = 0;\n    for row in rows { sum += row; }\n    sum\n}\n",
        "fn entry(field: &str, group: i32) -> i32 {\n",
        "    let a = group * 2;\n",
    ),
    Code(
        "a.rb",
        "def total(rows)\n  sum = 0\n  rows.each { |row| sum += row }\n  sum * 2 + rows.size\nend\n",
        "def entry(field, group)\n",
        "  field = field + group\n",
    ),
    Code(
        "a.m",
        "function y = total(rows)\n  y = 0;\n  for row = rows\n    y = y + row * 2;\n  end\nend\n",
        "function z = entry(field, group)\n",
        "  z = field * group;\n",
    ),
    Code(
        "a.pas",
        "procedure Total(n: integer);\nvar sum: integer;\nbegin\n  sum := n * 2;\n  writeln(sum);\nend;\n",
        "procedure Entry(field: integer);\n",
        "var a: integer;\n",
    ),
    Code(
        "a.adb",
        "procedure Total (N : Integer) is\n   Sum : Integer := 0;\nbegin\n"
        "   Sum := N * 2;\n   Put (Sum);\nend Total;\n",
        "function Entry_Of (Field : Integer) return Integer is\n",
        "   A : Integer := 2;\n",
    ),
    Code(
        "a.f90",
        "subroutine total(n)\n  integer :: n, a\n  a = n * 2\n  print *, a + n\nend subroutine total\n",
        "function entry_of(field, group)\n",
        "  field = group * 2\n",
    ),
    Code(
        "a.vb",
        "Sub Total(n As Integer)\n  Dim a As Integer\n  a = n * 2\n  Console.WriteLine(a + n)\nEnd Sub\n",
        "Function EntryOf(field As Integer) As Integer\n",
        "  field = field * 2\n",
    ),
]
names = pytest.mark.parametrize("code", CODE, ids=[one.file for one in CODE])


def reading(code: Code, text: str) -> Reading:
    return read(text.encode(), code.file)


def whole(code: Code, text: str, first: int, after: int) -> tuple[int, int]:
    """Return the tokens [first, after) of a text as code that is shown alone."""
    one = reading(code, text)
    lines = [token_lines(one.text, one.tokens)]
    cohort = Cohort.from_submissions([[one.tokens.kinds]], K, lines=lines)
    return engine.whole_lines(cohort, first, after)


@names
@pytest.mark.parametrize("of_next", [0, 1, 2])
def test_code_ends_before_a_head_whose_body_is_not_wholly_in_it(code: Code, of_next: int) -> None:
    text = code.whole + code.head + code.body
    tokens = len(reading(code, code.whole).tokens)
    head = len(reading(code, code.whole + code.head).tokens)
    assert tokens >= K
    assert head + of_next < len(reading(code, text).tokens)
    for after in {tokens, tokens + 1, head, head + of_next}:
        assert whole(code, text, 0, after) == (0, tokens)


@names
def test_a_head_stays_with_the_first_line_of_its_body(code: Code) -> None:
    text = code.whole + code.head + code.body + code.body
    tokens = len(reading(code, code.whole + code.head + code.body).tokens)
    assert whole(code, text, 0, tokens) == (0, tokens)


@names
def test_code_begins_with_a_line_and_not_within_one(code: Code) -> None:
    text = code.body + code.whole + code.head + code.body
    body, tokens = (len(reading(code, part).tokens) for part in (code.body, code.body + code.whole))
    for first in range(1, body):
        assert whole(code, text, first, tokens) == (body, tokens)


@names
def test_code_does_not_begin_with_the_last_line_of_a_function(code: Code) -> None:
    text = code.whole + code.whole
    tokens = len(reading(code, code.whole).tokens)
    last_line = len(reading(code, "".join(code.whole.splitlines(keepends=True)[:-1])).tokens)
    assert whole(code, text, last_line, 2 * tokens) == (tokens, 2 * tokens)


def test_a_few_tokens_stay_as_they_are() -> None:
    assert whole(CODE[0], CODE[0].whole, 2, 8) == (2, 8)
