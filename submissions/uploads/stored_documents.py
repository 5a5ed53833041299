"""Stored documents: their fingerprints, syntax spans and texts, and the listed entries of an upload.

The statement of a task dictates some of their terms.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.engine import Decoded, LexicalTerms, Span, TaskStatement, decode, shown_text
from fingerprint.kernels.types import Hashes, Offsets, Terms
from submissions.intake.entries import Entry
from submissions.intake.layouts.places import ALL_METADATA_BYTES
from submissions.intake.layouts.registry import metadata_limit
from submissions.intake.limits import outside_time
from submissions.intake.packed_readings import (
    pack_spans,
    span_columns,
    syntax_spans,
    unpack_span_columns,
    unpack_spans,
    unpack_words,
)
from submissions.intake.preview import ListedUpload
from submissions.intake.unpacking import archive_stem
from submissions.models import Assignment, Batch, Boilerplate, Document, ListedEntry, Source, SubmissionFile

# The number of fingerprints, and the bytes of a difference of two positions.
HEADER = struct.Struct("<IB")
WIDTHS = (1, 2, 4)


class Fingerprints(NamedTuple):
    """Hashes uint64 [n] of the selected k-grams of a document, and the tokens at which they start, int64 [n].

    They are in the order of their positions.
    """

    hashes: Hashes
    positions: npt.NDArray[np.int64]


def pack_fingerprints(hashes: Hashes, positions: npt.NDArray[np.integer]) -> bytes:
    """Return the fingerprints of a document as bytes: 8 for a hash, mostly 1 for its position.

    hashes : uint64 [n]
    positions : [n], in any order, from 0 to 2**31 - 1

    Raises ValueError when the arrays differ in length or a position does not fit.
    """
    if len(hashes) != len(positions):
        raise ValueError(f"{len(hashes)} hashes with {len(positions)} positions")
    most = int(positions.max(initial=0))
    if most > np.iinfo(np.int32).max or int(positions.min(initial=0)) < 0:
        raise ValueError(f"positions up to {most}; they are from 0 to {np.iinfo(np.int32).max}")
    order = np.argsort(positions, kind="stable")
    gaps = np.diff(positions[order].astype(np.int64), prepend=0)
    widest = int(gaps.max(initial=0))
    width = next(width for width in WIDTHS if widest < 256**width)
    columns = hashes[order].astype("<u8"), gaps.astype(f"<u{width}")
    return HEADER.pack(len(hashes), width) + b"".join(column.tobytes() for column in columns)


def unpack_fingerprints(packed: bytes) -> Fingerprints:
    if not packed:
        return Fingerprints(np.empty(0, np.uint64), np.empty(0, np.int64))
    count, width = HEADER.unpack_from(packed)
    hashes = np.frombuffer(packed, "<u8", count, HEADER.size).astype(np.uint64)
    gaps = np.frombuffer(packed, f"<u{width}", count, HEADER.size + 8 * count)
    return Fingerprints(hashes, np.cumsum(gaps, dtype=np.int64))


def unpack_hashes(packed: bytes) -> Hashes:
    """Return the hashes of such fingerprints alone."""
    count = HEADER.unpack_from(packed)[0] if packed else 0
    hashes: Hashes = np.frombuffer(packed, "<u8", count, HEADER.size if packed else 0).astype(np.uint64)
    return hashes


def load(document_ids: Collection[int]) -> dict[int, Fingerprints]:
    """Return the fingerprints of documents by primary key; unknown ones are left out."""
    rows = Document.objects.filter(pk__in=document_ids).values_list("pk", "fingerprints")
    return {pk: unpack_fingerprints(bytes(packed)) for pk, packed in rows.iterator(chunk_size=500)}


def stored_spans(document: Document, text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Return the spans of a document that overlap the code points [start, end).

    Compute and store them all if it was stored without.
    """
    return unpack_spans(_packed_spans(document, text), start, end)


def styled_tokens(document: Document, text: str, starts: Offsets, *styles: str) -> frozenset[int]:
    """Return which of the `starts` of tokens have a syntax style whose name begins with one of `styles`."""
    columns = unpack_span_columns(_packed_spans(document, text))
    chosen = np.isin(columns.codes, [code for code, css in enumerate(columns.classes) if css.startswith(styles)])
    span = np.searchsorted(columns.starts[chosen], starts, side="right")
    return frozenset(starts[starts < np.append(0, columns.ends[chosen])[span]].tolist())


def _packed_spans(document: Document, text: str) -> bytes:
    packed = bytes(document.styles)
    if not packed:
        is_plain = document.state in (Document.State.FAILED, Document.State.KEPT)
        packed = pack_spans(span_columns([] if is_plain else syntax_spans(text, document.language)))
        Document.objects.filter(pk=document.pk, styles=b"").update(styles=packed)
        document.styles = packed
    return packed


def listed_upload(batch: Batch, listed: Sequence[ListedEntry]) -> ListedUpload:
    """Return the entries of a batch; only metadata files have their bytes."""
    rows = [
        Entry(
            row.name,
            row.size,
            row.reason,
            modified=modified(row),
            digest=bytes(row.digest or b""),
            left_out=row.left_out,
        )
        for row in listed
    ]
    names = list(batch.uploads.values_list("name", flat=True))
    return ListedUpload(
        rows,
        _metadata(listed),
        archive_stem(names[0]) if len(names) == 1 else "",
        batch.grouping_choices,
        batch.assignment.file_patterns,
    )


def _metadata(listed: Sequence[ListedEntry]) -> dict[str, bytes]:
    """Return the bytes of the files that layouts read, by path, as many as are read of an upload."""
    fitting = [row for row in listed if row.digest and 0 < row.size <= metadata_limit(row.name)]
    totals = accumulate(row.size for row in fitting)
    read = [row for row, total in zip(fitting, totals, strict=True) if total <= ALL_METADATA_BYTES]
    keys = {row.source_id for row in read} - {None}
    sources = {source.pk: bytes(source.data) for source in Source.objects.filter(pk__in=keys)}
    return {row.name: sources[row.source_id] for row in read if row.source_id in sources}


def modified(row: ListedEntry) -> datetime | None:
    """Return when a file was last modified; naive if local time of its uploader."""
    return outside_time(row.modified)


def file_text(file: SubmissionFile) -> str:
    return decode_file(file).text


def decode_file(file: SubmissionFile) -> Decoded:
    """Return the text of a file and the encoding of its bytes."""
    return shown_text(bytes(file.source.data), file.document.language)


def document_text(document: Document) -> str:
    return shown_text(bytes(document.source.data), document.language).text


class DictatedTerms(NamedTuple):
    """Terms that say nothing: of documents, and of the stream that all languages share."""

    lexical: LexicalTerms
    coarse: Terms


def dictated_terms(boilerplate: Iterable[Boilerplate], documents: Iterable[int]) -> DictatedTerms | None:
    """Return what the statements among boilerplate dictate in documents, by primary key; None without one."""
    texts = [decode(bytes(item.source.data)).text for item in boilerplate if item.statement]
    if not texts:
        return None
    statement = TaskStatement.of(texts)
    rows = Document.objects.filter(pk__in=list(documents)).exclude(words=b"").values_list("words", flat=True)
    words = (unpack_words(bytes(packed)) for packed in rows.iterator(chunk_size=500))
    return DictatedTerms(statement.lexical(words), statement.coarse)


def registered_statements(assignment: Assignment) -> list[Boilerplate]:
    """Return the statements of an assignment's task that were read, with their bytes."""
    rows = assignment.boilerplate.filter(statement=True, document__state=Document.State.READY)
    return list(rows.select_related("source").order_by("pk"))
