import re
from importlib.util import find_spec

import pytest
from hypothesis import example, given, strategies as st
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword
from pygments.util import ClassNotFound

from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables import dispatch as firsts
from fingerprint.lextables.dispatch import (
    ASCII,
    DispatchingLexer,
    dispatching_lexer,
    first_characters,
    raw_tokens,
)
from tests.fingerprint.languages.test_every_language import program

# Languages whose lexers have a loop of their own.
PLAIN = {"pascal", "ruby", "scheme", "yaml"}
DISPATCHED = [row.name for row in LANGUAGES if row.name not in PLAIN]
# Parts of regular expressions, as lexers use them.
parts = st.sampled_from([
    "a", "b?", "[a-c]", "[^a]", r"\d+", r"\s*", r"\W", r"\b", "^", "$", "(?=a)", "(?!b)", "(?<!a)", "(a|b?)",
    "(?i:K)", "(?-i:k)", "(?i:[^k])", "(?:x|y){2}", "(?>ab|a)", "z*+", ".", r"(a)?\1", "é", "\u212a",
    "[\u0100-\u0200]",
])  # fmt: skip
sources = st.text(st.sampled_from("abkKsxyz09 \n\"'(){};/*#éſ\u212a"), max_size=40)


@given(
    st.lists(parts, min_size=1, max_size=4),
    st.sampled_from([0, re.IGNORECASE, re.DOTALL | re.MULTILINE]),
    sources,
)
@example(["k"], re.IGNORECASE, "\u212a")
@example(["\u212a"], re.IGNORECASE, "k")
def test_every_match_begins_with_one_of_the_first_characters(
    pattern_parts: list[str], flags: int, source: str
) -> None:
    pattern = re.compile("".join(pattern_parts), flags)
    firsts = first_characters(pattern)
    for at, char in enumerate(source):
        if char in ASCII and pattern.match(source, at):
            assert char in firsts


def test_characters_that_no_match_begins_with_are_excluded() -> None:
    expected = {r"[a-c]x": "abc", r"\d+": "0123456789", "(?i)k": "kK", "a?b": "ab", r"\b(?:if|else)\b": "ei"}
    for pattern, chars in expected.items():
        assert first_characters(re.compile(pattern)) == frozenset(chars)


@pytest.mark.parametrize("pattern", ["", "a*", "(?=a)", ".", r"(a?)\1", "(?i)[^k]", "(?i)[k\u0100]"])
def test_a_pattern_that_may_match_anywhere_has_all_characters(pattern: str) -> None:
    assert first_characters(re.compile(pattern)) == ASCII


def test_without_pythons_parser_every_rule_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_import_error(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(firsts, "import_module", raise_import_error)
    assert first_characters(re.compile("a")) == ASCII


def lexer_of(name: str) -> type[Lexer]:
    """Return the lexer of Pygments for a language, or the project's own where there is no such one."""
    row = next(row for row in LANGUAGES if row.name == name)
    try:
        return lexer_class(row.lexer) if row.parts else find_lexer_class_by_name(row.lexer)
    except ClassNotFound:
        return lexer_class(row.lexer)


@pytest.mark.slow
@pytest.mark.parametrize("name", DISPATCHED)
def test_a_dispatching_lexer_returns_the_tokens_of_its_base(name: str) -> None:
    lexer = lexer_of(name)
    fast, base = dispatching_lexer(lexer), lexer()
    assert isinstance(fast, DispatchingLexer)
    text = program(name)
    # Unchanged, cut off, and without line ends: states that never end, errors, unusual ends.
    for source in (
        text,
        text[: len(text) // 2],
        text[7:],
        text.replace("\n", " "),
        text.replace("(", "\0é("),
    ):
        expected = list(base.get_tokens_unprocessed(source))
        assert list(fast.get_tokens_unprocessed(source)) == expected
        assert list(zip(*raw_tokens(fast, source), strict=True)) == expected


@given(sources, st.sampled_from(["java", "python", "c++", "haskell"]))
def test_a_dispatching_lexer_returns_the_same_tokens_for_any_text(source: str, name: str) -> None:
    lexer = find_lexer_class_by_name(name)
    assert list(DISPATCHING[name].get_tokens_unprocessed(source)) == list(
        lexer().get_tokens_unprocessed(source)
    )


DISPATCHING = {
    name: dispatching_lexer(find_lexer_class_by_name(name)) for name in ("java", "python", "c++", "haskell")
}


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_a_lexer_with_a_loop_of_its_own_is_not_replaced(name: str) -> None:
    lexer = lexer_of(name)
    plain = dispatching_lexer(lexer)
    assert type(plain) is lexer
    tokens = raw_tokens(plain, program(name))
    assert list(zip(*tokens, strict=True)) == list(lexer().get_tokens_unprocessed(program(name)))


def test_a_lexer_that_changes_names_to_types_still_does() -> None:
    tokens = raw_tokens(dispatching_lexer(CLexer), "size_t n;")
    assert (Keyword.Type, "size_t") in zip(tokens.types, tokens.values, strict=True)


def test_pythons_private_parser_is_still_where_the_dispatch_looks_for_it() -> None:
    assert find_spec("re._parser"), (
        "Without re._parser, first_characters falls back to all characters. Results stay right, but every "
        "rule of a lexer is tried at every character, several times slower. Find the parser's new place."
    )
