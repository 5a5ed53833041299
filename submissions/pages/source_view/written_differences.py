"""What normalisation folded away to make a passage equal: what two students wrote differently in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container

    from fingerprint.engine import TokenStream

EXAMPLES = 5
# Characters of a lexeme that an example shows.
SHOWN = 24
# Characters of a lexeme that are looked at for that.
READ = 400
LITERAL = re.compile(r"\d|\.\d|[A-Za-z@$]{0,2}[\"'`]")


class Difference(NamedTuple):
    """A token that both sides wrote differently: its place in the passage from 0, and both lexemes."""

    at: int
    left: str
    right: str


class Change(NamedTuple):
    """What one side wrote for what the other did, and how often."""

    left: str
    right: str
    times: int


class Folded(NamedTuple):
    """How many tokens of each sort were written differently, the commonest changes as `examples`.

    `words`: keywords and types, `signs`: operators and the like, `between`: places between two tokens where
    what counts nowhere differs, such as comments.
    """

    names: int
    literals: int
    words: int
    signs: int
    between: int
    examples: list[Change]

    @property
    def changed(self) -> int:
        return self.names + self.literals + self.words + self.signs

    @property
    def sorts(self) -> list[str]:
        """Say how many there are of each sort, the sorts without any left out."""
        kinds = (
            ("name", self.names),
            ("literal", self.literals),
            ("keyword", self.words),
            ("sign", self.signs),
        )
        return [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds if count]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`count` tokens of a text from token `first` on; keywords and types begin at the offsets `words`."""

    text: str
    tokens: TokenStream
    first: int
    count: int
    words: Container[int] = ()

    def lexemes(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans()]

    def gaps(self) -> list[str]:
        """Give what stands between neighbouring tokens, white space left out."""
        return ["".join(self.text[end:start].split()) for (_, end), (start, _) in pairwise(self.spans())]

    def spans(self) -> list[tuple[int, int]]:
        part = slice(self.first, self.first + self.count)
        return list(zip(self.tokens.starts[part].tolist(), self.tokens.ends[part].tolist(), strict=True))

    def sort(self, at: int) -> str:
        """Tell what its token `at`, from 0, is: the field of `Folded` that counts it."""
        start = int(self.tokens.starts[self.first + at])
        if start in self.words:
            return "words"
        if LITERAL.match(self.text, start):
            return "literals"
        first = self.text[start]
        return "names" if first.isalpha() or first in "_$@" else "signs"


def differences(left: Excerpt, right: Excerpt) -> list[Difference]:
    """Compare two runs of equal tokens as they were written, in order."""
    both = zip(left.lexemes(), right.lexemes(), strict=True)
    return [Difference(at, here, there) for at, (here, there) in enumerate(both) if here != there]


def folded(left: Excerpt, right: Excerpt, found: list[Difference]) -> Folded:
    """Sum up the `differences` of two runs of equal tokens."""
    changes = Counter((here, there) for _, here, there in found)
    sorts = Counter(left.sort(at) for at, _, _ in found)
    between = sum(here != there for here, there in zip(left.gaps(), right.gaps(), strict=True))
    examples = [Change(here, there, times) for (here, there), times in changes.most_common(EXAMPLES)]
    return Folded(sorts["names"], sorts["literals"], sorts["words"], sorts["signs"], between, examples)


def cut(lexeme: str) -> str:
    """Write a lexeme on one line of at most SHOWN characters."""
    line = " ".join(lexeme[:READ].split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
