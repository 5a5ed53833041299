"""Mistakes that `tests.tools.mutants` makes: each changes what it says, and leaves a readable text."""

import ast

import pytest

from tests.tools.mutants import candidates, mutants


def changed(file: str, text: str) -> set[str]:
    return {text[: one.start] + one.replacement + text[one.end :] for one in mutants(file, text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", {"a <= b"}),
        ("a is not b", {"a is b"}),
        ("a and b", {"a or b"}),
        ("f(True)", {"f(False)"}),
        ("f(3)", {"f(4)"}),
        ("a if b else c", {"a if not (b) else c"}),
        ("f('SELECT a FROM b WHERE c = 1')", {"f('SELECT a FROM b WHERE c <> 1')"}),
        ("f('c = 1')", set()),
    ],
)
def test_an_operator_a_number_or_a_condition_is_changed(text: str, expected: set[str]) -> None:
    assert changed("a.py", text) == expected


def test_a_condition_and_a_variable_of_a_template_are_changed() -> None:
    text = "{% if a %}{{ b.c|date }}{% endif %}"
    assert changed("a.html", text) == {
        "{% if not a %}{{ b.c|date }}{% endif %}",
        '{% if a %}{{ ""|date }}{% endif %}',
    }


def test_every_mistake_in_a_package_can_still_be_parsed() -> None:
    chosen = candidates(["submissions/uploads"])
    assert len(chosen) > 100
    for one in chosen:
        text = one.path.read_text()
        assert ast.parse(text[: one.start] + one.replacement + text[one.end :])
