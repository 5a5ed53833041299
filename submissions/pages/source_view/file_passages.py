"""The blocks of a file of a pair, which pages call passages, with their pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.pages.source_view.file_view import FileView


class PassageLocation(NamedTuple):
    """Location of a passage on one side; lines count from 1, the last is included.

    They are 0 where the file is too large to be read with the others of the page.
    """

    file: FileView
    first_line: int
    last_line: int
    anchor: str


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
    other: FileView
    pieces: list[FilePiece]

    @classmethod
    def from_pieces(cls, number: int, counted: int, other: FileView, pieces: list[FilePiece]) -> FilePassage:
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
