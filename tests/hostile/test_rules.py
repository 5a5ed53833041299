"""A file that is made to be slow for a rule of its lexer has tokens, or is refused alone within its limit.

`make test` reads those of some languages, `make test-hostile` those of all.
"""

import re
from collections.abc import Iterator

import pytest

from fingerprint.engine import Unreadable
from fingerprint.languages.language_table import LANGUAGES, Language
from submissions.intake.sandbox.documents import DocumentReader
from tests.hostile.case import PROGRAM
from tests.hostile.rules import CHARACTERS, beginnings, rule_texts, slow_words, states_after
from tests.hostile.search import states_of

pytestmark = pytest.mark.slow

MEMORY, SECONDS, HONEST_SECONDS = 1_000_000_000, 1.0, 20.0
# What `make test` reads too: few rules, many rules, a lexer of Pygments as it is.
ALWAYS = frozenset({"json", "rust", "go"})
ROWS = [pytest.param(row, id=row.name, marks=() if row.name in ALWAYS else pytest.mark.hostile) for row in LANGUAGES]


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(MEMORY)
    yield reader
    reader.close()


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("row", ROWS)
def test_a_file_that_makes_a_rule_slow_is_read_or_refused_in_time_and_the_next_one_is_read(
    row: Language, reader: DocumentReader
) -> None:
    for _, text in rule_texts(row):
        assert _outcome(reader, text.text(CHARACTERS), row.name) in {
            "tokens",
            f"reading it as {row.name} took longer than {SECONDS:g} s",
        }, text
        assert len(reader.read(PROGRAM, "python", HONEST_SECONDS).tokens) > 10


def _outcome(reader: DocumentReader, text: str, language: str) -> str:
    try:
        reader.read(text.encode("utf-8", "replace"), language, SECONDS, coarse=True)
    except Unreadable as error:
        return str(error)
    return "tokens"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (r"/\*.*?\*/", "/*"),
        (r"\s+$", "\t"),
        (r"(<<)(\w+)\n.*?\2", "<<0\n"),
        (r"a+(?:one|two|three|four|five|x*x*y)", "x"),
    ],
)
def test_the_words_of_a_rule_make_it_slow(rule: str, text: str) -> None:
    """The proof finds them, past what refers to a group and past long lists of words."""
    words = [slow.before + slow.word for slow in slow_words(re.compile(rule, re.DOTALL))]
    assert any(text in word for word in words), words


@pytest.mark.parametrize("rule", [r"/\*.*?(?:\*/|\Z)", r"\d+", r"if|else|while"])
def test_a_rule_that_takes_linear_time_has_no_such_word(rule: str) -> None:
    assert slow_words(re.compile(rule, re.DOTALL)) == []


def test_texts_lead_to_the_states_of_a_lexer() -> None:
    states = states_of(next(row for row in LANGUAGES if row.name == "python"))
    texts = {state: text for state, text in beginnings(states).items() if text}
    assert {"dqs", "funcname", "import", "expr-inside-fstring-inner"} <= texts.keys()
    assert all(state in states_after(states, text) for state, text in texts.items())
