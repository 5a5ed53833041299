"""Imports, includes and macros: terms of their own; the code of macros is compared."""

import pytest

from fingerprint.languages import front_end
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexical_terms import lexical_terms

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
def test_imports_and_includes_are_found_as_they_are_written(
    language: str, text: str, imports: list[str]
) -> None:
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
