"""One file of a pair: its text, its tokens, and the blocks that it shares, which pages call passages."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import front_end
from submissions.comparison.source_html import line_starts
from submissions.comparison.written_differences import TokenRun
from submissions.models import Document
from submissions.storage.listings import decode_file
from submissions.storage.syntax_spans import keyword_offsets
from submissions.storage.tokens import unpack_coarse, unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fingerprint.engine import Decoded, TokenStream
    from submissions.models import SubmissionFile
    from submissions.pseudonyms.names import Names


class FilePiece(NamedTuple):
    """A run of equal tokens of a block, from the side of one file; `others` as in `MarkedPiece`."""

    first: int
    tokens: int
    other_first: int
    others: int = 0


class FilePassage(NamedTuple):
    """A block from the side of one file: its number, its tokens with those in its gaps, and its pieces."""

    number: int
    first: int
    tokens: int
    counted: int
    other: PairFile
    pieces: list[FilePiece]

    @classmethod
    def from_pieces(cls, number: int, counted: int, other: PairFile, pieces: list[FilePiece]) -> FilePassage:
        first, last = pieces[0], pieces[-1]
        return cls(number, first.first, last.first + last.tokens - first.first, counted, other, pieces)

    def clipped(self, tokens: int | None) -> list[FilePiece]:
        """Return the pieces as far as their first `tokens` tokens."""
        if tokens is None:
            return self.pieces
        clipped = []
        for piece in self.pieces:
            if tokens > 0:
                clipped.append(piece._replace(tokens=min(piece.tokens, tokens)))
            tokens -= piece.tokens
        return clipped


def passages_in_order(passages: Iterable[FilePassage]) -> list[FilePassage]:
    """Return passages in the order of their tokens."""
    return sorted(passages, key=lambda passage: passage.first)


class IgnoredTokens:
    """The tokens of a file that are not compared: ranges [first, after), in order."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self.ranges = ranges
        self._firsts = [first for first, _ in ranges]
        self._before = [0, *accumulate(after - first for first, after in ranges)]

    def among(self, first: int, count: int) -> int:
        """Count those among the `count` tokens from `first` on."""
        return self._below(first + count) - self._below(first)

    def _below(self, token: int) -> int:
        index = bisect_right(self._firsts, token)
        over = max(self.ranges[index - 1][1] - token, 0) if index else 0
        return self._before[index] - over


@dataclass(eq=False)
class PairFile:
    """A file of the side L or R, with its number on it, from 1.

    The file is read when its text, its tokens or its colours are first needed. In a `translated` pair its
    tokens are those of its coarse stream.
    """

    file: SubmissionFile
    side: str
    number: int
    names: Names
    ignored: IgnoredTokens
    shorten: Callable[[str], str] = str
    translated: bool = False
    passages: list[FilePassage] = field(default_factory=list)
    # Whether its bytes and tokens may be read.
    is_open: bool = False

    @cached_property
    def decoded(self) -> Decoded:
        return decode_file(self.file)

    @property
    def text(self) -> str:
        return self.decoded.text

    @cached_property
    def tokens(self) -> TokenStream:
        document = self.file.document
        coarse = unpack_coarse(bytes(document.coarse)) if self.translated else None
        return coarse[0].tokens if coarse else unpack_tokens(bytes(document.tokens))

    @cached_property
    def starts(self) -> Sequence[int]:
        return line_starts(self.text)

    @cached_property
    def keywords(self) -> frozenset[int]:
        """Offsets in the text at which keywords and types begin."""
        return keyword_offsets(self.file.document, self.text)

    @property
    def path(self) -> str:
        return self.names.redact_text(self.file.path)

    @property
    def shared(self) -> int:
        """Number of tokens in its passages."""
        return sum(passage.tokens for passage in self.passages)

    @property
    def language(self) -> str:
        return front_end(self.file.document.language).title

    @property
    def line_count(self) -> int:
        return len(self.starts)

    @property
    def failure(self) -> str:
        document = self.file.document
        return document.reason if document.state == Document.State.FAILED else ""

    @property
    def is_compared(self) -> bool:
        return self.file.document.state != Document.State.KEPT

    def span(self, first: int, after: int) -> tuple[int, int]:
        """Return the code points [start, end) of the tokens [`first`, `after`)."""
        return int(self.tokens.starts[first]), int(self.tokens.ends[after - 1])

    def gap(self, first: int, after: int) -> tuple[int, int]:
        """Return the code points [start, end) between the tokens before `first` and from `after` on."""
        return int(self.tokens.ends[first - 1]), int(self.tokens.starts[after])

    def token_run(self, first: int, count: int) -> TokenRun:
        return TokenRun(self.text, self.tokens, first, count, self.keywords)

    def counted_tokens(self, first: int, count: int) -> int:
        """Count the tokens that are not ignored among the `count` tokens from `first` on."""
        return count - self.ignored.among(first, count)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line, from 1, of the code points [start, end)."""
        return bisect_right(self.starts, start), bisect_right(self.starts, max(start, end - 1))

    def piece_lines(self, passage: FilePassage) -> Iterator[tuple[int, int, int]]:
        """Yield the number of a block with the first and the last line of each of its pieces."""
        for piece in passage.pieces:
            yield passage.number, *self.lines(*self.span(piece.first, piece.first + piece.tokens))


PART_START = re.compile(r"([1-9]\d{0,8})-(\d{1,9})")
NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class PartStart:
    """The start of the part of a file that is shown: the number of the file, from 1, and a code point."""

    file: int
    offset: int

    def __str__(self) -> str:
        return f"{self.file}-{self.offset}"


class Selection(NamedTuple):
    """The passage, from 1, that the page opens at, and for each side the part that was asked for instead."""

    passage: int = 1
    left: PartStart | None = None
    right: PartStart | None = None

    def start(self, letter: str) -> PartStart | None:
        """Return the start of the side L or R."""
        return self.left if letter == "L" else self.right

    @property
    def jumps(self) -> bool:
        """True if the page scrolls to the passage; otherwise a part of a file was asked for."""
        return not (self.left or self.right)


def parse_selection(query: Mapping[str, str]) -> Selection:
    """Return the selection that the query of an address describes; invalid values are ignored."""
    passage = query.get("passage", "")
    number = int(passage) if NUMBER.fullmatch(passage) else 1
    return Selection(number, _part_start(query.get("left", "")), _part_start(query.get("right", "")))


def _part_start(text: str) -> PartStart | None:
    match = PART_START.fullmatch(text)
    return PartStart(int(match[1]), int(match[2])) if match else None
