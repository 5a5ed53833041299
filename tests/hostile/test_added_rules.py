"""The product's own rules of lexers take linear time: each is proved, or it is said here why it does."""

from functools import cache

import pytest

from fingerprint.languages.front_ends import front_end
from fingerprint.languages.language_table import LANGUAGES, Language
from tests.hostile.added_rules import added_rules
from tests.hostile.rules import rule_texts, slow_words
from tests.hostile.search import expressions, seconds_for

pytestmark = pytest.mark.slow

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
