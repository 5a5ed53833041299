"""The tokens of a lexer, before they are coded: as lists, or as arrays with each lexeme once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pygments.token import _TokenType

    from fingerprint.types import Ids, Offsets

    Tokens = Iterator[tuple[int, _TokenType, str]]

Item = TypeVar("Item")


class TokenColumns(Protocol):
    """The tokens of a lexer as parallel columns: offsets in the text, types, and what is written."""

    @property
    def starts(self) -> Sequence[int]: ...

    @property
    def types(self) -> Sequence[_TokenType]: ...

    @property
    def values(self) -> Sequence[str]: ...

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the three columns."""

    def offsets(self) -> Offsets:
        """Return the starts as an array."""

    def codes(self, code: Callable[[tuple[object, str]], int]) -> Ids:
        """Return what `code` returns for the type and the value of each token; it is called in text order."""


class RawTokens(NamedTuple):
    """Tokens as lists."""

    starts: list[int]
    types: list[_TokenType]
    values: list[str]

    def add(self, tokens: Tokens) -> None:
        for start, token_type, value in tokens:
            self.starts.append(start)
            self.types.append(token_type)
            self.values.append(value)

    def offsets(self) -> Offsets:
        return np.array(self.starts, dtype=np.int32)

    def codes(self, code: Callable[[tuple[object, str]], int]) -> Ids:
        columns = zip(self.types, self.values, strict=True)
        return np.fromiter(map(code, columns), np.int32, len(self.starts))


class LexemeTokens(NamedTuple):
    """Tokens of which each has the number of its lexeme; types and values are those of the lexemes.

    Lexemes are numbered in the order in which they first occur.
    """

    starts: Column[int]
    types: Column[_TokenType]
    values: Column[str]

    @classmethod
    def of(cls, starts: Offsets, numbers: Ids, types: list[_TokenType], values: list[str]) -> LexemeTokens:
        return cls(Column(starts, None), Column(types, numbers), Column(values, numbers))

    def offsets(self) -> Offsets:
        return np.asarray(self.starts.items, dtype=np.int32)

    def codes(self, code: Callable[[tuple[object, str]], int]) -> Ids:
        lexemes = zip(self.types.items, self.values.items, strict=True)
        by_lexeme = np.fromiter(map(code, lexemes), np.int32, len(self.types.items))
        codes: Ids = by_lexeme[self.types.numbers]
        return codes


class Column(Sequence[Item]):
    """The items that have some numbers; the items themselves where there are none."""

    def __init__(self, items: Any, numbers: Ids | None) -> None:
        self.items, self.numbers = items, numbers

    def __len__(self) -> int:
        return len(self.items if self.numbers is None else self.numbers)

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return list(self)[index]
        item: Item = self.items[index].item() if self.numbers is None else self.items[self.numbers[index]]
        return item

    def __iter__(self) -> Iterator[Item]:
        if self.numbers is None:
            return iter(self.items.tolist())
        return map(self.items.__getitem__, self.numbers.tolist())
