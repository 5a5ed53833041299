"""The jobs of submissions.intake.sandbox.archive_jobs, watched."""

from __future__ import annotations

from submissions.intake.sandbox import archive_jobs
from tests.support.watched import watched

REFUSALS, preload = archive_jobs.REFUSALS, archive_jobs.preload
JOBS = watched(archive_jobs.JOBS)
