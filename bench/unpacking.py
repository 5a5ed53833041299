"""Measure how fast the service unpacks an upload: `python -m bench.unpacking [--files 5000] [--bytes 3000]`.

A zip of small programs is unpacked, grouped and stored as a worker does it, with a private Postgres; the
child processes that read it run beside this one. Of the fastest of `--repeat` runs, the files a second and
the processor seconds of this process are printed. Nothing is lexed. `--profile` prints a profile of it.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.importer import moodle_class

if TYPE_CHECKING:
    from submissions.models import Assignment

AIM = 3_000


def unpack_once(
    assignment: Assignment, packed: bytes, profile: cProfile.Profile | None = None
) -> tuple[float, float]:
    """Upload and unpack a zip; return the seconds on the clock and of this process."""
    from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: PLC0415 - after Django's start

    from submissions.courses.retention import delete_batch  # noqa: PLC0415
    from submissions.models import Source, SubmissionFile  # noqa: PLC0415
    from submissions.uploads import lifecycle  # noqa: PLC0415
    from submissions.uploads.change import create_batch  # noqa: PLC0415
    from submissions.uploads.ingestion import ingest_batch  # noqa: PLC0415

    batch = create_batch(assignment, None, [SimpleUploadedFile("class.zip", packed)])
    lifecycle.start_unpacking(batch.pk)
    start, processor = time.perf_counter(), time.process_time()
    if profile:
        profile.runcall(ingest_batch, batch)
    else:
        ingest_batch(batch)
    clock, processor = time.perf_counter() - start, time.process_time() - processor
    assert SubmissionFile.objects.filter(submission__batch=batch).exists()
    delete_batch(batch)
    assert not Source.objects.exists()
    return clock, processor


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--bytes", type=int, default=3_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    packed = moodle_class(options.files, options.bytes)
    with tempfile.TemporaryDirectory(prefix="bench-unpacking-") as folder:
        os.environ["MOSS_HOME"] = folder
        os.environ["MOSS_LOG_LEVEL"] = "WARNING"
        _measure(packed, options)


def _measure(packed: bytes, options: argparse.Namespace) -> None:
    from moss.installation import migrate, start_django  # noqa: PLC0415 - after the choice of its home

    start_django()
    migrate()
    from django.contrib.auth.models import User  # noqa: PLC0415 - after Django's start
    from django.db import connection  # noqa: PLC0415

    from moss.embedded.client import installation_paths, release_services, wait_until_stopped  # noqa: PLC0415
    from submissions.models import Course  # noqa: PLC0415

    try:
        owner = User.objects.create_user("owner")
        assignment = Course.objects.create(owner=owner, name="C").assignments.create(name="A")
        unpack_once(assignment, moodle_class(200, options.bytes))  # starts the child that reads
        profile = cProfile.Profile() if options.profile else None
        seconds = [unpack_once(assignment, packed, profile) for _ in range(options.repeat)]
        if profile:
            profile.print_stats("cumulative")
    finally:
        connection.close()
        release_services()
        wait_until_stopped(installation_paths(Path(os.environ["MOSS_HOME"])))
    clock, processor = (min(one) for one in zip(*seconds, strict=True))
    speed = options.files / clock
    print(f"{options.files:,} files of {options.bytes:,} bytes: {clock:.2f} s, {speed:,.0f} files a second")
    print(f"{processor:.2f} s of this process; {'met' if speed >= AIM else 'missed'}: {AIM:,} files a second")


if __name__ == "__main__":
    main()
