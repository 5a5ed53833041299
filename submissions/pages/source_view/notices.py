"""Sentences on unusual properties of a source's text, and on how they are displayed."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, ngettext

from submissions.comparison.visible import UNSEEN, character_name
from submissions.pages.source_view.screen import LONG_LINE

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
        text = _(
            "Not in UTF-8; read as {encoding}. Letters with accents and other characters beyond "
            "ASCII may be wrong."
        )
        yield text.format(encoding=name)
    if damaged := source.text.count("\ufffd"):
        yield ngettext(
            "{n} character could not be decoded and is shown as �.",
            "{n} characters could not be decoded and are shown as �.",
            damaged,
        ).format(n=f"{damaged:,}")


def _unseen_character_notices(text: str) -> Iterator[str]:
    counts = Counter(match[0] for match in UNSEEN.finditer(text))
    if not counts:
        return
    most_common = counts.most_common(MAX_CHARACTER_KINDS)
    kind = _("{character}, {n} of them")
    kinds = [kind.format(character=character_name(character), n=count) for character, count in most_common]
    if len(counts) > MAX_CHARACTER_KINDS:
        kinds.append(_("{n} more kinds").format(n=len(counts) - MAX_CHARACTER_KINDS))
    total = counts.total()
    yield ngettext(
        "Has {n} invisible or misleading character, marked in red: {kinds}.",
        "Has {n} invisible or misleading characters, each marked in red: {kinds}.",
        total,
    ).format(n=f"{total:,}", kinds="; ".join(kinds))


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
        one = _("Line {line} has {n} characters; click to see those after the first {limit}.")
        many = _(
            "The longest of {lines} long lines has {n} characters; click to see those after the "
            "first {limit}."
        )
        figures = {"line": number, "lines": long, "n": f"{longest:,}", "limit": f"{LONG_LINE:,}"}
        yield (one if long == 1 else many).format(**figures)
