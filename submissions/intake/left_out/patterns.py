"""The instructor's patterns of files to count and to leave out; they are stronger than the rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from submissions.intake.left_out.globs import BadGlob, Globs, parse_glob
from submissions.intake.left_out.matching import rule_of_name
from submissions.intake.left_out.rules import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable

# This sign before the name of a rule stands for all files that the rule leaves out.
RULE_SIGN = "@"
EXCLUDED = "left out by an exclude pattern"
# Of one list of patterns, and of one pattern. Matching takes at most as many steps as the characters of all
# patterns times those of a path.
MAX_PATTERNS, MAX_CHARACTERS, MAX_STARS = 100, 200, 12
# Characters of a pattern that a refusal repeats.
SHOWN = 60
# Folders around a submission in an upload, of which one may be where a pattern begins.
MAX_FOLDERS = 12


class BadPatterns(ValueError):
    """A pattern is none, or over a limit; the message says which, for the instructor."""


@dataclass(frozen=True)
class FilePatterns:
    """Patterns in the syntax of `.gitignore`, matched with the paths inside a submission.

    A file that `exclude` matches is left out. Of the others, one that `include` matches counts, even if a
    rule would leave it out. `@name` in `include` takes back what the rule of that name leaves out.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

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

    def includes(self, path: str) -> bool:
        return self.may_include and self._included.match(path)

    def excludes(self, path: str) -> bool:
        return bool(self.exclude) and self._excluded.match(path)

    @property
    def may_include(self) -> bool:
        """Return whether a file in a folder that a rule leaves out could be included."""
        return len(self.include) > len(self.taken_in)

    def left_out_by_name(self, path: str) -> tuple[str, str] | None:
        """Return (path up to the folder or file that is left out, reason) by its name alone, or None.

        The path may start outside the submission: it counts if any end of it is included.
        """
        rule = rule_of_name(path, self.taken_in)
        if rule is None or (self.may_include and any(map(self.includes, _ends(path)))):
            return None
        return rule[0], rule[1].reason


def parse_patterns(lines: Iterable[str], *, include: bool = False) -> tuple[str, ...]:
    """Return the patterns of some lines, without comments and empty lines.

    Raises
    ------
    BadPatterns
        For a line that is no pattern, or an unknown rule of `include`.
    """
    patterns = pattern_lines(lines)
    if len(patterns) > MAX_PATTERNS:
        raise BadPatterns(f"These are {len(patterns):,} patterns; at most {MAX_PATTERNS} are taken.")
    for pattern in patterns:
        if include and pattern.startswith(RULE_SIGN):
            _check_rule(pattern)
        else:
            _check_pattern(pattern)
    return patterns


def pattern_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns of some lines, without comments and empty lines, as they were stored."""
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _check_rule(pattern: str) -> None:
    if pattern[1:] not in REASONS:
        names = ", ".join(RULE_SIGN + name for name in sorted(REASONS))
        raise BadPatterns(f"There is no rule {pattern[:MAX_CHARACTERS]}. The rules are {names}.")


def _check_pattern(pattern: str) -> None:
    excerpt = pattern if len(pattern) <= SHOWN else f"{pattern[:SHOWN]}..."
    if len(pattern) > MAX_CHARACTERS:
        raise BadPatterns(
            f"The pattern {excerpt!r} has {len(pattern):,} characters; the limit is {MAX_CHARACTERS}."
        )
    if (stars := pattern.count("*")) > MAX_STARS:
        raise BadPatterns(f"The pattern {excerpt!r} has {stars} stars; the limit is {MAX_STARS}.")
    try:
        parse_glob(pattern)
    except BadGlob as error:
        raise BadPatterns(
            f"{excerpt!r} is no pattern of the kind that .gitignore takes: it {error}."
        ) from error


def _ends(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(min(len(parts), MAX_FOLDERS + 1))]
