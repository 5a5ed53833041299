"""The words of a task's statement: which strings, numbers and names they dictate."""

import numpy as np
import pytest

from fingerprint.kernels.types import Terms
from fingerprint.languages import front_end
from fingerprint.languages.lexical_terms import lexical_terms, term_lengths
from fingerprint.languages.task_statement import TaskStatement, dictated_strings, string_words

TEXT = (
    "Ask with `Enter the first number:` and print *the sum of all values*.\n"
    "A row has 65,536 places, and the tax is 0.07."
)


def remaining(language: str, program: str, text: str = TEXT) -> Terms:
    """Return the literals and names of a program that the statement does not dictate."""
    scan = front_end(language).scan(program)
    terms, dictated = (
        lexical_terms([scan])[0],
        TaskStatement.of([text]).lexical([string_words(program, scan)]),
    )
    sides = zip(terms.readable, dictated.readable, strict=True)
    return np.concatenate([np.setdiff1d(terms, others) for terms, others in sides])


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("python", 'print("Enter the first number: ")'),
        ("python", r'print("\nENTER  THE FIRST number:\t")'),
        ("python", 'print(f"The sum of all values: {_}")'),
        ("c", r'printf("the sum of all values = %ld\n", 0x10000);'),
        ("java", '"sum".print(7e-2, 65_536);'),
    ],
)
def test_what_consists_of_the_statement_is_dictated(language: str, program: str) -> None:
    assert len(remaining(language, program, "nothing")) > len(remaining(language, program))
    literals = lexical_terms([front_end(language).scan(program)])[0].literals
    # Behind what is put into a string there is a quotation mark.
    assert not np.isin(literals[term_lengths(literals) > 1], remaining(language, program)).any()


@pytest.mark.parametrize(
    "string", ["Type the first digit", "to be", ", ", "Enter a wrong word, dear first reader"]
)
def test_a_string_with_words_of_its_own_or_without_words_is_not_dictated(string: str) -> None:
    program = f'x("{string}")'
    (literal,) = lexical_terms([front_end("python").scan(program)])[0].literals
    assert literal in remaining("python", program)


def test_four_words_of_five_are_enough_and_three_of_four_are_not() -> None:
    for string, count in (("enter first number values mine", 1), ("enter first number mine", 0)):
        program = f'x("{string}")'
        words = string_words(program, front_end("python").scan(program))
        assert len(dictated_strings(words, TaskStatement.of([TEXT]).words)) == count


def test_other_numbers_and_names_stay() -> None:
    stay = remaining("python", "balance = 65537 + 0.7")
    assert np.array_equal(stay, remaining("python", "balance = 65537 + 0.7", ""))
    assert len(remaining("python", "deposit = 5", "call `deposit` with 5")) == 0


def test_a_document_without_strings_has_no_words() -> None:
    words = string_words("x = 1", front_end("python").scan("x = 1"))
    assert (
        len(words.strings)
        == len(words.words)
        == len(dictated_strings(words, TaskStatement.of([TEXT]).words))
        == 0
    )
