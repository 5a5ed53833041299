"""Prose in any script, and notebooks of any format version."""

import json
import logging

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import front_end
from tests.support.notebooks import FORMAT_2, FORMAT_3, FORMAT_4

PROSE = front_end("text")
NOTEBOOK = front_end("notebook")


def words(text: str) -> list[str]:
    return [kind for _, _, kind in PROSE.named_tokens(text)]


def test_case_and_punctuation_are_normalised() -> None:
    assert (
        words("Don't STOP, the tide!")
        == words("don\u2019t stop the (Tide)")
        == ["dont", "stop", "the", "tide"]
    )


def test_equivalent_characters_are_normalised_to_one() -> None:
    assert words("naïve Straße \ufb01sh \uff34ide") == words("nai\u0308ve STRASSE fish tide")


def test_in_scripts_without_spaces_each_character_is_a_word() -> None:
    assert words("港の潮は") == ["港", "の", "潮", "は"]
    assert "".join(words("ขึ้นวัน")) == "ขึ้นวัน"


def test_combining_marks_stay_with_their_word() -> None:
    assert words("पानी बढ़ता है") == ["पानी", "बढ़ता", "है"]
    assert len(words("يرتفعُ الماءُ")) == 2


@given(st.text(max_size=80))
def test_words_are_spans_of_the_text_in_order(text: str) -> None:
    tokens = PROSE.tokens(text)
    assert (tokens.starts < tokens.ends).all()
    assert (tokens.ends[:-1] <= tokens.starts[1:]).all()
    assert not len(tokens) or tokens.ends[-1] <= len(text)


@given(st.text(st.sampled_from("aé ß-'.港"), max_size=30))
def test_changing_case_changes_no_word(text: str) -> None:
    assert words(text.upper()) == words(text.lower()) == words(text)


def notebook(language: str = "python") -> str:
    output = {"output_type": "stream", "name": "stdout", "text": "secret"}
    markdown = {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "The *largest* change."]}
    code = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "x = f(1)  # never"}
    return json.dumps(
        {
            "metadata": {"kernelspec": {"name": language, "display_name": "K", "language": language}},
            "cells": [markdown, {**code, "outputs": [output]}],
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    )


def test_cells_are_shown_with_headers_and_without_outputs() -> None:
    text = NOTEBOOK.text(notebook())
    assert text == (
        "───── cell 1, text ─────\n# Tides\nThe *largest* change.\n\n"
        "───── cell 2, python ─────\nx = f(1)  # never\n"
    )


def test_each_cell_is_compared_in_its_language() -> None:
    text = NOTEBOOK.text(notebook())
    code = front_end("python").tokens("x = f(1)").kinds.tolist()
    prose = PROSE.tokens("Tides the largest change").kinds.tolist()
    assert NOTEBOOK.tokens(text).kinds.tolist() == prose + code


def test_the_kernel_names_the_language_of_the_code() -> None:
    text = NOTEBOOK.text(notebook("R"))
    assert "cell 2, r" in text
    assert "cell 2, python" in NOTEBOOK.text(notebook("klingon"))


def test_format_3_with_worksheets_is_read() -> None:
    old = {
        "metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0,
        "worksheets": [{"metadata": {}, "cells": [
            {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "collapsed": False,
             "input": ["y = 2\n", "z = y"]},
        ]}],
    }  # fmt: skip
    assert NOTEBOOK.text(json.dumps(old)) == "───── cell 1, python ─────\ny = 2\nz = y\n"


@pytest.mark.parametrize(
    ("decoded", "reason"),
    [
        ("", "line 1 is not JSON"), ("{\n", "line 2 is not JSON"),
        ("[]", "no notebook"), ("3", "no notebook"), ("{}", "no notebook"),
        ('{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [{}]}', "expected key"),
        ('{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [7]}', "cell|read"),
        ('{"nbformat": 99, "cells": 3}', "notebook"), ("[" * 100_000, "notebook"),
    ],
)  # fmt: skip
def test_a_broken_notebook_is_refused_with_its_reason(decoded: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        NOTEBOOK.text(decoded)


def test_a_text_without_cells_has_no_tokens() -> None:
    assert len(NOTEBOOK.scan("no header here").tokens) == 0


@pytest.mark.parametrize("version", [FORMAT_2, FORMAT_3, FORMAT_4])
def test_what_is_wrong_with_a_notebook_is_not_logged_with_its_contents(
    version: dict[str, object], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    invalid = {**version, "metadata": {"kernelspec": {"name": ["Ada Lovelace"]}, "name": ["Ada Lovelace"]}}
    NOTEBOOK.text(json.dumps(invalid))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_others_can_use_the_logger_that_nbformat_uses(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("traitlets").error("of another library")
    assert caplog.messages == ["of another library"]
