"""Sentences on unusual properties of a source's text, and on how they are displayed."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from submissions.pages.source_view.screen import LONG_LINE
from submissions.pages.source_view.visible import UNSEEN, character_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.engine import Decoded

# Kinds of unseen characters that a notice lists.
MAX_CHARACTER_KINDS = 4


def notices(decoded: Decoded, starts: Sequence[int]) -> list[str]:
    """Return the sentences about a text; `starts` as `line_starts` returns them."""
    return [
        *_encoding_notices(decoded),
        *_unseen_character_notices(decoded.text),
        *_long_line_notices(starts, decoded.text),
    ]


def _encoding_notices(source: Decoded) -> Iterator[str]:
    name = source.encoding.replace("cp125", "windows-125")
    if source.encoding != "utf-8":
        yield f"Not in UTF-8; read as {name}. Letters beyond ASCII may be others than were meant."
    if damaged := source.text.count("\ufffd"):
        yield f"{_pluralised(damaged, 'character')} could not be decoded and {_are(damaged)} shown as \ufffd."


def _unseen_character_notices(text: str) -> Iterator[str]:
    counts = Counter(match[0] for match in UNSEEN.finditer(text))
    if not counts:
        return
    most_common = counts.most_common(MAX_CHARACTER_KINDS)
    kinds = [f"{character_name(character)}, {count} of them" for character, count in most_common]
    if len(counts) > MAX_CHARACTER_KINDS:
        kinds.append(f"{len(counts) - MAX_CHARACTER_KINDS} more kinds")
    characters = _pluralised(counts.total(), "character")
    yield f"Holds {characters} that cannot be seen or would mislead, each marked in red: {'; '.join(kinds)}."


def _long_line_notices(starts: Sequence[int], text: str) -> Iterator[str]:
    longest = number = long = 0
    for line, (start, end) in enumerate(pairwise(chain(starts, [len(text)])), 1):
        if end - start <= LONG_LINE:
            continue
        length = len(text[start:end].rstrip("\r\n"))
        long += length > LONG_LINE
        if length > longest:
            longest, number = length, line
    if long:
        name = f"The longest of {long} long lines" if long > 1 else f"Line {number}"
        yield f"{name} has {longest:,} characters; those after the first {LONG_LINE:,} open by a click."


def _pluralised(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count > 1 else ''}"


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
