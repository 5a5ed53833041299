"""docs/know/security.md names tests that exist and leaves out no requirement of ASVS 5.0.0, level 2."""

import re

from tests.support.named_tests import named_test_exists
from tests.support.paths import ROOT

DOCUMENT = (ROOT / "docs" / "know" / "security.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOCUMENT.splitlines()
    if re.match(r"\| \d", line)
]
NAMED_TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", DOCUMENT)))
# How many requirements of levels 1 and 2 each section of a chapter has; those of level 3 come last in each.
# Chapters 10 and 17 are left out: nothing of them applies.
CHAPTERS = {
    1: (2, 9, 11, 3, 2),
    2: (3, 3, 4, 1),
    3: (0, 2, 4, 6, 5, 0, 2),
    4: (3, 1, 2, 4),
    5: (1, 3, 2, 3),
    6: (3, 12, 4, 4, 5, 3, 0, 4),
    7: (3, 4, 2, 5, 2, 2),
    8: (2, 3, 1, 1),
    9: (3, 4),
    11: (2, 3, 3, 4, 1, 1),
    12: (3, 2, 4),
    13: (1, 5, 2, 5),
    14: (2, 4, 3),
    15: (3, 3, 7),
    16: (1, 5, 4, 3, 3),
}


def requirements(cell: str) -> list[str]:
    """Return the numbers that a cell such as `1.2.1 to 1.2.3, 1.2.5` stands for."""
    numbers = []
    for part in cell.split(", "):
        first, _, last = part.partition(" to ")
        section, _, start = first.rpartition(".")
        end = (last or first).rpartition(".")[2]
        numbers += [f"{section}.{number}" for number in range(int(start), int(end) + 1)]
    return numbers


def test_every_requirement_is_dealt_with_once() -> None:
    dealt_with = [number for cell, *_ in ROWS if "(all)" not in cell for number in requirements(cell)]
    expected = [
        f"{chapter}.{section}.{number}"
        for chapter, counts in CHAPTERS.items()
        for section, count in enumerate(counts, 1)
        for number in range(1, count + 1)
    ]
    assert sorted(dealt_with) == sorted(expected)
    assert [cell for cell, *_ in ROWS if "(all)" in cell] == ["10 (all)", "17 (all)"]


def test_a_requirement_without_a_test_is_not_met_or_left_to_the_installer() -> None:
    for number, how, *rest in ROWS:
        if rest == [""]:
            assert "*Yours*" in how or how.startswith("Not met"), number


def test_every_test_that_it_names_exists() -> None:
    assert [name for name in NAMED_TESTS if not named_test_exists(name)] == []
