"""The operators that lexers may split, and their pieces."""

from __future__ import annotations

# `>>` stays split: it also closes two lists of type arguments.
_OPERATORS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = _OPERATORS.split()


def _pieces() -> dict[str, int]:
    """Return what two pieces that form an operator may be, with numbers."""
    pieces = dict.fromkeys(
        piece
        for operator in OPERATORS
        for length in range(1, len(operator))
        for piece in (operator[:length], operator[length:])
    )
    return {piece: number for number, piece in enumerate(pieces)}


PIECES = _pieces()
