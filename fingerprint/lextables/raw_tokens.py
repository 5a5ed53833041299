"""The tokens of a lexer, before they are coded: as lists, or as arrays with each lexeme once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Bounds, Ids, Offsets

if TYPE_CHECKING:
    from pygments.token import _TokenType

Tokens = Iterator[tuple[int, "_TokenType", str]]
CodePoints = npt.NDArray[np.uint8 | np.uint32]

Item = TypeVar("Item")
BYTE_ORDER_MARK = "\ufeff"
BLANKS = " \t\r"


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

    @property
    def numbers(self) -> Ids:
        """The number of the lexeme of each token."""
        numbers = self.types.numbers
        assert numbers is not None
        return numbers

    def offsets(self) -> Offsets:
        return np.asarray(self.starts.items, dtype=np.int32)

    def codes(self, code: Callable[[tuple[object, str]], int]) -> Ids:
        lexemes = zip(self.types.items, self.values.items, strict=True)
        by_lexeme = np.fromiter(map(code, lexemes), np.int32, len(self.types.items))
        codes: Ids = by_lexeme[self.numbers]
        return codes


class JoinedTokens(NamedTuple):
    """The tokens of several texts, one after another, with a character between each two texts.

    ends : int64 [texts], the number of tokens up to the end of each text
    bounds : int64 [texts + 1], the offset at which each text begins; the last one is that of another text
    """

    tokens: LexemeTokens
    ends: Bounds
    bounds: Bounds

    def of(self, text: int) -> LexemeTokens:
        """Return the tokens of one text, with the offsets in it."""
        begin, end = self.ends[text - 1] if text else 0, self.ends[text]
        starts, types, values = self.tokens
        rows = slice(begin, end)
        offsets = Column[int](starts.items[rows] - np.int32(self.bounds[text]), None)
        numbers = self.tokens.numbers[rows]
        return LexemeTokens(offsets, Column(types.items, numbers), Column(values.items, numbers))


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


def code_points(text: str) -> CodePoints:
    """Return the code points of a text, as uint8 where all are ASCII, else as uint32."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def text_of(characters: CodePoints) -> str:
    """Return the text of code points as `code_points` has them."""
    if characters.dtype == np.uint8:
        return characters.tobytes().decode("ascii")
    return characters.tobytes().decode("utf-32-le", "surrogatepass")


class LexerInput:
    r"""A copy of `text` that is suitable for lexers, with a mapping of its offsets to offsets in `text`.

    A byte order mark and white space at line ends (with the `\r` of `\r\n`) are removed, because some lexers
    continue a statement behind it on the next line; a lone `\r` becomes `\n`, and a last newline is added.
    `unseen` are offsets of other characters to remove, before the white space.
    """

    def __init__(self, text: str, unseen: Sequence[int] = ()) -> None:
        self._length = len(text)
        seen = text_of(np.delete(code_points(text), unseen)) if unseen else text
        may_remove = seen.startswith(BYTE_ORDER_MARK) or any(end in seen for end in ("\r", " \n", "\t\n"))
        removed = _removed(seen) if may_remove else np.empty(0, np.int32)
        if unseen:
            kept = np.delete(np.arange(len(text), dtype=np.int32), unseen)
            removed = np.union1d(kept[removed], np.array(unseen, np.int32))
        # In the copy the i-th removed character was before offset removed[i] - i.
        self._removed = removed - np.arange(len(removed), dtype=np.int32)
        plain = text_of(np.delete(code_points(text), removed)) if len(removed) else text
        plain = plain.replace("\r", "\n")
        self.source = plain if plain.endswith("\n") else plain + "\n"
        self._keeps_offsets = not len(removed) and len(self.source) == len(text)

    def starts(self, offsets: Offsets) -> Offsets:
        """Map offsets of first characters in the copy to offsets in `text`."""
        return self._original(offsets)

    def ends(self, offsets: Offsets) -> Offsets:
        """Map exclusive ends; each stays behind its token's last character, before any removed characters."""
        if not len(self._removed):
            return self._original(offsets)
        ends: Offsets = np.minimum(offsets, 1) + self._original(np.maximum(offsets - 1, 0))
        return np.minimum(ends, np.int32(self._length))

    def _original(self, offsets: Offsets) -> Offsets:
        if self._keeps_offsets:
            return offsets
        if not len(self._removed):
            return np.minimum(offsets, np.int32(self._length))
        removed_before = np.searchsorted(self._removed, offsets, side="right").astype(np.int32)
        original: Offsets = np.minimum(offsets + removed_before, np.int32(self._length))
        return original


def _removed(text: str) -> Offsets:
    """Return the offsets of a byte order mark and of white space at line ends."""
    characters = code_points(text)
    ends = np.flatnonzero(characters == ord("\n"))
    last = characters[np.maximum(ends - 1, 0)]
    after_blank = np.flatnonzero(np.logical_or.reduce([last == ord(blank) for blank in BLANKS]))
    starts = np.concatenate(([0], ends + 1))[after_blank].tolist()
    lines = [(start, end) for start, end in zip(starts, ends[after_blank].tolist(), strict=True)]
    kept = [start + len(text[start:end].rstrip(BLANKS)) for start, end in lines]
    removed = [at for (_, end), first in zip(lines, kept, strict=True) for at in range(first, end)]
    mark = [0] if text.startswith(BYTE_ORDER_MARK) else []
    return np.array([*mark, *removed], dtype=np.int32)
