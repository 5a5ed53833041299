"""A file that is made to be slow for a rule of its lexer has tokens, or is refused alone within its limit.

`make test` reads those of some languages, `make test-hostile` those of all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fingerprint.engine import Unreadable
from fingerprint.languages.registry import LANGUAGES
from submissions.intake.sandbox.documents import DocumentReader
from tests.hostile.case import PROGRAM
from tests.hostile.rules import CHARACTERS, rule_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.languages.spec import Language

pytestmark = pytest.mark.slow

MEMORY, SECONDS, HONEST_SECONDS = 1_000_000_000, 1.0, 20.0
# What `make test` reads too: few rules, many rules, a lexer of Pygments as it is.
ALWAYS = frozenset({"json", "rust", "go"})
ROWS = [
    pytest.param(row, id=row.name, marks=() if row.name in ALWAYS else pytest.mark.hostile)
    for row in LANGUAGES
]


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(MEMORY)
    yield reader
    reader.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("row", ROWS)
def test_a_file_that_makes_a_rule_slow_is_read_or_refused_in_time_and_the_next_one_is_read(
    row: Language, reader: DocumentReader
) -> None:
    for _, text in rule_texts(row):
        child = reader.start().pid
        assert _outcome(reader, text.text(CHARACTERS), row.name) in {
            "tokens",
            f"reading it as {row.name} took longer than {SECONDS:g} s",
        }, text
        assert len(reader.read(PROGRAM, "python", HONEST_SECONDS).tokens) > 10
        assert reader.start().pid == child, "the file ended the child, which its own limit should have spared"


def _outcome(reader: DocumentReader, text: str, language: str) -> str:
    try:
        reader.read(text.encode("utf-8", "replace"), language, SECONDS, coarse=True)
    except Unreadable as error:
        return str(error)
    return "tokens"
