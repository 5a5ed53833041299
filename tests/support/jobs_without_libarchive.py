"""The jobs of a child that unpacks, on a machine without libarchive."""

from __future__ import annotations

from fingerprint.engine import import_encodings
from submissions.intake.sandbox import archive_jobs

JOBS, REFUSALS = archive_jobs.JOBS, archive_jobs.REFUSALS


def preload() -> None:
    import_encodings()
