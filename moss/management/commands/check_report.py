"""Recompute what the report of an assignment states, and list what contradicts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from submissions.checking.findings import contradictions
from submissions.models import Report

if TYPE_CHECKING:
    from argparse import ArgumentParser

LISTED = 50


class Command(BaseCommand):
    help = "Recompute what the newest report of an assignment states, and list what contradicts it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assignment", type=int, help="the number in the address of the assignment's page")

    def handle(self, *_arguments: Any, assignment: int, **_options: Any) -> None:
        finished = Report.objects.filter(assignment=assignment, state=Report.State.DONE)
        report = finished.select_related("assignment__course").order_by("-pk").first()
        if not report:
            raise CommandError(f"Assignment {assignment} has no finished report.")
        contradicted = list(contradictions(report))
        for line in contradicted[:LISTED]:
            self.stdout.write(line)
        stated = f"Report {report.pk} of {report.assignment.name}: {report.pairs.count()} pairs"
        if contradicted:
            raise CommandError(
                f"{stated}, {len(contradicted)} contradictions; the first {LISTED} are listed."
            )
        self.stdout.write(f"{stated}, no contradiction.")
