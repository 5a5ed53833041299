"""Decide which files of a pair a page reads, and which part of each it shows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

from submissions.queries.pairs import add_contents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.models.reports import PassageRecord
    from submissions.pages.source_view.file_view import FileView
    from submissions.pages.source_view.pair_file import Selection

# Bytes of sources of a side that a page reads; the file with the selected passage is read in any case.
READ_BYTES = 6_000_000
# Characters of HTML that the sources of a side have, the smallest part of a file, and files that are listed.
SIDE_CHARACTERS, MIN_PART, FILES_LISTED = 800_000, 20_000, 100
# Blocks of the first file of a side that are elements at once.
READY_BLOCKS = 1
OPPOSITE = re.compile(r' href="#([LR]-p(\d+))"')


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
    side: list[FileView],
    letter: str,
    views: dict[int, FileView],
    passages: list[PassageRecord],
    selection: Selection,
) -> Iterator[FileView]:
    """Yield the files of a side, each once, the most urgent first."""
    start = selection.start(letter)
    selected = [view for view in side if start and view.number == start.file]
    keys = [passage.left_file if letter == "L" else passage.right_file for passage in passages]
    first = selected[0].number if selected else (views[keys[0]].number if keys else 1)
    block = (first - 1) // FILES_LISTED * FILES_LISTED
    yield from dict.fromkeys([*selected, *(views[key] for key in keys), *side[block : block + FILES_LISTED]])


def show_side(
    files: list[FileView], letter: str, selection: Selection
) -> tuple[list[FileView], list[FileView], int]:
    """Render parts of the open files of a side, the selected one first.

    Return the files of which the page has a part, those that it only lists, and the number of the first file
    after these, or 0. Files that share most come first.
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
    names = shortest_unique_paths([view.path for view in files])
    for view, name in zip(files, names, strict=True):
        view.short_path = name
    listed.sort(key=lambda view: (-view.shared, view.number))
    after = first + len(listed) + 1
    more = after if after <= len(files) else (1 if first else 0)
    return [view for view in listed if view.part], [view for view in listed if not view.part], more


def _selected(files: list[FileView], letter: str, selection: Selection) -> FileView | None:
    """Return the file whose part was asked for, or else the one with the selected passage."""
    start = selection.start(letter)
    if start and start.file <= len(files):
        return files[start.file - 1]
    with_passage = (
        view for view in files if any(passage.number == selection.passage for passage in view.passages)
    )
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
        on_page = {number for view in others if view.part for number in view.part.passages}
        for view in files:
            if view.part and not view.part.passages <= on_page:
                view.part = view.part._replace(html=_with_loading_links(view.part.html, on_page))


def _with_loading_links(html: str, on_page: set[int]) -> SafeString:
    # A quotation mark in a source is escaped: what looks like a link here is one.
    return SafeString(
        OPPOSITE.sub(
            lambda link: link[0] if int(link[2]) in on_page else f' href="?passage={link[2]}#{link[1]}"', html
        )
    )


def shortest_unique_paths(paths: Sequence[str]) -> list[str]:
    """Return for every path as few of its last parts as no other path ends with, or else all of it."""
    ends = [_ends(path) for path in paths]
    counts = Counter(end for path_ends in ends for end in path_ends)
    return [next((end for end in path_ends if counts[end] == 1), path_ends[-1]) for path_ends in ends]


def _ends(path: str) -> list[str]:
    """Return the ends of a path, the shortest first: `c`, `b/c` and `a/b/c` for `a/b/c`."""
    return list(accumulate(reversed(path.split("/")), lambda end, part: f"{part}/{end}"))
