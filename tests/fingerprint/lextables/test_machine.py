"""The machine beside `re`: a lexer of one rule is run by both over all places of a text."""

import re
import sys
import warnings
from typing import Any

from hypothesis import assume, example, given, reject, strategies as st
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Name, String, Token

from fingerprint.lextables.dispatch import DispatchingLexer
from fingerprint.lextables.lexer import read
from fingerprint.lextables.table_writer import TableWriter
from tests.support.possessive_groups import has_possessive_group

# A few characters, so that patterns match often; with some of those that `re` treats in a way of their own.
CHARACTERS = (
    "abABkK_1 \n\r\x1cé\u0130\u0131\u017f\u212a\u03c3\u03c2\u0301\u3042\ufffd\ud800\U0001d538\U0010ffff"
)
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


patterns = st.recursive(
    simple | places | looks | st.builds("{}{}".format, simple, repeats), grown, max_leaves=10
)
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
def test_an_expression_matches_where_re_matches_it_with_the_same_groups(
    pattern: str, flags: int, text: str
) -> None:
    check(pattern, flags, text)
