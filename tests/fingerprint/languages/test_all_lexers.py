"""Every lexer of Pygments: capitals that mean nothing, and names that it returns in letters."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest
from pygments.lexers import find_lexer_class_by_name, get_all_lexers
from pygments.token import _TokenType

from fingerprint.languages import LexicalClass, choices, front_end
from fingerprint.languages.base import Scan
from fingerprint.languages.code import CodeFrontEnd, untuned_language, without_conflict_markers
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import UNTUNED_IGNORING_CASE, lexer_class
from tests.fingerprint.languages.construct_tables import (
    PATHS,
    SECTIONS,
    kinds_of_others,
    lost_functions,
    markdown_table,
    misread,
    statement_of,
    table,
)
from tests.fingerprint.languages.test_every_language import (
    CODE,
    WORD_TO_DISGUISE,
    disguised,
    kinds,
    program,
)
from tests.support.golden import Golden
from tests.support.long_rows import rest_is_long

IGNORING_CASE = [row.name for row in LANGUAGES if row.ignore_case]
WORDS = (
    "total = level + harbour\nif total > limit\n  tide = total * level\nend\n"
    "while tide\n  harbour = limit - level1\nend\n"
)
KEPT, NAMES = ("Token.Literal.String", "Token.Comment"), ("Token.Name", "Token.Text")
# Lexers of formats in which a line of such a program is text, or names have one letter.
NO_PROGRAM = {
    "aheui", "befunge", "csound-score", "dylan-console", "fortranfixed", "gherkin", "gst", "inform7",
    "nodejsrepl", "sed",
}  # fmt: skip
DOCUMENT = Path(__file__).parents[3] / "docs" / "work" / "languages.md"
KINDS = Path(__file__).parent / "conformance" / "others.kinds"
# What is shown of a Scratch project is written by its front-end, and has the forms that that writes.
WITHOUT_CODE = {"text", "notebook", "scratch"}
each_language = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
# What begins a construct and is repeated, by language.
REPEATED = {
    "javascript": (
        '"\\', '"', "= /[/]", "= /[", "a = <p>", "a = <>\n", "`${", "'\\\n", "</", "{", '= <p a="', "=<a b{",
    ),
    "swift": ('#"""\n', '#"', '##"', "#/a", "= /a", '"\\(', "/*"),
    "kotlin": ('"${', "/*", '"""$', "`a"),
    "rust": ("'\"", 'r#"', 'c"', "/*"),
    "csharp": ('""""', "#if false\nit\n", '$""""a', '@"'),
    "x86": ("/*", "@ ", " @"),
    "sql": ("'", '"', "e'", "'\\'", "q'!", "q'[", "$$", "$a$", "`'", "['", "'\\' ", "#a b\n", "e'\\"),
    "haskell": ('"""', "[a|", ">\n", "{-", '"\\'),
    "ocaml": ("{|", "{a|", '(*"', "(*{|", "(*", "(*'"),
    "scheme": ("#<<A\n", '#px"', "|a", "#|", '"'),
    "prolog": ("0'", "'\\", "`", '"', "/*"),
    "r": ('r"(', 'R"---(', '"'),
    "perl": ("<<A;\n", "<<A", "y/", "s#", "m|", "q{", "'", '"a\n', "<<~A\n", "a ) / "),
    "php": ("<<<A\n", "'", '"a\n', '"{$'),
    "bash": ("<<A\n", "<<A", "'", '"a\n', '"$(', "<<-A\n\tA\n"),
    "fortran": ("C a\n", '"&\n', "'a\n", "c=\n"),
    "cobol": ("      *\n", "000100 a\n", '"a\n'),
    "matlab": ("'", "%{\n", "#{\n", '"a\n', "a '", "a;\n"),
    "modula2": ("(*", '"a\n'),
    "vhdl": ("\\a", '"a\n'),
    "tcl": ('"{', '{"', '"[', '"{a}'),
    "java": ('"a\n', '"""\n', "'a\n"),
    "python": ('"a\n', '"""', 'f"{'),
}  # fmt: skip
HEADS = {"php": "<?php "}
# Lengths in characters, and the growth of the time between them that is too fast for a linear time: that
# grows with the length, a quadratic one with its square. A rule may look ahead up to a limit of some thousand
# characters: its time grows with the square until there, and only longer texts show that it is linear then.
LENGTHS = ((1_500, 12_000, 24), (12_000, 48_000, 9))
# Shorter times are not measured exactly, in seconds of the processor.
MEASURABLE = 0.004
ATTEMPTS = 3


@cache
def aliases() -> list[str]:
    return [names[0] for _, names, _, _ in get_all_lexers() if names]


def is_untuned(alias: str) -> bool:
    language = front_end(alias)
    return isinstance(language, CodeFrontEnd) and language.language.letters


def ignores_case(alias: str) -> bool:
    flags = getattr(find_lexer_class_by_name(alias), "flags", 0)
    return bool(flags & re.IGNORECASE) or alias in UNTUNED_IGNORING_CASE


def names_and_numbers(scan: Scan) -> list[int]:
    """Return the ids of all lexemes but strings, which keep their case."""
    kinds: list[int] = scan.lexical.kinds[scan.lexical_classes != LexicalClass.STRING].tolist()
    return kinds


def in_capitals(lexer: str, text: str) -> str:
    tokens = lexer_class(lexer)().get_tokens_unprocessed(text)
    return "".join(value if str(ttype).startswith(KEPT) else value.upper() for _, ttype, value in tokens)


@pytest.mark.parametrize("name", IGNORING_CASE)
def test_capitals_change_neither_kinds_nor_names_where_they_mean_nothing(name: str) -> None:
    row, text = next(row for row in LANGUAGES if row.name == name), program(name)
    capitals = in_capitals(row.lexer, text)
    assert capitals != text
    assert kinds(front_end(name), capitals) == kinds(front_end(name), text)
    one, other = front_end(name).scan(text), front_end(name).scan(capitals)
    assert names_and_numbers(one) == names_and_numbers(other)
    assert one.directives.kinds.tolist() == other.directives.kinds.tolist()


@pytest.mark.parametrize("alias", [alias for alias in aliases() if ignores_case(alias) and is_untuned(alias)])
def test_capitals_change_nothing_in_a_language_without_a_row_that_ignores_case(alias: str) -> None:
    row = untuned_language(alias)
    assert row is not None
    assert row.ignore_case
    one, other = (front_end(alias).scan(text) for text in (WORDS, WORDS.upper()))
    assert one.tokens.kinds.tolist() == other.tokens.kinds.tolist()
    assert names_and_numbers(one) == names_and_numbers(other)


def words_in_letters(tokens: list[tuple[int, _TokenType, str]]) -> Iterator[str]:
    """Yield the words of which two letters or more are tokens of one kind, names or text."""
    letters = {start: str(ttype) for start, ttype, value in tokens if len(value) == 1 and str(ttype).startswith(NAMES)}
    for word in re.finditer(r"[a-z]{3,}", WORDS):
        inside = [letters.get(at) for at in range(*word.span())]
        if any(one and one == other for one, other in pairwise(inside)):
            yield word[0]


def splits_words(alias: str) -> bool:
    lexer = find_lexer_class_by_name(alias)()
    return any(words_in_letters(list(lexer.get_tokens_unprocessed(WORDS))))


@pytest.mark.slow
def test_a_name_is_one_token_in_every_language() -> None:
    splitting = [alias for alias in aliases() if alias not in NO_PROGRAM and splits_words(alias)]
    assert {"stata", "sas", "foxpro", "idl", "igor", "macaulay2", "x10", "bc", "openedge"} <= {*splitting}
    for alias in splitting:
        tokens = front_end(alias).tokens(WORDS)
        spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        letters = {start for start, end in spans if end - start == 1}
        assert not {at for at in letters if at + 1 in letters and WORDS[at : at + 2].isalpha()}, alias


def test_other_names_change_no_kind_where_the_lexer_returns_names_in_letters() -> None:
    renamed = re.sub(r"\bharbour\b", "bassin", re.sub(r"\btide\b", "ebbing", WORDS))
    for alias in ("stata", "sas", "foxpro", "idl", "igor", "macaulay2", "x10", "bc", "openedge"):
        assert kinds(front_end(alias), renamed) == kinds(front_end(alias), WORDS), alias


CONFLICT = ("<<<<<<< HEAD", "=======", ">>>>>>> it's a branch")


def with_conflict(text: str) -> str:
    """Return a text whose lines in the middle stand between the markers of a conflict."""
    lines = text.splitlines()
    third = len(lines) // 3
    marked = (CONFLICT[0], *lines[:third], CONFLICT[1], *lines[third : 2 * third], CONFLICT[2])
    return "\n".join((*marked, *lines[2 * third :], ""))


@pytest.mark.parametrize("name", CODE)
def test_markers_of_a_conflict_change_no_kind(name: str) -> None:
    text = program(name)
    assert kinds(front_end(name), with_conflict(text)) == kinds(front_end(name), text)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub("(?m)^([<=>])(?=\\1{6})", r"  \1\1\1", text),
        lambda text: text.replace("\n", "\r\n"),
    ],
    ids=["indented and longer", "with other line ends"],
)
def test_markers_in_other_forms_change_no_kind(change: Callable[[str], str]) -> None:
    text = program("java")
    assert kinds(front_end("java"), change(with_conflict(text))) == kinds(front_end("java"), text)


@pytest.mark.parametrize(
    "markers",
    [
        ("<<<<<<< conflict 1 of 1", "+++++++ Contents of side #2", ">>>>>>> conflict 1 of 1 ends"),
        (
            "<<<<<<< conflict 1 of 1\n%%%%%%% diff from: qpvuntsm 1a2b3c4d",
            '+++++++ rlvkpnrz 4d5e6f7a "it\'s"',
            ">>>>>>> ends",
        ),
        ("<<<<<<< BEGIN MERGE CONFLICT <<<<<<<", "======= MERGED IN content follows =======", ">>>>>>> END >>>>>>>"),
    ],
    ids=["Jujutsu", "Jujutsu with ids", "Fossil"],
)
def test_markers_of_other_tools_change_no_kind(markers: tuple[str, ...]) -> None:
    for name in ("java", "python"):
        text, marked = program(name), with_conflict(program(name))
        for git, other in zip(CONFLICT, markers, strict=True):
            marked = marked.replace(git, other)
        assert kinds(front_end(name), marked) == kinds(front_end(name), text)


def test_markers_in_comments_hide_no_code() -> None:
    text = program("java")
    hidden = f"/*\n<<<<<<<\n|||||||\n*/\n{text}\n/*\n=======\n>>>>>>>\n*/\n"
    assert kinds(front_end("java"), hidden) == kinds(front_end("java"), text)


def test_a_number_that_a_lexer_gives_as_a_name_is_a_number() -> None:
    assert kinds(front_end("nsis"), "Push 12\n")[-1] == kinds(front_end("nsis"), "Push 7\n")[-1] == "<number>"


def changed_readings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield which change, a conflict, capitals or unseen characters, makes another of which construct."""
    of = table(path)
    row = next((row for row in LANGUAGES if row.name == of.language and row.ignore_case), None)
    for section in ("literals", "regexes", "comments", "others"):
        for construct in of.constructs[section]:
            one = of.first + statement_of(of, section, construct)
            other = of.second + statement_of(of, section, construct)
            text, mine, theirs = of.head + one + other, f"{CONFLICT[0]}\n{one}", f"{CONFLICT[1]}\n{other}"
            last, base = f"{CONFLICT[2]}\n", f"||||||| merged common ancestors\n{one}"
            read = kinds(front_end(of.language), text)
            changes = {
                "conflict": (of.head + mine + theirs + last, read),
                "conflict with base": (
                    of.head + mine + base + theirs + last,
                    kinds(front_end(of.language), of.head + one + one + other),
                ),
                "unseen": (WORD_TO_DISGUISE.sub(disguised, text), read),
                "capitals": (in_capitals(row.lexer, text) if row else text, read),
            }
            for name, (changed, expected) in changes.items():
                if kinds(front_end(of.language), changed) != expected:
                    yield name, construct


@pytest.mark.slow
@each_language
def test_no_construct_is_another_in_capitals_in_a_conflict_or_with_unseen_characters(path: Path) -> None:
    assert list(changed_readings(path)) == []


def test_lines_that_look_like_a_marker_are_code_where_there_is_no_conflict() -> None:
    for text in ("x\n=======\ny\n", "<<<<<<< HEAD\nx\n", "cout <<<<<<< x\n=======\n>>>>>>> y\n"):
        assert without_conflict_markers(text) == text
    assert without_conflict_markers("\n".join(CONFLICT)) == "\n".join(" " * len(line) for line in CONFLICT)


def test_every_language_has_a_table_of_constructs() -> None:
    assert {name for name, _ in choices()} - WITHOUT_CODE <= {path.stem for path in PATHS}


@each_language
def test_a_table_has_literals_comments_other_constructs_and_what_is_unclosed(path: Path) -> None:
    constructs = table(path).constructs
    assert all(constructs[name] for name in ("literals", "comments", "others"))
    assert constructs["unclosed"] or constructs["limits"]
    assert len(constructs["literals"]) > 2


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("section", SECTIONS)
def test_a_construct_is_read_as_it_is_meant_and_changes_no_function_around_it(path: Path, section: str) -> None:
    assert list(misread(table(path), section)) == []


@each_language
def test_a_known_limit_is_one_still(path: Path) -> None:
    of = table(path)
    assert [construct for construct in of.constructs["limits"] if not list(lost_functions(of, construct))] == []


def test_the_code_of_each_construct_is_read_as_before(golden: Golden) -> None:
    golden(KINDS, kinds_of_others())


def test_the_documents_list_what_is_checked_and_every_known_limit(golden: Golden) -> None:
    heading = "## What is checked\n\n"
    introduction, _, _ = DOCUMENT.read_text(encoding="utf-8").partition(heading)
    golden(DOCUMENT, introduction + heading + markdown_table())


def seconds(language: str, repeated: str, length: int) -> float:
    text = HEADS.get(language, "") + repeated * (length // len(repeated))
    start = process_time()
    front_end(language).tokens(text)
    return process_time() - start


def grows_too_fast(language: str, repeated: str) -> bool:
    return all(
        seconds(language, repeated, long) > growth * max(seconds(language, repeated, short), MEASURABLE)
        for short, long, growth in LENGTHS
        for _ in range(ATTEMPTS)
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", rest_is_long(sorted(REPEATED, key=lambda name: len(REPEATED[name])), first=14))
def test_the_time_to_read_what_never_ends_grows_with_the_length_of_the_text(language: str) -> None:
    assert [repeated for repeated in REPEATED[language] if grows_too_fast(language, repeated)] == []


@pytest.mark.parametrize("text", [",\n", "1, 2\n", "+\n\n[\n]\n"])
def test_a_comment_that_begins_with_a_line_end_is_read_to_its_end(text: str) -> None:
    assert len(front_end("brainfuck").tokens(text)) == sum(map(text.count, "+[]"))


@pytest.mark.parametrize("number", ["1.5", "0x1F", "12", "-3"])
def test_numbers_of_nsis_are_literals(number: str) -> None:
    named = [kind for _, _, kind in front_end("nsis").named_tokens(f"StrCpy $0 {number}\n")]
    assert named[-1] == "<number>"
    assert "<number>" not in [kind for _, _, kind in front_end("nsis").named_tokens("File x86.dll\nName 1.2.3.4\n")]
