"""The patterns of instructors mean what they mean to git, and take linear time."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from timeit import repeat

import pytest
from hypothesis import assume, given, strategies as st
from pathspec import GitIgnoreSpec

from submissions.intake.left_out.patterns import (
    MAX_CHARACTERS,
    MAX_PATTERNS,
    MAX_STARS,
    BadGlob,
    BadPatterns,
    FilePatterns,
    Globs,
    parse_glob,
    parse_patterns,
)
from tests.support.regex_ambiguity import pumped_word

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")

# Patterns of one list, and the paths that it matches and that it does not.
CASES = [
    ("*.c", "a.c lib/a.c", "a.h a.cc lib/c"),
    ("a", "a a/b x/a x/a/b", "ab ba"),
    ("a/", "a/b x/a/b", "a x/a"),
    ("/a", "a a/b", "x/a"),
    ("/a/", "a/b", "a x/a/b"),
    ("a/b", "a/b a/b/c", "x/a/b a/bb"),
    ("a/*", "a/b a/b/c", "a b/a"),
    ("a/*/c", "a/b/c", "a/c a/b/b/c"),
    ("a/**", "a/b a/b/c", "a x/a/b"),
    ("**/a", "a x/a x/y/a a/b", "ab"),
    ("**/a/b", "a/b x/a/b x/y/a/b", "a b a/x/b"),
    ("a/**/b", "a/b a/x/b a/x/y/b a/b/c", "b a/bb xa/b"),
    ("a/**/**/b", "a/b a/x/b", "ab"),
    ("**", "a a/b", ""),
    ("/**", "a a/b", ""),
    ("**/", "a/b", "a"),
    ("*", "a a/b .a", ""),
    ("/*", "a a/b", ""),
    ("*/", "a/b", "a"),
    ("*/b", "a/b", "b a/c/b"),
    ("a**b", "ab axb x/axxb", "a/b"),
    ("x/a***b", "x/ab x/acb", "x/a/b ab"),
    ("*a*a*b", "aab xaxaxb aaab", "ab aa b/aa"),
    ("*ab*ab", "abab xabxab aabab", "ab aab abba"),
    ("a?c", "abc", "ac a/c abbc"),
    ("[ab]c", "ac bc", "cc c [ab]c"),
    ("[!ab]c", "cc xc", "ac bc c"),
    ("[^ab]c", "cc", "ac"),
    ("a[!x]b", "acb", "a/b axb"),
    ("a[x/]b", "axb", "a/b a[x/]b"),
    ("[a-c]1", "a1 b1 c1", "d1 -1"),
    ("[a-]1", "a1 -1", "b1"),
    ("[-a]1", "a1 -1", "b1"),
    ("[]a]1", "]1 a1", "b1"),
    ("[!]a]1", "b1", "]1 a1"),
    ("[a\\]b]1", "a1 ]1 b1", "\\1"),
    ("[c-a]1", "c1", "a1 b1"),
    ("[a-c-e]1", "a1 c1 -1 e1", "d1"),
    ("[[:digit:]]x", "1x", "ax"),
    ("[[:upper:][:digit:]_]x", "1x Ax _x", "ax"),
    ("[![:space:]]x", "ax", "x"),
    ("[a[:alpha]x", "ax [x", "bx"),
    ("\\*.c", "*.c", "a.c"),
    ("\\!a", "!a", "a"),
    ("\\#a", "#a", "a"),
    ("a\\b", "ab", "a\\b"),
    ("a//b", "", "a/b ab"),
    ("é*", "é éa x/éb", "e"),
    ("*.c !a.c", "b.c x/b.c", "a.c x/a.c"),
    ("!a.c *.c", "a.c", "a.h"),
    ("a/ !a/b", "a/b", "b"),
    ("a/* !a/b", "a/c", "a/b a/b/c"),
    ("* !*/ !*.c", "a.h", "a.c x/a.c"),
    ("*.c !x/", "x/a.c a.c", "x/a.h"),
    ("/x/* !/x/y/ /x/y/* !/x/y/z.c", "x/a x/y/a", "x/y/z.c"),
]


@pytest.mark.parametrize(("lines", "matched", "others"), CASES)
def test_a_pattern_matches_what_git_matches(lines: str, matched: str, others: str) -> None:
    globs = Globs(lines.split())
    assert [path for path in matched.split() if not globs.match(path)] == []
    assert [path for path in others.split() if globs.match(path)] == []


@needs_git
def test_the_table_of_cases_says_what_git_says(tmp_path: Path) -> None:
    for lines, matched, others in CASES:
        paths = [*matched.split(), *others.split()]
        assert _ignored(tmp_path, lines.split(), paths) == set(matched.split()), lines


TEXTS = st.lists(
    st.sampled_from("ab*?") | st.sampled_from(["[ab]", "**", "/", "**/", "/**", "\\a"]), max_size=7
)
PATHS = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@given(line=TEXTS.map("".join), paths=st.lists(PATHS, max_size=8))
def test_a_pattern_matches_what_pathspec_matches(line: str, paths: list[str]) -> None:
    # pathspec takes `***` for two stars and one, and what `**/` and `**` at an end match for folders.
    assume(line and "***" not in line and not line.endswith("**/"))
    try:
        spec = GitIgnoreSpec.from_lines([line])
    except ValueError:
        assume(condition=False)
    globs = Globs([line])
    assert {path for path in paths if globs.match(path)} == {path for path in paths if spec.match_file(path)}


PARTS = ["a", "b", "*", "?", "/", "**/", "/**", "[ab]", "[!a]", "[a-b]", "!", "\\a", "[", "]", "-", "^"]


@needs_git
@given(data=st.data())
def test_lists_of_patterns_match_what_git_matches(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pattern = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join)
    lines = data.draw(st.lists(pattern, min_size=1, max_size=3))
    # git compares the text before the first wildcard by itself, and then takes `a**/` for `a` and `**/`.
    assume(not any(re.search(r"[^/*]\*\*", line) for line in lines))
    paths = data.draw(st.lists(PATHS, min_size=1, max_size=10))
    globs = Globs(lines)
    folder = tmp_path_factory.getbasetemp() / "patterns"
    assert {path for path in paths if globs.match(path)} == _ignored(folder, lines, paths)


def _ignored(folder: Path, lines: list[str], paths: list[str]) -> set[str]:
    """Return which of some paths git ignores with these lines."""
    assert GIT
    if not (folder / ".git").exists():
        subprocess.run([GIT, "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("".join(f"{line}\n" for line in lines))
    command = [
        GIT,
        "-C",
        str(folder),
        "-c",
        "core.excludesFile=/dev/null",
        "check-ignore",
        "--no-index",
        "--stdin",
        "-z",
    ]
    asked = "".join(f"{path}\0" for path in paths)
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    assert answer.returncode in {0, 1}, answer.stderr
    return set(answer.stdout.split("\0")) - {""}


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=12))
def test_the_expression_of_every_pattern_is_proved_to_be_linear(parts: list[str]) -> None:
    try:
        glob = parse_glob("".join(parts))
    except BadGlob:
        assume(condition=False)
    assert pumped_word(glob.expression, "match") is None


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a*a*a*a*a*a*a*b", "a{n}"),
        ("**/a/**/a/**/a/**/b", "a/{n}"),
        ("*ab*ab*ab*abb", "ab{n}"),
        ("x/**/*a*a*a*/**/*b", "x/aa/{n}"),
    ],
)
def test_a_longer_path_takes_only_as_much_longer(line: str, path: str) -> None:
    word = path.removesuffix("{n}")
    texts = [word * (size // len(word)) + "c" for size in (2_000, 4_000, 8_000)]
    seconds = [_seconds(line, text) for text in texts]
    assert all(longer < 3.5 * shorter for shorter, longer in pairwise(seconds))


def _seconds(line: str, path: str) -> float:
    glob = parse_glob(line)
    return min(repeat(lambda: glob.fits(path, folder=False), number=5, repeat=5))


def test_the_pattern_that_stopped_the_server_is_answered_at_once() -> None:
    """With backtracking, every star takes some ten times as long as the one before."""
    few, many = (Globs([f"{'*a' * stars}*b"]) for stars in (3, 7))
    short = min(repeat(lambda: few.match("a" * 60), number=100, repeat=5))
    assert min(repeat(lambda: many.match("a" * 60), number=100, repeat=5)) < 10 * short


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a" * (MAX_CHARACTERS + 1), f"'{'a' * 60}...' has 201 characters; the limit is 200."),
        ("*a" * (MAX_STARS + 1), "has 13 stars; the limit is 12."),
        ("[ab", "'[ab' is no pattern of the kind that .gitignore takes: it has a [ without its ]."),
        ("[[:wrong:]]", "it has [:wrong:], which is no class of characters."),
        ("a\\", "it ends with a backslash."),
        ("!", "it names no file."),
        ("/", "it names no file."),
    ],
)
def test_a_pattern_is_refused_with_the_reason_and_the_limit(line: str, reason: str) -> None:
    with pytest.raises(BadPatterns, match=re.escape(reason)):
        parse_patterns(["*.c", line])


def test_too_many_patterns_are_refused() -> None:
    assert len(parse_patterns(f"{n}.c" for n in range(MAX_PATTERNS))) == MAX_PATTERNS
    with pytest.raises(BadPatterns, match="These are 101 patterns; at most 100 are taken"):
        parse_patterns(f"{n}.c" for n in range(MAX_PATTERNS + 1))


def test_a_pattern_that_was_stored_before_there_were_limits_is_matched_as_git_does() -> None:
    patterns = FilePatterns(exclude=("*a" * 50, "[ab", "*.c"))
    assert patterns.excludes("x.c")
    assert patterns.excludes("a" * 50)
    assert not patterns.excludes("[ab")


def test_a_path_of_very_many_folders_is_not_searched_from_each_of_them() -> None:
    patterns = FilePatterns(include=("/own.c",))
    assert patterns.left_out_by_name("x/node_modules/own.c") is None or patterns.includes("own.c")
    deep = "a/" * 100 + "node_modules/own.c"
    assert patterns.left_out_by_name(deep) == ("a/" * 100 + "node_modules/", "downloaded packages")
