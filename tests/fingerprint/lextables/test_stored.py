"""The times at which the tables of a lexer are made, and those stored in the library, which are the same."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

import numpy as np
import pytest

from fingerprint.kernels import library
from fingerprint.kernels.library import ensure_compiled, stored_data
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables import expressions, lexer as stored
from fingerprint.lextables.dispatch import dispatching_lexer, raw_tokens
from fingerprint.lextables.expressions import RulePattern, Untranslatable
from fingerprint.lextables.lexer import lexer_tables, name_of, pack, stored_tables, unpack
from fingerprint.ranking import weights
from tests.fingerprint.languages.test_every_language import program
from tests.fingerprint.lextables.test_lexers import COMPILED, lexer_class_of
from tests.support.long_rows import rest_is_long
from tests.support.paths import ROOT


@pytest.fixture
def nothing_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what the library has that of another version of Pygments."""
    monkeypatch.setattr(stored, "versions", lambda: ["3.11", "another"])


@pytest.mark.slow
@pytest.mark.parametrize("name", rest_is_long(COMPILED, first=12))
def test_the_stored_tables_are_those_that_the_rules_make(name: str) -> None:
    lexer: Any = dispatching_lexer(lexer_class_of(name))
    of_library, of_rules = stored_tables(lexer), lexer_tables(lexer)
    assert of_library is not None
    assert of_library[1:] == of_rules[1:]
    for one, other in zip(of_library.program, of_rules.program, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_the_stored_marks_of_literals_are_those_of_all_languages() -> None:
    assert stored_data(weights.STORED_MARKS) is not None
    for one, other in zip(weights._table_marks(), weights.literal_marks(), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_stored_tables_are_used_from_the_first_text_on() -> None:
    lexer: Any = dispatching_lexer(lexer_class("go"))
    assert lexer.tables.of(lexer, stored.SHORTEST_TEXT - 1) is None
    assert lexer.tables.of(lexer, stored.SHORTEST_TEXT) is not None


@pytest.mark.usefixtures("nothing_stored")
def test_tables_of_another_version_are_not_used() -> None:
    lexer: Any = dispatching_lexer(lexer_class("go"))
    packed = stored_data(name_of(lexer))
    assert packed is not None
    assert unpack(packed, lexer) is None
    assert unpack(pack(lexer_tables(lexer)), lexer) is not None


def test_a_closed_library_still_has_its_stored_tables() -> None:
    lexer: Any = dispatching_lexer(lexer_class("go"))
    opened = library.Library(ensure_compiled())
    before = opened.stored(name_of(lexer))
    opened.close()
    assert before is not None
    assert opened.stored(name_of(lexer)) == before
    assert opened.stored("of no lexer") is None


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("name", ["java", "python", "c", "sql"])
def test_another_parser_of_python_means_that_pygments_own_loop_reads(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    class OtherParser:
        @staticmethod
        def parse(_pattern: str, _flags: int) -> list[tuple[str, object]]:
            return [("SOMETHING_NEW", None)]

    monkeypatch.setattr(expressions, "import_module", lambda _name: OtherParser)
    lexer: Any = dispatching_lexer(lexer_class_of(name))
    with pytest.raises(Untranslatable):
        lexer_tables(lexer)
    text = program(name) * 100
    assert len(text) > stored.FIRST_CHARACTERS / 10
    monkeypatch.setattr(stored, "FIRST_CHARACTERS", 0)
    assert lexer.tables.of(lexer, len(text)) is None
    assert raw_tokens(lexer, program(name))


@pytest.mark.usefixtures("nothing_stored")
def test_a_language_is_read_by_its_tables_when_much_of_it_was_read() -> None:
    lexer: Any = dispatching_lexer(lexer_class("go"))
    text = program("go") * 20
    lengths = []
    while lexer.tables.of(lexer, len(text)) is None:
        lengths.append(len(text))
        assert sum(lengths) <= stored.FIRST_CHARACTERS
    assert lengths
    assert lexer.tables.of(lexer, stored.SHORTEST_TEXT - 1) is None


@pytest.mark.usefixtures("nothing_stored")
def test_tables_are_made_at_once_where_many_characters_are_expected() -> None:
    lexer: Any = dispatching_lexer(lexer_class("go"))
    text = program("go") * 2
    lexer.tables.expect(lexer, stored.FIRST_CHARACTERS)
    assert lexer.tables.of(lexer, len(text)) is None
    lexer.tables.expect(lexer, stored.FIRST_CHARACTERS + 1)
    assert lexer.tables.of(lexer, len(text)) is not None


def test_a_lexer_whose_tables_are_stored_compiles_no_expression_to_read_a_program() -> None:
    lexer: Any = dispatching_lexer(lexer_class("kotlin"))
    raw_tokens(lexer, program("kotlin"))
    matchers = {rule[0] for rules in lexer._tokens.values() for rule in rules}
    late = [owner for matcher in matchers if isinstance(owner := matcher.__self__, RulePattern)]
    assert len(late) > 50
    assert not any(one._pattern for one in late)


def test_the_library_is_built_with_numba_and_pygments_alone() -> None:
    """A wheel is built in an environment that has these two of all dependencies."""
    modules = [*library.modules_with_kernels(), *library.STORED, "fingerprint.kernels.compiler"]
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    others = {re.split(r"[\[>=<;]", one)[0].lower() for one in project["dependencies"]} - {
        "numba",
        "pygments",
        "numpy",
    }
    assert "charset-normalizer" in others
    installed = {
        name for name, packages in packages_distributions().items() if {one.lower() for one in packages} & others
    }
    assert loaded & installed == set()
