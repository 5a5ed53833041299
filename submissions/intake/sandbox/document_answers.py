"""Check what a child that reads documents answers: a hostile one could send anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from fingerprint.engine import (
    Coarse,
    LexicalTerms,
    Reading,
    SpanColumns,
    Spelling,
    StringWords,
    TokenStream,
    Unreadable,
    storable,
)
from submissions.intake.sandbox.frames import Nonsense
from submissions.intake.sandbox.syntax_spans import STYLED

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.kernels.types import Lines, Offsets
    from submissions.intake.sandbox.frames import Header

    Column = npt.NDArray[Any]

# kinds, starts, ends and lines of tokens; literals, names, imports and uses of names; starts, ends and
# classes of spans; kinds, starts, ends and lines of the coarse stream, and its terms; strings and their words
STREAM, TERMS, SPANS = ("<u8", "<i4", "<i4", "<i4"), ("<u8",) * 4, ("<i4",) * 3
DTYPES = (*STREAM, *TERMS, *SPANS, *STREAM, "<u8", "<u8", "<u8")
MAX_CHARACTERS = (1 << 31) - 1
MAX_CLASSES = 200
MAX_NAME, MAX_REASON = 100, 2000
DIGEST = re.compile(r"[0-9a-f]{32}")


def checked_result(header: Header, buffers: list[bytes]) -> Reading | Unreadable:
    """Return the reading of one file, or why it cannot be read, or raise Nonsense."""
    if header["kind"] == "read":
        return checked_reading(header, buffers)
    return _reason(header.get("reason"))


def checked_reading(header: Header, buffers: list[bytes]) -> Reading:
    """Return the reading of an answer, with spans and without its text, or raise Nonsense."""
    characters = header.get("characters")
    if type(characters) is not int or not 0 <= characters <= MAX_CHARACTERS:
        raise Nonsense("the number of characters")
    columns = _columns(buffers)
    tokens, lines = _stream(columns[:4], characters)
    terms, (span_starts, span_ends, codes) = LexicalTerms(*columns[4:8]), columns[8:11]
    symbols, symbol_lines = _stream(columns[11:15], characters)
    words = StringWords(*columns[16:])
    _check(all(map(_is_ascending, (*terms, columns[15], words.strings))), "terms")
    _check(len(words.strings) == len(words.words), "the number of words")
    family = header.get("family")
    _check(bool(family) or not len(symbols), "a coarse stream without a family")
    return Reading(
        name_of(header.get("language")),
        tokens,
        lines,
        terms,
        Coarse(name_of(family), symbols, columns[15]) if family else None,
        symbol_lines,
        _spans(SpanColumns(span_starts, span_ends, codes, header.get("classes") or []), characters),
        unclosed=_unclosed(header.get("unclosed"), characters),
        share=_share(header.get("share")),
        spelling=_spelling(header.get("spelling")),
        words=words,
    )


def _share(value: object) -> float:
    if isinstance(value, float) and 0 <= value <= 1:
        return value
    raise Nonsense("the share that was read")


def _unclosed(value: object, characters: int) -> tuple[int, ...]:
    if isinstance(value, list) and all(type(line) is int and 0 < line <= characters + 1 for line in value):
        return tuple(value)
    raise Nonsense("the lines of unclosed literals")


def _spelling(digests: object) -> Spelling:
    match digests:
        case [str(tokens), str(without_names)] if DIGEST.fullmatch(tokens) and DIGEST.fullmatch(
            without_names
        ):
            return Spelling(bytes.fromhex(tokens), bytes.fromhex(without_names))
    raise Nonsense("the spelling")


def _stream(columns: list[Column], characters: int) -> tuple[TokenStream, Lines]:
    kinds, starts, ends, lines = columns
    _check(len(kinds) == len(starts) == len(lines), "the number of tokens")
    _check_positions(starts, ends, characters)
    _check(_is_ascending(lines) and _is_within(lines, 1, characters + 1), "lines")
    return TokenStream(kinds, starts, ends), lines


def identified(results: object, count: int) -> list[str | Unreadable]:
    """Return for each of the first files of `count` the name of its front-end or why it has none.

    Raises Nonsense for anything else.
    """
    if not isinstance(results, list) or not 1 <= len(results) <= count:
        raise Nonsense("the number of results")
    return [_identified(result) for result in results]


def _identified(result: object) -> str | Unreadable:
    match result:
        case ["", reason]:
            return _reason(reason)
        case [name, ""]:
            return name_of(name)
    raise Nonsense("a result")


def _reason(value: object) -> Unreadable:
    if not isinstance(value, str) or not value:
        raise Nonsense("a reason")
    return Unreadable(storable(value[:MAX_REASON]))


def name_of(value: object) -> str:
    """Return the name of a language, or raise Nonsense."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME or not value.isprintable():
        raise Nonsense("a name")
    return value


def _spans(spans: SpanColumns, characters: int) -> SpanColumns:
    _check_positions(spans.starts, spans.ends, characters)
    _check(isinstance(spans.classes, list) and len(spans.classes) <= MAX_CLASSES, "the classes of spans")
    _check(all(STYLED.fullmatch(name_of(name)) for name in spans.classes), "a class of spans")
    _check(len(spans.codes) == len(spans.starts), "the number of spans")
    _check(_is_within(spans.codes, 0, len(spans.classes) - 1), "the class of a span")
    return spans


def _columns(buffers: list[bytes]) -> list[Column]:
    types = [np.dtype(name) for name in DTYPES]
    _check(len(buffers) == len(types), "the number of columns")
    for buffer, dtype in zip(buffers, types, strict=True):
        _check(len(buffer) % dtype.itemsize == 0, "the length of a column")
    return [np.frombuffer(buffer, dtype).copy() for buffer, dtype in zip(buffers, types, strict=True)]


def _check_positions(starts: Offsets, ends: Offsets, characters: int) -> None:
    _check(len(starts) == len(ends), "the number of positions")
    _check(_is_ascending(starts) and _is_within(starts, 0, characters), "starts")
    _check(bool((ends >= starts).all()) and _is_within(ends, 0, characters), "ends")


def _is_ascending(column: Column) -> bool:
    return bool((column[1:] >= column[:-1]).all())


def _is_within(column: Column, lowest: int, highest: int) -> bool:
    return not len(column) or bool(lowest <= column.min() and column.max() <= highest)


def _check(condition: object, what: str) -> None:
    if not condition:
        raise Nonsense(what)
