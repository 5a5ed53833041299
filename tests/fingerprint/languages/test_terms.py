"""Terms: numbers, imports and macros, their places, and those that a statement dictates."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.kernels.types import Terms
from fingerprint.languages import front_end
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.front_ends import salts
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms, term_lengths
from fingerprint.languages.task_statement import TaskStatement, dictated_strings, string_words
from fingerprint.languages.term_places import TermPlace, common_terms, term_places, without_terms
from fingerprint.languages.vocabulary import lexeme_id, number_value
from tests.fingerprint.languages.test_every_language import CODE, NAMES, program

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
    "netlogo": DECIMAL,
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


# CSS compares its numbers; Hack has one way to write one, and HDL has them in ranges only.
WITHOUT = {"css", "hack", "hdl"}


BEFORE = {"php": "<?php "}


def number_terms(language: str, lexeme: str) -> list[int]:
    text = f"{BEFORE.get(language, '')}x = {lexeme};\n"
    return list(map(int, terms(language, text).literals))


def terms(language: str, text: str) -> LexicalTerms:
    return lexical_terms([front_end(language).scan(text)])[0]


def test_every_language_of_programs_has_ways_to_write_a_number() -> None:
    assert set(WAYS) == set(CODE) - WITHOUT


@pytest.mark.slow
@pytest.mark.parametrize(("language", "one", "other"), [(name, *ways) for name, rows in WAYS.items() for ways in rows])
def test_a_number_is_one_term_however_a_language_writes_it(language: str, one: str, other: str) -> None:
    (term,) = number_terms(language, one)
    assert number_terms(language, other) == [term]
    assert number_terms(language, "77") != [term]


def test_a_number_weighs_by_the_characters_of_its_value() -> None:
    assert term_lengths(terms("c", "x = 0x10;").literals).tolist() == [len("16")]


@pytest.mark.parametrize("lexeme", ["017", "3j", "10i", "12px", "10_8", "1.0_dp", "0x1.8p3", "1e999", "1" * 80])
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


HEADER = '#include <vector>\n#include "own.h"\n'


MACRO = "#define LARGER(a, b) ((a) > (b) ? (a) : (b))\n"


MAIN = "int main() { return LARGER(1, 2); }\n"


def directives(language: str, text: str) -> list[tuple[LexicalClass, str]]:
    scan = front_end(language).scan(text)
    rows = zip(scan.directive_classes, scan.directives.starts, scan.directives.ends, strict=True)
    return [(LexicalClass(lexical_class), text[start:end]) for lexical_class, start, end in rows]


@pytest.mark.parametrize(
    ("language", "text", "imports"),
    [
        ("python", "import os\nfrom a.b import c\nx = 1\n", ["import os", "from a.b import c"]),
        ("java", "import java.util.*;\nclass A { }\n", ["import java.util.*;"]),
        ("csharp", "using System.Text;\nclass A { }\n", ["using System.Text;"]),
        ("cpp", HEADER + "using namespace std;\n" + MAIN, ["<vector>", '"own.h"', "using namespace std;"]),
        ("c", "#  include <stdio.h>\r\n" + MAIN, ["<stdio.h>"]),
        ("text", "import nothing\n", []),
    ],
)
def test_imports_and_includes_are_found_as_they_are_written(language: str, text: str, imports: list[str]) -> None:
    assert directives(language, text) == [(LexicalClass.IMPORT, written) for written in imports]


def test_a_macro_is_a_term_from_its_name_to_the_end_of_its_last_line() -> None:
    text = "#define N 10\n#define TWICE(x) \\\n  ((x) + (x))\n" + MAIN
    expected = ["N 10", "TWICE(x) \\\n  ((x) + (x))"]
    assert directives("c", text) == [(LexicalClass.MACRO, written) for written in expected]


def test_white_space_and_comments_in_a_macro_make_no_difference() -> None:
    tidy, untidy = "#define N (10+1)\n", "# define N ( 10 + /* one more */ 1 ) // eleven\n"
    terms = [lexical_terms([front_end("c").scan(text + MAIN)])[0] for text in (tidy, untidy)]
    identities = [set((term.literals >> 5).tolist()) for term in terms]
    assert identities[0] == identities[1]


def test_the_code_of_a_macro_is_compared_at_its_place_in_the_file() -> None:
    text = MACRO + MAIN
    tokens = front_end("c").tokens(text)
    lexemes = [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    assert lexemes[:7] == ["LARGER", "a", "b", "a", ">", "b", "?"]


def test_a_broken_last_directive_is_read_to_the_end_of_the_file() -> None:
    assert directives("c", MAIN + "#define N \\") == [(LexicalClass.MACRO, "N \\")]
    assert directives("c", MAIN + "#define") == []


# Terms of the golden programs that need a lexer: several names in one import, unusual brackets.
NOT_FOUND = {"rust": 1, "perl": 1, "scheme": 1, "common-lisp": 2}


def places(language: str, text: str, wanted: LexicalTerms | None = None) -> list[TermPlace]:
    scan = front_end(language).scan(text)
    return term_places(language, text, scan.tokens, wanted or lexical_terms([scan])[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nearly_every_term_is_found_and_where_the_lexer_finds_it(name: str) -> None:
    text = program(name)
    scan = front_end(name).scan(text)
    term_places = places(name, text)
    missed = {
        term
        for kind, terms in zip(LexicalTerms._fields, lexical_terms([scan])[0].readable, strict=False)
        for term in set(terms.tolist()) - {place.term for place in term_places if place.kind == kind}
    }
    assert len(missed) <= NOT_FOUND.get(name, 0)
    lexed = set(zip(scan.lexical.starts.tolist(), scan.lexical.ends.tolist(), strict=True))
    named = {(place.start, place.end) for place in term_places if place.kind == "names"}
    assert len(named & lexed) >= 0.8 * len(named)


def test_only_wanted_terms_have_places_in_text_order() -> None:
    text = "import os\n\ncount = 12  # count\nprint('twelve', count)\n"
    none = np.empty(0, np.uint64)
    (count,) = lexical_terms([front_end("python").scan("count")])[0].names
    term_places = places("python", text, LexicalTerms(none, np.array([count]), none))
    assert [text[place.start : place.end] for place in term_places] == ["count", "count"]
    assert [text.count("\n", 0, place.start) + 1 for place in term_places] == [3, 4]


def test_words_of_a_text_have_no_place_in_its_code_and_code_none_in_the_text() -> None:
    text = "The mean of 51 trees is low.\n\n```{r}\nlow <- mean(trees, 51)\n```\n"
    found = {(one.kind, one.is_word, text[one.start :].split(maxsplit=1)[0]) for one in places("rmarkdown", text)}
    assert found == {
        *(("names", True, word) for word in ("The", "mean", "of", "51", "trees", "is", "low.")),
        *(("names", False, word) for word in ("low", "mean(trees,", "trees,")),
        ("literals", False, "51)"),
    }


def test_common_terms_are_in_both_and_not_handed_out() -> None:
    one, other, handed_out = (
        lexical_terms([front_end("python").scan(text)])[0]
        for text in ("import os\na = 'x y'\nb = 2\n", "import os\nb = 'x y'\nc = 2\n", "b\n")
    )
    common = common_terms([one], [other])
    assert [len(column) for column in common.readable] == [2, 1, 1]
    assert [len(column) for column in without_terms(common, [handed_out]).readable] == [2, 0, 1]


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


@pytest.mark.parametrize("string", ["Type the first digit", "to be", ", ", "Enter a wrong word, dear first reader"])
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
    assert len(words.strings) == len(words.words) == len(dictated_strings(words, TaskStatement.of([TEXT]).words)) == 0
