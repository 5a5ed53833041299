"""Detection of a language takes linear time, whatever a student writes into a file."""

import re
from itertools import product
from time import process_time

import pytest

from fingerprint.languages.detection import AMBIGUOUS, CONTENT_PATTERNS, PROGRAM_PATTERNS

# tests/test_regular_expressions.py proves of each pattern that it is linear.
pytestmark = pytest.mark.long

PATTERNS = sorted(
    {
        pattern
        for choices in (*AMBIGUOUS.values(), CONTENT_PATTERNS, PROGRAM_PATTERNS)
        for pattern, _ in choices
        if pattern
    }
)
# Beginnings of what the patterns search for, each of which leaves something that can be repeated.
BEGINNINGS = (
    "", "#include", "#include <", "class a", "public ", "public final class ", "def a(", "def a()",
    "def a():", "class a:", "from a", "import a", "fn a", "fn a{", "function a(", "const a", "a(", "a()",
    "a().", ":-", "$", "$1", "create", "create or", "create or replace ", "declare", "select ", "a::",
    "std:", "@", "<", "package main",
)  # fmt: skip
REPEATED = (
    "\n", " ", "\t", "\r", "\r\n", " \n", "\n ", "\u2003", "a", "1", "#", "#!", "/", "/*", "(", ")", "()",
    "):", ") ", "): ", ":", ": ", "::", ":-", ":-\n", ".", ". ", ".\n", "{", "{ ", "{ \n", "$", "-", "<",
    ";", ") {", " from", " or", "a(\n", "a()\n", "a().\n", "a::", "class a\n", "class a{;", "class a;\n",
    "public\n", "public class a\n", "final class a ", "#include\n", "#include <a\n", "def a(\n",
    "def a()\n", "def a(): x\n", "fn a\n", "fn a{ x\n", "function a(\n", "create\n", "create or\n",
    "create or replace\n", "from a.\n", "import a,\n", "select a ", "std:",
)  # fmt: skip
SHORT, LONG = 1_000, 8_000
# A time of a linear search grows eight times from SHORT to LONG, that of a quadratic one 64 times.
GROWTH = 24
# Shorter times are not measured exactly, in seconds of the processor.
MEASURABLE = 0.0005
ATTEMPTS = 5


def seconds(pattern: re.Pattern[str], text: str) -> float:
    start = process_time()
    pattern.search(text)
    return process_time() - start


def grows_too_fast(pattern: re.Pattern[str], beginning: str, repeated: str) -> bool:
    """Return whether the time to search a text grows faster than its length, at each of some attempts."""
    short, long = (beginning + repeated * (length // len(repeated)) + "\0" for length in (SHORT, LONG))
    return all(seconds(pattern, long) > GROWTH * max(seconds(pattern, short), MEASURABLE / 8) for _ in range(ATTEMPTS))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_time_to_search_for_a_pattern_grows_with_the_length_of_the_text(pattern: str) -> None:
    compiled = re.compile(pattern, re.MULTILINE)
    slow = [texts for texts in product(BEGINNINGS, REPEATED) if grows_too_fast(compiled, *texts)]
    assert slow == []
