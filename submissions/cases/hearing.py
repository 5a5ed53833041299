"""The first pages of a document for a hearing: the best lines of a pair, its names, and questions."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from django.utils.safestring import SafeString

from submissions.pages.paper import line_cells
from submissions.pairs.traces import KINDS, add_rarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from submissions.cases.documents import Chapter
    from submissions.models import Submission
    from submissions.pages.paper import PassageSide, PrintedSource
    from submissions.pairs.file_view import FileView, PassageLocation
    from submissions.pairs.pair_view import PairView, PassageView, Renaming
    from submissions.pairs.traces import Trace

# Pairs of lines on the first page, and the rows on paper that they may fill, of so many characters each.
LINES, ROOM, ROW = 10, 20, 50
# Traces of a kind; lines of a question, questions of a member, passages of a pair that are looked at, and pairs.
TRACES, ASKED_LINES, QUESTIONS, ASKED_PASSAGES, ASKED_PAIRS = 3, 7, 3, 20, 10
# Submissions of the class for which dots are drawn.
MAX_DOTS = 150


class BestLines(NamedTuple):
    """Neighbouring lines of a passage side by side, with the places of these on both sides.

    `dots` has an entry for each submission of the class: the pair, those that can have the passage too, and the others.
    """

    passage: PassageView
    rows: SafeString
    left: PassageLocation
    right: PassageLocation
    dots: list[str]


class FirstPage(NamedTuple):
    """The first page of a pair: lines to look at, replaced names, and the files of both sides."""

    chapter: Chapter
    best: BestLines | None
    names: list[Renaming]
    traces: list[Trace]
    files: list[tuple[Submission, list[FileView]]]


class Question(NamedTuple):
    """Lines of a member's file to ask about; `passage` is one of the pair with the number `pair`.

    At most `some` submissions of the report have the passage. `tokens` of it begin on the lines.
    """

    file: FileView
    first: int
    last: int
    some: int
    tokens: int
    passage: int
    pair: int
    side: PassageSide

    @property
    def cells(self) -> str:
        return self.file.cells_at(self.first, self.last)

    @property
    def rows(self) -> SafeString:
        """The lines as rows of a table."""
        cells = (row for line in self.side.source.lines(self.side.lines) for row in line_cells(line))
        return SafeString("".join(f"<tr>{row}</tr>" for row in cells))

    def overlaps(self, other: Question) -> bool:
        return self.file.file.pk == other.file.file.pk and self.first <= other.last and other.first <= self.last


def first_page(chapter: Chapter, submissions: int) -> FirstPage:
    """Return the first page about a pair of a report with so many `submissions`."""
    best = best_lines(chapter, submissions)
    first = [best.left.file, best.right.file] if best else []
    files = [
        (side.submission, sorted([*side.files, *side.others], key=lambda file: (file not in first, -file.shared)))
        for side in chapter.view.sides
    ]
    traces = add_rarity(chapter.view.pair, [file for _, on_side in files for file in on_side])
    traces = [trace for kind in KINDS for trace in islice((one for one in traces if one.kind == kind), TRACES)]
    return FirstPage(chapter, best, chapter.view.renamings, traces, files)


def best_lines(chapter: Chapter, submissions: int) -> BestLines | None:
    """Return the lines of the heaviest passage on which most tokens begin; None where there is no passage."""
    passage = next(_printable(chapter.view), None)
    if passage is None:
        return None
    pairs = list(chapter.aligned(passage))
    tokens = _counted_lines(passage.left, passage.number)
    sources = [chapter.source(location.file) for location in passage.locations]
    heights = [max(_height(source, line) for source, line in zip(sources, pair, strict=True)) for pair in pairs]
    first, after = _window([tokens[pair.left or 0] for pair in pairs], heights)
    shown = pairs[first:after]
    lines = [[line for pair in shown if (line := pair[side])] for side in (0, 1)]
    if not all(lines):
        return None
    left, right = (
        location._replace(first_line=min(numbers), last_line=max(numbers))
        for location, numbers in zip(passage.locations, lines, strict=True)
    )
    rows = SafeString("".join(chapter.rows(passage, shown)))
    return BestLines(passage, rows, left, right, _dots(chapter, passage, submissions))


def _printable(view: PairView) -> Iterator[PassageView]:
    """Yield the passages that are not common code and whose files were read, the heaviest first."""
    for passage in view.passages:
        if not passage.common and passage.counted and all(one.first_line for one in passage.locations):
            yield passage


def _dots(chapter: Chapter, passage: PassageView, submissions: int) -> list[str]:
    some = passage.submissions
    if not chapter.is_of_class or not 2 <= some <= submissions <= MAX_DOTS:  # noqa: PLR2004 - a pair
        return []
    return ["pair"] * 2 + ["some"] * (some - 2) + [""] * (submissions - some)


def _height(source: PrintedSource, line: int | None) -> int:
    return 1 + len(source.line_text(line).rstrip()) // ROW if line else 1


def _window(tokens: Sequence[int], heights: Sequence[int], lines: int = LINES) -> tuple[int, int]:
    """Return the neighbours [first, after) with most tokens that are not too many and not too high."""
    best, most = (0, 0), 0
    for first, size in enumerate(tokens):
        after, room = first, ROOM
        while size and after < min(first + lines, len(tokens)) and heights[after] <= room:
            room -= heights[after]
            after += 1
        if (found := sum(tokens[first:after])) > most:
            last = max(at for at in range(first, after) if tokens[at])
            best, most = (first, last + 1), found
    return best


def _counted_lines(location: PassageLocation, number: int) -> Counter[int]:
    """Return how many tokens of a passage that count begin on each line."""
    file = location.file
    passage = next(one for one in file.passages if one.number == number)
    lines = Counter[int]()
    for piece in passage.pieces:
        for token in range(piece.first, piece.first + piece.tokens):
            if file.counted_tokens(token, 1) and not piece.others:
                lines[int(file.token_lines[token])] += 1
    return lines


def questions(chapters: Iterable[Chapter]) -> list[tuple[Submission, list[Question]]]:
    """Return lines to ask each submission of the pairs about, in its rarest passages."""
    members: dict[int, Submission] = {}
    found: dict[int, list[Question]] = defaultdict(list)
    for chapter in chapters:
        for passage in islice(_printable(chapter.view), ASKED_PASSAGES):
            for at, side in enumerate(chapter.view.sides):
                members[side.submission.pk] = side.submission
                found[side.submission.pk] += _asked(chapter, passage, at)
    return [(members[pk], _apart(asked)) for pk, asked in found.items()]


def _asked(chapter: Chapter, passage: PassageView, at: int) -> Iterator[Question]:
    """Yield the lines of a passage on one side with most tokens, which do not overlap."""
    location = passage.locations[at]
    source, counts = chapter.source(location.file), _counted_lines(location, passage.number)
    lines = range(location.first_line, location.last_line + 1)
    tokens, heights = [counts[line] for line in lines], [_height(source, line) for line in lines]
    for _ in range(QUESTIONS):
        first, after = _window(tokens, heights, ASKED_LINES)
        if first == after:
            return
        asked = lines[first:after]
        side = chapter.side(passage.number, location, [*asked])
        place = location.file, asked[0], asked[-1]
        yield Question(*place, passage.submissions, sum(tokens[first:after]), passage.number, chapter.number, side)
        heights[first:after] = [ROOM + 1] * len(asked)


def _apart(asked: list[Question]) -> list[Question]:
    """Return the first questions, the rarest passages first, that do not overlap, in the order of lines."""
    chosen: list[Question] = []
    for question in sorted(asked, key=lambda one: (one.some, -one.tokens)):
        if len(chosen) < QUESTIONS and not any(question.overlaps(one) for one in chosen):
            chosen.append(question)
    return sorted(chosen, key=lambda one: (one.file.number, one.first))
