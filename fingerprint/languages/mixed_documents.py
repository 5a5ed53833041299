"""The front-end of pages, data and documents: what people wrote in them, each part in its own language.

Words of texts, attributes and values are words of prose, so that a copy in other markup has the same tokens;
scripts, styles and chunks are code. Tags, keys and other marks are the frame, which has no tokens.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.types import Classes
from fingerprint.languages.base import FrontEnd, LexerFailed, Scan, Span
from fingerprint.languages.chunks import UNNAMED, Embedded
from fingerprint.languages.code import RULES_VERSION, CodeFrontEnd, lexer_input_of
from fingerprint.languages.detection import HEAD_CHARACTERS, language_of_text
from fingerprint.languages.lexing import LEXER_ERRORS
from fingerprint.lextables.dispatch import raw_tokens
from fingerprint.reasons import NAMED_LEXER_FAILED
from fingerprint.tokens import TokenStream

if TYPE_CHECKING:
    from fingerprint.languages.language_table import Language
    from fingerprint.lextables.raw_tokens import LexerInput

    Range = tuple[int, int]

PROSE = "text"
# Token types of what people wrote; those of code in another language are `Other` with the name of it.
_WRITTEN = ("Token.Text", "Token.Literal", "Token.Keyword.Constant", "Token.Name.Constant")
_CODE = "Token.Other."
_NOT_LINE_END = re.compile(r"[^\n]")


class _Part(NamedTuple):
    """All of a text that is in one language: the rest of `text` is blank, so that offsets are the same."""

    front_end: FrontEnd
    text: str


class PartsFrontEnd:
    """The front-end of one row whose lexer tells the parts; `front_end` returns that of each language."""

    def __init__(self, language: Language, front_end: Callable[[str], FrontEnd]) -> None:
        self.language = language
        self.name, self.title = language.name, language.title
        self.version = RULES_VERSION + language.version
        self._front_end = front_end
        self._frame = CodeFrontEnd(language)

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        return self.scan(text).tokens

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        """Return the tokens of all parts; pages, data and documents have no coarse stream."""
        del coarse, spans
        lexer_input = lexer_input_of(text)
        scans = [part.front_end.scan(part.text) for part in self._parts(lexer_input.source)]
        tokens, _ = _in_text_order(lexer_input, [scan.tokens for scan in scans])
        lexical, order = _in_text_order(lexer_input, [scan.lexical for scan in scans])
        classes = _joined([scan.lexical_classes for scan in scans])[order]
        directives, order = _in_text_order(lexer_input, [scan.directives for scan in scans])
        return Scan(tokens, lexical, classes, directives, _joined([scan.directive_classes for scan in scans])[order])

    def languages(self, text: str) -> set[str]:
        """Return the names of the languages of all parts."""
        return {part.front_end.name for part in self._parts(lexer_input_of(text).source)}

    def named_tokens(self, text: str) -> Iterator[Span]:
        lexer_input = lexer_input_of(text)
        spans = [
            (start, end, f"{_prefix(part.front_end)}{kind}")
            for part in self._parts(lexer_input.source)
            for start, end, kind in part.front_end.named_tokens(part.text)
        ]
        return _located(lexer_input, spans)

    def highlight(self, text: str) -> list[Span]:
        lexer_input = lexer_input_of(text)
        source = lexer_input.source
        code = [part for part in self._parts(source) if part.front_end.name != PROSE]
        spans = [span for part in code for span in part.front_end.highlight(part.text)]
        frame = self._frame.highlight(source)
        seen = (span for span in frame if span[2] != "x")
        spans += [(start, end, css) for start, end, css in seen if all(part.text[start:end].isspace() for part in code)]
        return list(_located(lexer_input, spans))

    def _parts(self, source: str) -> list[_Part]:
        ranges: dict[str, list[Range]] = defaultdict(list)
        find: Callable[[str], Iterable[Embedded]] | None = getattr(self._frame.lexer, "embedded", None)
        embedded = list(find(source)) if find else []
        for one in embedded:
            language = one.language
            if language == UNNAMED:
                language = language_of_text(dedent(source[one.start : one.end][:HEAD_CHARACTERS]))
            ranges[language].append((one.start, one.end))
        frame = without(source, [one.whole for one in embedded])
        texts = {language: only(source, parts) for language, parts in ranges.items() if language}
        for language, parts in self._ranges(frame).items():
            texts[language] = _overlaid(texts.get(language), only(frame, parts))
        return self._in_their_languages(texts)

    def _ranges(self, frame: str) -> dict[str, list[Range]]:
        """Return the ranges of what people wrote, by its language."""
        try:
            tokens = raw_tokens(self._frame.lexer, frame)
        except LEXER_ERRORS as error:
            raise LexerFailed(NAMED_LEXER_FAILED.format(language=self.title, error=type(error).__name__)) from error
        ranges: dict[str, list[Range]] = defaultdict(list)
        for start, token_type, value in zip(*tokens, strict=True):
            name = str(token_type)
            if name.startswith(_CODE):
                ranges[name.removeprefix(_CODE).lower()].append((start, start + len(value)))
            elif name.startswith(_WRITTEN):
                ranges[PROSE].append((start, start + len(value)))
        return ranges

    def _in_their_languages(self, texts: dict[str, str]) -> list[_Part]:
        """Return the parts; those in languages that nobody knows are prose."""
        by_name: dict[str, _Part] = {}
        for language, text in texts.items():
            try:
                front_end = self._front_end(language)
            except ValueError:
                front_end = self._front_end(PROSE)
            known = by_name.get(front_end.name)
            by_name[front_end.name] = _Part(front_end, _overlaid(known.text if known else None, text))
        return list(by_name.values())


def only(text: str, ranges: Iterable[Range]) -> str:
    """Return a text with spaces outside of the ranges; its line ends stay."""
    bounds = [0, *chain.from_iterable(ranges), len(text)]
    return without(text, zip(bounds[::2], bounds[1::2], strict=True))


def without(text: str, ranges: Iterable[Range]) -> str:
    """Return a text with spaces inside of the ranges; its line ends stay."""
    parts, at = [], 0
    for start, end in ranges:
        parts += [text[at:start], _NOT_LINE_END.sub(" ", text[start:end])]
        at = end
    return "".join((*parts, text[at:])) if parts else text


def _overlaid(first: str | None, second: str) -> str:
    """Return two texts of one length as one, where each is blank where the other is not."""
    if first is None:
        return second
    return "".join(map(max, first, second))


def _prefix(front_end: FrontEnd) -> str:
    """Return what tells kinds of the same name apart: the family of the language, nothing for prose."""
    return f"{front_end.language.salt} " if isinstance(front_end, CodeFrontEnd) else ""


def _in_text_order(
    lexer_input: LexerInput, streams: list[TokenStream]
) -> tuple[TokenStream, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Return the tokens of several streams as one, and the order in which they are."""
    starts = np.concatenate([np.empty(0, dtype=np.int32), *(stream.starts for stream in streams)])
    ends = np.concatenate([np.empty(0, dtype=np.int32), *(stream.ends for stream in streams)])
    kinds = np.concatenate([np.empty(0, dtype=np.uint64), *(stream.kinds for stream in streams)])
    order = np.argsort(starts, kind="stable")
    located = TokenStream(kinds[order], lexer_input.starts(starts[order]), lexer_input.ends(ends[order]))
    return located, order


def _joined(classes: list[Classes]) -> Classes:
    return np.concatenate([np.empty(0, dtype=np.uint8), *classes])


def _located(lexer_input: LexerInput, spans: Iterable[Span]) -> Iterator[Span]:
    ordered = sorted(spans)
    starts = lexer_input.starts(np.array([start for start, _, _ in ordered], dtype=np.int32))
    ends = lexer_input.ends(np.array([end for _, end, _ in ordered], dtype=np.int32))
    for start, end, (_, _, kind) in zip(starts.tolist(), ends.tolist(), ordered, strict=True):
        yield start, end, kind
