"""The jobs of submissions.intake.sandbox.document_jobs, watched."""

from __future__ import annotations

from submissions.intake.sandbox import document_jobs
from tests.support.watched import watched

REFUSALS, preload = document_jobs.REFUSALS, document_jobs.preload
JOBS = watched(document_jobs.JOBS)
