"""Read files into token streams, on all cores; a file that was read before comes from a cache."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent import futures
from contextlib import closing, nullcontext, suppress
from functools import cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import fingerprint
import submissions
from fingerprint.engine import FILE_SECONDS, Reading, Unreadable, expect, identify, read, read_together
from fingerprint.kernels import usable_cores
from moss.check.inputs import SkippedInput, check_complete, entries_of
from moss.compiling import cache_folder
from submissions.intake.file_languages import ChosenLanguages, settled_languages
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.packed_readings import PackedReading, together_then_alone

if TYPE_CHECKING:
    from submissions.intake.entries import Entry

    Advance = Callable[[], None]

# Bytes of packed tokens to keep; the least recently used entries are deleted first.
# Packed tokens take about a tenth of the size of their source.
MAX_BYTES = 256_000_000
LOCK_TIMEOUT_SECONDS = 10.0
# Variables that one statement may bind, in every SQLite version that Python is built with.
MAX_VARIABLES = 500
TABLES = """
CREATE TABLE IF NOT EXISTS reading (key BLOB PRIMARY KEY, packed BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS reading_used ON reading (used);
CREATE TABLE IF NOT EXISTS run (number INTEGER PRIMARY KEY AUTOINCREMENT);
"""

# A reading depends on these packages: what the names of the folders begin with that have their versions.
READER_LIBRARIES = ("charset_normalizer-", "nbformat-", "pygments-")

# Most files and bytes that are read together, and the fewest files, bytes and batches for each child process.
BATCH_FILES, BATCH_BYTES = 64, 300_000
FEWEST_FILES, FEWEST_BYTES, FEWEST_BATCHES = 8, 64_000, 4


@cache
def _reader_digest() -> bytes:
    """Return a digest of the code that reads and packs files, and of the versions of its libraries."""
    installed = {info.name for folder in sys.path for info in Path(folder).glob("*-info")}  # faster than their metadata
    versions = sorted(name for name in installed if name.casefold().startswith(READER_LIBRARIES))
    digest = blake2b("".join(versions).encode(), digest_size=16)
    engine, check = Path(fingerprint.__file__).parent, Path(__file__).parent
    intake = Path(submissions.__file__).parent / "intake"
    languages = sorted(source for name in ("languages", "lextables") for source in (engine / name).rglob("*.py"))
    root = (engine / "tokens.py", engine / "reading.py")
    for source in (*languages, *root, intake / "packed_readings.py", check / "readings.py"):
        digest.update(source.read_bytes())
    return digest.digest()


def reading_key(data: bytes, name: str, language: str, *, coarse: bool = False, words: bool = False) -> bytes:
    """Return the key (16 bytes) of a file: its bytes, its name, the forced language, the code that reads it.

    The name counts without its folder, because the language may be detected from it. A reading with the
    coarse stream, or with words of strings, has another key.
    """
    digest = blake2b(data, digest_size=16, key=_reader_digest())
    digest.update(f"\0{language}\0{coarse:d}{words:d}\0{Path(name).name}".encode("utf-8", "surrogatepass"))
    return digest.digest()


class ReadingCache:
    """Packed readings by key.

    Every method raises sqlite3.Error when the file is damaged, locked for too long, cannot be
    opened, or is not such a cache.
    """

    def __init__(self, folder: Path) -> None:
        # SQLite says that it cannot open the file of a folder that cannot be made.
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            folder / "readings.sqlite3", timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None
        )
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(TABLES)
            self._run = self._connection.execute("INSERT INTO run DEFAULT VALUES").lastrowid
        except sqlite3.Error:
            self.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the readings stored under these keys, and mark them as used by this run."""
        distinct = list(dict.fromkeys(keys))
        readings: dict[bytes, bytes] = {}
        with self._connection:
            for start in range(0, len(distinct), MAX_VARIABLES):
                batch = distinct[start : start + MAX_VARIABLES]
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(
                    f"SELECT key, packed FROM reading WHERE key IN ({marks})",  # noqa: S608 - only marks
                    batch,
                )
                readings.update(rows.fetchall())
                self._connection.execute(
                    f"UPDATE reading SET used = ? WHERE key IN ({marks})",  # noqa: S608 - only marks
                    [self._run, *batch],
                )
        return readings

    def add(self, readings: Mapping[bytes, bytes]) -> None:
        """Add readings, then delete the least recently used ones beyond MAX_BYTES in total."""
        if not readings:
            return
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR REPLACE INTO reading VALUES (?, ?, ?)",
                [(key, packed, self._run) for key, packed in readings.items()],
            )
            self._connection.execute(
                "DELETE FROM reading WHERE key IN (SELECT key FROM (SELECT key,"
                " sum(length(packed)) OVER (ORDER BY used DESC, key) AS total FROM reading) WHERE total > ?)",
                [MAX_BYTES],
            )


class ReadJob(NamedTuple):
    """A file to read; all but `path` and `data` are parameters of `fingerprint.reading.read`."""

    path: str
    data: bytes
    language: str
    coarse: bool = False
    words: bool = False


def languages_of(groups: Sequence[Sequence[Entry]], chosen: ChosenLanguages) -> list[list[str | None]]:
    """Return the language of each file of each submission, None for a file that is not compared.

    A file whose language cannot be found gets the language that was `chosen` for all files: reading the file
    then fails with the reason. Where a file leaves doubt, the language of most files of the class decides.
    """
    detected = iter(detected_languages([entry for group in groups for entry in group]))
    return [_compared([(entry.name, next(detected)) for entry in group], chosen) for group in groups]


def detected_languages(files: Sequence[Entry]) -> list[str]:
    """Return the language of each file of a class, "" for a file that cannot be read."""
    detected = [_detected(entry) for entry in files]

    def again(numbers: Sequence[int], likely: str) -> list[str]:
        return [_detected(files[number], likely) for number in numbers]

    return settled_languages([entry.name for entry in files], detected, again)


def _compared(detected: Sequence[tuple[str, str]], chosen: ChosenLanguages) -> list[str | None]:
    """Return the languages of the files of a submission, by name and seeming language."""
    readable = [(path, language) for path, language in detected if language]
    languages = iter(chosen.reading(*map(list, zip(*readable, strict=True))) if readable else ())
    return [(next(languages) or None) if language else chosen.language for _, language in detected]


def _detected(entry: Entry, likely: str = "") -> str:
    try:
        return identify(entry.data or b"", entry.name, "", FILE_SECONDS, likely=likely)[1].name
    except Unreadable:
        return ""


def read_file(job: ReadJob) -> Reading | str:
    """Return the reading of a file, without its text, or the reason why it could not be read."""
    try:
        wanted = {"coarse": job.coarse, "words": job.words, "spelling": True}
        return read(job.data, job.path, job.language, FILE_SECONDS, **wanted)._replace(text="")
    except Unreadable as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - an error in a lexer must not stop the other files
        return str(Unreadable.by_error(type(error).__name__))


def read_batch(jobs: Sequence[ReadJob]) -> list[Reading | str]:
    """Return the result of `read_file` for each job; all of them agree in what is wanted of the files."""
    results = together_then_alone(jobs, _read_batch)
    return [result if isinstance(result, Reading) else str(result) for _, result in results]


def _read_batch(jobs: Sequence[ReadJob]) -> list[Reading | str | Unreadable]:
    first = jobs[0]
    if len(jobs) == 1 or not first.language:
        return [read_file(job) for job in jobs]
    wanted = {"coarse": first.coarse, "words": first.words, "spelling": True}
    try:
        files = [(job.data, job.path) for job in jobs]
        results = read_together(files, first.language, FILE_SECONDS, **wanted)
    except Exception as error:  # of one of the files: alone, each says its reason
        raise Unreadable.by_error(type(error).__name__) from error
    return [one if isinstance(one, Unreadable) else one._replace(text="") for one in results]


def read_files(jobs: Sequence[ReadJob], advance: Advance) -> list[Reading | str]:
    """Return the result of `read_file` for each job, in order; `advance` is called after each file.

    With the cache, equal files are read once, and cached ones are not read again. Raises OSError when the
    cache cannot be used, or no child processes can be started.
    """
    folder = cache_folder()
    if folder is None:
        return _read_uncached(jobs, advance)
    try:
        return _read_cached(jobs, advance, folder)
    except sqlite3.Error as error:
        raise OSError(
            f"the cache in {folder} cannot be used ({error}); delete it, name another folder in "
            "MOSS_CACHE, or set MOSS_CACHE=off"
        ) from error


def _read_cached(jobs: Sequence[ReadJob], advance: Advance, folder: Path) -> list[Reading | str]:
    with closing(ReadingCache(folder)) as cache:
        keys = [reading_key(job.data, job.path, job.language, coarse=job.coarse, words=job.words) for job in jobs]
        results: dict[bytes, Reading | str] = {
            key: PackedReading.from_bytes(packed).reading() for key, packed in cache.find(keys).items()
        }
        new_jobs = {key: job for key, job in zip(keys, jobs, strict=True) if key not in results}
        for _ in range(len(jobs) - len(new_jobs)):
            advance()
        new_results = dict(zip(new_jobs, _read_uncached(list(new_jobs.values()), advance), strict=True))
        new_readings = {key: one for key, one in new_results.items() if not isinstance(one, str)}
        cache.add({key: PackedReading.of(one).to_bytes() for key, one in new_readings.items()})
    results |= new_results
    return [results[key] for key in keys]


def _read_uncached(jobs: Sequence[ReadJob], advance: Advance) -> list[Reading | str]:
    if not jobs:
        return []
    size = sum(len(job.data) for job in jobs)
    workers = max(1, min(usable_cores(), len(jobs) // FEWEST_FILES, size // FEWEST_BYTES))
    results: list[Reading | str] = [""] * len(jobs)
    expect(_characters(jobs, workers))
    batches = _batches(jobs, workers)
    with _processes(workers) if workers > 1 else nullcontext() as pool:
        of_batches = (pool.map if pool else map)(read_batch, [[jobs[index] for index in batch] for batch in batches])
        for index, result in zip(chain(*batches), chain.from_iterable(of_batches), strict=True):
            results[index] = result
            advance()
    return results


def _batches(jobs: Sequence[ReadJob], workers: int) -> list[list[int]]:
    """Return the indexes of the jobs that are read together, those with the largest files first.

    So that no child is still busy with one when the others have finished.
    """
    most = min(BATCH_FILES, -(-len(jobs) // (workers * FEWEST_BATCHES)))
    batches, by_language, sizes = list[list[int]](), dict[str, list[int]](), Counter[str]()
    for index in sorted(range(len(jobs)), key=lambda index: -len(jobs[index].data)):
        language, size = jobs[index].language, len(jobs[index].data)
        batch = by_language.get(language, [])
        if not batch or len(batch) == most or sizes[language] + size > BATCH_BYTES:
            by_language[language] = batch = []
            batches.append(batch)
            sizes[language] = 0
        batch.append(index)
        sizes[language] += size
    return batches


def _processes(workers: int) -> futures.ProcessPoolExecutor:
    import multiprocessing  # noqa: PLC0415 - a small class needs none

    try:
        return futures.ProcessPoolExecutor(workers, multiprocessing.get_context("fork"))
    except OSError as error:  # an empty root or a container without shared memory
        raise OSError(
            f"no child processes can be started ({error.strerror}): /dev/shm must be a folder that you can "
            "write, such as a mounted tmpfs"
        ) from error


def _characters(jobs: Sequence[ReadJob], workers: int) -> Counter[str]:
    """Return about how many characters of each language each worker reads."""
    characters: Counter[str] = Counter()
    for job in jobs:
        characters[job.language] += len(job.data) // workers
    return characters


def read_boilerplate(paths: Iterable[Path], language: str) -> tuple[list[Reading], list[SkippedInput]]:
    """Return the handed-out code in files, folders and archives, and what in them was skipped.

    Raises BadArchive when an archive cannot be read, or only in part. Raises Unreadable when nothing of a
    path can be read; the message names it.
    """
    readings, skipped = [], []
    for path in paths:
        of_path, not_read = _read_path(path, language)
        if not of_path:
            reason = not_read[0].reason if len(not_read) == 1 else "none of its files can be read"
            raise Unreadable(f"{path}: {reason}")
        readings += of_path
        skipped += not_read
    return readings, skipped


def _read_path(path: Path, language: str) -> tuple[list[Reading], list[SkippedInput]]:
    entries = list(entries_of(path, FilePatterns()))
    check_complete(entries)
    readings, skipped = [], []
    for entry in entries:
        reason = entry.reason
        if entry.data is not None:
            try:
                readings.append(read(entry.data, entry.name, language, coarse=True))
                continue
            except Unreadable as error:
                reason = str(error)
        skipped.append(SkippedInput(f"{path}: {entry.name}", reason))
    return readings, skipped
