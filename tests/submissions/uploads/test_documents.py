"""Files and documents in the database: written in chunks and groups, whole or not at all."""

import io
import random
import resource
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as used
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone
from hypothesis import given, strategies as st

from fingerprint.engine import Reading, Unreadable
from submissions.models import Document, FileChunk
from submissions.uploads import fingerprinting as documents
from submissions.uploads.files import CHUNK_BYTES, DatabaseStorage
from submissions.uploads.fingerprinting import MAX_ATTEMPTS, fingerprint_groups, fingerprint_pending
from submissions.uploads.ingestion import store_documents, store_sources
from submissions.work.locks import Work, sessions
from tests.conftest import worker_environment

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


def test_an_empty_file_is_a_file() -> None:
    name = default_storage.save("uploads/empty", ContentFile(b""))
    assert default_storage.exists(name)
    assert (default_storage.size(name), default_storage.open(name).read()) == (0, b"")


def test_a_deleted_file_leaves_nothing(stored: str) -> None:
    default_storage.delete(stored)
    default_storage.delete(stored)  # as with files
    assert not default_storage.exists(stored)
    assert not FileChunk.objects.exists()
    for look in (default_storage.size, default_storage.get_modified_time, default_storage.open):
        with pytest.raises(FileNotFoundError, match=stored):
            look(stored)


def test_a_file_that_is_deleted_while_it_is_read_says_so(stored: str) -> None:
    with default_storage.open(stored, "rb") as file:
        assert file.read(9) == CONTENT[:9]
        default_storage.delete(stored)
        with pytest.raises(FileNotFoundError, match="deleted while it was read"):
            file.seek(CHUNK_BYTES + 1) and file.read(1)


def test_folders_are_listed(stored: str) -> None:
    default_storage.save("uploads/more/inner", ContentFile(b"x"))
    assert default_storage.listdir("uploads") == (["more"], ["stored"])
    assert default_storage.exists("uploads")
    assert not default_storage.exists("upload")
    assert timezone.now() - default_storage.get_modified_time(stored) < timedelta(minutes=1)


def test_a_file_cannot_be_changed(stored: str) -> None:
    with pytest.raises(ValueError, match="cannot be changed"):
        default_storage.open(stored, "ab")


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


def test_documents_of_one_language_are_read_together_up_to_a_number_and_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches: list[int] = []
    reader = documents._read

    def read(spent: dict[int, float], batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        batches.append(len(batch))
        return reader(spent, batch, coarse=coarse)

    monkeypatch.setattr(documents, "_read", read)
    monkeypatch.setattr(documents, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(documents, "BATCH_BYTES", 100)
    sources = store_sources(
        [b"a = 1\n", b"b = 2\n", b"c = 3\n", b"d = 4\n", b"e = 5 # " + b"5" * 100, b"f = 6\n"]
    )
    languages = ["python", "python", "python", "ruby", "ruby", "ruby"]
    pending = list(store_documents(list(zip(sources, languages, strict=True))))
    fingerprint_pending(pending)
    assert batches == [2, 1, 1, 1, 1]
    assert {state for state, *_ in rows(pending)} == {"ready"}


def test_groups_are_bounded_by_the_bytes_of_their_sources(
    keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "GROUP_BYTES", len(SOURCES[0]) + len(SOURCES[1]))
    # The fourth is a byte longer than any other.
    assert list(fingerprint_groups(keys)) == [2, 3, 4, 6]


def test_what_a_slow_group_leaves_is_read_next_and_was_not_attempted(
    keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "GROUP_SECONDS", -1)
    monkeypatch.setattr(documents, "BATCH_DOCUMENTS", 1)
    groups = fingerprint_groups(keys)
    assert next(groups) == 1
    assert [attempts for _, attempts, _ in rows(keys)] == [1, 0, 0, 0, 0, 0]
    assert not sessions(Work.DOCUMENT)
    assert list(groups) == [2, 3, 4, 5, 6]


def test_a_document_that_ends_its_workers_is_blamed_alone(
    keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = documents._read

    def read(spent: dict[int, float], batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        if keys[2] in [document.pk for document in batch]:
            raise WorkerKilled
        return reader(spent, batch, coarse=coarse)

    monkeypatch.setattr(documents, "_read", read)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(WorkerKilled):
            fingerprint_pending(keys)
    fingerprint_pending(keys)
    states = [state for state, *_ in rows(keys)]
    assert states == ["ready", "ready", "failed", "failed", "ready", "ready"]
    assert f"{MAX_ATTEMPTS} times" in Document.objects.get(pk=keys[2]).reason


def test_a_file_that_cannot_be_read_fails_alone(keys: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    reader = documents._read

    def read(spent: dict[int, float], batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        if keys[0] in [document.pk for document in batch]:
            raise Unreadable("it is broken")
        return reader(spent, batch, coarse=coarse)

    monkeypatch.setattr(documents, "_read", read)
    fingerprint_pending(keys)
    assert [state for state, *_ in rows(keys)] == ["failed", "ready", "ready", "failed", "ready", "ready"]
