"""Words that the template tags print, in English and in another language."""

from datetime import timedelta

import pytest
from django.utils import translation

from submissions.cases.models import State
from submissions.pages.filters import field_word, state_word
from submissions.reports.charts import duration, language_or_each, ordinal


@pytest.mark.parametrize(
    ("language", "ordinals"), [("en", ["1st", "3rd"]), ("de", ["1.", "3."]), ("es", ["1.ª", "3.ª"])]
)
def test_a_rank_is_an_ordinal_number_of_the_language(language: str, ordinals: list[str]) -> None:
    with translation.override(language):
        assert [ordinal(1), ordinal(3)] == ordinals


def test_a_duration_has_the_words_of_the_language() -> None:
    time = timedelta(days=2, hours=3)
    assert (duration(time), duration(timedelta(seconds=5))) == ("2 days 3 h", "less than a minute")
    with translation.override("es"):
        assert (duration(time), duration(timedelta(seconds=5))) == ("2 días 3 h", "menos de un minuto")


@pytest.mark.parametrize("state", State)
def test_a_state_has_the_same_word_by_its_value_and_by_the_label_of_a_stored_change(
    state: State,
) -> None:
    stored = state.value.title()
    assert state_word(state.value) == state_word(stored) == state.value
    with translation.override("es"):
        assert state_word(state.value) == state_word(stored) != state.value


def test_a_word_that_no_tag_knows_stays_as_it_is() -> None:
    with translation.override("es"):
        assert state_word("Postponed") == "Postponed"
        assert field_word("colour") == "colour"


def test_a_file_decides_where_an_assignment_has_no_language() -> None:
    assert [language_or_each("python"), language_or_each("")] == ["Python", "that of each file"]
