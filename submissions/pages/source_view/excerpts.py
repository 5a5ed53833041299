"""Excerpts of sources: the lines of some tokens, for lists of passages."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.source_html import LINE_END, line_starts
from submissions.models import Document
from submissions.storage.listings import document_text
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.pseudonyms.names import Names

# An excerpt shows so many lines at most, and of each line so many characters.
MAX_LINES, MAX_CHARACTERS = 15, 200


class SourceExcerpt(NamedTuple):
    """Lines `first_line` to `last_line` of a source, from 1, both included; `text` lacks the last `more`."""

    first_line: int
    last_line: int
    text: str
    more: int


def documents(ids: Iterable[int]) -> dict[int, Document]:
    """Return the readable ones of these documents by id, with sources and tokens, in one query."""
    ready = Document.objects.filter(pk__in=set(ids), state=Document.State.READY, source__emptied=None)
    light = ready.select_related("source").defer("lexical", "coarse", "styles")
    return {document.pk: document for document in light}


def source_excerpt(document: Document, first: int, after: int, names: Names) -> SourceExcerpt:
    """Return the lines that hold the tokens [`first`, `after`), with names replaced as `names` does."""
    text = document_text(document)
    tokens = unpack_tokens(bytes(document.tokens))
    starts = line_starts(text)
    offsets = tokens.starts[first], tokens.ends[after - 1] - 1
    first_line, last_line = (bisect_right(starts, offset) for offset in offsets)
    end = starts[last_line] if last_line < len(starts) else len(text)
    lines = LINE_END.split(text[starts[first_line - 1] : end].rstrip("\r\n"))
    shortened = "\n".join(map(_shortened, lines[:MAX_LINES]))
    return SourceExcerpt(
        first_line, last_line, names.redact_source(shortened), max(0, len(lines) - MAX_LINES)
    )


def _shortened(line: str) -> str:
    return line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}…"
