"""Measure the look-up of old submissions in a growing archive, on a private Postgres server.

python -m bench.lookup --sizes 3000 10000 30000 [--fingerprints 300]

Documents are made up, with the frequencies of real code: most hashes of a document occur in it alone, others
in a family of documents that solve the same task, and some are idioms that a third of all documents have.
They are stored by the functions of the app, an upload of 1,000 documents at a time, whose runs are merged
after it. Every look-up is of a new document; every tenth one was copied from a stored one. At the end a third
of all documents is deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.private import database
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Ids = npt.NDArray[np.int64]

# Documents of one task, and how many of a document's fingerprints are of its task and are idioms.
FAMILY = 300
OF_TASK, IDIOMS = 0.35, 0.15
TASK_HASHES, IDIOM_HASHES = 20_000, 50_000
# Hashes are drawn as rank = count * random ** SKEW: the commonest are in many documents.
SKEW = 3.0
PROBES, COPIED_EVERY = 200, 10
# Documents that are made at once; sizes are multiples of it.
CHUNK = 1_000
MIX = np.uint64(0x9E3779B97F4A7C15)
TABLES = "submissions_document", "submissions_postingrun", "submissions_postingblock"


class Step(NamedTuple):
    """Figures at one size: what adding an upload of 1,000 documents and looking up costs, and what it takes.

    `add_mean_seconds` is of all uploads since the last size, with the merges of runs that they caused.
    `peak_mb` is the most memory that this process, which merges the runs, has taken so far.
    """

    documents: int
    fingerprints: int
    bytes_a_fingerprint: float
    runs: int
    add_median_seconds: float
    add_mean_seconds: float
    add_most_seconds: float
    look_up_median_ms: float
    look_up_p95_ms: float
    look_up_most_ms: float
    copies_found: str
    peak_mb: float


def made_up_hashes(first: int, documents: int, each: int) -> Ids:
    """Return the hashes of documents numbered from `first`: int64 [documents, each]."""
    random = np.random.default_rng(first)
    shape = (documents, each)
    written = random.integers(-(2**63), 2**63 - 1, shape, dtype=np.int64)
    tasks = (np.arange(first, first + documents) // FAMILY)[:, None].astype(np.uint64)
    ranks = (TASK_HASHES * random.random(shape) ** SKEW).astype(np.uint64)
    of_task = ((tasks * np.uint64(TASK_HASHES) + ranks + np.uint64(10**9)) * MIX).view(np.int64)
    idiom = ((IDIOM_HASHES * random.random(shape) ** SKEW).astype(np.uint64) * MIX).view(np.int64)
    kind = random.random(shape)
    return np.where(kind < IDIOMS, idiom, np.where(kind < IDIOMS + OF_TASK, of_task, written))


def add(first: int, each: int) -> float:
    """Store an upload of documents as the app does, and return the seconds that it takes."""
    from submissions.uploads.fingerprinting import GROUP_DOCUMENTS, merge_runs  # noqa: PLC0415 - Django is set up first

    hashes = made_up_hashes(first, CHUNK, each).view(np.uint64)
    start = time.perf_counter()
    for group in range(0, CHUNK, GROUP_DOCUMENTS):
        store(hashes[group : group + GROUP_DOCUMENTS], first + group)
    merge_runs()
    return time.perf_counter() - start


def store(hashes: npt.NDArray[np.uint64], first: int) -> None:
    """Store the documents of one group, numbered from `first`: `hashes` [documents, each]."""
    from django.db import connection, transaction  # noqa: PLC0415

    from submissions.core.database import insert  # noqa: PLC0415
    from submissions.models import Document, Source  # noqa: PLC0415
    from submissions.uploads.fingerprinting import add_run  # noqa: PLC0415
    from submissions.uploads.stored_documents import pack_fingerprints  # noqa: PLC0415

    source, _ = Source.objects.get_or_create(sha256="0" * 64, defaults={"data": b"", "size": 0})
    positions = np.arange(hashes.shape[1]) * 3
    columns: dict[str, Sequence[object]] = {
        "source_id": [source.pk] * len(hashes),
        "profile": [f"made-up-{first + number}" for number in range(len(hashes))],
        "state": ["ready"] * len(hashes),
        "fingerprints": [pack_fingerprints(written, positions) for written in hashes],
    }
    with transaction.atomic():
        rows = insert(connection, Document, columns, returning=("profile", "id"))
        numbers = {int(profile.rsplit("-")[-1]) - first: pk for profile, pk in rows}
        add_run({pk: hashes[number] for number, pk in numbers.items()})


def probes(stored: int, each: int) -> Iterator[tuple[Ids, int | None]]:
    """Yield new documents, and of those that copy a third of a stored one, the number of that one."""
    random = np.random.default_rng(11)
    firsts = random.integers(0, stored, PROBES)
    for number, first in enumerate(firsts.tolist()):
        # A new document of a stored task.
        hashes = made_up_hashes(10**9 - 10**9 % FAMILY + first, 1, each)[0]
        if number % COPIED_EVERY == 0:
            hashes[: each // 3] = made_up_document(first, each)[: each // 3]
            yield hashes, first
        else:
            yield hashes, None


def made_up_document(number: int, each: int) -> Ids:
    """Return the hashes of one stored document, which was made in a chunk."""
    start = number - number % CHUNK
    hashes: Ids = made_up_hashes(start, CHUNK, each)[number - start]
    return hashes


def stored_bytes() -> int:
    """Return the bytes of documents and postings with their indexes."""
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        if not connection.in_atomic_block:
            cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")
        cursor.execute("SELECT sum(pg_total_relation_size(name)) FROM unnest(%s::text[]) name", [[*TABLES]])
        return int(cursor.fetchone()[0])


def measure(documents: int, each: int, add_seconds: Sequence[float]) -> Step:
    """Look up the probes, each once, and return the figures."""
    from submissions.models import PostingRun  # noqa: PLC0415

    times, right = [], 0
    expected = 0
    for hashes, copied in probes(documents, each):
        start = time.perf_counter()
        best = best_documents(hashes)
        times.append(1e3 * (time.perf_counter() - start))
        expected += copied is not None
        right += copied is not None and copied in best
    total = documents * each
    return Step(
        documents,
        total,
        stored_bytes() / total,
        PostingRun.objects.count(),
        float(np.median(add_seconds)),
        float(np.mean(add_seconds)),
        max(add_seconds),
        float(np.median(times)),
        float(np.quantile(times, 0.95)),
        max(times),
        f"{right} of {expected}",
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def best_documents(hashes: Ids) -> set[int]:
    """Return the numbers of the documents that enter alignment, as a ranking chooses them."""
    from django.db import connection  # noqa: PLC0415

    from submissions.models import Document  # noqa: PLC0415
    from submissions.reports.old_work import MAX_CANDIDATES  # noqa: PLC0415
    from submissions.uploads.fingerprinting import look_up  # noqa: PLC0415

    shared = look_up(connection, hashes.view(np.uint64))
    order = np.lexsort((shared.documents, -shared.weights))
    chosen = Document.objects.filter(pk__in=shared.documents[order][:MAX_CANDIDATES].tolist())
    return {int(profile.rsplit("-")[-1]) for profile in chosen.values_list("profile", flat=True)}


def steps(wanted: Sequence[int], each: int) -> Iterator[Step]:
    """Grow the archive to each size, and measure."""
    stored = 0
    for size in wanted:
        seconds = [add(first, each) for first in range(stored, size, CHUNK)]
        stored = size
        step = measure(size, each, seconds)
        # Growing to a large size takes long: what was measured until then is told at once.
        print(" | ".join(_cells(step)), file=sys.stderr, flush=True)
        yield step


def drop_a_third() -> float:
    """Delete the oldest third of the documents, as a term is deleted, and return the seconds."""
    from submissions.models import Document  # noqa: PLC0415
    from submissions.uploads.fingerprinting import delete_unused, merge_runs  # noqa: PLC0415

    keys = list(Document.objects.order_by("pk").values_list("pk", flat=True))
    start = time.perf_counter()
    delete_unused(keys[: len(keys) // 3])
    merge_runs()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 10_000, 30_000], help="documents")
    parser.add_argument("--fingerprints", type=int, default=300, help="fingerprints of each document")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    with database(None) as dsn:
        os.environ |= {"DATABASE_URL": dsn, "SECRET_KEY": secrets.token_hex(32)}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "moss.settings"}
        import django  # noqa: PLC0415 - needs the settings

        django.setup()
        from moss.installation import migrate  # noqa: PLC0415

        migrate()
        rows = list(steps(arguments.sizes, arguments.fingerprints))
        dropped = drop_a_third()
    print(report(rows, dropped, as_json=arguments.json))


def report(rows: Sequence[Step], dropped: float, *, as_json: bool) -> str:
    """Return the figures as a table or as JSON."""
    if as_json:
        return json.dumps({"steps": [row._asdict() for row in rows], "drop_a_third_seconds": dropped})
    names = [name.replace("_", " ") for name in Step._fields]
    table = markdown(names, [_cells(row) for row in rows])
    return f"{table}\nDeleting a third of the documents: {dropped:.1f} s"


def _cells(row: Step) -> list[str]:
    return [f"{value:,.1f}" if isinstance(value, float) else str(value) for value in row]


if __name__ == "__main__":
    main()
