"""Faster Pygments lexers: rules that cannot match at the current character are not tried.

A lexer tries the rules of its state one after another, about fifteen per token. The character at the current
position rules out most of them. The others are tried in the same order, so that the tokens are the same.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pygments.lexer import RegexLexer
from pygments.token import Comment, Error, Whitespace, _TokenType

from fingerprint.languages.first_characters import ASCII, first_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match, Pattern

    from pygments.lexer import Lexer

    Tokens = Iterator[tuple[int, _TokenType, str]]
    Action = _TokenType | Callable[[RegexLexer, Match[str]], Tokens] | None
    Rule = tuple[Callable[[str, int], Match[str] | None], Action, Any]


class RawTokens(NamedTuple):
    """The tokens of a lexer as parallel lists: offsets in the text, types, and what is written."""

    starts: list[int]
    types: list[_TokenType]
    values: list[str]

    def add(self, tokens: Tokens) -> None:
        for start, token_type, value in tokens:
            self.starts.append(start)
            self.types.append(token_type)
            self.values.append(value)


class RulesByCharacter(dict[str, "list[Rule]"]):
    """Maps a character to the rules of one lexer state that can match at it; filled at first use."""

    def __init__(self, rules: list[Rule]) -> None:
        super().__init__()
        self.rules = rules

    def __missing__(self, char: str) -> list[Rule]:
        if char not in ASCII:
            return self.rules
        self[char] = rules = [rule for rule in self.rules if char in _first_characters(_pattern(rule))]
        return rules


@cache
def _first_characters(pattern: Pattern[str]) -> frozenset[str]:
    return first_characters(pattern)


def _pattern(rule: Rule) -> Pattern[str]:
    pattern: Pattern[str] = rule[0].__self__  # type: ignore[attr-defined]  # a rule's matcher is a pattern's bound method
    return pattern


class DispatchingLexer(RegexLexer):
    """Selects rules by the current character; a mixin for lexers with the usual loop of Pygments.

    `changes_tokens`: `get_tokens_unprocessed` does not return what `raw_tokens` does.
    """

    changes_tokens: ClassVar[bool] = False

    _tokens: ClassVar[dict[str, list[Rule]]]
    states: ClassVar[dict[str, RulesByCharacter]]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if "states" not in vars(type(self)):
            type(self).states = {name: RulesByCharacter(rules) for name, rules in self._tokens.items()}

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Tokens:
        return zip(*self.raw_tokens(text, stack), strict=True)

    def raw_tokens(self, text: str, stack: Iterable[str] = ("root",)) -> RawTokens:
        """Return all tokens; lists take less time than a generator of tuples."""
        tokens = RawTokens([], [], [])
        add_start, add_type = tokens.starts.append, tokens.types.append
        add_value = tokens.values.append
        states, names, at, end = self.states, list(stack), 0, len(text)
        state = states[names[-1]]
        while True:
            for match_at, action, transition in state[text[at]] if at < end else state.rules:
                match = match_at(text, at)
                if match is None:
                    continue
                if isinstance(action, _TokenType):
                    add_start(at)
                    add_type(action)
                    add_value(match.group())
                elif action is not None:
                    tokens.add(action(self, match))
                at = match.end()
                if transition is not None:
                    apply_transition(names, transition)
                    state = states[names[-1]]
                break
            else:
                if at >= end:
                    return tokens
                if text[at] == "\n":  # no rule matches: the next line begins in the root state
                    names, state = ["root"], states["root"]
                add_start(at)
                add_type(Whitespace if text[at] == "\n" else Error)
                add_value(text[at])
                at += 1


def apply_transition(names: list[str], transition: int | str | tuple[str, ...]) -> None:
    """Push states on the stack `names` or pop some, as the rule demands; one state always remains."""
    if isinstance(transition, int):
        del names[max(1, len(names) - abs(transition)) :]
        return
    for name in (transition,) if isinstance(transition, str) else transition:
        if name == "#pop":
            del names[max(1, len(names) - 1) :]
        else:
            names.append(names[-1] if name == "#push" else name)


def dispatching_lexer(lexer: type[Lexer], base: type[DispatchingLexer] = DispatchingLexer) -> Lexer:
    """Return a lexer with the loop of `base`, or a plain one where `lexer` has a loop of its own.

    Some lexers only change tokens of Pygments' loop, which they call by the name of its class: that name is
    bound to the faster loop for them.
    """
    loop = lexer.get_tokens_unprocessed
    if loop is RegexLexer.get_tokens_unprocessed:
        return _dispatching(lexer, base)
    if "RegexLexer" in loop.__code__.co_names:
        names = {**loop.__globals__, "RegexLexer": base}
        changed = FunctionType(loop.__code__, names, loop.__name__, loop.__defaults__, loop.__closure__)
        return _dispatching(lexer, base, changes_tokens=True, get_tokens_unprocessed=changed)
    return lexer()


def _dispatching(lexer: type[Lexer], base: type[DispatchingLexer], **attributes: object) -> Lexer:
    dispatching: Lexer = type(lexer.__name__, (base, lexer), attributes)()
    return dispatching


def raw_tokens(lexer: Lexer, text: str) -> RawTokens:
    """Return all tokens of a text; the errors are those of the lexer.

    A lexer may have a function `rewrite` that replaces what its rules cannot read, without moving anything;
    the tokens have what is written in the text.
    """
    rewrite: Callable[[str], str] | None = getattr(lexer, "rewrite", None)
    rewritten = rewrite(text) if rewrite else text
    if isinstance(lexer, DispatchingLexer) and not lexer.changes_tokens:
        tokens = lexer.raw_tokens(rewritten)
    else:
        tokens = RawTokens([], [], [])
        tokens.add(lexer.get_tokens_unprocessed(rewritten))
    if rewritten is text:
        return tokens
    values = [text[at : at + len(value)] for at, value in zip(tokens.starts, tokens.values, strict=True)]
    types = [
        # What was replaced by white space is a comment.
        Comment if value.isspace() and not written.isspace() else token_type
        for token_type, value, written in zip(tokens.types, tokens.values, values, strict=True)
    ]
    return RawTokens(tokens.starts, types, values)
