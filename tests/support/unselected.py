"""Files of which a selection runs no test are not imported; of half of them `make test-fast` runs none."""

import re
from pathlib import Path

import pytest

MARKS_OF_FILE = re.compile(r"^pytestmark = (?:\[\n(?:    .*\n)*\]|.*)", re.MULTILINE)
# A mark, or a fixture that all tests use.
MARK = re.compile(r"\bmark\.(\w+)|\"(\w+)\"")
NEED_SERVICES = {"django_db", "empty_queues", "transactional_db"}
LEAVES_OUT = re.compile(r"not (\w+)")
ONLY_LEAVES_OUT = re.compile(rf"{LEAVES_OUT.pattern}(?: and {LEAVES_OUT.pattern})*")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.name.startswith("test_") and collection_path.suffix == ".py":
        return is_left_out(collection_path.read_text(), str(config.option.markexpr)) or None
    return None


def is_left_out(text: str, selection: str) -> bool:
    """Return whether a selection runs no test of a file, by the marks that it gives to all of them."""
    if not ONLY_LEAVES_OUT.fullmatch(selection):
        return False
    found = MARKS_OF_FILE.search(text)
    marks = {word for words in MARK.findall(found[0]) for word in words} if found else set()
    if marks & NEED_SERVICES:
        marks.add("services")
    return bool(marks & {*LEAVES_OUT.findall(selection)})
