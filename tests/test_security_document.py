"""docs/know/security.md names tests that exist and leaves out no requirement of ASVS 5.0.0, level 2."""

import re

from django.apps import apps
from django.conf import settings

from moss.integrations import api as idempotency
from submissions.core.rights import REASON_HOLDS
from submissions.courses.retention import NOTICE
from submissions.students.register import OTHER_APPS, REGISTER
from tests.support.named_tests import named_test_exists
from tests.support.paths import ROOT

DOCUMENT = (ROOT / "docs" / "know" / "security.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if re.match(r"\| \d", line)
]
NAMED_TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", DOCUMENT)))
# How many requirements of levels 1 and 2 each section of a chapter has; those of level 3 come last in each.
# Chapters 10 and 17 are left out: nothing of them applies.
CHAPTERS = {
    1: (2, 9, 11, 3, 2), 2: (3, 3, 4, 1), 3: (0, 2, 4, 6, 5, 0, 2), 4: (3, 1, 2, 4), 5: (1, 3, 2, 3),
    6: (3, 12, 4, 4, 5, 3, 0, 4), 7: (3, 4, 2, 5, 2, 2), 8: (2, 3, 1, 1), 9: (3, 4), 11: (2, 3, 3, 4, 1, 1),
    12: (3, 2, 4), 13: (1, 5, 2, 5), 14: (2, 4, 3), 15: (3, 3, 7), 16: (1, 5, 4, 3, 3),
}  # fmt: skip
TEXT = (ROOT / "docs" / "do" / "data-protection.md").read_text()
TABLES, WITHOUT = TEXT[TEXT.index("## Tables") :].split("Without data about people:")


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


def tables(text: str) -> list[str]:
    """Return the tables that a text lists as `app`: Model, Model; in words, `app.Model`."""
    return [
        f"{app}.{name.strip()}"
        for app, names in re.findall(r"`(\w+)`: ([A-Z]\w+(?:, [A-Z]\w+)*)", text)
        for name in names.split(",")
    ]


def test_every_table_is_listed_once() -> None:
    labels = sorted(model._meta.label for model in apps.get_models(include_auto_created=True))
    assert sorted(tables(TABLES) + tables(WITHOUT)) == labels


def test_no_table_in_which_a_student_is_erased_is_among_those_without_people() -> None:
    about_students = {label for label, table in REGISTER.items() if table.rows or table.searched}
    assert about_students
    assert not about_students & set(tables(WITHOUT))
    assert about_students <= set(tables(TABLES))
    assert set(OTHER_APPS) <= {label.partition(".")[0] for label in tables(TABLES) + tables(WITHOUT)}


def test_the_durations_are_those_of_the_code() -> None:
    row = {line.split("|")[2].strip().split(":")[0]: line for line in TEXT.splitlines() if "|" in line[1:]}
    assert f"{settings.PREVIEW_DAYS} days after" in row["uploads that wait to be read"]
    assert f"{settings.SESSION_IDLE_HOURS} hours without use, {settings.SESSION_LONGEST_DAYS} days" in row["sessions"]
    assert (
        f"{idempotency.KEPT.total_seconds() / 3600:.0f} hours"
        in row["answers of the API to requests with an idempotency key (sealed)"]
    )
    assert settings.AXES_COOLOFF_TIME.total_seconds() == 5 * 60
    assert "five minutes" in row["wrong passwords"]
    assert NOTICE.days == 30
    assert REASON_HOLDS.total_seconds() == 8 * 3600
    assert "one course for eight hours" in TEXT
    assert "Thirty days before" in TEXT
