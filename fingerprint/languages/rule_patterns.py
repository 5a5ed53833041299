"""The regular expressions of lexers, compiled when one is needed.

Tables that are stored need few of them, and compiling all takes from 10 to 350 ms a lexer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pygments.lexer import RegexLexerMeta
from pygments.util import Future

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match, Pattern


class RulePattern:
    """The regular expression of a rule; `match` compiles it at its first call."""

    __slots__ = ("_expression", "_flags", "_pattern")

    def __init__(self, expression: Any, flags: int) -> None:
        self._expression, self._flags = expression, flags
        self._pattern: Pattern[str] | None = None

    @property
    def pattern(self) -> Pattern[str]:
        if self._pattern is None:
            expression = self._expression
            if isinstance(expression, Future):
                expression = expression.get()  # type: ignore[func-returns-value]  # its subclasses return one
            self._pattern = re.compile(expression, self._flags)
        return self._pattern

    def match(self, text: str, start: int = 0) -> Match[str] | None:
        return self.pattern.match(text, start)


class LatePatterns(RegexLexerMeta):
    """Makes the rules of a lexer with expressions that are not compiled yet."""

    def _process_regex(self, regex: Any, rflags: int, state: str) -> Callable[[str, int], Match[str] | None]:
        del state
        return RulePattern(regex, rflags).match


def pattern_of(matcher: Any) -> Pattern[str] | None:
    """Return the compiled expression of the function that matches a rule; None where it has none."""
    owner = getattr(matcher, "__self__", None)
    if isinstance(owner, RulePattern):
        return owner.pattern
    return owner if isinstance(owner, re.Pattern) else None
