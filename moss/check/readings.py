"""Read files on all cores, each source once: what was read before comes from the cache."""

from __future__ import annotations

import multiprocessing
import sqlite3
import struct
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from os import cpu_count
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import FILE_SECONDS, Unreadable, read, token_lines
from moss.check.cache import Cache, folder, key_of
from submissions.storage.tokens import pack_lexical, pack_tokens, unpack_lexical, unpack_with_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fingerprint.engine import Lexical, TokenStream
    from fingerprint.types import Lines

    Done = Callable[[], None]

# Files handed to a child at once.
CHUNK = 8
PARTS = struct.Struct("<3I")


class Job(NamedTuple):
    """One file to be read; `language` as `fingerprint.reading.read` takes it."""

    path: str
    data: bytes
    language: str


class Tokens(NamedTuple):
    """What is made of a file: the front-end's name, its tokens, the line of each, what was folded away."""

    language: str
    stream: TokenStream
    lines: Lines
    lexical: Lexical


def read_file(job: Job) -> Tokens | str:
    """Read one file, or say why not."""
    try:
        found = read(job.data, job.path, job.language, FILE_SECONDS)
    except Unreadable as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - whatever a lexer does, it costs one file and is named
        return f"its front-end broke on it ({type(error).__name__})"
    return Tokens(found.front_end.name, found.tokens, token_lines(found.text, found.tokens), found.lexical)


def read_files(jobs: Sequence[Job], done: Done, meanwhile: Callable[[], None]) -> list[Tokens | str]:
    """Read files, calling `done` after each; equal files once, cached ones not at all.

    `meanwhile` is called once the children have been forked and are at work, if there is any: what it loads
    they do not hold.

    Raises
    ------
    OSError
        When the cache cannot be used.
    """
    at = folder()
    if at is None:
        return _read_new(jobs, done, meanwhile)
    try:
        return _read_cached(jobs, (done, meanwhile), at)
    except sqlite3.Error as error:
        raise OSError(
            f"the cache in {at} cannot be used ({error}); delete it, or set MOSS_CACHE=off"
        ) from error


def _read_cached(jobs: Sequence[Job], calls: tuple[Done, Callable[[], None]], at: Path) -> list[Tokens | str]:
    done, meanwhile = calls
    with closing(Cache(at)) as cache:
        keys = [key_of(job.data, job.path, job.language) for job in jobs]
        known: dict[bytes, Tokens | str] = {key: unpack(p) for key, p in cache.find(keys).items()}
        new = {key: job for key, job in zip(keys, jobs, strict=True) if key not in known}
        for _ in range(len(jobs) - len(new)):
            done()
        read_now = dict(zip(new, _read_new(list(new.values()), done, meanwhile), strict=True))
        cache.keep({key: pack(found) for key, found in read_now.items() if not isinstance(found, str)})
    known |= read_now
    return [known[key] for key in keys]


def _read_new(jobs: Sequence[Job], done: Done, meanwhile: Callable[[], None]) -> list[Tokens | str]:
    if not jobs:
        return []
    # The largest first, so that none of them is left for one child alone at the end.
    order = sorted(range(len(jobs)), key=lambda at: -len(jobs[at].data))
    workers = max(1, min(cpu_count() or 1, len(jobs) // CHUNK))
    results: list[Tokens | str] = [""] * len(jobs)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        found = pool.map(read_file, [jobs[at] for at in order], chunksize=CHUNK)
        meanwhile()
        for at, result in zip(order, found, strict=True):
            results[at] = result
            done()
    return results


def pack(tokens: Tokens) -> bytes:
    """Write a reading for the cache."""
    stream = pack_tokens(tokens.stream, tokens.lines)
    parts = (tokens.language.encode(), stream, pack_lexical(tokens.lexical))
    return PARTS.pack(*map(len, parts)) + b"".join(parts)


def unpack(packed: bytes) -> Tokens:
    """Inverse of `pack`."""
    parts, at = [], PARTS.size
    for length in PARTS.unpack_from(packed):
        parts.append(packed[at : at + length])
        at += length
    language, tokens, lexical = parts
    stream, lines = unpack_with_lines(tokens)
    if lines is None:
        raise ValueError("a kept reading has no lines")
    return Tokens(language.decode(), stream, lines, unpack_lexical(lexical))
