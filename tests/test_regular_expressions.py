"""Every regular expression of the product takes linear time, whatever text it meets.

Students write the files, and their names, that most of them meet; some are matched in web processes.
"""

import ast
import re
from fnmatch import translate
from importlib import import_module
from itertools import pairwise
from time import process_time
from timeit import repeat
from typing import Any

import pytest

from submissions.intake.left_out import rules as matching
from submissions.intake.left_out.listing import NO_CODE
from submissions.intake.left_out.patterns import parse_glob
from submissions.intake.left_out.rules import OUTPUT, RULES
from submissions.intake.unpacking import READERS
from tests.hostile.added_rules import added_rules
from tests.hostile.search import states_of
from tests.support.possessive_groups import has_possessive_group
from tests.support.product_regexes import FILE_NAME_PATTERNS, file_name_patterns, listed
from tests.support.regex_ambiguity import pumped_texts, pumped_word

pytestmark = pytest.mark.slow

CONTENT: Any = import_module("fingerprint.languages.detection")
MARKUP: Any = import_module("fingerprint.languages.lexers.markup")
PROGRAM_TEXT: Any = import_module("fingerprint.languages.detection")
LITERALS: Any = import_module("fingerprint.languages.lexing")
SCRIPTS: Any = import_module("fingerprint.languages.lexers.scripts")
REGISTRY: Any = import_module("fingerprint.languages.language_table")
LOOK_ALIKES: Any = import_module("fingerprint.languages.look_alikes")

# Expressions with a bounded repeat that the proof reads as an unbounded one, and why they are linear.
BOUNDED = {
    r"\b([\w.+-]{1,64})@": "at most 64 characters before the @ and 512 after it are read from each start",
    r"^[^\S\n]*+(?:class|final\s++class|public": "at most 500 characters after a class are read, once a line",
    "generated from .{1,200} by ANTLR": "at most 200 characters are read after each `generated from `",
    r"\{[^}]*+(?:\}|\Z)": "at most 200 lines are read after three quotes that end a line",
    "form (?:implementation )?generated": "at most 60 characters are read after each `GIMP `",
    "<auto-?generated|@generated": "at most 200 characters are read after each `generated`",
}
SIZES = (2_000, 4_000, 8_000)
# Enough where the time is the square of the length.
SHORT_SIZES = (500, 1_000, 2_000)
# What follows a pumped text, so that the expression does not match in the end.
ENDINGS = ("\x01", "\n\x01")


def _patterns_of_files() -> list[str]:
    names = [part for rule in RULES for part in (rule.files, rule.folders, *matching._proofs(rule.proof)[1:])]
    rows = [row.file_patterns for row in (*REGISTRY.LANGUAGES, *REGISTRY.OTHERS)]
    return [*filter(None, names), *rows, NO_CODE, OUTPUT]


# What the calls that make their expression while the product runs make: by file, and how it is used.
BUILT: dict[str, list[tuple[re.Pattern[Any], str]]] = {
    "fingerprint/languages/detection.py": [
        (re.compile(pattern, re.MULTILINE), "search")
        for choices in (*CONTENT.AMBIGUOUS.values(), CONTENT.CONTENT_PATTERNS, PROGRAM_TEXT.PROGRAM_PATTERNS)
        for pattern, _ in choices
    ]
    + [(re.compile(pattern, re.MULTILINE), "search") for pattern, _ in CONTENT.DIALECTS.values()]
    + [(re.compile(pattern, re.MULTILINE), "search") for _, pattern, _ in CONTENT._ONLY]
    + [(CONTENT._comments_and_strings(language), "sub") for language in (*CONTENT._SYNTAX, "c")],
    "fingerprint/languages/lexers/scripts.py": [
        (lexer.rewrite._mark, "search") for lexer in (SCRIPTS.Perl, SCRIPTS.Php, SCRIPTS.Bash, SCRIPTS.Ruby)
    ],
    "fingerprint/languages/lexers/markup.py": [
        (re.compile(pattern), "finditer") for pattern in (MARKUP._PERCENT, MARKUP._BRACES_OF_VUE, MARKUP._BRACES)
    ],
    "fingerprint/languages/lexing.py": [
        (LITERALS.MultilineLiterals(row.multiline)._opener, "match") for row in REGISTRY.LANGUAGES
    ],
    "fingerprint/languages/look_alikes.py": [
        (LOOK_ALIKES._words(), "finditer"),
    ],
    # Finds the characters of a category, in one character at a time.
    "fingerprint/lextables/dispatch.py": [],
    # Those of lexers' rules, see tests/hostile/test_rules.py; reading a file has a deadline.
    "fingerprint/lextables/expressions.py": [],
    # Finds the characters of a class, in a text of all characters.
    "fingerprint/lextables/characters.py": [],
    "submissions/intake/unpacking.py": [(re.compile(one.start, re.DOTALL), "match") for one in READERS],
    # Proved for any pattern in tests/submissions/intake/left_out/test_rules.py.
    "submissions/intake/left_out/patterns.py": [
        (parse_glob(line).expression, "match") for line in ("*a*a*b", "**/a*b/**/*c", "[!a]?/**")
    ],
    "submissions/intake/left_out/rules.py": [
        *((others, "match") for names in _patterns_of_files() if (others := matching._names(names).others)),
        *((matching._expression(rule.says), "search") for rule in RULES if rule.says),
    ],
    # The name of a student, without any operator, between no letters.
    "submissions/students/register.py": [
        (re.compile(rf"(?<!\w){re.escape('Ana (x*)* Díaz')}(?!\w)", re.IGNORECASE), "sub")
    ],
}


def _uses() -> list[tuple[str, re.Pattern[Any], str]]:
    written = [(f"{one.place} {one.name}", one.pattern, how) for one in listed().written for how in sorted(one.methods)]
    return written + [(file, pattern, how) for file, built in BUILT.items() for pattern, how in built]


def _is_bounded(pattern: re.Pattern[Any]) -> bool:
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    return any(text.startswith(start) for start in BOUNDED)


def test_every_expression_of_the_packages_is_found_with_its_use() -> None:
    assert len(listed().written) > 100
    assert [f"{one.place} {one.name}" for one in listed().written if not one.methods] == []


def test_every_expression_that_is_made_while_the_product_runs_is_in_the_table() -> None:
    assert sorted({place.file for place, _ in listed().built}) == sorted(BUILT)


def test_every_expression_is_proved_to_be_linear() -> None:
    failing = {
        name: (pattern.pattern, word)
        for name, pattern, how in _uses()
        if not _is_bounded(pattern) and (word := pumped_word(pattern, how)) is not None
    }
    assert failing == {}


def test_no_expression_of_the_product_or_of_a_lexer_repeats_a_group_possessively() -> None:
    """Python 3.11.2, which Debian 12 has, misreads such repeats."""
    ours = [pattern for _, pattern, _ in _uses()] + [rule.pattern for rule in added_rules()]
    of_lexers = {rule[0].__self__ for row in REGISTRY.LANGUAGES for rules in states_of(row).values() for rule in rules}
    assert len(of_lexers) > 1_500
    failing = {pattern.pattern for pattern in (*ours, *of_lexers) if has_possessive_group(pattern)}
    assert failing == set()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"(?:ab)*+", True),
        (r"(a)?+", True),
        (r"a(?=b|(?>c(?:[ab]|(?!d).){1,3}+))", True),
        (r"(?:a*)++", True),
        (r"(?:[ab])*+a?+.{2,}+", False),
        (r"(?>(?:ab|c)*)(?:ab)*", False),
    ],
)
def test_possessive_groups_are_seen(expression: str, expected: bool) -> None:  # noqa: FBT001 - of the table
    assert has_possessive_group(re.compile(expression)) is expected


def test_every_exception_is_still_one() -> None:
    for start in BOUNDED:
        expressions = [
            (pattern, how) for _, pattern, how in _uses() if _is_bounded(pattern) and start in str(pattern.pattern)
        ]
        assert any(pumped_word(pattern, how) for pattern, how in expressions), f"{start} needs no exception"


@pytest.mark.long
@pytest.mark.slow
def test_no_expression_takes_much_more_than_twice_as_long_for_twice_as_much_text() -> None:
    failing = {
        (name, text)
        for name, pattern, how in _uses()
        for text in pumped_texts(pattern, how)
        if not _grows_like_a_line(pattern, how, *text)
    }
    assert failing == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "text"), [(r"(?m)^\s*Name:", ("", "\n")), (r"\s+$", ("", " ")), ("a*b", ("", "a"))]
)
def test_the_measurement_sees_an_expression_that_takes_the_square_of_the_length(
    expression: str, text: tuple[str, str]
) -> None:
    assert not _grows_like_a_line(re.compile(expression), "search", *text, sizes=SHORT_SIZES)


def _grows_like_a_line(
    pattern: re.Pattern[Any], method: str, before: str, word: str, *, sizes: tuple[int, ...] = SIZES
) -> bool:
    longer = [[before + word * (size // len(word)) + end for size in sizes] for end in ENDINGS]
    return all(any(_is_linear(pattern, method, texts) for _ in range(3)) for texts in longer)


def _is_linear(pattern: re.Pattern[Any], method: str, texts: list[str]) -> bool:
    """Return whether each time is below three times the one of half the length; a square is four times."""
    seconds = [_seconds(pattern, method, text) for text in texts]
    return all(longer < 3 * shorter for shorter, longer in pairwise(seconds)) or seconds[-1] < 8 * seconds[0]


def _seconds(pattern: re.Pattern[Any], method: str, text: str) -> float:
    subject = text if isinstance(pattern.pattern, str) else text.encode("latin-1")
    apply = getattr(pattern, method)

    def use() -> None:
        if method in {"sub", "subn"}:
            apply(subject[:0], subject)
        elif method == "finditer":
            list(apply(subject))
        else:
            apply(subject)

    # Processor time: others may work on the same machine.
    return min(repeat(use, number=1, repeat=5, timer=process_time))


def test_patterns_of_file_names_are_matched_only_where_they_are_the_products_own() -> None:
    """`fnmatch` and `glob` are in the files of the table; the patterns of users have a matcher."""
    assert file_name_patterns() == FILE_NAME_PATTERNS


def test_nothing_else_compiles_a_pattern_of_a_user() -> None:
    imported = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for nodes in listed().nodes.values()
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert not {name for name in imported if name.partition(".")[0] in {"pathspec", "regex", "wcmatch", "sre_parse"}}


@pytest.mark.parametrize(
    ("expression", "flags", "method", "linear"),
    [
        (r"^\s*Name:", re.MULTILINE, "search", False),  # empty lines
        (r"\s+$", 0, "search", False),
        (r"(?:a*)*b", 0, "match", False),
        (r"(?:a|a)*b", 0, "match", False),
        (r"a*a*b", 0, "match", False),
        (r"(?:a(?:; ?)?[ ;]*)*b", 0, "fullmatch", False),
        (r"/\*.*?\*/", re.DOTALL, "sub", False),
        (r"(?:[ab]|a[ab]*c)*", 0, "match", False),
        (r"x(?=.*y)", 0, "finditer", False),
        (r"[ \t]*+#", 0, "search", False),
        (r"(?>a*b)*a*c", 0, "search", False),
        (translate("*a*a*b").replace("?>", "?:"), 0, "match", False),
        (r"^[^\S\n]*+Name:", re.MULTILINE, "search", True),
        (r"\d+", 0, "findall", True),
        (r"\b\w+@", 0, "search", True),
        (r"(?<!\d)\d+x", 0, "search", True),
        (r"/\*.*?(?:\*/|\Z)", re.DOTALL, "sub", True),
        (r'"(?:\\.|[^\\"])*"', 0, "match", True),
        (r"[^/]+?_\d+(?=/|\Z)", 0, "match", True),
        (translate("*a*a*b"), 0, "match", True),
        (r"(?:a(?!)|b)*c", 0, "match", True),
    ],
)
def test_the_proof_accepts_linear_expressions_and_refuses_others(
    expression: str, flags: int, method: str, *, linear: bool
) -> None:
    assert (pumped_word(re.compile(expression, flags), method) is None) == linear
