"""Numbers as terms: one term for each value, however it is written."""

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import front_end
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.front_ends import salts
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms, term_lengths
from fingerprint.languages.vocabulary import lexeme_id, number_value
from tests.fingerprint.languages.test_every_language import CODE

HEXADECIMAL, EXPONENT, GROUPS = ("0x10", "16"), ("1e3", "1000"), ("1_000", "1000")
FAMILY_OF_C = (HEXADECIMAL, EXPONENT, ("10L", "10"), ("1.50f", "1.5"), ("10.0", "10"))
DECIMAL = (EXPONENT, ("10.0", "10"), ("0.50", "0.5"))
# Ways to write one number, by language.
WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("c", "cpp"), (*FAMILY_OF_C, ("0b101", "5"), ("1'000", "1000"), ("10ULL", "10"))),
    **dict.fromkeys(("glsl", "hlsl"), (HEXADECIMAL, EXPONENT, ("1.5f", "1.5"), ("10u", "10"))),
    **dict.fromkeys(("java", "kotlin", "scala", "csharp"), (*FAMILY_OF_C, GROUPS)),
    **dict.fromkeys(("javascript", "typescript"), (HEXADECIMAL, *DECIMAL, GROUPS, ("10n", "10"))),
    **dict.fromkeys(("python", "ocaml"), (HEXADECIMAL, *DECIMAL, GROUPS, ("0b101", "5"), ("0o17", "15"))),
    **dict.fromkeys(("go", "swift", "ruby", "perl", "haskell"), (HEXADECIMAL, *DECIMAL, ("0b101", "5"))),
    **dict.fromkeys(("common-lisp", "scheme", "matlab", "plsql", "sql", "structured-text"), DECIMAL),
    **dict.fromkeys(("gas", "mips"), (HEXADECIMAL, ("0xFF", "255"))),
    "ada": (*DECIMAL, GROUPS, ("16#FF#", "255")),
    "bash": (("10.0", "10"),),
    "dafny": (HEXADECIMAL, GROUPS, ("10.0", "10")),
    "fortran": (*DECIMAL, ("1d3", "1000")),
    "fsharp": (HEXADECIMAL, *DECIMAL, GROUPS, ("10L", "10"), ("10uy", "10"), ("10M", "10")),
    "modula2": DECIMAL,
    "pascal": (*DECIMAL, ("$FF", "255")),
    "php": (HEXADECIMAL, *DECIMAL, GROUPS),
    "prolog": (HEXADECIMAL, *DECIMAL),
    "r": (HEXADECIMAL, *DECIMAL, ("10L", "10")),
    "rust": (HEXADECIMAL, *DECIMAL, GROUPS, ("10u8", "10"), ("10_000usize", "10000"), ("1.5f32", "1.5")),
    "vb": DECIMAL,
    "verilog": (("8'hFF", "255"), ("4'b1010", "10"), ("4'd12", "12"), GROUPS),
    "vhdl": (("16#FF#", "255"), GROUPS, ("10.0", "10")),
    "x86": (HEXADECIMAL, ("0FFh", "255")),
}  # fmt: skip
# CSS compares its numbers, and Hack has one way to write one.
WITHOUT = {"css", "hack"}
BEFORE = {"php": "<?php "}


def number_terms(language: str, lexeme: str) -> list[int]:
    text = f"{BEFORE.get(language, '')}x = {lexeme};\n"
    return list(map(int, terms(language, text).literals))


def terms(language: str, text: str) -> LexicalTerms:
    return lexical_terms([front_end(language).scan(text)])[0]


def test_every_language_of_programs_has_ways_to_write_a_number() -> None:
    assert set(WAYS) == set(CODE) - WITHOUT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "one", "other"), [(name, *ways) for name, rows in WAYS.items() for ways in rows]
)
def test_a_number_is_one_term_however_a_language_writes_it(language: str, one: str, other: str) -> None:
    (term,) = number_terms(language, one)
    assert number_terms(language, other) == [term]
    assert number_terms(language, "77") != [term]


def test_a_number_weighs_by_the_characters_of_its_value() -> None:
    assert term_lengths(terms("c", "x = 0x10;").literals).tolist() == [len("16")]


@pytest.mark.parametrize(
    "lexeme", ["017", "3j", "10i", "12px", "10_8", "1.0_dp", "0x1.8p3", "1e999", "1" * 80]
)
def test_a_number_whose_value_depends_on_its_language_keeps_its_spelling(lexeme: str) -> None:
    assert number_value(lexeme) == lexeme


@given(st.integers(0, 1 << 60))
def test_an_integer_has_one_value_in_every_base(number: int) -> None:
    assert number_value(hex(number)) == number_value(bin(number)) == number_value(oct(number)) == str(number)


@pytest.mark.slow
@given(st.text())
def test_any_lexeme_has_some_value(lexeme: str) -> None:
    assert isinstance(number_value(lexeme), str)


def test_names_and_strings_keep_their_spelling_and_numbers_do_not() -> None:
    salt = salts()["python"]
    for one, ids in ((LexicalClass.STRING, 2), (LexicalClass.IDENTIFIER, 2), (LexicalClass.NUMBER, 1)):
        assert len({lexeme_id(salt, one, lexeme) for lexeme in ("16", "0x10")}) == ids
