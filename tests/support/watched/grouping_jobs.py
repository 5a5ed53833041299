"""The jobs of submissions.intake.sandbox.grouping_jobs, watched."""

from __future__ import annotations

from submissions.intake.sandbox import grouping_jobs
from tests.support.watched import watched

REFUSALS, preload = grouping_jobs.REFUSALS, grouping_jobs.preload
JOBS = watched(grouping_jobs.JOBS)
