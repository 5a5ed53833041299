"""The machine beside `re`: character classes, dispatch, and the text that lexers read."""

import re
import sys
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, reject, strategies as st
from pygments.lexer import Lexer, RegexLexer, bygroups
from pygments.lexers import find_lexer_class_by_name
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword, Name, String, Token
from pygments.util import ClassNotFound

from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables import dispatch as firsts
from fingerprint.lextables.characters import LIMIT, CharacterClass, class_pattern, folded, members, partition
from fingerprint.lextables.dispatch import (
    ASCII,
    DispatchingLexer,
    dispatching_lexer,
    first_characters,
    raw_tokens,
)
from fingerprint.lextables.lexer import read
from fingerprint.lextables.raw_tokens import LexerInput
from fingerprint.lextables.table_writer import TableWriter
from tests.fingerprint.languages.test_every_language import program
from tests.support.possessive_groups import has_possessive_group

# A few characters, so that patterns match often; with some of those that `re` treats in a way of their own.
CHARACTERS = "abABkK_1 \n\r\x1cé\u0130\u0131\u017f\u212a\u03c3\u03c2\u0301\u3042\ufffd\ud800\U0001d538\U0010ffff"


texts = st.text(st.sampled_from(CHARACTERS), max_size=14) | st.text(st.sampled_from("ab\n"), max_size=14)


simple = st.sampled_from([
    "a", "b", "k", "K", "é", "\u017f",
    "[ab]", "[^a]", "[^ab\\n]", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", "\U0001d538",
    "[a-k]", r"[\w-]", r"[^\w\s]", "[\u3000-\U0001ffff]", "\u0130", "[\u03c2k]", "[^\u212a]",
])  # fmt: skip


places = st.sampled_from([r"\b", r"\B", "^", "$", r"\A", r"\Z"])


looks = st.builds(
    "(?{}{}{})".format, st.sampled_from(["=", "!", "<=", "<!"]), simple, st.sampled_from(["", "", "a", "."])
)


repeats = st.builds(
    "{}{}".format,
    st.sampled_from(["*", "+", "?", "{0,2}", "{1,3}", "{2}", "{2,}", "{0}", "{3,7}", "{0,1}"]),
    st.sampled_from(["", "", "?", "+"]),
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.builds("(?:{})".format, inner)
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=4).map("|".join).map("(?:{})".format),
        st.builds("({})".format, inner),
        st.builds("{}{}".format, one | simple, repeats),
        st.builds("(?>{})".format, inner),
        st.builds("(?>{}{})".format, one | simple, repeats),
        st.builds("(?={})".format, inner),
        st.builds("(?!{})".format, inner),
        st.builds("(?i:{})".format, inner),
        st.builds("(?ms:{})".format, inner),
        st.builds("(?a:{})".format, inner),
        st.builds("{}\\1".format, inner),
    )


patterns = st.recursive(simple | places | looks | st.builds("{}{}".format, simple, repeats), grown, max_leaves=10)


PYTHON_MATCHES_POSSESSIVE_GROUPS = (3, 11, 5)


TYPES = [getattr(Token, f"Group{number}") for number in range(1, 12)]


def one_rule(pattern: re.Pattern[str], action: Any) -> type[RegexLexer]:
    """Return a lexer that matches an expression at each place of a text, and then takes a character."""
    tokens = {"root": [(pattern.pattern, action, "next")], "next": [(r"[\s\S]", Name, "#pop")]}
    return type("OneRule", (DispatchingLexer, RegexLexer), {"tokens": tokens, "flags": pattern.flags})


def tokens_of(lexer: Any, text: str) -> list[Any]:
    tables = TableWriter(lexer._tokens, reads_itself=True, most_asking=1).tables()
    return list(zip(*read(lexer, tables, text, ("root",)), strict=True))


def check(pattern: str, flags: int, text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern, flags)
    except (re.error, RecursionError):
        reject()
    assume(compiled.groups <= len(TYPES))
    assume(sys.version_info >= PYTHON_MATCHES_POSSESSIVE_GROUPS or not has_possessive_group(compiled))
    groups = bygroups(*TYPES[: compiled.groups])  # type: ignore[no-untyped-call]
    for action in (String, groups):
        lexer = one_rule(compiled, action)()
        assert tokens_of(lexer, text) == list(RegexLexer.get_tokens_unprocessed(lexer, text))


@given(
    patterns,
    st.sampled_from([0, re.IGNORECASE, re.MULTILINE, re.DOTALL | re.MULTILINE, re.IGNORECASE | re.ASCII]),
    texts,
)
@example(r"(a?)*?b|\1", 0, "aab")
@example(r"(?:a|(b))*+\1?", 0, "abab")
@example(r"(?>(?:a|(b))*)\1?", 0, "abab")
@example(r"(?>(?:a?|ab)*)b", 0, "aabb")
@example(r"(?>(?:a|ab)+)b?", 0, "aabb")
@example(r"(?>(?:a|ab){2})b?", 0, "abab")
def test_an_expression_matches_where_re_matches_it_with_the_same_groups(pattern: str, flags: int, text: str) -> None:
    check(pattern, flags, text)


EVERY = np.arange(LIMIT, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


WORD, DIGIT, NO_SPACE = "CATEGORY_WORD", "CATEGORY_DIGIT", "CATEGORY_NOT_SPACE"


CLASSES = [
    CharacterClass(items, negated, flags)
    for flags in (0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII)
    for negated in (False, True)
    for items in (
        (WORD,), (DIGIT, ord("_")), (NO_SPACE,), (ord("k"),), ((ord("a"), ord("z")),), (0x130, 0x3C3),
        ((0x80, 0x24F), ord("x")), ((0x10400, 0x1044F),), (WORD, NO_SPACE), ((0x41, 0x1FFFF),),
    )
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("one", CLASSES, ids=class_pattern)
def test_a_class_has_the_characters_that_re_matches(one: CharacterClass) -> None:
    spans = [at for match in re.finditer(f"{class_pattern(one)}+", EVERY, one.flags) for at in match.span()]
    assert members(one).tolist() == spans


@pytest.mark.slow
def test_characters_are_of_one_kind_if_they_are_in_the_same_classes() -> None:
    parts = partition(CLASSES)
    kinds = parts.kinds[(parts.pages.astype(np.int64)[:, None] * 128 + np.arange(128)).reshape(-1)]
    assert len(kinds) == LIMIT
    assert kinds.max() + 1 == parts.kind_count
    for one, mask in zip(CLASSES, parts.masks, strict=True):
        inside = np.zeros(LIMIT + 1, np.int64)
        inside[members(one)] = 1
        has_kind = np.array([mask >> kind & 1 for kind in range(parts.kind_count)], dtype=np.int64)
        assert np.array_equal(np.cumsum(inside[:LIMIT]) & 1, has_kind[kinds])


def test_two_characters_are_equal_without_case_where_re_says_so() -> None:
    equal = re.compile(r"(.)\1", re.IGNORECASE | re.DOTALL)
    cased = [char for char in EVERY if char.lower() != char or char.upper() != char]
    assert len(cased) > 2000
    for char in cased:
        for other in {*char.lower(), *char.upper(), *char.casefold()}:
            assert bool(equal.fullmatch(char + other)) == (folded([ord(char)]) == folded([ord(other)]))


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
def test_every_match_begins_with_one_of_the_first_characters(pattern_parts: list[str], flags: int, source: str) -> None:
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
    assert list(DISPATCHING[name].get_tokens_unprocessed(source)) == list(lexer().get_tokens_unprocessed(source))


DISPATCHING = {name: dispatching_lexer(find_lexer_class_by_name(name)) for name in ("java", "python", "c++", "haskell")}


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


TEXTS = st.text(st.sampled_from("ab \t\r\n\ufeff\u00e9\U0001d538\ud800"), max_size=30)


def naive(text: str) -> str:
    without_blanks = re.sub(r"[ \t\r]+(?=\n)", "", text.removeprefix("\ufeff")).replace("\r", "\n")
    return without_blanks if without_blanks.endswith("\n") else without_blanks + "\n"


@given(TEXTS)
def test_the_copy_has_no_mark_no_blanks_at_line_ends_and_a_last_line_end(text: str) -> None:
    assert LexerInput(text).source == naive(text)


@given(TEXTS)
def test_each_character_of_the_copy_is_one_of_the_text_and_ends_before_what_was_removed(text: str) -> None:
    lexer_input = LexerInput(text)
    offsets = np.arange(len(lexer_input.source), dtype=np.int32)
    starts, ends = lexer_input.starts(offsets).tolist(), lexer_input.ends(offsets + 1).tolist()
    for character, start, end in zip(lexer_input.source, starts, ends, strict=True):
        if start == len(text):  # the line end that was added
            assert (character, end) == ("\n", len(text))
        else:
            assert text[start:end].replace("\r", "\n") == character
