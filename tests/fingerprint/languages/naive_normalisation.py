"""Normalisation token by token, as slow and plain as it can be: the oracle of its kernels."""

from __future__ import annotations

from typing import NamedTuple

from fingerprint.languages.normalisation import MAX_STATEMENT
from fingerprint.languages.token_rows import Mark


class Token(NamedTuple):
    code: int
    marks: int
    start: int
    end: int
    line: int

    def has(self, marks: int) -> bool:
        return bool(self.marks & marks)


Tokens = list[Token]
Ranges = list[tuple[int, int]]


def dropped_ranges(tokens: Tokens, *, by_line: bool) -> Ranges:
    """Return the ranges of statements and decorators to drop."""
    ranges, at = [], 0
    while at < len(tokens):
        end = at
        if tokens[at].has(Mark.STATEMENT):
            end = statement_end(tokens, at, by_line=by_line) if begins_statement(tokens, at) else at
        elif tokens[at].has(Mark.DECORATOR):
            end = decorator_end(tokens, at)
        if end > at:
            ranges.append((at, end))
        at = max(end, at + 1)
    return ranges


def begins_statement(tokens: Tokens, at: int) -> bool:
    before = tokens[at - 1] if at else None
    return before is None or before.line < tokens[at].line or before.has(Mark.STATEMENT_END | Mark.OPEN | Mark.CLOSE)


def statement_end(tokens: Tokens, at: int, *, by_line: bool) -> int:
    """Return the index after a statement; its own where it does not end soon, is a call, or has code in braces."""
    following = tokens[at + 1 : at + MAX_STATEMENT]
    enclosed = at > 0 and tokens[at - 1].has(Mark.PARENTHESIS)
    if not by_line and not enclosed and following and following[0].has(Mark.PARENTHESIS):
        return at
    depth = 0
    for index, token in enumerate(following, at + 1):
        if depth == 0 and token.has(Mark.STATEMENT_END):
            return index + 1
        if depth == 0 and (token.has(Mark.CLOSE) or (by_line and tokens[index - 1].line < token.line)):
            return index
        braces = any(one.has(Mark.BRACE) for one in tokens[at + 1 : index])
        if depth == 0:
            is_behind = braces and not by_line and tokens[index - 1].has(Mark.CLOSE)
            if is_behind and token.has(Mark.WORD | Mark.DECORATOR):
                return at
        else:
            is_later = by_line and token.line > tokens[at].line and not tokens[at].has(Mark.DECORATOR)
            is_nested = is_later and (token.has(Mark.BRACE) or (braces and token.has(Mark.OPEN)))
            if is_nested or (braces and token.has(Mark.STATEMENT_END)):
                return at
        depth += 1 if token.has(Mark.OPEN) else -1 if token.has(Mark.CLOSE) else 0
    ends_text = at + 1 + len(following) == len(tokens)
    return len(tokens) if by_line and depth == 0 and ends_text and len(following) < MAX_STATEMENT else at


def decorator_end(tokens: Tokens, at: int) -> int:
    """Return the index after a decorator, its name and its arguments."""
    near = tokens[: at + MAX_STATEMENT]
    if near[at].has(Mark.OPEN):
        return bracket_end(near, at)
    name = at + 1
    if name < len(near) and not near[at].has(Mark.WORD) and near[name].has(Mark.WORD):
        name += 1
    return bracket_end(near, name) if name < len(near) and near[name].has(Mark.PARENTHESIS) else name


def bracket_end(tokens: Tokens, at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].has(Mark.OPEN) - tokens[index].has(Mark.CLOSE)
        if depth == 0:
            return index + 1
        if depth > 1 and tokens[index].has(Mark.STATEMENT_END):
            break
    return at + 1


def outside(tokens: Tokens, ranges: Ranges) -> Tokens:
    inside = {index for first, end in ranges for index in range(first, end)}
    return [token for index, token in enumerate(tokens) if index not in inside]


def characters(tokens: Tokens, ranges: Ranges) -> int:
    """Return the characters of code; those of dropped tokens in a range are subtracted all the same."""
    counted = sum(token.end - token.start for token in tokens if not token.has(Mark.DROPPED))
    return counted - sum(token.end - token.start for first, end in ranges for token in tokens[first:end])


def joined_literals(tokens: Tokens) -> Tokens:
    """Join each token that continues the literal before it."""
    joined: Tokens = []
    for index, token in enumerate(tokens):
        if continues(tokens, index):
            joined[-1] = joined[-1]._replace(end=token.end)
        else:
            joined.append(token)
    return joined


def continues(tokens: Tokens, index: int) -> bool:
    if index == 0:
        return False
    before, token = tokens[index - 1], tokens[index]
    if before.has(Mark.PART) and token.has(Mark.PART) and before.has(Mark.STRING) == token.has(Mark.STRING):
        return True
    if before.end == token.start and before.has(Mark.NUMBER) and token.has(Mark.WORD | Mark.NUMBER):
        return True
    return is_fraction(tokens[index - 1 : index + 2]) or is_fraction(tokens[max(0, index - 2) : index + 1])


def is_fraction(tokens: Tokens) -> bool:
    """Return whether three tokens are a number, a dot and a number, one right after the other."""
    if len(tokens) < 3:
        return False
    whole, dot, part = tokens
    touch = whole.end == dot.start and dot.end == part.start
    is_dot = dot.has(Mark.DOT) and dot.end - dot.start == 1
    return touch and is_dot and whole.has(Mark.NUMBER) and part.has(Mark.NUMBER)
