"""The texts of a match with its passages, as the old pages show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

from fingerprint.engine import group_passages
from submissions.queries.pairs import add_contents, pair_files
from submissions.storage.sources import file_text
from submissions.storage.tokens import unpack_with_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from submissions.models import Pair, SubmissionFile
    from submissions.models.passages import PassageRecord

    Lines = npt.NDArray[np.int32]

LEFT, RIGHT = 0, 1
# Characters of a page; more is only in the modern report.
MAX_CHARACTERS = 2_000_000


class LineRange(NamedTuple):
    """A passage in one file: its first and last line, counted from 1."""

    file: int
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


class Passage(NamedTuple):
    number: int
    left: LineRange
    right: LineRange

    def side(self, side: int) -> LineRange:
        return self.right if side == RIGHT else self.left


class Part(NamedTuple):
    """A text between passages, or that of a passage, which has a number."""

    text: str
    passage: int | None = None


class FileTexts(NamedTuple):
    path: str
    parts: list[Part]


class MatchTexts(NamedTuple):
    """The passages of a match, and files of one side that have passages; `is_cut` if some are left out."""

    passages: list[Passage]
    files: list[FileTexts]
    is_cut: bool = False


def match_texts(pair: Pair, side: int | None = None) -> MatchTexts:
    """Return the passages of a pair, and the texts of a side if one is chosen."""
    rows = pair_files(pair)
    add_contents(rows)
    files = {file.pk: file for file in rows}
    blocks = group_passages(passage for passage in pair.passages if not passage.common)
    used = {key for block in blocks for key in (block[0].left_file, block[0].right_file)}
    lines = {key: _lines(files[key]) for key in used}
    passages = [
        Passage(number, _range(lines, block), _range(lines, [one.exchanged for one in block]))
        for number, block in enumerate(blocks)
    ]
    if side is None:
        return MatchTexts(passages, [])
    return _side(passages, files, side)


def _side(passages: list[Passage], files: dict[int, SubmissionFile], side: int) -> MatchTexts:
    keys = list(dict.fromkeys(passage.side(side).file for passage in passages))
    texts: list[FileTexts] = []
    characters = 0
    for key in sorted(keys, key=lambda key: files[key].path):
        if files[key].submission.released:
            texts.append(FileTexts(files[key].path, [Part(_("The sources were deleted."))]))
            continue
        text = file_text(files[key])
        characters += len(text)
        if characters > MAX_CHARACTERS:
            return MatchTexts(passages, texts, is_cut=True)
        own = [passage for passage in passages if passage.side(side).file == key]
        texts.append(FileTexts(files[key].path, parts_of(text, own, side)))
    return MatchTexts(passages, texts)


def parts_of(text: str, passages: Iterable[Passage], side: int) -> list[Part]:
    """Return the whole text in parts; a line in several passages is in the first of them."""
    lines = _split_lines(text)
    parts: list[Part] = []
    at = 0
    for passage in sorted(passages, key=lambda passage: passage.side(side)[1:]):
        first, last = passage.side(side)[1:]
        parts.append(Part("".join(lines[at : first - 1])))
        at = max(at, first - 1)
        parts.append(Part("".join(lines[at:last]), passage.number))
        at = max(at, last)
    parts.append(Part("".join(lines[at:])))
    return [part for part in parts if part.text or part.passage is not None]


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text as tokens count them: LF, CRLF and a lone CR end a line."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return [f"{line}\n" for line in plain.split("\n")]


def _lines(file: SubmissionFile) -> Lines:
    return unpack_with_lines(bytes(file.document.tokens))[1]


def _range(lines: dict[int, Lines], block: Sequence[PassageRecord]) -> LineRange:
    file = block[0].left_file
    first = min(one.left_token for one in block)
    last = max(one.left_token + one.tokens for one in block) - 1
    return LineRange(file, int(lines[file][first]), int(lines[file][last]))
