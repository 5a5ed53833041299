"""An instructor's choices of how an upload is grouped: those that are stored, and those that are refused."""

import json
from datetime import UTC, datetime

import pytest

from submissions.intake.choices import BadChoices, Choices

CHOICES = Choices(
    "moodle",
    None,
    "all",
    datetime(2026, 3, 1, 23, 59, tzinfo=UTC),
    frozenset({"Section A"}),
    {"submission_77": "Ada Byron", "ada": "Ada Byron"},
)


def test_choices_come_back_from_json_as_they_were() -> None:
    assert Choices.from_json(json.loads(json.dumps(CHOICES.to_json()))) == CHOICES


def test_choices_that_are_all_the_default_are_an_empty_object() -> None:
    assert Choices().to_json() == {}
    assert Choices.from_json({}) == Choices()


def test_a_depth_of_zero_is_stored() -> None:
    assert Choices.from_json(Choices(depth=0).to_json()).depth == 0


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"layout": "mooodle"}, "There is no layout 'mooodle'. Choose one of: moodle, "),
        ({"layout": 3}, "'layout' has to be a text, not 3"),
        ({"depth": -1}, "from 0 \\(each file\\) to 12, not -1"),
        ({"depth": "2"}, "'depth' has to be a number or null, not '2'"),
        ({"depth": True}, "'depth' has to be a number"),
        ({"depth": 2, "layout": "moodle"}, "Choose a layout or a depth"),
        ({"attempts": "first"}, "are last or all"),
        ({"due": "yesterday"}, "has to be a time of ISO 8601, not 'yesterday'"),
        ({"due": "2026-03-01T12:00"}, "needs a time zone"),
        ({"split": "Section A"}, "'split' has to be a list of names"),
        ({"split": [1]}, "'split' has to be a text"),
        ({"renames": ["a", "b"]}, "'renames' has to be an object"),
        ({"renames": {"a": ""}}, "'' cannot be the name"),
        ({"renames": {"a": "b/c"}}, "'b/c' cannot be the name"),
        ({"renames": {"a": "b\x00"}}, "cannot be the name"),
        ({"renames": {"a": "b" * 401}}, "at most 400 characters"),
        ({"renames": {str(n): "a" for n in range(20_001)}}, "At most 20,000 submissions"),
        ({"depht": 1}, "no choice 'depht'"),
        ([], "a JSON object"),
    ],
)
def test_a_value_that_is_no_choice_is_refused_by_name(stored: object, message: str) -> None:
    with pytest.raises(BadChoices, match=message):
        Choices.from_json(stored)
