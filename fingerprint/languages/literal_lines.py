"""Literals that end with their line: a lexer that reads on in the next line is put back.

An unclosed string would otherwise swallow the code up to the next quote, and turn code into strings and
strings into code from there to the end of the file.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pygments.token import Comment, Error, String, Whitespace, _TokenType

from fingerprint.languages.lexer_dispatch import (
    DispatchingLexer,
    apply_transition,
    dispatching_lexer,
)
from fingerprint.languages.raw_tokens import RawTokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match, Pattern

    from pygments.lexer import Lexer

    from fingerprint.languages.raw_tokens import TokenColumns

# Fortran continues a string after `&`, other languages after a backslash.
_LINE_END = re.compile(r"(?<![\\&])\n")


class _Opened(NamedTuple):
    """A literal or comment that is a state of the lexer.

    `depth` is that of the stack before it, `start` where it begins, `crosses` whether it may cross lines.
    """

    depth: int
    start: int
    crosses: bool


class MultilineLiterals:
    """The literals of a language that may go on in the next line, as the row of the language names them."""

    def __init__(self, multiline: str | None) -> None:
        self.any = multiline is None
        names = (multiline or "").split()
        self._types = tuple(name for name in names if name.startswith("Literal."))
        openers = "|".join(re.escape(name) for name in names if name not in self._types)
        self._opener: Pattern[str] = re.compile(
            rf"\s*+(?:[A-Za-z]\w{{0,3}})??(?:{openers})" if openers else "(?!)"
        )

    def may_cross(self, text: str, at: int, token_type: object) -> bool:
        """Return whether the literal at that place of a text may cross lines."""
        return self.any or bool(self._opener.match(text, at)) or self.has_type(token_type)

    def has_type(self, token_type: object) -> bool:
        return str(token_type).removeprefix("Token.") in self._types


def crosses_line(
    tokens: TokenColumns, text: str, suspects: Iterable[int], literals: MultilineLiterals
) -> bool:
    """Return whether one of the suspects may be part of a literal that crosses a line and must not.

    `suspects` are the indexes of parts of strings with a line end.
    """
    checked = -1
    for index in suspects:
        first = index
        while first > checked + 1 and is_string(tokens.types[first - 1]):
            first -= 1
        same_literal = first == checked + 1 and checked >= 0 and is_string(tokens.types[checked])
        checked = index
        if not same_literal and not literals.may_cross(text, tokens.starts[first], tokens.types[index]):
            return True
    return False


@cache
def line_bound_lexer(lexer: type[Lexer], multiline: str | None) -> Lexer:
    """Return a lexer that is put back at the end of a line in which a literal ends that it reads on.

    It takes twice the time of `dispatching_lexer`, whose tokens are the same where no literal crosses a line.
    """
    bound = type("LineBoundLexer", (LineBoundLexer,), {"literals": MultilineLiterals(multiline)})
    return dispatching_lexer(lexer, bound)


class LineBoundLexer(DispatchingLexer):
    """Ends literals with their line that may not cross it, and those that start at the offsets of `ended`.

    `crossing` has the offsets of the literals that crossed a line, or were open at the end of the last text,
    `cut` those of the literals that were ended.
    """

    literals: MultilineLiterals
    ended: frozenset[int] = frozenset()
    crossing: list[int]
    cut: list[int]

    def raw_tokens(self, text: str, stack: Iterable[str] = ("root",)) -> RawTokens:
        tokens, opened, names, at = RawTokens([], [], []), list[_Opened](), list(stack), 0
        self.crossing, self.cut = [], []
        while True:
            count = len(tokens.starts)
            transition, end = self._add_next(tokens, names[-1], text, at)
            if end < 0:
                if at >= len(text):
                    self.crossing += [literal.start for literal in opened]
                    return tokens
                if text[at] == "\n":
                    names, opened = ["root"], []
                tokens.add(iter([(at, Whitespace if text[at] == "\n" else Error, text[at])]))
                at += 1
                continue
            at = end
            outermost = _outermost(opened)
            cut = self._cut(tokens, count, text, opened)
            if cut >= 0:
                self.cut.append(_first_of_literal(tokens, count) if outermost < 0 else outermost)
                at = cut
                del names[_depth(opened, len(names)) :]
            elif transition is not None:
                depth = len(names)
                apply_transition(names, transition)
                if len(names) > depth and count < len(tokens.starts):
                    self._note_opened(opened, depth, tokens.types[count], tokens.starts[count], text)
            while opened and len(names) <= opened[-1].depth:
                opened.pop()

    def _add_next(self, tokens: RawTokens, state: str, text: str, at: int) -> tuple[Any, int]:
        """Add the tokens of the first rule that matches; return its transition, and its end or -1."""
        rules = self.states[state]
        for match_at, action, transition in rules[text[at]] if at < len(text) else rules.rules:
            match: Match[str] | None = match_at(text, at)
            if match is not None:
                if isinstance(action, _TokenType):
                    tokens.add(iter([(at, action, match.group())]))
                elif action is not None:
                    tokens.add(action(self, match))
                return transition, match.end()
        return None, -1

    def _cut(self, tokens: RawTokens, count: int, text: str, opened: list[_Opened]) -> int:
        """Cut the newest tokens off at the end of a line that a literal must not cross; return it, or -1."""
        for index in range(count, len(tokens.starts)):
            if not is_literal(tokens.types[index]):
                continue
            start = tokens.starts[index]
            end = _LINE_END.search(text, start, start + len(tokens.values[index]))
            if end and not self._crosses(tokens, count, index, text, opened):
                for column in tokens:
                    del column[index + (end.start() > start) :]
                if end.start() > start:
                    tokens.values[index] = text[start : end.start()]
                return end.start()
        return -1

    def _crosses(self, tokens: RawTokens, count: int, index: int, text: str, opened: list[_Opened]) -> bool:
        """Return whether the literal that a token is part of may cross a line, and note that it does."""
        if opened:
            start = opened[-1].start
            has_type = start not in self.ended and self.literals.has_type(tokens.types[index])
            crosses = opened[-1].crosses or has_type
        else:
            while index > count and is_string(tokens.types[index - 1]):
                index -= 1
            start = tokens.starts[index]
            crosses = self._may_cross(text, start, tokens.types[index])
        if crosses:
            self.crossing.append(start)
        return crosses

    def _may_cross(self, text: str, start: int, token_type: _TokenType) -> bool:
        if start in self.ended:
            return False
        return _is_comment(token_type) or self.literals.may_cross(text, start, token_type)

    def _note_opened(
        self, opened: list[_Opened], depth: int, token_type: _TokenType, start: int, text: str
    ) -> None:
        """Note the literal that the lexer has entered a state of, but no comment in another one."""
        if is_literal(token_type) and not (_is_comment(token_type) and opened):
            opened.append(_Opened(depth, start, self._may_cross(text, start, token_type)))


def is_literal(token_type: _TokenType) -> bool:
    return is_string(token_type) or _is_comment(token_type)


def is_string(token_type: _TokenType) -> bool:
    return token_type in String  # type: ignore[comparison-overlap]  # types of tokens are no mere tuples


def _is_comment(token_type: _TokenType) -> bool:
    return token_type is Comment.Multiline or token_type is Comment


def _outermost(opened: list[_Opened]) -> int:
    """Return where the outermost literal begins that ends with this line; -1 if none is open."""
    start = -1
    for literal in reversed(opened):
        if literal.crosses:
            break
        start = literal.start
    return start


def _first_of_literal(tokens: RawTokens, count: int) -> int:
    """Return where the last literal begins of the newest tokens, those from the index `count` on."""
    index = len(tokens.starts) - 1
    while index > count and is_literal(tokens.types[index - 1]):
        index -= 1
    return tokens.starts[index]


def _depth(opened: list[_Opened], depth: int) -> int:
    """Return the depth of the stack before the outermost literal that ends with this line."""
    for literal in reversed(opened):
        if literal.crosses:
            break
        depth = literal.depth
    return depth
