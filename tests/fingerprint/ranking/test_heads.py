"""No passage ends with the head of a function, or begins with the end of one, whose body is not in it."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import Cohort
from fingerprint.languages.token_rows import token_lines
from fingerprint.ranking.passages import align_pairs
from fingerprint.reading import read
from tests.support.programs import program, renamed

K = 9
C_BODIES = (
    "    int best = 0;\n    for (int i = 1; i < n; i++) {\n        if (rows[i] > 0) best++;\n    }\n",
    "    while (n-- > 0) rows[n] *= rows[n];\n    return rows[0] + sqrt(n);\n",
    "    char *text = malloc(n + 1);\n    memcpy(text, rows, n);\n    text[n] = 0;\n    puts(text);\n",
)
C_HEADS = ("int {name}(int *rows, int n) {{\n", "int {name}(int *rows, int n)\n{{\n")


def last_lines(left: str, right: str, name: str) -> list[str]:
    """Return the last line on the left of each long passage of two programs."""
    return [lines[-1] for lines in passage_lines(left, right, name)]


def passage_lines(left: str, right: str, name: str) -> list[list[str]]:
    """Return the lines on the left, without indents, of each passage of two programs of at least 2 K tokens.

    A shorter one may stay as it is: without its head it would have less than K.
    """
    scans = [read(text.encode(), name) for text in (left, right)]
    lines = [token_lines(scan.text, scan.tokens) for scan in scans]
    cohort = Cohort.from_submissions([[scan.tokens.kinds] for scan in scans], K, lines=lines)
    passages = engine.as_passages(align_pairs(cohort, np.array([[0, 1]])).rows)
    spans = [(one.left_token, one.left_token + one.tokens - 1) for one in passages if one.tokens >= 2 * K]
    left_lines = [line.strip() for line in left.splitlines()]
    return [left_lines[int(lines[0][first]) - 1 : int(lines[0][last])] for first, last in spans]


def is_head(line: str) -> bool:
    return line.startswith(("def ", "class ")) or line.endswith("{")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_passage_of_two_python_programs_ends_with_a_head(shared: int, seed: int) -> None:
    one, other = program(Random(seed)), program(Random(seed + 1))
    copied = program(Random(shared), functions=2)
    lines = last_lines(copied + one, renamed(copied) + other, "a.py")
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
    left, right = (f"{head}{body}    }}\n}}\n" for body in ("        n++;\n", "        puts(rows);\n        n++;\n"))
    assert "if (n < 0 && sum > 9) {" in last_lines(left, right, "a.c")


def starts_with_the_end_of_a_function(lines: list[str]) -> bool:
    rest = [line for line in lines[1:] if line and line != "}"]
    return lines[0].startswith(("return", "}")) and bool(rest) and is_head(rest[0])


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_passage_of_two_python_programs_begins_with_the_end_of_a_function(shared: int, seed: int) -> None:
    one, other = program(Random(seed)), program(Random(seed + 1))
    copied = program(Random(shared), functions=2)
    passages = passage_lines(one + copied, other + renamed(copied), "a.py")
    assert passages, "they share a passage"
    assert not any(map(starts_with_the_end_of_a_function, passages))


C_ENDS = (
    "    if (rows[0] < n) n = rows[0];\n    return i;\n}\n",
    "    for (i = 0; i < n; i++)\n        rows[i] = 0;\n    return i; }\n",
    "    while (n > 0) {\n        n /= rows[1];\n        i++;\n    }\n    return minimum + maximum * 3;\n}\n",
    "    if (n) {\n        puts(rows);\n        return i;\n    }\n}\n",
)


@pytest.mark.parametrize("head", C_HEADS)
@given(st.permutations(C_ENDS), st.permutations(C_BODIES))
def test_no_passage_of_two_c_programs_begins_with_the_end_of_a_function(
    head: str, ends: list[str], bodies: list[str]
) -> None:
    copied = "".join(head.format(name="f") + body + "}\n" for body in bodies)
    left, right = (head.format(name="g") + end + copied for end in ends[:2])
    passages = passage_lines(left, right, "a.c")
    assert passages[0][0] == head.format(name="f").splitlines()[0]
    assert not any(map(starts_with_the_end_of_a_function, passages))


def test_a_function_of_one_line_and_a_field_before_a_head_stay() -> None:
    copied = C_HEADS[0].format(name="f") + C_BODIES[0] + "}\n"
    for line in ("static int size() { return sizes[LIMIT]; }", "static int sizes[9] = {1, 2, 3, 4};"):
        left, right = f"#include <a.h>\nchar x;\n{line}\n{copied}", f"float y(int);\n{line}\n{copied}"
        assert passage_lines(left, right, "a.c")[0][0] == line


def test_a_passage_may_begin_with_the_last_lines_of_a_function() -> None:
    end = "    best = max(best, rows[0])\n    return best\n"
    copied = program(Random(3), functions=1)
    left, right = (
        f"def f(a):\n    del a\n{end}{copied}",
        f"def g(a):\n    with a:\n        b()\n{end}{copied}",
    )
    assert passage_lines(left, right, "a.py")[0][0] == "best = max(best, rows[0])"


def test_no_passage_ends_with_a_head_of_many_parameters() -> None:
    head = "def f(one, two, three, four, five, six, seven, eight, nine):\n"
    shared = program(Random(3), functions=1) + head
    assert last_lines(f"{shared}    one()\n", f"{shared}    del two\n", "a.py")[0].startswith("return")


@pytest.mark.parametrize(
    ("name", "last"),
    [("a.py", "def g(x, y, *args, **kwargs): pass\n"), ("a.hpp", "class Shape : public Base, public Other {\n")],
)
def test_a_head_at_the_end_of_both_files_stays(name: str, last: str) -> None:
    text = program(Random(3), functions=1) if name == "a.py" else C_HEADS[0].format(name="f") + C_BODIES[0] + "}\n"
    assert last_lines(text + last, text + last, name) == [last.strip()]
