"""Files and documents in the database: written in chunks and groups, whole or not at all."""

import io
import random
import resource
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings as used
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import Coarse, Reading, StringWords, Unreadable
from fingerprint.tokens import TokenStream
from submissions.intake.packed_readings import (
    COLOURED_CHARACTERS,
    PackedReading,
    pack_coarse,
    pack_spans,
    pack_tokens,
    pack_words,
    span_columns,
    syntax_spans,
    together_then_alone,
    unpack_coarse,
    unpack_spans,
    unpack_with_lines,
    unpack_words,
)
from submissions.models import Document, FileChunk
from submissions.uploads import fingerprinting as documents
from submissions.uploads.files import CHUNK_BYTES, DatabaseStorage
from submissions.uploads.fingerprinting import MAX_ATTEMPTS, fingerprint_groups, fingerprint_pending
from submissions.uploads.ingestion import store_documents, store_sources
from submissions.uploads.stored_documents import stored_spans
from submissions.work.locks import Work, sessions
from tests.conftest import worker_environment
from tests.fingerprint import languages
from tests.fingerprint.test_reading import plain
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import CountQueries, HandIn

pytestmark = pytest.mark.django_db
CONTENT = random.Random(1).randbytes(2 * CHUNK_BYTES + 12_345)
READ_IN_LITTLE_MEMORY = """
import resource, django
django.setup()
from django.core.files.storage import default_storage
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with default_storage.open("uploads/large", "rb") as file:
    total = sum(len(piece) for piece in iter(lambda: file.read(1 << 16), b""))
print(total, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
tokens = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 99), st.integers(0, 9)), max_size=20)


@pytest.fixture
def stored() -> str:
    return default_storage.save("uploads/stored", ContentFile(CONTENT))


def test_uploads_are_kept_in_the_database_by_default() -> None:
    assert isinstance(default_storage._wrapped, DatabaseStorage)  # type: ignore[attr-defined] # a lazy object


def test_a_file_comes_back_as_it_was(stored: str) -> None:
    with default_storage.open(stored, "rb") as file:
        assert file.read() == CONTENT
    assert default_storage.size(stored) == len(CONTENT)
    chunks = FileChunk.objects.filter(name=stored).order_by("number")
    assert [len(chunk.data) for chunk in chunks] == [CHUNK_BYTES, CHUNK_BYTES, 12_345]


@given(places=st.lists(st.tuples(st.integers(0, len(CONTENT) + 9), st.integers(0, 1_200_000)), max_size=6))
def test_any_part_of_it_can_be_read(places: list[tuple[int, int]]) -> None:
    name = "uploads/parts"
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(CONTENT))
    with default_storage.open(name, "rb") as file:
        for at, size in places:
            file.seek(at)
            assert file.read(size) == CONTENT[at : at + size]


def test_folders_are_listed_and_files_may_be_empty_and_cannot_be_changed(stored: str) -> None:
    inner = default_storage.save("uploads/more/inner", ContentFile(b""))
    assert default_storage.exists(inner)
    assert (default_storage.size(inner), default_storage.open(inner).read()) == (0, b"")
    assert default_storage.listdir("uploads") == (["more"], ["stored"])
    assert default_storage.exists("uploads")
    assert not default_storage.exists("upload")
    assert timezone.now() - default_storage.get_modified_time(stored) < timedelta(minutes=1)
    with pytest.raises(ValueError, match="cannot be changed"):
        default_storage.open(stored, "ab")


def test_a_deleted_file_leaves_nothing_and_one_that_is_read_says_so(stored: str) -> None:
    with default_storage.open(stored, "rb") as file:
        assert file.read(9) == CONTENT[:9]
        default_storage.delete(stored)
        default_storage.delete(stored)  # as with files
        with pytest.raises(FileNotFoundError, match="deleted while it was read"):
            file.seek(CHUNK_BYTES + 1) and file.read(1)
    assert not default_storage.exists(stored)
    assert not FileChunk.objects.exists()
    for look in (default_storage.size, default_storage.get_modified_time, default_storage.open):
        with pytest.raises(FileNotFoundError, match=stored):
            look(stored)


class _Stream(io.BytesIO):
    """A stream of `size` zeros that are never in memory together; reading beyond `broken` is an error."""

    def __init__(self, size: int, broken: int) -> None:
        super().__init__()
        self.left, self.broken = size, size - broken

    def read(self, size: int | None = -1, /) -> bytes:
        taken = min(size or 0, self.left)
        self.left -= taken
        if self.left < self.broken:
            raise OSError("the disk broke")
        return bytes(taken)


def test_a_file_that_cannot_be_read_to_its_end_is_not_stored_in_part() -> None:
    with pytest.raises(OSError, match="the disk broke"):
        default_storage.save("uploads/failing", File(_Stream(3 * CHUNK_BYTES, CHUNK_BYTES)))
    assert not FileChunk.objects.exists()


def test_postgres_does_not_compress_what_mostly_is_compressed() -> None:
    query = "SELECT attstorage FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'data'"
    with connection.cursor() as cursor:
        cursor.execute(query, ["submissions_filechunk"])
        assert cursor.fetchone() == ("e",)


@pytest.mark.long
def test_a_large_file_takes_little_memory(transactional_db: None) -> None:
    size = 60 * CHUNK_BYTES
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    default_storage.save("uploads/large", File(_Stream(size, size)))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < size // 1024 // 3
    reader = subprocess.run(
        [sys.executable, "-c", READ_IN_LITTLE_MEMORY],
        env=worker_environment(),
        capture_output=True,
        text=True,
        check=True,
        cwd=used.BASE_DIR,
    )
    total, grown = map(int, reader.stdout.split())
    assert (total, grown < size // 1024 // 3) == (size, True)


SOURCES = [f"x{number} = [{number}] * {number}\n".encode() for number in range(6)]


BROKEN = b"\x00\x01\x02 is no text"


class WorkerKilled(BaseException):
    """The end of a worker, as far as a test can go on after it."""


@pytest.fixture
def keys() -> list[int]:
    """Return the primary keys of six pending documents; the fourth cannot be read."""
    sources = store_sources([*SOURCES[:3], BROKEN, *SOURCES[4:]])
    return list(store_documents([(source, "python") for source in sources]))


@pytest.fixture
def batches(keys: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of documents that are read together; the first ends a batch, the third a worker."""
    sizes: list[int] = []
    reader = documents._read

    def read(spent: dict[int, float], batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        sizes.append(len(batch))
        pending = [document.pk for document in batch]
        if keys[0] in pending:
            raise Unreadable("it is broken")
        if keys[2] in pending:
            raise WorkerKilled
        return reader(spent, batch, coarse=coarse)

    monkeypatch.setattr(documents, "_read", read)
    return sizes


def rows(keys: list[int]) -> list[tuple[str, int, int]]:
    """Return state, attempts and number of tokens of each document."""
    documents = Document.objects.in_bulk(keys)
    return [(documents[pk].state, documents[pk].attempts, documents[pk].token_count) for pk in keys]


def test_a_group_has_the_same_tokens_as_its_documents_read_one_by_one(keys: list[int]) -> None:
    assert list(fingerprint_groups(keys)) == [len(keys)]
    together = rows(keys)
    Document.objects.update(state="pending", attempts=0, token_count=0)
    assert list(fingerprint_groups(keys, 1)) == [1, 2, 3, 4, 5, 6]
    assert rows(keys) == together
    assert [state for state, *_ in together] == ["ready"] * 3 + ["failed"] + ["ready"] * 2


def test_documents_are_read_together_in_bounds(batches: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(documents, "BATCH_BYTES", 100)
    texts = [f"{name} = {number}\n".encode() for number, name in enumerate("abcd", 1)]
    sources = store_sources([*texts, b"e = 5 # " + b"5" * 100, b"f = 6\n"])
    languages = ["python"] * 3 + ["ruby"] * 3
    pending = list(store_documents(list(zip(sources, languages, strict=True))))
    fingerprint_pending(pending)
    assert batches == [2, 1, 1, 1, 1]
    assert {state for state, *_ in rows(pending)} == {"ready"}


def test_groups_are_bounded_by_bytes_of_sources(keys: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "GROUP_BYTES", len(SOURCES[0]) + len(SOURCES[1]))
    # The fourth is a byte longer than any other.
    assert list(fingerprint_groups(keys)) == [2, 3, 4, 6]


def test_what_a_slow_group_leaves_is_read_next(keys: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "GROUP_SECONDS", -1)
    monkeypatch.setattr(documents, "BATCH_DOCUMENTS", 1)
    groups = fingerprint_groups(keys)
    assert next(groups) == 1
    assert [attempts for _, attempts, _ in rows(keys)] == [1, 0, 0, 0, 0, 0]
    assert not sessions(Work.DOCUMENT)
    assert list(groups) == [2, 3, 4, 5, 6]


def test_a_document_that_ends_its_workers_is_blamed_alone(keys: list[int], batches: list[int]) -> None:
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(WorkerKilled):
            fingerprint_pending(keys)
    fingerprint_pending(keys)
    assert [state for state, *_ in rows(keys)] == ["failed", "ready", "failed", "failed", "ready", "ready"]
    assert Document.objects.get(pk=keys[0]).reason == "it is broken"
    assert f"{MAX_ATTEMPTS} times" in Document.objects.get(pk=keys[2]).reason


def stream_of(rows: list[tuple[int, int, int]]) -> TokenStream:
    """Return the tokens of (kind, start, length) rows."""
    return TokenStream.from_triples((kind, start, start + length) for kind, start, length in rows)


@given(tokens)
def test_packed_tokens_come_back_with_their_lines(rows: list[tuple[int, int, int]]) -> None:
    stream, lines = stream_of(rows), np.array([start // 3 for _, start, _ in rows], np.int32)
    unpacked, unpacked_lines = unpack_with_lines(pack_tokens(stream, lines))
    for column in ("kinds", "starts", "ends"):
        expected, actual = getattr(stream, column), getattr(unpacked, column)
        assert (actual.dtype, actual.tolist()) == (expected.dtype, expected.tolist())
    assert (unpacked_lines.dtype, unpacked_lines.tolist()) == (lines.dtype, lines.tolist())


@given(tokens, st.sampled_from(["c", "java", "javascript"]), st.sets(st.integers(0, 2**64 - 1)))
def test_a_packed_coarse_stream_comes_back_with_its_family_and_terms(
    rows: list[tuple[int, int, int]], family: str, terms: set[int]
) -> None:
    lines = np.array([start // 3 for _, start, _ in rows], np.int32)
    coarse = Coarse(family, stream_of(rows), np.array(sorted(terms), dtype=np.uint64))
    unpacked = unpack_coarse(pack_coarse(coarse, lines))
    assert unpacked is not None
    assert unpacked[0].family == family
    assert unpacked[0].tokens.kinds.tolist() == coarse.tokens.kinds.tolist()
    assert unpacked[0].tokens.ends.tolist() == coarse.tokens.ends.tolist()
    assert unpacked[0].terms.tolist() == sorted(terms)
    assert unpacked[1].tolist() == lines.tolist()


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), max_size=20))
def test_packed_words_of_strings_come_back(rows: list[tuple[int, int]]) -> None:
    strings, words = np.array(rows, dtype=np.uint64).reshape(-1, 2).T
    unpacked = unpack_words(pack_words(StringWords(strings, words)))
    assert (unpacked.strings.tolist(), unpacked.words.tolist()) == (strings.tolist(), words.tolist())


@pytest.mark.parametrize("coarse", [False, True])
def test_a_packed_reading_comes_back_from_the_database_and_from_the_cache(*, coarse: bool) -> None:
    source = Path(languages.__file__).parent / "golden" / "java.java"
    reading = engine.read(source.read_bytes(), source.name, coarse=coarse, spans=True, spelling=True, words=True)
    reading = reading._replace(text="", share=0.5, unclosed=(3, 8))
    packed = PackedReading.of(reading)
    for stored in (packed, PackedReading.from_bytes(packed.to_bytes())):
        assert plain(stored.reading()) == plain(reading)


@given(st.lists(st.sampled_from(["read", "refused", "fails"]), max_size=9), st.integers(1, 4), st.integers(1, 4))
def test_files_that_fail_together_are_read_alone_once(kinds: list[str], most: int, answered: int) -> None:
    requests: list[list[int]] = []

    def read(files: Sequence[int]) -> list[int | Unreadable]:
        requests.append(list(files))
        if any(kinds[file] == "fails" for file in files):
            raise Unreadable("failed")
        results = [Unreadable("refused") if kinds[file] == "refused" else file for file in files]
        return results[:answered]

    results = list(together_then_alone(range(len(kinds)), read, lambda rest: min(len(rest), most)))
    assert [file for file, _ in results] == list(range(len(kinds)))
    expected = {"read": None, "refused": "refused", "fails": "failed"}
    for file, result in results:
        assert result == file if kinds[file] == "read" else str(result) == expected[kinds[file]]
    failed = [any(kinds[file] == "fails" for file in files) for files in requests]
    after = requests[failed.index(True) + 1 :] if any(failed) else []
    assert all(len(files) == 1 for files in after)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["k", "s1", "nf"]))))
def test_packed_styles_come_back(steps: list[tuple[int, int, str]]) -> None:
    spans, offset = [], 0
    for gap, length, css in steps:
        spans.append((offset + gap, offset + gap + length, css))
        offset += gap + length
    assert list(unpack_spans(pack_spans(span_columns(spans)))) == spans


def test_only_what_the_stylesheet_colours_is_kept_and_nothing_of_a_very_long_file() -> None:
    assert syntax_spans("if x: pass  # no\n", "python") == [(0, 2, "k"), (6, 10, "k"), (12, 16, "c1")]
    assert syntax_spans("if\n" * (COLOURED_CHARACTERS // 2), "python") == []
    none = pack_spans(span_columns([]))
    assert none  # Unknown styles are packed as nothing.
    assert list(unpack_spans(none)) == []
    assert pack_coarse(None, np.empty(0, np.int32)) == b""
    assert unpack_coarse(b"") is None


@pytest.mark.long
def test_a_worker_stores_the_styles_and_an_older_document_gets_them_when_it_is_first_shown(
    hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    hand_in(zipped(CLASS))
    for document in Document.objects.select_related("source"):
        text, styles = bytes(document.source.data).decode(), bytes(document.styles)
        assert list(unpack_spans(styles)) == syntax_spans(text, "python") != []
    Document.objects.filter(pk=document.pk).update(styles=b"")
    document.refresh_from_db(fields=["styles"])
    assert list(stored_spans(document, text)) == syntax_spans(text, "python")
    document.refresh_from_db(fields=["styles"])
    assert bytes(document.styles) == styles
    with django_assert_num_queries(0):
        assert list(stored_spans(document, text)) == syntax_spans(text, "python")
    document.styles, document.state = b"", Document.State.FAILED
    assert list(stored_spans(document, "if x")) == []
