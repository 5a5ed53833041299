"""Pygments' lexers with most of their work left out: rules that cannot match at a character are not tried.

A lexer tries the rules of its state one after another, some fifteen for a token; by the character that stands
there most are ruled out beforehand. What is left is tried in the same order, so that the tokens are the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Error, Whitespace, _TokenType

from fingerprint.languages.first_characters import ASCII, first_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match, Pattern

    from pygments.lexer import Lexer

    Found = Iterator[tuple[int, _TokenType, str]]
    Action = _TokenType | Callable[[RegexLexer, Match[str]], Found] | None
    Rule = tuple[Callable[[str, int], Match[str] | None], Action, Any]


class State(dict[str, "list[Rule]"]):
    """Rules of one state of a lexer that can match at a character, worked out on first sight."""

    def __init__(self, rules: list[Rule]) -> None:
        super().__init__()
        self.rules = rules

    def __missing__(self, char: str) -> list[Rule]:
        if char not in ASCII:
            return self.rules
        self[char] = fitting = [rule for rule in self.rules if char in _firsts(_pattern(rule))]
        return fitting


@cache
def _firsts(pattern: Pattern[str]) -> frozenset[str]:
    return first_characters(pattern)


def _pattern(rule: Rule) -> Pattern[str]:
    pattern: Pattern[str] = rule[0].__self__  # type: ignore[attr-defined]  # a rule's matcher is a pattern's bound method
    return pattern


class Quick(RegexLexer):
    """Goes before a lexer of Pygments that has the usual loop over its rules."""

    _tokens: ClassVar[dict[str, list[Rule]]]
    states: ClassVar[dict[str, State]]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if "states" not in vars(type(self)):
            type(self).states = {name: State(rules) for name, rules in self._tokens.items()}

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Found:
        states, names, at, end = self.states, list(stack), 0, len(text)
        state = states[names[-1]]
        while True:
            for match, action, move in state[text[at]] if at < end else state.rules:
                found = match(text, at)
                if found is None:
                    continue
                if isinstance(action, _TokenType):
                    yield at, action, found.group()
                elif action is not None:
                    yield from action(self, found)
                at = found.end()
                if move is not None:
                    _move(names, move)
                    state = states[names[-1]]
                break
            else:
                if at >= end:
                    return
                if text[at] == "\n":  # no rule goes on to the next line
                    names, state = ["root"], states["root"]
                yield at, Whitespace if text[at] == "\n" else Error, text[at]
                at += 1


def _move(names: list[str], move: int | str | tuple[str, ...]) -> None:
    """Do as a rule says: push names of states, or pop some; one always stays."""
    if isinstance(move, int):
        del names[max(1, len(names) - abs(move)) :]
        return
    for name in (move,) if isinstance(move, str) else move:
        if name == "#pop":
            del names[max(1, len(names) - 1) :]
        else:
            names.append(names[-1] if name == "#push" else name)


def quick(lexer: type[Lexer]) -> Lexer:
    """Make a lexer, a quick one where it has the usual loop."""
    if lexer.get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return lexer()
    made: Lexer = type(lexer.__name__, (Quick, lexer), {})()
    return made
