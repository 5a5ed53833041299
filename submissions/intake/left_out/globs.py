"""Patterns in the syntax of `.gitignore`, matched in linear time whatever the pattern and the path.

A star takes the fewest characters with which what stands between it and the next star fits, and none more is
tried later: if the rest of the pattern fits after a longer choice, it fits after the shortest. The same holds
for `**` and segments. Atomic groups of `re` say so, and every pattern becomes one expression with them.
As in git, characters are compared as they are, and a directory that is left out takes along what is in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEPARATOR, STAR = "/", "*"
# An empty segment, which no path has.
NOTHING = "(?!)"
# POSIX classes of ASCII characters, as ranges in brackets.
CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-\\/:-@\\[-`{-~", "space": " \\t-\\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


class BadGlob(ValueError):
    """A pattern matches nothing; the message says why, as the rest of a sentence about it."""


class Glob(NamedTuple):
    """One pattern: whether it takes back what others match, and what it is matched with.

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

    Raises
    ------
    BadGlob
        When it names no file, or a bracket or an escape is not complete: git matches nothing with it.
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
    """Patterns, of which the last one that fits decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._globs: list[Glob] = []
        for line in lines:
            try:
                self._globs.insert(0, parse_glob(line))
            except BadGlob:
                continue  # as git does with patterns that were stored before they were checked
        self._folders: dict[str, bool] = {}

    def match(self, path: str) -> bool:
        """Return whether a file is matched, or a folder around it; then nothing takes it back."""
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
