"""Documents with given fingerprints."""

from collections.abc import Mapping, Sequence

import numpy as np

from submissions.models import Document, Source
from submissions.uploads.fingerprinting import add_run
from submissions.uploads.stored_documents import pack_fingerprints


def create_documents(count: int) -> list[int]:
    """Store documents without fingerprints; return their primary keys."""
    source = Source.objects.create(sha256="1" * 64, data=b"x", size=1)
    rows = [Document(source=source, profile=f"p{number}", language="python") for number in range(count)]
    return [row.pk for row in Document.objects.bulk_create(rows)]


def store(hashes: Mapping[int, Sequence[int]]) -> None:
    """Store the fingerprints of documents by primary key, in one run; the n-th hash is at token n."""
    arrays = {pk: np.array(values, dtype=np.uint64) for pk, values in hashes.items()}
    for pk, values in arrays.items():
        Document.objects.filter(pk=pk).update(fingerprints=pack_fingerprints(values, np.arange(len(values))))
    add_run(arrays)
