"""A file that is made to be slow for a rule of its lexer has tokens, or is refused alone within its limit.

`make test` reads those of some languages, `make test-hostile` those of all.
"""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from fingerprint.engine import Unreadable
from fingerprint.languages.front_ends import front_end
from fingerprint.languages.language_table import LANGUAGES, Language
from submissions.intake.sandbox.documents import DocumentReader
from tests.hostile.added_rules import added_rules
from tests.hostile.case import PROGRAM
from tests.hostile.rules import CHARACTERS, beginnings, rule_texts, slow_words, states_after
from tests.hostile.search import expressions, seconds_for, states_of

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


LIMITED = "its repeats have upper limits, which the proof does not count"
NO_FAILURE = "it ends with the text at the latest, or what fails cannot begin again later"
TAKEN = "where it fails, the next rule takes all that it has read"
# By lexer and the start of the expression. That they are right is measured.
REASONS = {
    ("Swift", r"(?<=[=(,:\[] )/"): NO_FAILURE,
    ("NetLogo", r"-?(?:\d++"): TAKEN,
    ("Fortran", '"(?>(?:[^'): NO_FAILURE,
    ("Fortran", "'(?>(?:[^"): NO_FAILURE,
    ("Sql", "n?'"): LIMITED,
    ("Sql", r"\[(?!"): LIMITED,
    ("Sql", r"(\$(?:[a-z_]\w*+)?\$)"): LIMITED,
    ("Json", '"'): LIMITED,
    ("OCaml", r"\{([a-z_]++)\|"): LIMITED,
    ("Scheme", "#<<"): LIMITED,
    ("R", "[rR]"): LIMITED,
    ("JavaScript", "/(?>(?:"): LIMITED,
    ("JavaScript", "<(?="): LIMITED,
    ("JavaScript", r"(?<=\))([ \t]*+)(/"): LIMITED,
    ("Xml", r"([^\s=<>/"): TAKEN,
    ("Html", "(on[a-z]++)"): TAKEN,
    ("Vue", "((?:v-|[:@#])"): TAKEN,
    ("Perl", r"(\d++)([ \t]*+)"): TAKEN,
    ("Perl", r"([\w:]++)([ \t]*+)"): TAKEN,
    ("Perl", r"(?:tr|y)\{"): LIMITED,
    ("Tcl", '"(?!'): NO_FAILURE,
    ("Matlab", "(?:^(?=["): TAKEN,
    ("StructuredText", r"/\*"): NO_FAILURE,
    ("StructuredText", r"\d[\w]*#"): TAKEN,
    ("Dafny", r"\{:\w++"): LIMITED,
    ("Gas", r"([ \t]*+)(#.*)"): TAKEN,
    ("Glsl", r"\d++[eE]"): TAKEN,
    ("CSharp", r"\${0,20}+"): LIMITED,
}
# Lexers whose rule of Pygments takes the square of the length for the same text as our rule.
SLOW_BESIDE = {"csharp": r'\$*"{3,}.*?"{3,}', "matlab": r"(\s*^\s*)(function)\b"}
# Characters of the texts, and the seconds that the longer one may take for each second of the shorter one:
# a line is 4 and a square 16. Texts that take less than LITTLE_SECONDS are not compared.
SHORT, LONG, GROWTH, LITTLE_SECONDS, MOST_SECONDS = 10_000, 40_000, 9.0, 0.2, 20.0


def test_every_added_rule_is_proved_to_be_linear_or_has_a_reason() -> None:
    assert len(added_rules()) > 250
    slow = _unproved()
    unknown = {one for one in slow if not _reason(*one)}
    assert unknown == set()
    unused = {key for key in REASONS if not any(_is(key, *one) for one in slow)}
    assert unused == set()


@pytest.mark.hostile
@pytest.mark.timeout(900)
@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in LANGUAGES])
def test_a_rule_that_is_not_proved_takes_its_lexer_little_more_than_linear_time(row: Language) -> None:
    rules = {expression for _, expression in _unproved()} & expressions(row)
    if row.name in SLOW_BESIDE:
        assert SLOW_BESIDE[row.name] in expressions(row)
        return
    read = front_end(row.name).tokens
    read("x")
    failing = set()
    for rule, text in rule_texts(row) if rules else ():
        if rule in rules and seconds_for(read, text.text(LONG), MOST_SECONDS) > LITTLE_SECONDS:
            # Once more: the first time tables of the rules may have been made.
            longer, shorter = (seconds_for(read, text.text(size), MOST_SECONDS) for size in (LONG, SHORT))
            if longer > LITTLE_SECONDS and longer > GROWTH * shorter:
                failing.add((rule, text, shorter, longer))
    assert failing == set()


@cache
def _unproved() -> frozenset[tuple[str, str]]:
    """Return the lexer and the expression of each own rule that the proof does not call linear."""
    return frozenset((rule.place, rule.pattern.pattern) for rule in added_rules() if slow_words(rule.pattern))


def _reason(place: str, expression: str) -> str:
    return next((reason for key, reason in REASONS.items() if _is(key, place, expression)), "")


def _is(key: tuple[str, str], place: str, expression: str) -> bool:
    return place == key[0] and expression.startswith(key[1])
