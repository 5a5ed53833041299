"""A helper to write rules of lexers."""

from __future__ import annotations

from typing import Any

from pygments.lexer import bygroups


def groups(*token_types: Any) -> Any:
    """Return the action of a rule whose groups have these token types."""
    return bygroups(*token_types)  # type: ignore[no-untyped-call]  # has no annotations
