"""Numbers and messages as terms that are the same in every language."""

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages.coarse import number_value, pack_terms, text_terms


@pytest.mark.parametrize("lexeme", ["255", "255.0", "255L", "2_5_5", "0xFF", "-255", "+255f"])
def test_a_number_is_known_by_its_value(lexeme: str) -> None:
    assert number_value(lexeme) == "255.0"


@given(st.text())
def test_any_lexeme_of_a_number_has_some_value(lexeme: str) -> None:
    assert isinstance(number_value(lexeme), str)


def test_messages_share_their_words_however_a_language_puts_them_together() -> None:
    formatted, joined = text_terms('"Paid %d to the owner"'), text_terms('" to the owner"')
    assert {"the owner", "to the", "owner"} <= set(formatted) & set(joined)
    assert text_terms('"#-#-#"') == ("#-#-#",)
    assert len(pack_terms([*formatted, *formatted])) == len(set(formatted))
