"""The compiled rules of each language beside the loop of Pygments: the same tokens for any text."""

import time
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings as examples, strategies as st
from pygments.lexer import RegexLexer, bygroups, default, this, using, words
from pygments.token import Keyword, Name, Number, String, Text, _TokenType

from fingerprint.languages import decode, detect, front_end
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables import lexer as compiled, table_writer as rules
from fingerprint.lextables.deadline import TooSlow, time_limit
from fingerprint.lextables.dispatch import DispatchingLexer, dispatching_lexer, raw_tokens
from fingerprint.lextables.lexer import GivenUp, LazyTables, lexer_tables, read
from fingerprint.lextables.loop import STACK_FULL
from fingerprint.reading import Unreadable, read as read_file
from tests.fingerprint.languages.test_every_language import program
from tests.fingerprint.lextables.samples import expressions_of, text_of

ROOT = Path(__file__).parents[3]
# Lexers with a loop of their own, and one with an expression that tables cannot say.
BY_PYTHON = {"pascal", "ruby", "scheme", "yaml"}
# There is a row for each of fifty languages.
FEWER = examples(max_examples=max(5, examples().max_examples // 4))
COMPILED = [row.name for row in LANGUAGES if row.name not in BY_PYTHON]

Token = tuple[int, _TokenType, str]


@cache
def lexer_parts(name: str) -> Any:
    """Return a lexer, its tables, and the trees of its expressions."""
    row = next(row for row in LANGUAGES if row.name == name)
    lexer = dispatching_lexer(lexer_class(row.lexer))
    assert isinstance(lexer, DispatchingLexer)
    tables = lexer_tables(lexer)
    return lexer, tables, expressions_of(tables)


@pytest.mark.parametrize("name", sorted(BY_PYTHON))
def test_python_reads_the_other_languages(name: str) -> None:
    lexer: Any = dispatching_lexer(lexer_class_of(name))
    text = program(name)
    if isinstance(lexer, DispatchingLexer):
        lexer.tables.expect(lexer, compiled.FIRST_CHARACTERS + 1)
        assert lexer.tables.of(lexer, compiled.SHORTEST_TEXT) is None
    assert list(zip(*raw_tokens(lexer, text), strict=True)) == expected_tokens(name, text)


def compiled_tokens(lexer: Any, tables: Any, text: str) -> list[Token]:
    return list(zip(*read(lexer, tables, text, ("root",)), strict=True))


def pygments_tokens(lexer: Any, text: str) -> list[Token]:
    return list(RegexLexer.get_tokens_unprocessed(lexer, text))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
@FEWER
@given(random=st.randoms(use_true_random=False))
def test_texts_made_of_the_rules_of_a_lexer_have_the_tokens_of_pygments(name: str, random: Any) -> None:
    lexer, tables, trees = lexer_parts(name)
    text = text_of(trees, random)
    if lexer.changes_tokens:
        # As a whole: what such a lexer reads with itself is changed by Pygments twice.
        expected = list(lexer_class_of(name)().get_tokens_unprocessed(text))
        assert list(tables_lexer(name).get_tokens_unprocessed(text)) == expected
        assert list(zip(*raw_tokens(tables_lexer(name), text), strict=True)) == expected_tokens(name, text)
    else:
        assert compiled_tokens(lexer, tables, text) == pygments_tokens(lexer, text)


def expected_tokens(name: str, text: str) -> list[Token]:
    """Return the tokens of the lexer of Pygments, also where a text is rewritten for it."""
    return list(zip(*raw_tokens(lexer_class_of(name)(), text), strict=True))


def lexer_class_of(name: str) -> Any:
    return lexer_class(next(row for row in LANGUAGES if row.name == name).lexer)


def tables_lexer(name: str) -> Any:
    """Return a new lexer that always reads by its tables."""
    lexer: Any = dispatching_lexer(lexer_class_of(name))
    type(lexer).tables = AlwaysTables(lexer_parts(name)[1])
    return lexer


class AlwaysTables(LazyTables):
    def __init__(self, tables: Any) -> None:
        super().__init__()
        self._tables = tables

    def of(self, lexer: Any, length: int) -> Any:  # noqa: ARG002
        return self._tables


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_a_program_has_the_tokens_of_pygments(name: str) -> None:
    text = program(name)
    for source in (text, text[: len(text) // 2], text.replace("\n", " "), text.replace("(", "\0é(")):
        expected = list(lexer_class_of(name)().get_tokens_unprocessed(source))
        assert expected
        assert list(tables_lexer(name).get_tokens_unprocessed(source)) == expected
        tokens = raw_tokens(tables_lexer(name), source)
        assert list(zip(*tokens, strict=True)) == expected_tokens(name, source)


class Parts(DispatchingLexer, RegexLexer):
    """Uses all that tables can say, and functions that they cannot."""

    def upper_case(self, match: Any) -> Any:
        yield match.start(), Name.Own, match.group().upper()

    tokens = {  # noqa: RUF012
        "root": [
            (words(("if", "else"), suffix=r"\b"), Keyword, ("one", "two")),
            (r"(<)([^<>]*)(>)", bygroups(Text, using(this), None)),  # type: ignore[no-untyped-call]
            (r"(\[)([^\[\]]*)(\])", bygroups(Text, using(this, state="one"), Text)),  # type: ignore[no-untyped-call]
            (r"(\{)(.*?)(\})", bygroups(None, using(this), Text)),  # type: ignore[no-untyped-call]
            (r"(o)?(?(1)wn|x)", upper_case),
            (r"\d+", Number, "#push"),
            (r"!", Text, "#pop"),
            (r"\?", Text, "nothing"),
            (r"~[^~]*", using(this, state="nothing")),  # type: ignore[no-untyped-call]
        ],
        "one": [(r"1|\n", Number, "#pop"), (r"^a\b", Name), (r"b", String, ("#pop", "two", "#push"))],
        "two": [(r"2", Number, "#pop:2"), (r"own", upper_case, "#pop"), (r"a+", Name), default("#pop")],
        "nothing": [],
    }


pieces = st.lists(st.sampled_from([*"ab12<>[]{}!?~\n \U0001d538", "if", "else", "own"]), max_size=30)


@given(pieces.map("".join))
def test_all_that_rules_can_do_is_done_as_by_pygments(text: str) -> None:
    lexer = Parts()
    tables = rules.TableWriter(lexer._tokens, reads_itself=True, most_asking=2).tables()
    assert compiled_tokens(lexer, tables, text) == pygments_tokens(lexer, text)


class Slow(DispatchingLexer, RegexLexer):
    tokens = {"root": [(r"(?:a|aa)+(?=b)", Name), (r"(?:ab|a|b)*c", Name)]}  # noqa: RUF012


def test_a_text_that_takes_too_many_steps_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_STEPS", 100_000)
    lexer = Slow()
    tables = lexer_tables(lexer)
    with pytest.raises(TooSlow):
        read(lexer, tables, "a" * 1000, ("root",))
    assert compiled_tokens(lexer, tables, "a" * 10) == pygments_tokens(lexer, "a" * 10)


@pytest.mark.parametrize("name", ["java", "python", "php", "haskell"])
def test_a_run_in_slices_has_the_same_tokens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SLICE", 3)
    lexer, tables, _ = lexer_parts(name)
    assert compiled_tokens(lexer, tables, program(name)) == pygments_tokens(lexer, program(name))


def test_a_run_ends_soon_after_its_limit_of_time() -> None:
    begin = time.thread_time()
    with pytest.raises(TooSlow), time_limit(0.3):
        read(Slow(), lexer_tables(Slow()), "a" * 1000, ("root",))
    assert time.thread_time() - begin < 3  # without a limit this takes seven seconds


class Endless(DispatchingLexer, RegexLexer):
    tokens = {"root": [(r"", Name)]}  # noqa: RUF012


def test_a_lexer_that_never_ends_is_too_slow_and_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_STEPS", 10_000_000)
    with pytest.raises(TooSlow):
        read(Endless(), lexer_tables(Endless()), "a", ("root",))


def test_a_file_whose_lexer_takes_too_many_steps_is_refused_with_the_reason_for_slow_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "FIRST_CHARACTERS", 0)
    monkeypatch.setattr(compiled, "MOST_STEPS", 1000)
    front_end("java").tokens("class A {}")
    with pytest.raises(Unreadable, match="took longer than"):
        read_file(program("java").encode() * 10, "Main.java", "java")


def test_python_reads_what_needs_more_memory_than_a_run_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compiled._GROWING, STACK_FULL, ("stack", 1 << 13))
    lexer, text = Slow(), "ab" * 10_000 + "c"
    with pytest.raises(GivenUp):
        read(lexer, lexer_tables(lexer), text, ("root",))
    type(lexer).tables = AlwaysTables(lexer_tables(lexer))
    tokens = list(zip(*lexer.raw_tokens(text), strict=True))
    assert tokens == pygments_tokens(lexer, text)


class Nested(DispatchingLexer, RegexLexer):
    tokens = {"root": [(r"(\()([\s\S]*)(\))", bygroups(Text, using(this), Text)), (r"a", Name)]}  # type: ignore[no-untyped-call]  # noqa: RUF012


def test_parts_within_parts_are_read_up_to_a_depth() -> None:
    lexer = Nested()
    tables = lexer_tables(lexer)
    for depth in (1, 10, 45):
        text = "(" * depth + "a" + ")" * depth
        assert compiled_tokens(lexer, tables, text) == pygments_tokens(lexer, text)
    with pytest.raises(GivenUp):
        read(lexer, tables, "(" * 60 + ")" * 60, ("root",))


@pytest.mark.long
def test_every_file_of_the_project_has_the_tokens_of_pygments() -> None:
    files = Counter[str]()
    for path in (path for part in ("fingerprint", "moss", "tests") for path in (ROOT / part).rglob("*")):
        with suppress(ValueError, IsADirectoryError):
            text = decode(path.read_bytes()).text.replace("\r\n", "\n")
            chosen = front_end(detect(path.name, text))
            if isinstance(chosen, CodeFrontEnd) and (name := chosen.language.name) in COMPILED:
                files[name] += 1
                tokens = list(zip(*raw_tokens(tables_lexer(name), text), strict=True))
                assert tokens == expected_tokens(name, text), path
    assert files["python"] > 300
    assert len(files) > 30
