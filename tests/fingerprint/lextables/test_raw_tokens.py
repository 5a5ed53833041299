"""The copy of a text that lexers read, and where its characters are in the text."""

import re

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.lextables.raw_tokens import LexerInput

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
