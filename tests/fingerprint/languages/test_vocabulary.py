"""The kind and the marks of a word that no rule names are those of any such word of its type."""

import re
from dataclasses import fields
from functools import cache
from itertools import cycle

import pytest
from hypothesis import given, settings as examples, strategies as st
from pygments.token import STANDARD_TYPES

from fingerprint.languages.language_table import LANGUAGES, Language
from fingerprint.languages.vocabulary import PLAIN_WORD, NormalisationRules

FEWER = examples(max_examples=max(5, examples().max_examples // 10))
ROWS = {row.name: row for row in LANGUAGES}
TYPES = [ttype for ttype in STANDARD_TYPES if str(ttype)]
WORDS = st.one_of(
    st.from_regex(r"[A-Za-z_$@][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.text(min_size=1, max_size=6),
    st.sampled_from(["null", "True", "NONE", "x1F", "_", "__", "été", "变量", "l'x", "a b"]),
)


@cache
def words_of(name: str) -> list[str]:
    """Return the words in the columns of a row, as they are and as someone else may write them."""
    language = ROWS[name]
    texts = [str(getattr(language, field.name)) for field in fields(language)]
    words = {word for text in texts for word in re.findall(r"[^\s'{},:]+", text)}
    return sorted(words | {word.upper() for word in words} | {word.title() for word in words})


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
@FEWER
@given(data=st.data())
def test_a_word_that_no_rule_names_has_the_kind_and_marks_of_the_rules(
    language: Language, data: st.DataObject
) -> None:
    rules = NormalisationRules(language)
    # A type drawn for each of hundreds of words took most of the time.
    first, words = data.draw(st.sampled_from(range(len(TYPES)))), data.draw(st.lists(WORDS, min_size=5))
    types = cycle([*TYPES[first:], *TYPES[:first]])
    for word, ttype in zip([*words, *words_of(language.name)], types, strict=False):
        assert rules.plain_word(ttype, word) in {None, rules.kind_and_marks(ttype, word)}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
def test_names_are_such_words_and_those_of_the_row_are_not(language: Language) -> None:
    rules = NormalisationRules(language)
    for word in (PLAIN_WORD, "cents", "_total2"):
        assert rules.plain_word("Name", word) == rules.kind_and_marks("Name", word)
    for word in f"{language.keywords} {language.statements} {language.noise}".split():
        assert rules.plain_word("Name", word) is None
