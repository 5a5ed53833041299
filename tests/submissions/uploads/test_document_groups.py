"""Documents are read and stored in groups, and each of them as if it were alone."""

import pytest

from fingerprint.engine import Reading, Unreadable
from submissions.models import Document
from submissions.uploads import fingerprinting as documents
from submissions.uploads.fingerprinting import MAX_ATTEMPTS, fingerprint_groups, fingerprint_pending
from submissions.uploads.ingestion import store_documents, store_sources
from submissions.work.locks import Work, sessions

pytestmark = pytest.mark.django_db

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

    def read(batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        batches.append(len(batch))
        return reader(batch, coarse=coarse)

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

    def read(batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        if keys[2] in [document.pk for document in batch]:
            raise WorkerKilled
        return reader(batch, coarse=coarse)

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

    def read(batch: list[Document], *, coarse: bool) -> list[Reading | Unreadable]:
        if keys[0] in [document.pk for document in batch]:
            raise Unreadable("it is broken")
        return reader(batch, coarse=coarse)

    monkeypatch.setattr(documents, "_read", read)
    fingerprint_pending(keys)
    assert [state for state, *_ in rows(keys)] == ["failed", "ready", "ready", "failed", "ready", "ready"]
