"""The passages of a stored pair as blocks, in the order of the list on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import group_passages, moved_blocks, passage_weight
from submissions.pages.source_view.pair_file import FilePiece

if TYPE_CHECKING:
    from collections.abc import Mapping

    from submissions.models import Pair
    from submissions.models.reports import PassageRecord
    from submissions.pages.source_view.pair_file import FilePassage, PairFile

    Block = list[PassageRecord]

# Smaller blocks are not counted as moved: two programs have short runs in common by chance.
LEAST_MOVED_TOKENS = 20


def file_pieces(block: Block) -> list[FilePiece]:
    """Return the pieces of a block from the left side."""
    return [
        FilePiece(
            record.left_token,
            record.tokens,
            record.right_token,
            max(record.submissions - 2, 0) if record.common else 0,
        )
        for record in block
    ]


def sorted_blocks(pair: Pair, views: Mapping[int, PairFile]) -> tuple[list[Block], int]:
    """Return the blocks with the sides of the views, in descending order of weight, then by place.

    Also return how many of them stand in another order than the others.
    """
    numbers = {key: number for number, key in enumerate(views)}
    blocks = group_passages(
        record if views[record.left_file].side == "L" else record.exchanged for record in pair.passages
    )
    moved = moved_blocks(
        [block for block in blocks if not is_common(block) and token_count(block) >= LEAST_MOVED_TOKENS]
    )
    blocks.sort(key=lambda block: (-token_count(block), numbers[block[0].left_file], block[0].left_token))
    return sorted(blocks, key=lambda block: -_weight(block, views)), moved


def is_common(block: Block) -> bool:
    return all(record.common for record in block)


def token_count(block: Block) -> int:
    return sum(record.tokens for record in block)


def _weight(block: Block, views: Mapping[int, PairFile]) -> float:
    return sum(passage_weight(counted_tokens([record], views), record.submissions) for record in block)


def counted_tokens(block: Block, views: Mapping[int, PairFile]) -> int:
    """Count the block's tokens that are not ignored on the left, as the engine does."""
    return sum(
        views[record.left_file].counted_tokens(record.left_token, record.tokens)
        for record in block
        if not record.common
    )


def piece_lines(
    on_left: FilePassage, on_right: FilePassage, left: PairFile, right: PairFile
) -> list[tuple[int, int, int, int]]:
    lines = zip(left.piece_lines(on_left), right.piece_lines(on_right), strict=True)
    return [(*on_this[1:], *on_that[1:]) for on_this, on_that in lines]
