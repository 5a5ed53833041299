"""Match the brackets of a program, and count what is between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_PAIRS = {")": "(", "]": "[", "}": "{"}
_OPENING = frozenset(_PAIRS.values())


class Brackets(NamedTuple):
    """By position of a lexeme: where the bracket that opens there is closed, and how many items it encloses.

    `closes` is -1 and `counts` 0 for all other lexemes and for brackets that are never closed.
    """

    closes: list[int]
    counts: list[int]


def match_brackets(texts: Sequence[str]) -> Brackets:
    """Return the brackets of a program, in one pass; items are separated by commas.

    A bracket of the wrong sort closes nothing.
    """
    closes, counts = [-1] * len(texts), [0] * len(texts)
    opened: list[int] = []
    commas: list[int] = []
    for at, text in enumerate(texts):
        if text in _OPENING:
            opened.append(at)
            commas.append(0)
        elif text == "," and commas:
            commas[-1] += 1
        elif text in _PAIRS and opened and texts[opened[-1]] == _PAIRS[text]:
            start, separators = opened.pop(), commas.pop()
            closes[start] = at
            last = separators > 0 and texts[at - 1] == ","
            counts[start] = separators + 1 - last if at > start + 1 else 0
    return Brackets(closes, counts)
