"""No passage ends with the head of a function whose body is not in it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import Cohort
from fingerprint.ranking.pair_passages import align_pairs
from fingerprint.reading import read, token_lines
from tests.support.programs import program, renamed

K = 9
C_BODIES = (
    "    int best = 0;\n    for (int i = 1; i < n; i++) {\n        if (rows[i] > 0) best++;\n    }\n",
    "    while (n-- > 0) rows[n] *= rows[n];\n    return rows[0] + sqrt(n);\n",
    "    char *text = malloc(n + 1);\n    memcpy(text, rows, n);\n    text[n] = 0;\n    puts(text);\n",
)
C_HEADS = ("int {name}(int *rows, int n) {{\n", "int {name}(int *rows, int n)\n{{\n")


def last_lines(left: str, right: str, name: str) -> list[str]:
    """Return the last line on the left of each passage of two programs of at least 2 K tokens.

    A shorter one may stay as it is: without its head it would have less than K.
    """
    scans = [read(text.encode(), name) for text in (left, right)]
    lines = [token_lines(scan.text, scan.tokens) for scan in scans]
    cohort = Cohort.from_submissions([[scan.tokens.kinds] for scan in scans], K, lines=lines)
    passages = engine.as_passages(align_pairs(cohort, np.array([[0, 1]])).rows)
    ends = [one.left_token + one.tokens - 1 for one in passages if one.tokens >= 2 * K]
    return [left.splitlines()[int(lines[0][end]) - 1].strip() for end in ends]


def is_head(line: str) -> bool:
    return line.startswith(("def ", "class ")) or line.endswith("{")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_passage_of_two_python_programs_ends_with_a_head(shared: int, seed: int) -> None:
    own, other = program(Random(seed)), program(Random(seed + 1))
    copied = program(Random(shared), functions=2)
    lines = last_lines(copied + own, renamed(copied) + other, "a.py")
    assert lines, "they share a passage"
    assert not any(map(is_head, lines))


@pytest.mark.parametrize("head", C_HEADS)
@given(st.permutations(C_BODIES))
def test_no_passage_of_two_c_programs_ends_with_a_head(head: str, bodies: list[str]) -> None:
    first, *rest = (head.format(name="f") + body + "}\n" for body in bodies)
    left, right = first + rest[0], first + rest[1]
    assert last_lines(left, right, "a.c") == ["}"]


def test_a_head_whose_body_begins_alike_stays() -> None:
    body = "    best = rows[0]\n    for row in rows:\n        best = max(best, row)\n"
    left = f"def f(rows, n):\n{body}    return best\n"
    right = f"def g(lines, k):\n{body}    print(best, k, lines)\n"
    assert last_lines(left, right, "a.py") == ["best = max(best, row)"]


def test_a_condition_before_an_inserted_statement_stays() -> None:
    head = "int f(int *rows, int n) {\n    int sum = rows[0] + rows[1];\n    if (n < 0 && sum > 9) {\n"
    left, right = (
        f"{head}{body}    }}\n}}\n" for body in ("        n++;\n", "        puts(rows);\n        n++;\n")
    )
    assert "if (n < 0 && sum > 9) {" in last_lines(left, right, "a.c")
