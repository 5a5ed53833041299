"""The rules of lexers that are the product's own: those of its subclasses that Pygments does not have."""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from pygments.lexer import RegexLexer, words

from fingerprint.languages import lexers


class AddedRule(NamedTuple):
    """A rule of a lexer: where it is written, and its expression."""

    place: str
    pattern: re.Pattern[str]


def added_rules() -> list[AddedRule]:
    """Return the rules that the lexers of the product add to those of Pygments, each once."""
    rules: dict[re.Pattern[str], str] = {}
    for lexer in _lexers():
        inherited = set(_inherited(lexer))
        for text in _expressions(lexer.__dict__["tokens"]):
            if text not in inherited:
                rules.setdefault(re.compile(text, lexer.flags), lexer.__name__)
    return [AddedRule(place, pattern) for pattern, place in rules.items()]


def _lexers() -> Iterator[Any]:
    for module in pkgutil.iter_modules(lexers.__path__, f"{lexers.__name__}."):
        for lexer in vars(import_module(module.name)).values():
            is_defined_here = isinstance(lexer, type) and lexer.__module__ == module.name
            if is_defined_here and issubclass(lexer, RegexLexer) and "tokens" in vars(lexer):
                yield lexer


def _inherited(lexer: type) -> Iterator[str]:
    for base in lexer.__mro__[1:]:
        if base.__module__.startswith("pygments."):
            yield from _expressions(vars(base).get("tokens", {}))


def _expressions(states: dict[Any, Any]) -> Iterator[str]:
    """Yield the expressions of the states of a lexer, which may have levels."""
    for rules in states.values():
        if isinstance(rules, dict):
            yield from _expressions(rules)
            continue
        for rule in rules:
            first = rule[0] if type(rule) is tuple else None
            if isinstance(first, words):
                yield first.get()  # type: ignore[no-untyped-call]  # has no annotations
            elif isinstance(first, str):
                yield first
