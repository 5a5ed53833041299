"""A few lines of a stored source, told by tokens, to show what was left out."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import decode, front_end
from submissions.models import Document
from submissions.pages.source_view.render import LINE_END, line_starts
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.pseudonyms.names import Names

LINES, CHARACTERS = 15, 200


class Excerpt(NamedTuple):
    """Lines from `first_line` to `last_line`, counted from 1; of a long one `more` are not in `text`."""

    first_line: int
    last_line: int
    text: str
    more: int


def documents(ids: Iterable[int]) -> dict[int, Document]:
    """Read documents with their sources and tokens, in one query."""
    read = Document.objects.filter(pk__in=set(ids), state=Document.State.READY).select_related("source")
    return {document.pk: document for document in read.defer("lexical", "styles")}


def excerpt(document: Document, first: int, after: int, names: Names) -> Excerpt:
    """Show the lines on which the tokens [`first`, `after`) stand, with everybody called as in `names`."""
    text = front_end(document.language).text(decode(bytes(document.source.data)).text)
    tokens = unpack_tokens(bytes(document.tokens))
    starts = line_starts(text)
    low, high = (bisect_right(starts, at) for at in (tokens.starts[first], tokens.ends[after - 1] - 1))
    whole = text[starts[low - 1] : starts[high] if high < len(starts) else len(text)]
    lines = LINE_END.split(whole.rstrip("\r\n"))
    shown = [line[:CHARACTERS] + ("…" if len(line) > CHARACTERS else "") for line in lines[:LINES]]
    return Excerpt(low, high, names.source("\n".join(shown)), max(0, len(lines) - LINES))
