"""The README of the tables of lexers: its example has the tokens of Pygments."""

import re
from typing import Any

from pygments.lexers import PythonLexer

from fingerprint.lextables.lexer import FIRST_CHARACTERS, SHORTEST_TEXT
from tests.support.paths import ROOT

README = (ROOT / "fingerprint/lextables/README.md").read_text()
TEXT = "total = 3  # prices\n"


def test_the_example_gives_the_tokens_of_pygments(capsys: Any) -> None:
    example = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    assert TEXT.encode("unicode_escape").decode() in example
    exec(example, {})
    expected = list(PythonLexer().get_tokens_unprocessed(TEXT))
    assert capsys.readouterr().out == f"{expected}\n"


def test_the_lengths_that_it_names_are_those_of_the_code() -> None:
    assert f"below {SHORTEST_TEXT} characters" in README
    assert f"{FIRST_CHARACTERS:,} characters" in README
