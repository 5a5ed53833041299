"""View of a pair: the files of both sides as HTML, and the passages between them.

A page has a limited size, whatever was handed in: of large files it has a part, of many files some, and of
many passages a part of the list. What it shows follows from the `Selection`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.shared_terms import SharedTerms, TermFile, shared_terms
from submissions.comparison.source_html import colour
from submissions.comparison.written_differences import (
    MAX_LEXEME_CHARACTERS,
    DifferenceSummary,
    shorten_lexeme,
    summarise_runs,
)
from submissions.pages.source_view.file_view import FileView
from submissions.pages.source_view.pair_blocks import (
    counted_tokens,
    file_pieces,
    is_common,
    piece_lines,
    sorted_blocks,
    token_count,
)
from submissions.pages.source_view.pair_file import FilePassage, FilePiece, IgnoredTokens, Selection
from submissions.pages.source_view.pair_sides import printed_side, shown_side
from submissions.pages.source_view.parts import link_sides, open_files
from submissions.queries.pairs import (
    displayed_pair,
    handed_out_terms,
    ignored_tokens,
    pair_files,
    stored_terms,
)
from submissions.storage.tokens import unpack_lexical
from submissions.task_statements import dictated_terms, registered_statements

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.comparison.written_differences import TokenRun
    from submissions.models import Pair
    from submissions.pages.source_view.file_view import PassageLocation
    from submissions.pages.source_view.pair_blocks import Block
    from submissions.pages.source_view.pair_sides import PairSide
    from submissions.pseudonyms.names import Names

# Passages that a page or a document lists, and tokens of them that are compared word by word.
PASSAGES_LISTED, COMPARED_TOKENS = 100, 60_000
# Tokens of one passage of a document in which differences are marked and counted.
PAPER_TOKENS = 20_000
# Pieces of one passage that linked scrolling follows.
MAX_SCROLL_PIECES = 60
FIRST = Selection()


@dataclass(frozen=True, slots=True)
class PassageView:
    """A block, with its location on both sides and the tokens that are written differently.

    `number` counts from 1. `counted` of the `tokens` of its pieces count for the shares; the others are
    boilerplate or common code, and all of them in a block that is `common`. `submissions` is how many of the
    cohort contain its rarest k-gram; `key` identifies the block to `ignore_passage`. `differences` are those
    among its first `compared` tokens; `pieces` has the first and last lines of each piece, left and right.
    """

    number: int
    key: str
    tokens: int
    counted: int
    submissions: int
    differences: DifferenceSummary
    compared: int
    left: PassageLocation
    right: PassageLocation
    common: bool
    pieces: list[tuple[int, int, int, int]]

    @property
    def others(self) -> int:
        """Number of other submissions that have it too."""
        return max(self.submissions - 2, 0)

    @property
    def scroll_pieces(self) -> str:
        """Lines of the pieces for linked scrolling; empty if there is one piece, or very many."""
        is_listed = 1 < len(self.pieces) <= MAX_SCROLL_PIECES
        return " ".join(str(line) for lines in self.pieces for line in lines) if is_listed else ""

    @property
    def colour(self) -> int:
        return colour(self.number)

    @property
    def excluded(self) -> int:
        """Number of its tokens that are boilerplate or common code."""
        return self.tokens - self.counted

    @property
    def locations(self) -> tuple[PassageLocation, PassageLocation]:
        return self.left, self.right

    @property
    def is_shown(self) -> bool:
        """True if a part of it is on the page, on both sides."""
        return all(side.file.part and self.number in side.file.part.passages for side in self.locations)


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair with the listed ones of its `passage_count` blocks, in descending order of weight.

    `moved`: how many of all blocks stand in another order.
    """

    pair: Pair
    sides: tuple[PairSide, PairSide]
    passages: list[PassageView]
    passage_count: int
    selection: Selection
    moved: int
    # What a pair without a passage has in common instead; None for any other pair.
    terms: SharedTerms | None = None

    @property
    def previous_passage(self) -> int:
        """The first passage of the list before this one, or 0."""
        first = self.passages[0].number if self.passages else 1
        return max(first - PASSAGES_LISTED, 0) if first > 1 else 0

    @property
    def next_passage(self) -> int:
        """The first passage of the list after this one, or 0."""
        after = self.passages[-1].number + 1 if self.passages else 1
        return after if after <= self.passage_count else 0


class _PairPassages(NamedTuple):
    """The files of both sides, by primary key and in their order, and the blocks by weight."""

    views: dict[int, FileView]
    blocks: list[Block]
    moved: int


def view_pair(pair: Pair, names: Names, selection: Selection = FIRST) -> PairView:
    """Read both submissions, and render what the page shows of their files."""
    pair = displayed_pair(pair, names)
    views, blocks, moved = _read_passages(pair, names)
    selection = selection._replace(passage=min(selection.passage, len(blocks)))
    first = (selection.passage - 1) // PASSAGES_LISTED * PASSAGES_LISTED if blocks else 0
    listed = list(enumerate(blocks, 1))[first : first + PASSAGES_LISTED]
    listed.sort(key=lambda row: row[0] != selection.passage)
    open_files(views, [block[0] for _, block in listed], selection)
    sides = (shown_side(pair, "L", views, selection), shown_side(pair, "R", views, selection))
    link_sides(sides[0].files, sides[1].files)
    terms = terms_of_pair(pair, views.values(), names)
    return PairView(pair, sides, _passages(listed, views), len(blocks), selection, moved, terms)


def view_whole_pair(pair: Pair, names: Names) -> PairView:
    """Read both submissions for a document, without rendering them; it has the heaviest passages."""
    pair = displayed_pair(pair, names)
    views, blocks, moved = _read_passages(pair, names)
    listed = list(enumerate(blocks, 1))[:PASSAGES_LISTED]
    open_files(views, [block[0] for _, block in listed], Selection(0))
    for view in views.values():
        printed = [passage for passage in view.passages if passage.number <= PASSAGES_LISTED]
        if view.is_open and printed:
            view.mark(printed, (0, len(view.text)), PAPER_TOKENS)
    sides = (printed_side(pair, "L", views), printed_side(pair, "R", views))
    terms = terms_of_pair(pair, views.values(), names)
    return PairView(pair, sides, _passages(listed, views), len(blocks), Selection(0), moved, terms)


def _read_passages(pair: Pair, names: Names) -> _PairPassages:
    """Return the files of a pair with their blocks, without reading the files."""
    files = pair_files(pair)
    if names.hidden:
        files.sort(key=lambda file: (names.redact_text(file.path), file.pk))
    # What a report ignored is counted in tokens, not in those of the coarse streams.
    ignored = {} if pair.translated else ignored_tokens(pair.report, files)
    shorten = cache(lambda lexeme: shorten_lexeme(names.redact_source(lexeme[:MAX_LEXEME_CHARACTERS])))
    views = {
        file.pk: FileView(
            file,
            letter,
            number,
            names,
            IgnoredTokens(ignored.get(file.document_id, [])),
            shorten,
            pair.translated,
        )
        for letter, pk in (("L", pair.left_id), ("R", pair.right_id))
        for number, file in enumerate((file for file in files if file.submission_id == pk), 1)
    }
    blocks, moved = sorted_blocks(pair, views)
    for number, block in enumerate(blocks, 1):
        left, right = views[block[0].left_file], views[block[0].right_file]
        counted = counted_tokens(block, views)
        left.passages.append(FilePassage.from_pieces(number, counted, right, file_pieces(block)))
        exchanged = [record.exchanged for record in block]
        right.passages.append(FilePassage.from_pieces(number, counted, left, file_pieces(exchanged)))
    return _PairPassages(views, blocks, moved)


def _passages(listed: list[tuple[int, Block]], views: dict[int, FileView]) -> list[PassageView]:
    """Return the views of blocks by number; the first of `listed` are compared first."""
    remaining, passages = COMPARED_TOKENS, []
    for number, block in listed:
        passage = _passage(number, block, views, min(remaining, PAPER_TOKENS))
        remaining -= passage.compared
        passages.append(passage)
    return sorted(passages, key=lambda passage: passage.number)


def _passage(number: int, block: Block, views: dict[int, FileView], tokens: int) -> PassageView:
    """Return the view of a block, of which the first `tokens` tokens are compared."""
    left, right = views[block[0].left_file], views[block[0].right_file]
    on_left, on_right = (next(one for one in view.passages if one.number == number) for view in (left, right))
    is_compared = left.is_open and right.is_open and not left.translated
    compared = min(tokens, token_count(block)) if is_compared else 0
    common = is_common(block)
    frequencies = [record.submissions for record in block if record.common == common]
    return PassageView(
        number,
        block[0].key,
        token_count(block),
        on_left.counted,
        max(frequencies) if common else min(frequencies),
        summarise_runs(_runs(on_left.clipped(compared), left, right), left.shorten),
        compared,
        left.location(on_left),
        right.location(on_right),
        common,
        piece_lines(on_left, on_right, left, right) if left.is_open and right.is_open else [],
    )


def _runs(pieces: list[FilePiece], left: FileView, right: FileView) -> list[tuple[TokenRun, TokenRun]]:
    return [
        (left.token_run(piece.first, piece.tokens), right.token_run(piece.other_first, piece.tokens))
        for piece in pieces
    ]


def terms_of_pair(pair: Pair, views: Collection[FileView], names: Names) -> SharedTerms | None:
    """Return the terms that the files that were read share, for a pair without a passage."""
    if not pair.has_no_passage:
        return None
    packed = stored_terms([view.file for view in views])
    left, right = (
        [
            TermFile(
                view.path,
                view.file.document.language,
                view.text,
                view.tokens,
                unpack_lexical(packed[view.file.document_id]),
            )
            for view in views
            if view.side == letter and view.is_open and packed[view.file.document_id]
        ]
        for letter in "LR"
    )
    handed_out = [*map(unpack_lexical, handed_out_terms(pair.report.assignment))]
    if dictated := dictated_terms(registered_statements(pair.report.assignment), packed):
        handed_out.append(dictated.lexical)
    return shared_terms(left, right, handed_out, names.redact_source)
