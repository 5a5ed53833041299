"""Every lexer of Pygments: capitals that mean nothing, and names that it returns in letters."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest
from pygments.lexers import find_lexer_class_by_name, get_all_lexers
from pygments.token import _TokenType

from fingerprint.languages import LexicalClass, front_end
from fingerprint.languages.base import Scan
from fingerprint.languages.code import CodeFrontEnd, untuned_language, without_conflict_markers
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import UNTUNED_IGNORING_CASE, lexer_class
from tests.fingerprint.languages.test_every_language import CODE, kinds, program

IGNORING_CASE = [row.name for row in LANGUAGES if row.ignore_case]
WORDS = (
    "total = level + harbour\nif total > limit\n  tide = total * level\nend\n"
    "while tide\n  harbour = limit - level1\nend\n"
)
KEPT, NAMES = ("Token.Literal.String", "Token.Comment"), ("Token.Name", "Token.Text")
# Lexers of formats in which a line of such a program is text, or names have one letter.
NO_PROGRAM = {
    "aheui", "befunge", "csound-score", "dylan-console", "fortranfixed", "gherkin", "gst", "inform7",
    "nodejsrepl", "sed",
}  # fmt: skip


@cache
def aliases() -> list[str]:
    return [names[0] for _, names, _, _ in get_all_lexers() if names]


def is_untuned(alias: str) -> bool:
    language = front_end(alias)
    return isinstance(language, CodeFrontEnd) and language.language.letters


def ignores_case(alias: str) -> bool:
    flags = getattr(find_lexer_class_by_name(alias), "flags", 0)
    return bool(flags & re.IGNORECASE) or alias in UNTUNED_IGNORING_CASE


def names_and_numbers(scan: Scan) -> list[int]:
    """Return the ids of all lexemes but strings, which keep their case."""
    kinds: list[int] = scan.lexical.kinds[scan.lexical_classes != LexicalClass.STRING].tolist()
    return kinds


def in_capitals(lexer: str, text: str) -> str:
    tokens = lexer_class(lexer)().get_tokens_unprocessed(text)
    return "".join(value if str(ttype).startswith(KEPT) else value.upper() for _, ttype, value in tokens)


@pytest.mark.parametrize("name", IGNORING_CASE)
def test_capitals_change_neither_kinds_nor_names_where_they_mean_nothing(name: str) -> None:
    row, text = next(row for row in LANGUAGES if row.name == name), program(name)
    capitals = in_capitals(row.lexer, text)
    assert capitals != text
    assert kinds(front_end(name), capitals) == kinds(front_end(name), text)
    one, other = front_end(name).scan(text), front_end(name).scan(capitals)
    assert names_and_numbers(one) == names_and_numbers(other)
    assert one.directives.kinds.tolist() == other.directives.kinds.tolist()


@pytest.mark.parametrize("alias", [alias for alias in aliases() if ignores_case(alias) and is_untuned(alias)])
def test_capitals_change_nothing_in_a_language_without_a_row_that_ignores_case(alias: str) -> None:
    row = untuned_language(alias)
    assert row is not None
    assert row.ignore_case
    one, other = (front_end(alias).scan(text) for text in (WORDS, WORDS.upper()))
    assert one.tokens.kinds.tolist() == other.tokens.kinds.tolist()
    assert names_and_numbers(one) == names_and_numbers(other)


def words_in_letters(tokens: list[tuple[int, _TokenType, str]]) -> Iterator[str]:
    """Yield the words of which two letters or more are tokens of one kind, names or text."""
    letters = {
        start: str(ttype)
        for start, ttype, value in tokens
        if len(value) == 1 and str(ttype).startswith(NAMES)
    }
    for word in re.finditer(r"[a-z]{3,}", WORDS):
        inside = [letters.get(at) for at in range(*word.span())]
        if any(one and one == other for one, other in pairwise(inside)):
            yield word[0]


def splits_words(alias: str) -> bool:
    lexer = find_lexer_class_by_name(alias)()
    return any(words_in_letters(list(lexer.get_tokens_unprocessed(WORDS))))


@pytest.mark.slow
def test_a_name_is_one_token_in_every_language() -> None:
    splitting = [alias for alias in aliases() if alias not in NO_PROGRAM and splits_words(alias)]
    assert {"stata", "sas", "foxpro", "idl", "igor", "macaulay2", "x10", "bc", "openedge"} <= {*splitting}
    for alias in splitting:
        tokens = front_end(alias).tokens(WORDS)
        spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        letters = {start for start, end in spans if end - start == 1}
        assert not {at for at in letters if at + 1 in letters and WORDS[at : at + 2].isalpha()}, alias


def test_other_names_change_no_kind_where_the_lexer_returns_names_in_letters() -> None:
    renamed = re.sub(r"\bharbour\b", "bassin", re.sub(r"\btide\b", "ebbing", WORDS))
    for alias in ("stata", "sas", "foxpro", "idl", "igor", "macaulay2", "x10", "bc", "openedge"):
        assert kinds(front_end(alias), renamed) == kinds(front_end(alias), WORDS), alias


CONFLICT = ("<<<<<<< HEAD", "=======", ">>>>>>> it's a branch")


def with_conflict(text: str) -> str:
    """Return a text whose lines in the middle stand between the markers of a conflict."""
    lines = text.splitlines()
    third = len(lines) // 3
    marked = (CONFLICT[0], *lines[:third], CONFLICT[1], *lines[third : 2 * third], CONFLICT[2])
    return "\n".join((*marked, *lines[2 * third :], ""))


@pytest.mark.parametrize("name", CODE)
def test_markers_of_a_conflict_change_no_kind(name: str) -> None:
    text = program(name)
    assert kinds(front_end(name), with_conflict(text)) == kinds(front_end(name), text)


def test_lines_that_look_like_a_marker_are_code_where_there_is_no_conflict() -> None:
    for text in ("x\n=======\ny\n", "<<<<<<< HEAD\nx\n", "cout <<<<<<< x\n=======\n>>>>>>> y\n"):
        assert without_conflict_markers(text) == text
    assert without_conflict_markers("\n".join(CONFLICT)) == "\n".join(" " * len(line) for line in CONFLICT)
