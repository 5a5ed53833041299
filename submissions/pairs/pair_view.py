"""View of a pair: the files of both sides as HTML, and the passages between them.

Which files a page reads, and which part of each it shows, is decided here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.translation import gettext as _, ngettext

from fingerprint.engine import LEAST_MOVED_TOKENS, group_passages, moved_blocks, passage_weight
from submissions.matches.differences import (
    CATEGORIES,
    MAX_LEXEME_CHARACTERS,
    DifferenceSummary,
    count_changed,
    exchanged,
    renamed_names,
    shorten_lexeme,
    summarise_runs,
)
from submissions.matches.ranked_pairs import whole_percent
from submissions.matches.source_html import colour
from submissions.matches.standalone_content import SharedTerms, shared_terms
from submissions.pages.filters import counted
from submissions.pairs.file_view import (
    FilePassage,
    FilePiece,
    FileView,
    IgnoredTokens,
    PartStart,
    Selection,
    shortest_unique_paths,
)
from submissions.pairs.pair_summary import sides_of_class
from submissions.pairs.read import add_contents, displayed_pair, ignored_tokens, pair_files
from submissions.pairs.traces import Trace, add_rarity, term_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from submissions.core.names import Names
    from submissions.models import Pair, Submission
    from submissions.pairs.file_view import FileMatch, PassageLocation
    from submissions.reports.models import PassageRecord

    Block = list[PassageRecord]


# Bytes of sources of a side that a page reads; the file with the selected passage is read in any case.
READ_BYTES = 6_000_000
# Characters of HTML that the sources of a side have, the smallest part of a file, and files that are listed.
SIDE_CHARACTERS, MIN_PART, FILES_LISTED = 800_000, 20_000, 100
# Blocks of the first file of a side that are elements at once.
READY_BLOCKS = 1

# Passages that a page or a document lists, and tokens of them that are compared word by word.
PASSAGES_LISTED, COMPARED_TOKENS = 100, 60_000
RENAMINGS_LISTED, MATRIX_FILES = 60, 12
# Tokens of one passage of a document in which differences are marked and counted.
PAPER_TOKENS = 20_000
# Pieces of one passage that linked scrolling follows.
MAX_SCROLL_PIECES = 60
FIRST = Selection()


def open_files(views: dict[int, FileView], passages: list[PassageRecord], selection: Selection) -> None:
    """Read the files of the selection, of the passages, then the others, within READ_BYTES a side.

    A file whose source was released is never read.
    """
    for letter in "LR":
        side = [view for view in views.values() if view.side == letter]
        used = 0
        for view in _by_urgency(side, letter, views, passages, selection):
            if view.file.submission.released:
                continue
            size = view.file.source.size
            if used == 0 or used + size <= READ_BYTES:
                view.is_open, used = True, used + size
    add_contents([view.file for view in views.values() if view.is_open])


def _by_urgency(
    side: list[FileView], letter: str, views: dict[int, FileView], passages: list[PassageRecord], selection: Selection
) -> Iterator[FileView]:
    """Yield the files of a side, each once, the most urgent first."""
    start = selection.start(letter)
    selected = [view for view in side if start and view.number == start.file]
    keys = [passage.left_file if letter == "L" else passage.right_file for passage in passages]
    first = selected[0].number if selected else (views[keys[0]].number if keys else 1)
    block = (first - 1) // FILES_LISTED * FILES_LISTED
    yield from dict.fromkeys([*selected, *(views[key] for key in keys), *side[block : block + FILES_LISTED]])


def show_side(files: list[FileView], letter: str, selection: Selection) -> tuple[list[FileView], list[FileView], int]:
    """Render parts of the open files of a side, the selected one first.

    Return the files of which the page has a part, the files that it only lists, and the number of the file with which
    the next list begins: 1 after the last list, 0 if there is one list. Files that share most come first.
    """
    selected = _selected(files, letter, selection)
    first = (selected.number - 1) // FILES_LISTED * FILES_LISTED if selected else 0
    listed = files[first : first + FILES_LISTED]
    size = SIDE_CHARACTERS
    ready_blocks = READY_BLOCKS
    for view in sorted(listed, key=lambda view: view is not selected):
        if view.is_open and size >= MIN_PART:
            _show(view, letter, selection, size, ready_blocks)
            size, ready_blocks = size - len(view.html), 0
    listed.sort(key=lambda view: (-view.shared, view.number))
    after = first + len(listed) + 1
    more = after if after <= len(files) else (1 if first else 0)
    return [view for view in listed if view.part], [view for view in listed if not view.part], more


def _selected(files: list[FileView], letter: str, selection: Selection) -> FileView | None:
    """Return the file whose part was asked for, or else the one with the selected passage."""
    start = selection.start(letter)
    if start and start.file <= len(files):
        return files[start.file - 1]
    with_passage = (view for view in files if any(passage.number == selection.passage for passage in view.passages))
    return next(with_passage, None)


def _show(view: FileView, letter: str, selection: Selection, size: int, ready_blocks: int) -> None:
    """Show the part that was asked for, or from the top, or if the passage is not in that, from there on."""
    start = selection.start(letter)
    if start and start.file == view.number:
        view.show(min(start.offset, max(len(view.text) - 1, 0)), size, ready_blocks)
        return
    passage = next((each for each in view.passages if each.number == selection.passage), None)
    if not passage or view.span(passage.first, passage.first + 1)[1] < size // 4:
        view.show(0, size, ready_blocks)
    if passage and (not view.part or passage.number not in view.part.passages):
        view.show(view.start_before(passage), size, ready_blocks)


def link_sides(left: list[FileView], right: list[FileView]) -> None:
    """Let links to passages that the other side does not show load the page with them."""
    for files, others in ((left, right), (right, left)):
        shown = {number for view in others if view.part for number in view.part.passages}
        for view in files:
            view.shown_opposite = shown


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of a pair; `letter` is L or R.

    `share` is its share in [0, 1], and `with_common` the share where common code counts too.
    The page has a part of each of `files`, which are some of `all_files`, and only lists `others`; `more` is the
    number of the file with which the next list begins, or 0.
    """

    letter: str
    label: str
    submission: Submission
    share: float
    with_common: float
    all_files: list[FileView]
    files: list[FileView]
    others: list[FileView]
    more: int = 0

    @property
    def has_common_code(self) -> bool:
        """True if the share is another figure, in percent, where common code counts too."""
        return whole_percent(self.with_common) != whole_percent(self.share)

    @property
    def matched(self) -> int:
        """Number of the files that have a passage."""
        return sum(bool(view.passages) for view in self.all_files)

    @property
    def more_start(self) -> PartStart:
        return PartStart(self.more, 0)


def shown_side(pair: Pair, letter: str, views: dict[int, FileView], selection: Selection) -> PairSide:
    """Render what the page shows of one side."""
    files = [view for view in views.values() if view.side == letter]
    return _pair_side(pair, letter, files, *show_side(files, letter, selection))


def printed_side(pair: Pair, letter: str, views: dict[int, FileView]) -> PairSide:
    """Return one side of a document: the files that were opened for it, and the others."""
    files = [view for view in views.values() if view.side == letter]
    read, others = ([view for view in files if view.is_open == is_open] for is_open in (True, False))
    return _pair_side(pair, letter, files, read, others, 0)


def _pair_side(pair: Pair, letter: str, files: list[FileView], *parts: Any) -> PairSide:
    shares = pair.left_share, pair.left_with_common
    if letter == "L":
        return PairSide("L", _("Left"), pair.left, *shares, files, *parts)
    shares = pair.right_share, pair.right_with_common
    return PairSide("R", _("Right"), pair.right, *shares, files, *parts)


def file_pieces(block: Block, of_class: int) -> list[FilePiece]:
    """Return the pieces of a block from the left side; `of_class` sides of the pair are of the class."""
    return [
        FilePiece(one.left_token, one.tokens, one.right_token, max(one.submissions - of_class, 0) if one.common else 0)
        for one in block
    ]


def sorted_blocks(pair: Pair, views: Mapping[int, FileView]) -> tuple[list[Block], set[str]]:
    """Return the blocks with the sides of the views, in descending order of weight, then by place.

    Also return the keys of those that were moved, see `moved_blocks`.
    """
    numbers = {key: number for number, key in enumerate(views)}
    blocks = group_passages(
        record if views[record.left_file].side == "L" else record.exchanged for record in pair.passages
    )
    large = [block for block in blocks if not is_common(block) and token_count(block) >= LEAST_MOVED_TOKENS]
    moved = moved_blocks(large)
    blocks.sort(key=lambda block: (-token_count(block), numbers[block[0].left_file], block[0].left_token))
    return sorted(blocks, key=lambda block: -_weight(block, views)), {block[0].key for block in moved}


def is_common(block: Block) -> bool:
    return all(record.common for record in block)


def token_count(block: Block) -> int:
    return sum(record.tokens for record in block)


def _weight(block: Block, views: Mapping[int, FileView]) -> float:
    return sum(passage_weight(counted_tokens([record], views), record.submissions) for record in block)


def counted_tokens(block: Block, views: Mapping[int, FileView]) -> int:
    """Count the block's tokens that are not ignored on the left, as the engine does."""
    uncommon = (one for one in block if not one.common)
    return sum(views[one.left_file].counted_tokens(one.left_token, one.tokens) for one in uncommon)


def piece_lines(
    on_left: FilePassage, on_right: FilePassage, left: FileView, right: FileView
) -> list[tuple[int, int, int, int]]:
    lines = zip(left.piece_lines(on_left), right.piece_lines(on_right), strict=True)
    return [(*on_this[1:], *on_that[1:]) for on_this, on_that in lines]


@dataclass(frozen=True, slots=True)
class PassageView:
    """A block, with its location on both sides and the tokens that are written differently.

    `number` counts from 1. `counted` of the `tokens` of its pieces count; the others are boilerplate,
    common code, which counts in shares alone, or in a table of literals (`has_table`), and all of them in a
    block that is `common`. `submissions` is how many of the cohort contain its rarest k-gram; `key`
    identifies the block to `ignore_passage`. `differences` are those among its first `compared` tokens;
    `pieces` has the first and last lines of each piece, left and right. `line_count`: see `_line_counts`.
    `is_identical`: the texts from its first to its last token are known to be the same.
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
    line_count: int
    of_class: int
    has_table: bool = False
    is_identical: bool = False

    @property
    def others(self) -> int:
        """Number of other submissions that have it too, beside the sides that are of the class."""
        return max(self.submissions - self.of_class, 0)

    @property
    def interruptions(self) -> int:
        return len(self.pieces) - 1

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
        """Number of its tokens that do not count."""
        return self.tokens - self.counted

    @property
    def kinds(self) -> str:
        """The kinds of lexemes that differ in it, as in `PairView.done`, in words of the page's scripts."""
        if self.common:
            return ""
        kinds = [kind for kind in (*CATEGORIES, "comments") if getattr(self.differences, kind)]
        return " ".join([*kinds, "inserted"] if self.interruptions else kinds)

    @property
    def locations(self) -> tuple[PassageLocation, PassageLocation]:
        return self.left, self.right

    @property
    def is_shown(self) -> bool:
        """True if a part of it is on the page, on both sides."""
        return all(side.file.part and self.number in side.file.part.passages for side in self.locations)


class Renaming(NamedTuple):
    """A name on the left with another one in its place on the right, in `times` of its `total` places.

    They are those in passages that were compared. Marked tokens have its `number`; 0 if the page has none.
    """

    left: str
    right: str
    times: int
    total: int
    number: int


def renamings(passages: Collection[PassageView], view: FileView) -> list[Renaming]:
    """Return the renamings in passages, the most frequent first; `view` is a file of either side."""
    written = sum((passage.differences.names_written for passage in passages), Counter[tuple[str, str]]())
    totals, moved = Counter(left for left, _ in written.elements()), exchanged([one.differences for one in passages])
    rows = ((both, times) for both, times in renamed_names(written) if both not in moved)
    return [
        Renaming(view.shorten(left), view.shorten(right), times, totals[left], view.renamings.get((left, right), 0))
        for (left, right), times in islice(rows, RENAMINGS_LISTED)
    ]


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair with the listed ones of its `passage_count` blocks, in descending order of weight.

    `moved`: the keys of those of all blocks that were moved, see `moved_blocks`.
    """

    pair: Pair
    sides: tuple[PairSide, PairSide]
    passages: list[PassageView]
    passage_count: int
    selection: Selection
    moved: set[str]
    # What a pair without a passage has in common instead; None for any other pair.
    terms: SharedTerms | None = None
    renamings: list[Renaming] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)

    @property
    def has_rarity(self) -> bool:
        """True if it is known how many submissions have a line, or there are traces."""
        return bool(self.traces) or any(file.line_counts for side in self.sides for file in side.files)

    @property
    def has_several_files(self) -> bool:
        return any(len(side.files) + len(side.others) > 1 for side in self.sides)

    @property
    def matrix(self) -> list[tuple[FileView, list[FileMatch]]]:
        """The files of the left that share most with those of the right; none where each side has one."""
        lefts, rights = ([file for file in side.files if file.passages][:MATRIX_FILES] for side in self.sides)
        rows = [(left, [left.match_with(right) for right in rights]) for left in lefts]
        return rows if len(lefts) * len(rights) > 1 else []

    @property
    def done(self) -> list[tuple[str, str]]:
        """What is written differently, and how much of it as text, as in the summary."""
        differences = [passage.differences for passage in self.passages if not passage.common]
        counts = count_changed(differences)
        done = [*zip((kind for kind in counts if counts[kind]), counted(counts), strict=True)]
        if comments := sum(one.comments for one in differences):
            text = ngettext("comments in {n} place", "comments in {n} places", comments)
            done.append(("comments", text.format(n=f"{comments:,}")))
        if moved := sum(passage.key in self.moved for passage in self.passages):
            text = ngettext("{number} part was moved", "{number} parts were moved", moved)
            done.append(("moved", text.format(number=moved)))
        if inserted := sum(passage.interruptions for passage in self.passages if not passage.common):
            text = ngettext("interrupted in {n} place", "interrupted in {n} places", inserted)
            done.append(("inserted", text.format(n=f"{inserted:,}")))
        return done

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
    moved: set[str]


def view_pair(pair: Pair, names: Names, selection: Selection = FIRST) -> PairView:
    """Read both submissions, and render what the page shows of their files."""
    pair = displayed_pair(pair, names)
    views, blocks, moved = _read_passages(pair, names)
    selection = selection._replace(passage=min(selection.passage, len(blocks)))
    first = (selection.passage - 1) // PASSAGES_LISTED * PASSAGES_LISTED if blocks else 0
    listed = list(enumerate(blocks, 1))[first : first + PASSAGES_LISTED]
    listed.sort(key=lambda row: row[0] != selection.passage)
    open_files(views, [block[0] for _, block in listed], selection)
    traces = add_rarity(pair, views.values())
    sides = (shown_side(pair, "L", views, selection), shown_side(pair, "R", views, selection))
    link_sides(sides[0].files, sides[1].files)
    terms = terms_of_pair(pair, views.values(), names)
    passages = _passages(listed, views, sides_of_class(pair))
    renamed = renamings(passages, next(iter(views.values()))) if passages else []
    return PairView(pair, sides, passages, len(blocks), selection, moved, terms, renamed, traces)


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
    passages = _passages(listed, views, sides_of_class(pair))
    renamed = renamings(passages, next(iter(views.values()))) if passages else []
    return PairView(pair, sides, passages, len(blocks), Selection(0), moved, terms, renamed)


def _read_passages(pair: Pair, names: Names) -> _PairPassages:
    """Return the files of a pair with their blocks, without reading the files."""
    files = pair_files(pair)
    if names.hidden:
        files.sort(key=lambda file: (names.redact_text(file.path), file.pk))
    # The ignored spans of a report are tokens, not symbols of the coarse streams.
    ignored = {} if pair.translated else ignored_tokens(pair.report, files)
    shorten = cache(lambda lexeme: shorten_lexeme(names.redact_source(lexeme[:MAX_LEXEME_CHARACTERS])))
    renamed: dict[tuple[str, str], int] = {}
    views = {
        file.pk: FileView(
            file,
            letter,
            number,
            names,
            IgnoredTokens(ignored.get(file.document_id, [])),
            shorten,
            pair.translated,
            renamed,
        )
        for letter, pk in (("L", pair.left_id), ("R", pair.right_id))
        for number, file in enumerate((file for file in files if file.submission_id == pk), 1)
    }
    for letter in "LR":
        side = [view for view in views.values() if view.side == letter]
        for view, name in zip(side, shortest_unique_paths([view.path for view in side]), strict=True):
            view.short_path = name
    blocks, moved = sorted_blocks(pair, views)
    of_class = sides_of_class(pair)
    for number, block in enumerate(blocks, 1):
        left, right = views[block[0].left_file], views[block[0].right_file]
        counted = counted_tokens(block, views)
        left.passages.append(FilePassage.from_pieces(number, counted, right, file_pieces(block, of_class)))
        exchanged = [record.exchanged for record in block]
        right.passages.append(FilePassage.from_pieces(number, counted, left, file_pieces(exchanged, of_class)))
    return _PairPassages(views, blocks, moved)


def _passages(listed: list[tuple[int, Block]], views: dict[int, FileView], of_class: int) -> list[PassageView]:
    """Return the views of blocks by number; the first of `listed` are compared first."""
    remaining, passages, lines = COMPARED_TOKENS, [], _line_counts(listed, views)
    for number, block in listed:
        passage = _passage((number, block), views, min(remaining, PAPER_TOKENS), lines[number], of_class)
        remaining -= passage.compared
        passages.append(passage)
    return sorted(passages, key=lambda passage: passage.number)


def _line_counts(listed: list[tuple[int, Block]], views: dict[int, FileView]) -> dict[int, int]:
    """Return on how many lines tokens of each block begin, by number, without common code.

    They are counted as `Pair.lines` is: on the side that has more of them in all.
    """
    sides = []
    for side in ("L", "R"):
        counts = {number: _lines_on(side, block, views) for number, block in listed}
        submission = next((view.file.submission_id for view in views.values() if view.side == side), 0)
        sides.append((-sum(counts.values()), submission, counts))
    return min(sides, key=lambda row: row[:2])[2]


def _lines_on(side: str, block: Block, views: dict[int, FileView]) -> int:
    records = [record if side == "L" else record.exchanged for record in block]
    view = views[records[0].left_file]
    places = [slice(one.left_token, one.left_token + one.tokens) for one in records if not one.common]
    return len({line for place in places for line in view.token_lines[place].tolist()}) if view.is_open else 0


def _passage(
    numbered: tuple[int, Block], views: dict[int, FileView], tokens: int, line_count: int, of_class: int
) -> PassageView:
    """Return the view of a block, of which the first `tokens` tokens are compared."""
    number, block = numbered
    left, right = views[block[0].left_file], views[block[0].right_file]
    on_left, on_right = (next(one for one in view.passages if one.number == number) for view in (left, right))
    is_compared = left.is_open and right.is_open and not left.translated
    compared = min(tokens, token_count(block)) if is_compared else 0
    common = is_common(block)
    frequencies = [record.submissions for record in block if record.common == common]
    texts = {view.passage_text(one) for view, one in ((left, on_left), (right, on_right))} if compared else ()
    pieces = on_left.clipped(compared)
    runs = ((left.token_run(one.first, one.tokens), right.token_run(one.other_first, one.tokens)) for one in pieces)
    return PassageView(
        number, block[0].key, token_count(block), on_left.counted,
        max(frequencies) if common else min(frequencies),
        summarise_runs(runs, left.shorten),
        compared, left.location(on_left), right.location(on_right), common,
        piece_lines(on_left, on_right, left, right) if left.is_open and right.is_open else [],
        line_count, of_class, left.ignored.has_table(on_left.first, on_left.tokens), len(texts) == 1,
    )  # fmt: skip


def terms_of_pair(pair: Pair, views: Collection[FileView], names: Names) -> SharedTerms | None:
    """Return the terms that the files that were read share, for a pair without a passage."""
    return shared_terms(*term_files(pair, views), names.redact_source) if pair.has_no_passage else None
