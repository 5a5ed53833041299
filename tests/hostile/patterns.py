"""Patterns of files as long and with as many stars as is allowed, and names that are hard for them."""

from collections.abc import Iterator
from itertools import product

from submissions.intake.left_out.patterns import MAX_CHARACTERS, MAX_PATTERNS, MAX_STARS, parse_patterns
from tests.hostile.case import Case
from tests.support.archives import zipped

WORDS = ("a", "ab", "a/", "[ab]", "?", "[!b]", "**/", "*/")
NAMES = ("a" * 250, "ab" * 125, "/".join("a" * 120), "/".join(["ab"] * 100), "aab/" * 80 + "a")


def pattern_cases() -> Iterator[Case]:
    files = {f"student{n}/{name}x.py": b"x = 1\n" for n in range(40) for name in NAMES}
    data = zipped(files)
    for word, end in product(WORDS, ("b", "/b", "")):
        stars = MAX_STARS // max(1, 1 + word.count("*"))
        pattern = (f"*{word}" * stars)[: MAX_CHARACTERS - len(end)] + end
        lines = [pattern, *(f"{pattern}{number}" for number in range(MAX_PATTERNS - 1))]
        lines = [line for line in lines if len(line) <= MAX_CHARACTERS]
        parse_patterns(lines)
        detail = f"{len(lines)} times {pattern}"
        yield Case("patterns", detail, ".zip", data, alone=True, patterns="\n".join(lines))
