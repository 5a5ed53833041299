"""Read files into token streams, on all cores; a file that was read before comes from the cache."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import struct
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.cores import usable_cores
from fingerprint.engine import FILE_SECONDS, Unreadable, read, read_share, token_lines
from moss.cache_folder import cache_folder
from moss.check.cache import ReadingCache, reading_key
from submissions.storage.tokens import (
    pack_coarse,
    pack_lexical,
    pack_tokens,
    unpack_coarse,
    unpack_lexical,
    unpack_with_lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fingerprint.engine import Coarse, LexicalTerms, TokenStream
    from fingerprint.types import Lines

    Advance = Callable[[], None]

# Files that a child process takes at a time.
CHUNK = 8
PART_LENGTHS = struct.Struct("<5I")
NO_LINES: Lines = np.empty(0, dtype=np.int32)


class ReadJob(NamedTuple):
    """A file to read; `language` and `coarse` are parameters of `fingerprint.reading.read`."""

    path: str
    data: bytes
    language: str
    coarse: bool = False


class FileTokens(NamedTuple):
    """The tokens of a file, with the name of its front-end and its literals, names and imports.

    `lines` has the line of each token, from 1; `coarse` and `coarse_lines` are those of the coarse stream, if
    the job asked for it and the language has one. `share` and `unclosed` are as in `ReadFile`.
    """

    language: str
    stream: TokenStream
    lines: Lines
    lexical: LexicalTerms
    coarse: Coarse | None = None
    coarse_lines: Lines = NO_LINES
    share: float = 1.0
    unclosed: tuple[int, ...] = ()


class LocalFile(NamedTuple):
    """One file of a submission, with its bytes for display; `submission` indexes the report's submissions."""

    submission: int
    path: str
    data: bytes
    tokens: FileTokens


def read_file(job: ReadJob) -> FileTokens | str:
    """Return the tokens of a file, or the reason why it could not be read."""
    try:
        reading = read(job.data, job.path, job.language, FILE_SECONDS, coarse=job.coarse)
    except Unreadable as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - an error in a lexer must not stop the other files
        return f"its front-end broke on it ({type(error).__name__})"
    lines = token_lines(reading.text, reading.tokens)
    symbols = token_lines(reading.text, reading.coarse.tokens) if reading.coarse else NO_LINES
    return FileTokens(
        reading.front_end.name,
        reading.tokens,
        lines,
        reading.lexical,
        reading.coarse,
        symbols,
        read_share(reading.front_end, reading.text, reading.tokens),
        reading.unclosed,
    )


def read_files(
    jobs: Sequence[ReadJob], advance: Advance, meanwhile: Callable[[], None]
) -> list[FileTokens | str]:
    """Return the result of `read_file` for each job, in order; `advance` is called after each file.

    With the cache, equal files are read once, and cached ones are not read again. `meanwhile` is called while
    the child processes read, and not at all when there is nothing to read. It runs after the children have
    been forked, so that their memory does not include what it loads.

    Raises
    ------
    OSError
        When the cache cannot be used.
    """
    folder = cache_folder()
    if folder is None:
        return _read_uncached(jobs, advance, meanwhile)
    try:
        return _read_cached(jobs, (advance, meanwhile), folder)
    except sqlite3.Error as error:
        raise OSError(
            f"the cache in {folder} cannot be used ({error}); delete it, or set MOSS_CACHE=off"
        ) from error


def _read_cached(
    jobs: Sequence[ReadJob], callbacks: tuple[Advance, Callable[[], None]], folder: Path
) -> list[FileTokens | str]:
    advance, meanwhile = callbacks
    with closing(ReadingCache(folder)) as cache:
        keys = [reading_key(job.data, job.path, job.language, coarse=job.coarse) for job in jobs]
        results: dict[bytes, FileTokens | str] = {
            key: unpack(packed) for key, packed in cache.find(keys).items()
        }
        new_jobs = {key: job for key, job in zip(keys, jobs, strict=True) if key not in results}
        for _ in range(len(jobs) - len(new_jobs)):
            advance()
        new_results = dict(
            zip(new_jobs, _read_uncached(list(new_jobs.values()), advance, meanwhile), strict=True)
        )
        cache.add({key: pack(result) for key, result in new_results.items() if not isinstance(result, str)})
    results |= new_results
    return [results[key] for key in keys]


def _read_uncached(
    jobs: Sequence[ReadJob], advance: Advance, meanwhile: Callable[[], None]
) -> list[FileTokens | str]:
    if not jobs:
        return []
    # Read the largest files first, so that no child is still busy with one when the others have finished.
    order = sorted(range(len(jobs)), key=lambda index: -len(jobs[index].data))
    workers = max(1, min(usable_cores(), len(jobs) // CHUNK))
    results: list[FileTokens | str] = [""] * len(jobs)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        ordered_results = pool.map(read_file, [jobs[index] for index in order], chunksize=CHUNK)
        meanwhile()
        for index, result in zip(order, ordered_results, strict=True):
            results[index] = result
            advance()
    return results


def pack(tokens: FileTokens) -> bytes:
    """Return the tokens of a file as bytes for the cache.

    The lengths of the parts, then the parts: front-end's name, tokens with their lines, lexical terms, coarse
    stream, what was read badly.
    """
    stream = pack_tokens(tokens.stream, tokens.lines)
    coarse = pack_coarse(tokens.coarse, tokens.coarse_lines)
    badly = json.dumps([tokens.share, tokens.unclosed]).encode()
    parts = (tokens.language.encode(), stream, pack_lexical(tokens.lexical), coarse, badly)
    return PART_LENGTHS.pack(*map(len, parts)) + b"".join(parts)


def unpack(packed: bytes) -> FileTokens:
    """Return the tokens of a file that `pack` wrote."""
    parts, start = [], PART_LENGTHS.size
    for length in PART_LENGTHS.unpack_from(packed):
        parts.append(packed[start : start + length])
        start += length
    language, tokens, lexical, packed_coarse, badly = parts
    stream, lines = unpack_with_lines(tokens)
    if lines is None:
        raise ValueError("a cached reading has no lines")
    symbols, symbol_lines = unpack_coarse(packed_coarse) or (None, NO_LINES)
    share, unclosed = json.loads(badly)
    return FileTokens(
        language.decode(),
        stream,
        lines,
        unpack_lexical(lexical),
        symbols,
        symbol_lines,
        share,
        tuple(unclosed),
    )
