"""What normalisation folded away to make a passage equal: what two students wrote differently in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fingerprint.tokens import TokenStream

EXAMPLES = 3
# Characters of a lexeme that an example shows.
SHOWN = 24


class Folded(NamedTuple):
    """`changed`: tokens written differently, the commonest changes as `examples` (left, right).

    `between`: places between two tokens where what counts nowhere differs, such as comments.
    """

    changed: int
    between: int
    examples: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`count` tokens of a text from token `first` on."""

    text: str
    tokens: TokenStream
    first: int
    count: int

    def lexemes(self) -> list[str]:
        return [self.text[start:end] for start, end in self._spans()]

    def gaps(self) -> list[str]:
        """Give what stands between neighbouring tokens, white space left out."""
        return ["".join(self.text[end:start].split()) for (_, end), (start, _) in pairwise(self._spans())]

    def _spans(self) -> list[tuple[int, int]]:
        part = slice(self.first, self.first + self.count)
        return list(zip(self.tokens.starts[part].tolist(), self.tokens.ends[part].tolist(), strict=True))


def folded(left: Excerpt, right: Excerpt) -> Folded:
    """Compare two runs of equal tokens as they were written."""
    changes = Counter((a, b) for a, b in zip(left.lexemes(), right.lexemes(), strict=True) if a != b)
    between = sum(a != b for a, b in zip(left.gaps(), right.gaps(), strict=True))
    examples = [(_cut(a), _cut(b)) for (a, b), _ in changes.most_common(EXAMPLES)]
    return Folded(changes.total(), between, examples)


def _cut(lexeme: str) -> str:
    line = " ".join(lexeme.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
