"""The language's own compiler takes the constructs of `conformance/`, and refuses what never ends."""

import re
import shutil
from pathlib import Path

import pytest

from tests.compilers.compilers import COMPILERS
from tests.fingerprint.languages.construct_tables import SECTIONS, TABLES, statement_of, table

pytestmark = pytest.mark.long

# Expressions of constructs that the compiler judges otherwise, and why.
NEWER, MACRO = "a newer version of the language has it", "only its use is an error"
OTHERWISE = {
    "javascript": {r"</|/>": "JSX is compiled first", r"#!": "only at the beginning of a file"},
    "haskell": {
        r'^"""': NEWER,
        r"\[a\|b": "the extension of another construct reads it as a quotation",
        r"^import": "imports come first",
    },
    "pascal": {r"^'''\n": NEWER},
    "c": {r"#define PLACE \"never": MACRO},
    "cpp": {r"#define PLACE \"never": MACRO},
    "tcl": {r"set place \"never": "a quote in the next function ends it"},
}


def is_judged_otherwise(language: str, construct: str) -> bool:
    return any(re.search(expression, construct) for expression in OTHERWISE.get(language, ()))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("language", COMPILERS)
def test_the_compiler_agrees_that_a_construct_is_one(language: str, section: str, tmp_path: Path) -> None:
    compiler, of = COMPILERS[language], table(TABLES / f"{language}.txt")
    if not shutil.which(compiler.command[0]):
        pytest.skip(f"{compiler.command[0]} is not installed")
    assert not compiler.complaints(of.head + of.first, "", of.second, tmp_path)
    wrong = {}
    for construct in of.constructs[section]:
        statement = statement_of(of, section, construct)
        said = compiler.complaints(of.head + of.first, statement, of.second, tmp_path)
        if bool(said) != (section == "unclosed") and not is_judged_otherwise(language, construct):
            wrong[construct] = said or "it is taken"
    assert wrong == {}
