"""Read one file: decode its bytes, detect its language, run the front-end to get its tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from fingerprint import reasons
from fingerprint.kernels.types import Lines
from fingerprint.languages import decode, detect, front_end
from fingerprint.languages.base import Coarse, FrontEnd, LexicalClass, Scan, SpanColumns
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.detection import PAGE_NAMES
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms
from fingerprint.languages.look_alikes import plain, without_unseen
from fingerprint.languages.normalisation import fill_normalised
from fingerprint.languages.pasted_code import (
    COMPARISON_NAMES,
    language_of_pasted,
    newer_version,
    pasted_program,
    text_in,
)
from fingerprint.languages.task_statement import NO_STRING_WORDS, StringWords, string_words
from fingerprint.languages.token_rows import lines_of_offsets, lines_of_texts, token_lines
from fingerprint.lextables.deadline import TooSlow, time_limit
from fingerprint.winnowing import Params, Profile

if TYPE_CHECKING:
    from fingerprint.tokens import TokenStream

T = TypeVar("T")

DIGEST_BYTES = 16
LINE_END = re.compile(r"\r\n|\r|\n")
# Default time limit for one file; 1 MB of source takes about one second.
FILE_SECONDS = 20.0
# Errors of libraries may repeat the file; longer reasons are cut.
REASON_CHARACTERS = 500
# Lines of no tokens.
NO_LINES: Lines = np.empty(0, dtype=np.int32)


class Spelling(NamedTuple):
    """Digests of a document as it is written, but for layout and comments.

    `tokens` is of all tokens and directives. `without_names` leaves names out: of two documents of the same
    kinds of tokens that have it in common, only names differ.
    """

    tokens: bytes
    without_names: bytes


UNKNOWN = Spelling(b"", b"")


def spelling_of(text: str, scan: Scan) -> Spelling:
    """Return the digests of the text that a front-end scanned."""
    text = plain(text).text
    lexemes = _lexemes(text, scan.tokens)
    directives = "\0".join(" ".join(lexeme.split()) for lexeme in _lexemes(text, scan.directives))
    tokens = _digest(lexemes, directives)
    names = set(scan.lexical.starts[scan.lexical_classes == LexicalClass.IDENTIFIER].tolist())
    starts = scan.tokens.starts.tolist()
    others = ["" if at in names else lexeme for at, lexeme in zip(starts, lexemes, strict=True)]
    return Spelling(tokens, _digest(others, directives))


def _lexemes(text: str, tokens: TokenStream) -> list[str]:
    spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    lexemes = [text[at:end] for at, end in spans]
    return lexemes if text.isascii() else list(map(without_unseen, lexemes))


def _digest(lexemes: list[str], directives: str) -> bytes:
    lexemes_and_directives = "\0".join((*lexemes, "", directives)).encode("utf-8", "surrogatepass")
    return blake2b(lexemes_and_directives, digest_size=DIGEST_BYTES).digest()


class Unreadable(ValueError):
    """Raised for a file that cannot be turned into tokens. The message is the reason, for the uploader."""

    def __init__(self, reason: str) -> None:
        too_long = len(reason) > REASON_CHARACTERS
        super().__init__(f"{reason[:REASON_CHARACTERS]}…" if too_long else reason)

    @classmethod
    def by_time(cls, language: str, seconds: float) -> Unreadable:
        """Return the refusal of a file that takes longer to read than `seconds`."""
        return cls(reasons.READING_TOO_SLOW.format(language=language, n=f"{seconds:g}"))

    @classmethod
    def by_error(cls, error: str) -> Unreadable:
        """Return the refusal of a file that a lexer failed on; `error` names the type of its error."""
        return cls(reasons.LEXER_FAILED.format(error=error))


class Reading(NamedTuple):
    """One file after reading: the name of its front-end, its tokens, and its names, literals and imports.

    `lines` int32 has the line of each token, from 1. `coarse` is the stream that all languages share, if it was asked
    for and the language has one, and `coarse_lines` are its lines. `spans` are the spans to colour, if they were asked
    for and the front-end finds them in the same pass. `text` is what the front-end shows; it is empty in a reading that
    was stored or sent by another process: whoever shows it has the bytes. `unclosed` has the lines, from 1, in which a
    literal or comment begins that never ends; `share`: see `read_share`; `disguised`: see `plain`. `spelling` is
    `UNKNOWN`, and `words` is empty, if they were not asked for.

    What a ranking needs of it, as columns, is a `CohortFile`.
    """

    language: str
    tokens: TokenStream
    lines: Lines
    lexical: LexicalTerms
    coarse: Coarse | None = None
    coarse_lines: Lines = NO_LINES
    spans: SpanColumns | None = None
    text: str = ""
    unclosed: tuple[int, ...] = ()
    share: float = 1.0
    disguised: int = 0
    spelling: Spelling = UNKNOWN
    words: StringWords = NO_STRING_WORDS


def identify(
    data: bytes, filename: str, language: str = "", seconds: float | None = None, *, likely: str = ""
) -> tuple[str, FrontEnd]:
    """Decode a file and choose its front-end, by `language` or, if that is empty, by file name and content.

    `likely` is the language of most other files; it decides where name and content leave doubt. With
    `seconds` it takes no longer than that, and must be called in the main thread of a process.

    Returns: the text as the front-end shows it, and the front-end. Raises Unreadable when the bytes are not text, a
    container such as a notebook is broken, or it takes too long. Raises ValueError when `language` is unknown.
    """
    try:
        with time_limit(seconds) if seconds else nullcontext():
            return _identify(data, filename, language, likely)
    except TooSlow:
        raise Unreadable(reasons.LANGUAGE_TOO_SLOW.format(n=f"{seconds:g}")) from None


def _identify(data: bytes, filename: str, language: str, likely: str = "") -> tuple[str, FrontEnd]:
    chosen = front_end(language) if language else None
    try:
        decoded = decode(data).text
        if chosen is None and filename.lower().endswith(PAGE_NAMES) and (program := pasted_program(decoded)):
            return program, front_end(language_of_pasted(program, likely))
        if chosen is None and filename.lower().endswith(COMPARISON_NAMES):
            name, newer = newer_version(decoded)
            chosen = front_end(detect(name, newer, likely)) if newer else None
        chosen = chosen or front_end(detect(filename, decoded, likely))
        return text_in(chosen, decoded), chosen
    except ValueError as error:
        raise Unreadable(str(error)) from error


def read(
    data: bytes,
    filename: str,
    language: str = "",
    seconds: float = FILE_SECONDS,
    *,
    coarse: bool = False,
    spans: bool = False,
    spelling: bool = False,
    words: bool = False,
) -> Reading:
    """Read one file within `seconds`.

    With `coarse`, the reading has the coarse stream too; with `spans`, the spans to colour; with `spelling`,
    the digests; with `words`, the words of the strings. Raises Unreadable when the file is not text, its
    container is broken, its lexer fails or takes too long, or `language` is unknown.
    """
    fill_normalised.load()  # Compiling it, where that was not done yet, takes longer than reading may.
    try:
        with time_limit(seconds):
            text, chosen = _identify(data, filename, language)
            scanned = [(text, chosen.scan(text, coarse=coarse, spans=spans))]
            (reading,) = _readings(chosen.name, scanned, spelling=spelling, words=words)
            return reading
    except TooSlow:
        raise Unreadable.by_time(language or "code", seconds) from None
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(str(error)) from error


def read_together(
    files: Sequence[tuple[bytes, str]],
    language: str,
    seconds: float = FILE_SECONDS,
    *,
    coarse: bool = False,
    spans: bool = False,
    spelling: bool = False,
    words: bool = False,
) -> list[Reading | Unreadable]:
    """Return the result or the error of `read` for each file, by its bytes and name, all of one `language`.

    This is faster than file by file: a call of a kernel or of NumPy takes as long for one file as for many.
    Raises Unreadable when all of them take longer than `seconds`, or `language` is unknown. Of several files
    each may be readable alone.
    """
    fill_normalised.load()  # as above
    wanted = {"coarse": coarse, "spans": spans, "spelling": spelling, "words": words}
    try:
        chosen = front_end(language)
        if not isinstance(chosen, CodeFrontEnd):
            return [_result(partial(read, data, name, language, seconds, **wanted)) for data, name in files]
        with time_limit(seconds):
            return _read_together(files, chosen, **wanted)
    except TooSlow:
        raise Unreadable.by_time(language, seconds) from None
    except ValueError as error:
        raise Unreadable(str(error)) from error


def _read_together(
    files: Sequence[tuple[bytes, str]], chosen: CodeFrontEnd, *, coarse: bool, spans: bool, spelling: bool, words: bool
) -> list[Reading | Unreadable]:
    decoded = [_result(partial(_identify, *file, chosen.name)) for file in files]
    texts = [one[0] for one in decoded if isinstance(one, tuple)]
    scans = chosen.scan_all(texts, coarse=coarse, spans=spans)
    scanned = [(text, scan) for text, scan in zip(texts, scans, strict=True) if isinstance(scan, Scan)]
    readings = _readings(chosen.name, scanned, spelling=spelling, words=words)
    results = _with_next(_with_next(decoded, tuple, scans), Scan, readings)
    return [one if isinstance(one, Reading) else Unreadable(str(one)) for one in results]


def _result(function: Callable[[], T]) -> T | Unreadable:
    try:
        return function()
    except Unreadable as error:
        return error


def _with_next(values: Iterable[object], kind: type, results: Iterable[object]) -> list[object]:
    """Return the values, with each value of a type replaced by the next result."""
    following = iter(results)
    return [next(following) if isinstance(value, kind) else value for value in values]


def _readings(language: str, scanned: Sequence[tuple[str, Scan]], *, spelling: bool, words: bool) -> list[Reading]:
    if not scanned:
        return []
    texts, scans = zip(*scanned, strict=True)
    lines = lines_of_texts(texts, [scan.tokens for scan in scans])
    columns = texts, scans, lines, lexical_terms(scans)
    readings = [_reading(language, *row) for row in zip(*columns, strict=True)]
    if spelling:
        digests = map(spelling_of, texts, scans)
        readings = [one._replace(spelling=digest) for one, digest in zip(readings, digests, strict=True)]
    if words:
        strings = map(string_words, texts, scans)
        readings = [one._replace(words=words_of) for one, words_of in zip(readings, strings, strict=True)]
    return readings


def _reading(language: str, text: str, scan: Scan, lines: Lines, terms: LexicalTerms) -> Reading:
    coarse_lines = token_lines(text, scan.coarse.tokens) if scan.coarse else NO_LINES
    unclosed = lines_of_offsets(text, scan.unclosed)
    columns = scan.tokens, lines, terms, scan.coarse, coarse_lines
    return Reading(language, *columns, scan.spans, text, unclosed, read_share(scan), plain(text).disguised)


def read_share(scan: Scan) -> float:
    """Return the part, from 0 to 1, of the characters of code that are in tokens; 1 for a text without code.

    It is small where a lexer or a wrong language reads a program badly.
    """
    read = int((scan.tokens.ends - scan.tokens.starts).sum())
    return min(1.0, read / scan.code) if scan.code else 1.0


def profile_of(frontend: FrontEnd, params: Params) -> Profile:
    """Return the profile of the fingerprints that a front-end's tokens get with `params`."""
    return Profile(frontend.name, frontend.version, params)
