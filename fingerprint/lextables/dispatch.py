"""Faster Pygments lexers: rules that cannot match at the current character are not tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from re import Match
from types import FunctionType
from typing import Any, ClassVar

from pygments.lexer import Lexer, RegexLexer
from pygments.token import Comment, Error, Whitespace, _TokenType

from fingerprint.lextables.expressions import LatePatterns, pattern_of
from fingerprint.lextables.lexer import GivenUp, LazyTables, read, read_all
from fingerprint.lextables.raw_tokens import Column, JoinedTokens, LexemeTokens, RawTokens, TokenColumns, Tokens

Action = _TokenType | Callable[[RegexLexer, Match[str]], Tokens] | None
Rule = tuple[Callable[[str, int], Match[str] | None], Action, Any]

Chars = frozenset[str]
# Only ASCII characters are distinguished; any other character may begin any match.
ASCII: Chars = frozenset(map(chr, range(128)))
NONE: Chars = frozenset()
CATEGORIES = {
    f"CATEGORY_{name}": frozenset(filter(re.compile(pattern).match, ASCII))
    for name, pattern in (
        ("DIGIT", r"\d"), ("NOT_DIGIT", r"\D"), ("SPACE", r"\s"), ("NOT_SPACE", r"\S"),
        ("WORD", r"\w"), ("NOT_WORD", r"\W"),
    )
}  # fmt: skip
SETS = frozenset({"LITERAL", "NOT_LITERAL", "IN", "CATEGORY"})
GROUPS = frozenset({"BRANCH", "SUBPATTERN", "ATOMIC_GROUP"})
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
# Parts that consume no character and only restrict where the expression matches.
CONDITIONS = frozenset({"AT", "ASSERT", "ASSERT_NOT"})

# Functions that change the type of each lexeme for itself, and of none that they have changed. What such a
# lexer reads with itself has the same tokens whether it has changed them before or not.
CHANGE_ONCE = frozenset(
    f"{name}.get_tokens_unprocessed" for name in ("CFamilyLexer", "CommonLispLexer", "PhpLexer", "Scheme", "SwiftLexer")
)


def first_characters(pattern: re.Pattern[str]) -> Chars:
    """Return the ASCII characters that a match can begin with; all of them when a match can be empty.

    The result may include too many characters, never too few. It is derived from the parsed expression, which
    only a private module of Python provides; without that module all characters are returned.
    """
    try:
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    except (ImportError, AttributeError):
        return ASCII
    chars, empty = _sequence_characters(parsed, pattern.flags)
    return ASCII if empty else chars


def _sequence_characters(items: Iterable[tuple[object, Any]], flags: int) -> tuple[Chars, bool]:
    """Return the first characters of consecutive parts, and whether all of the parts can be empty."""
    chars = NONE
    for kind, value in items:
        part_chars, empty = _part_characters(str(kind), value, flags)
        chars |= part_chars
        if not empty:
            return chars, False
    return chars, True


def _part_characters(kind: str, value: Any, flags: int) -> tuple[Chars, bool]:
    if kind in CONDITIONS:
        return NONE, True
    if kind in REPEATS:
        chars, empty = _sequence_characters(value[2], flags)
        return chars, empty or value[0] == 0
    if kind in GROUPS:
        parts = [_sequence_characters(*alternative) for alternative in _alternatives(kind, value, flags)]
        return NONE.union(*(chars for chars, _ in parts)), any(empty for _, empty in parts)
    if kind in SETS:
        items = value if kind == "IN" else [(kind.removeprefix("NOT_"), value)]
        return _set_characters([*items, *([("NEGATE", None)] if kind == "NOT_LITERAL" else [])], flags), False
    return ASCII, kind != "ANY"  # ANY, or (possibly empty) a back reference or an unknown part


def _alternatives(kind: str, value: Any, flags: int) -> list[tuple[Any, int]]:
    """Return the alternatives of a group, each with the flags that apply in it."""
    if kind == "SUBPATTERN":
        _, added, removed, inner = value
        return [(inner, (flags | added) & ~removed)]
    return [(inner, flags) for inner in (value[1] if kind == "BRANCH" else [value])]


def _set_characters(items: Iterable[tuple[object, Any]], flags: int) -> Chars:
    names = [(str(kind), value) for kind, value in items]
    chars = NONE.union(*(_item_characters(kind, value) for kind, value in names))
    negated = any(kind == "NEGATE" for kind, _ in names)
    if flags & re.IGNORECASE:  # some letters beyond ASCII equal ASCII letters when case is ignored
        beyond_ascii = any(_includes_non_ascii(kind, value) for kind, value in names)
        chars = chars.union(*((char.lower(), char.upper()) for char in chars))
        return ASCII if negated or beyond_ascii else chars
    return ASCII - chars if negated else chars


def _item_characters(kind: str, value: Any) -> Chars:
    if kind == "LITERAL":
        return ASCII & {chr(value)}
    if kind == "RANGE":
        return frozenset(char for char in ASCII if value[0] <= ord(char) <= value[1])
    if kind == "CATEGORY":
        return CATEGORIES.get(str(value), ASCII)
    return NONE if kind == "NEGATE" else ASCII


def _includes_non_ascii(kind: str, value: Any) -> bool:
    last = {"LITERAL": lambda: value, "RANGE": lambda: value[1]}.get(kind, lambda: 0)()
    return int(last) >= len(ASCII)


class RulesByCharacter(dict[str, "list[Rule]"]):
    """Maps a character to the rules of one lexer state that can match at it; filled at first use."""

    def __init__(self, rules: list[Rule]) -> None:
        super().__init__()
        self._rules = rules

    @cached_property
    def rules(self) -> list[Rule]:
        """All rules of the state, with the methods of their compiled patterns."""
        patterns = [pattern_of(matcher) for matcher, _, _ in self._rules]
        return [
            (pattern.match if pattern else matcher, action, transition)
            for pattern, (matcher, action, transition) in zip(patterns, self._rules, strict=True)
        ]

    def __missing__(self, char: str) -> list[Rule]:
        if char not in ASCII:
            return self.rules
        self[char] = rules = [rule for rule in self.rules if char in _first_characters(rule[0])]
        return rules


@cache
def _first_characters(matcher: Callable[[str, int], Match[str] | None]) -> frozenset[str]:
    pattern = pattern_of(matcher)
    return first_characters(pattern) if pattern else ASCII


class _ReadText(str):  # noqa: SLOT000 - has an attribute
    """Stands for a text of which the loop has read the tokens already."""

    tokens: Tokens


class DispatchingLexer(RegexLexer, metaclass=LatePatterns):
    """Selects rules by the current character; a mixin for lexers with the usual loop of Pygments.

    `changes_tokens`: `get_tokens_unprocessed` does not return what `raw_tokens` does. `reads_itself`: what
    the lexer reads with itself may be read by `raw_tokens` all the same.
    """

    changes_tokens: ClassVar[bool] = False
    reads_itself: ClassVar[bool] = True

    _tokens: ClassVar[dict[str, list[Rule]]]
    states: ClassVar[dict[str, RulesByCharacter]]
    tables: ClassVar[LazyTables]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if "states" not in vars(type(self)):
            type(self).tables = LazyTables()
            type(self).states = {name: RulesByCharacter(rules) for name, rules in self._tokens.items()}

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Tokens:
        if isinstance(text, _ReadText):
            return text.tokens
        return zip(*self.raw_tokens(text, stack), strict=True)

    def raw_tokens(self, text: str, stack: Iterable[str] = ("root",)) -> TokenColumns:
        """Return all tokens: by the compiled rules where that takes less time, otherwise by this loop.

        Raises fingerprint.lextables.deadline.TooSlow when the compiled rules take too many steps.
        """
        if tables := self.tables.of(self, len(text)):
            with suppress(GivenUp):
                return read(self, tables, text, stack)
        return self._read_by_python(text, stack)

    def joined_tokens(self, texts: Sequence[str]) -> JoinedTokens | None:
        """Return the tokens of several texts; None where each is to be read alone. Raises as `raw_tokens`."""
        if tables := self.tables.of(self, sum(map(len, texts))):
            with suppress(GivenUp):
                joined = read_all(self, tables, texts)
                tokens = self._changed_lexemes(joined.tokens) if self.changes_tokens else joined.tokens
                return joined._replace(tokens=tokens)
        return None

    def changed(self, tokens: TokenColumns) -> TokenColumns:
        """Return tokens as the lexer changes them, where it changes each lexeme for itself."""
        return self._changed_lexemes(tokens) if isinstance(tokens, LexemeTokens) else self._replayed(tokens)

    def _changed_lexemes(self, tokens: LexemeTokens) -> LexemeTokens:
        types, values = tokens.types.items, tokens.values.items
        lexemes = self._replayed(RawTokens([0] * len(types), types, values))
        numbers = tokens.numbers
        return LexemeTokens(tokens.starts, Column(lexemes.types, numbers), Column(lexemes.values, numbers))

    def _replayed(self, tokens: TokenColumns) -> RawTokens:
        """Return what the lexer's own function makes of tokens of its loop."""
        result, text = RawTokens([], [], []), _ReadText()
        text.tokens = zip(*tokens, strict=True)
        result.add(self.get_tokens_unprocessed(text))
        return result

    def _read_by_python(self, text: str, stack: Iterable[str]) -> RawTokens:
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
        once = loop.__qualname__ in CHANGE_ONCE
        return _dispatching(lexer, base, changes_tokens=True, reads_itself=once, get_tokens_unprocessed=changed)
    return lexer()


def _dispatching(lexer: type[Lexer], base: type[DispatchingLexer], **attributes: object) -> Lexer:
    dispatching: Lexer = type(lexer.__name__, (base, lexer), attributes)()
    return dispatching


def raw_tokens(lexer: Lexer, text: str) -> TokenColumns:
    """Return all tokens of a text; the errors are those of the lexer.

    A lexer may have a function `rewrite` that replaces what its rules cannot read, without moving anything;
    the tokens have what is written in the text.
    """
    rewrite: Callable[[str], str] | None = getattr(lexer, "rewrite", None)
    rewritten = rewrite(text) if rewrite else text
    tokens = _tokens(lexer, rewritten)
    if rewritten is text:
        return tokens
    values = [text[at : at + len(value)] for at, value in zip(tokens.starts, tokens.values, strict=True)]
    types = [
        # What was replaced by white space is a comment.
        Comment if value.isspace() and not written.isspace() else token_type
        for token_type, value, written in zip(tokens.types, tokens.values, values, strict=True)
    ]
    return RawTokens([*tokens.starts], types, values)


def joined_tokens(lexer: Lexer, texts: Sequence[str]) -> JoinedTokens | None:
    """Return the tokens of several texts; None where each is to be read alone."""
    if not (isinstance(lexer, DispatchingLexer) and lexer.reads_itself):
        return None
    rewrite: Callable[[str], str] | None = getattr(lexer, "rewrite", None)
    if rewrite and any(rewrite(text) is not text for text in texts):
        return None
    return lexer.joined_tokens(texts)


def _tokens(lexer: Lexer, text: str) -> TokenColumns:
    if isinstance(lexer, DispatchingLexer) and lexer.reads_itself:
        tokens = lexer.raw_tokens(text)
        return lexer.changed(tokens) if lexer.changes_tokens else tokens
    listed = RawTokens([], [], [])
    listed.add(lexer.get_tokens_unprocessed(text))
    return listed
