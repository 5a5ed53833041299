"""The instructor's patterns of files to count and to leave out; they are stronger than the rules.

Patterns have the syntax of `.gitignore`, and are matched in linear time whatever the pattern and the path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from submissions.intake.left_out.rules import REASONS, rule_of_name

SEPARATOR, STAR = "/", "*"
# An empty segment, which no path has.
NOTHING = "(?!)"
# POSIX classes of ASCII characters, as ranges in brackets.
CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-\\/:-@\\[-`{-~", "space": " \\t-\\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip

# This sign before the name of a rule stands for all files that the rule leaves out.
RULE_SIGN = "@"
# Limits of a list of patterns, and of a pattern. Matching takes at most as many steps as the number of
# characters of all patterns times the number of characters of a path.
MAX_PATTERNS, MAX_CHARACTERS, MAX_STARS = 100, 200, 12
# Matches of a pattern and a path that may be tried to find patterns without any: some tenths of a second.
MOST_TRIED = 500_000
# Characters of a pattern that a refusal repeats.
SHOWN = 60
# Folders around a submission in an upload, of which one may be where a pattern begins.
MAX_FOLDERS = 12


class BadGlob(ValueError):
    """A pattern matches nothing; the message says why, as the rest of a sentence about it."""


class Glob(NamedTuple):
    """One pattern: whether it takes back matches of other patterns, and which part of a path it matches.

    `only_folders`: the pattern ended with a slash. `by_name`: it has no other slash, and is matched with the
    last part of a path.
    """

    expression: re.Pattern[str]
    takes_back: bool
    only_folders: bool
    by_name: bool

    def fits(self, path: str, *, folder: bool) -> bool:
        if self.only_folders and not folder:
            return False
        return self.expression.match(path.rpartition("/")[2] if self.by_name else path) is not None


def parse_glob(line: str) -> Glob:
    """Return the pattern of a line that is neither empty nor a comment.

    Raises BadGlob when it names no file, or a bracket or an escape is not complete: git matches nothing with it.
    """
    takes_back = line.startswith("!")
    pattern = line.removeprefix("!")
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern:
        raise BadGlob("names no file")
    by_name = "/" not in pattern
    segments = [_segment(parts) for parts in _split(_parts(pattern.removeprefix("/")), SEPARATOR)]
    expression = rf"{_segment_expression(segments[0])}\Z" if by_name else _path_expression(segments)
    return Glob(re.compile(expression), takes_back, only_folders, by_name)


class Globs:
    """Patterns; the last pattern that fits a path decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._globs: list[Glob] = []
        for line in lines:
            try:
                self._globs.insert(0, parse_glob(line))
            except BadGlob:
                continue  # as git does with patterns that were stored before they were checked
        self._folders: dict[str, bool] = {}

    def match(self, path: str) -> bool:
        """Return whether a file or a folder around it is matched; no pattern takes back a folder's files."""
        end = path.find("/")
        while end >= 0:
            if self._matches_folder(path[:end]):
                return True
            end = path.find("/", end + 1)
        return self._decides(path, folder=False)

    def _matches_folder(self, path: str) -> bool:
        if path not in self._folders:
            self._folders[path] = self._decides(path, folder=True)
        return self._folders[path]

    def _decides(self, path: str, *, folder: bool) -> bool:
        deciding = next((one for one in self._globs if one.fits(path, folder=folder)), None)
        return deciding is not None and not deciding.takes_back


def _parts(pattern: str) -> list[str]:
    """Return the parts of a pattern: SEPARATOR, STAR, or an expression that reads one character."""
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "[":
            part, position = _bracket(pattern, position + 1)
        elif char == "\\":
            part, position = _escaped(pattern, position + 1)
        else:
            part = {"*": STAR, "?": "[^/]", "/": SEPARATOR}.get(char, re.escape(char))
            position += 1
        parts.append(part)
    return parts


def _escaped(pattern: str, position: int) -> tuple[str, int]:
    if position == len(pattern):
        raise BadGlob("ends with a backslash")
    char = pattern[position]
    return SEPARATOR if char == "/" else re.escape(char), position + 1


def _bracket(pattern: str, position: int) -> tuple[str, int]:
    """Return the expression of a bracket from the character after it, and the position after its end."""
    negated = pattern[position : position + 1] in {"!", "^"}
    start = position = position + negated
    ranges: list[str] = []
    while pattern[position : position + 1] != "]" or position == start:
        one, position = _range(pattern, position)
        ranges.append(one)
    inside = "".join(ranges)
    return f"[^/{inside}]" if negated else f"(?!/)[{inside}]", position + 1


def _range(pattern: str, position: int) -> tuple[str, int]:
    """Return a character, a range or a class inside a bracket, as in `re`, and the position after it."""
    if pattern.startswith("[:", position) and (end := pattern.find("]", position + 2)) >= 0:
        name = pattern[position + 2 : end]
        if name.endswith(":"):
            if name[:-1] not in CLASSES:
                raise BadGlob(f"has [:{name}], which is no class of characters")
            return CLASSES[name[:-1]], end + 1
    first, position = _character(pattern, position)
    if pattern[position : position + 1] != "-" or pattern[position + 1 : position + 2] in {"", "]"}:
        return re.escape(first), position
    last, position = _character(pattern, position + 1)
    return f"{re.escape(first)}-{re.escape(last)}" if first <= last else re.escape(first), position


def _character(pattern: str, position: int) -> tuple[str, int]:
    position += pattern.startswith("\\", position)
    if position >= len(pattern):
        raise BadGlob("has a [ without its ]")
    return pattern[position], position + 1


def _split(parts: Sequence[str], at: str) -> list[list[str]]:
    """Return the parts between all those that are `at`."""
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == at:
            groups.append([])
        else:
            groups[-1].append(part)
    return groups


def _segment(parts: list[str]) -> list[str] | None:
    """Return the parts of a segment; None for two or more stars alone, which stand for any folders."""
    return None if len(parts) > 1 and set(parts) == {STAR} else parts


def _segment_expression(parts: list[str] | None) -> str:
    first, *others = ["".join(chunk) for chunk in _split([STAR] if parts is None else parts, STAR)]
    if not others:
        return first or NOTHING
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in middle if chunk) + f"[^/]*{last}"


def _path_expression(segments: list[list[str] | None]) -> str:
    blocks: list[list[str]] = [[]]
    for segment in segments:
        if segment is None:
            blocks.append([])
        else:
            blocks[-1].append(_segment_expression(segment))
    first, *others = blocks
    if not others:
        return "/".join(first) + r"\Z"
    *middle, last = others
    before = "".join(f"{one}/" for one in first)
    between = [rf"(?>(?:[^/]+/)*?{'/'.join(block)}/)" for block in middle if block]
    end = rf"(?:[^/]+/)*?{'/'.join(last)}\Z" if last else "[^/]"
    return before + "".join(between) + end


class BadPatterns(ValueError):
    """A pattern is not valid, or over a limit; the message tells the instructor what is wrong."""


@dataclass(frozen=True)
class FilePatterns:
    """Patterns in the syntax of `.gitignore`, matched with the paths inside a submission.

    A file that `exclude` matches is left out, and with patterns in `only` a file that none of these matches.
    Any other file that `include` matches counts, even if a rule would leave it out. `@name` in `include`
    turns off the rule of that name.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @cached_property
    def taken_in(self) -> frozenset[str]:
        """The names of the rules that do not apply."""
        return frozenset(line[1:] for line in self.include if line.startswith(RULE_SIGN))

    @cached_property
    def _included(self) -> Globs:
        return Globs(line for line in self.include if not line.startswith(RULE_SIGN))

    @cached_property
    def _excluded(self) -> Globs:
        return Globs(self.exclude)

    @cached_property
    def _chosen(self) -> Globs:
        return Globs(self.only)

    def includes(self, path: str) -> bool:
        return self.may_include and self._included.match(path)

    def excludes(self, path: str) -> bool:
        return bool(self.exclude) and self._excluded.match(path)

    def chooses(self, path: str) -> bool:
        return not self.only or self._chosen.match(path)

    def unmatched(self, paths: Collection[str]) -> tuple[str, ...]:
        """Return the patterns that match none of some paths; a folder ends with a slash.

        Where that takes more than MOST_TRIED matches, none is returned.
        """
        include = [line for line in self.include if not line.startswith(RULE_SIGN)]
        lines = (*self.only, *include, *self.exclude)
        if len(lines) * len(paths) > MOST_TRIED:
            return ()
        matching = {line: Globs([line.removeprefix("!")]).match for line in lines}
        return tuple(line for line, match in matching.items() if not any(map(match, paths)))

    @property
    def may_include(self) -> bool:
        """Return whether a file in a folder that a rule leaves out could be included."""
        return len(self.include) > len(self.taken_in)

    def left_out_by_name(self, path: str) -> tuple[str, str] | None:
        """Return (path up to the folder or file that is left out, reason) by its name alone, or None.

        The path may start outside the submission: it counts if any of its ends is included.
        """
        rule = rule_of_name(path, self.taken_in)
        if rule is None or (self.may_include and any(map(self.includes, _ends(path)))):
            return None
        return rule[0], rule[1].reason


def parse_patterns(lines: Iterable[str], *, include: bool = False) -> tuple[str, ...]:
    """Return the patterns of some lines, without comments and empty lines.

    Raises BadPatterns for a line that is no pattern, or an unknown rule of `include`.
    """
    patterns = pattern_lines(lines)
    if len(patterns) > MAX_PATTERNS:
        raise BadPatterns(f"These are {len(patterns):,} patterns; at most {MAX_PATTERNS} are taken.")
    for pattern in patterns:
        if include and pattern.startswith(RULE_SIGN):
            if pattern[1:] not in REASONS:
                names = ", ".join(RULE_SIGN + name for name in sorted(REASONS))
                raise BadPatterns(f"There is no rule {pattern[:MAX_CHARACTERS]}. The rules are {names}.")
        else:
            _check_pattern(pattern)
    return patterns


def pattern_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns of some lines, without comments and empty lines, as they were stored."""
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _check_pattern(pattern: str) -> None:
    excerpt = pattern if len(pattern) <= SHOWN else f"{pattern[:SHOWN]}..."
    if len(pattern) > MAX_CHARACTERS:
        raise BadPatterns(f"The pattern {excerpt!r} has {len(pattern):,} characters; the limit is {MAX_CHARACTERS}.")
    if (stars := pattern.count("*")) > MAX_STARS:
        raise BadPatterns(f"The pattern {excerpt!r} has {stars} stars; the limit is {MAX_STARS}.")
    try:
        parse_glob(pattern)
    except BadGlob as error:
        raise BadPatterns(f"{excerpt!r} is no pattern of the kind that .gitignore takes: it {error}.") from error


def _ends(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(min(len(parts), MAX_FOLDERS + 1))]
