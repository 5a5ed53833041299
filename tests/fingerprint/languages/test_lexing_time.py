"""The rules that were mended take linear time, whatever a student writes into a file."""

from time import process_time

import pytest

from fingerprint.languages import front_end
from tests.support.long_rows import rest_is_long

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize(
    "language", rest_is_long(sorted(REPEATED, key=lambda name: len(REPEATED[name])), first=14)
)
def test_the_time_to_read_what_never_ends_grows_with_the_length_of_the_text(language: str) -> None:
    assert [repeated for repeated in REPEATED[language] if grows_too_fast(language, repeated)] == []
