"""What a report left out, and what never came into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.models import Batch, Document, Entry, Submission, SubmissionFile

if TYPE_CHECKING:
    from submissions.models import Assignment, Boilerplate, Report

# As many rows as a page lists of what was skipped; the uploads' own pages list all.
SHOWN = 50


class Skipped(NamedTuple):
    """Entries of uploads that were not taken, files that could not be read, submissions that were replaced.

    Of `entries` and `files` the first few, with how many there are in all.
    """

    entries: list[Entry]
    entry_count: int
    files: list[SubmissionFile]
    file_count: int
    replaced: int


def boilerplate_of(of: Assignment) -> list[Boilerplate]:
    """List code that counts for nobody, without its bytes: files first, then passages."""
    heavy = ("source__data", "document__tokens", "document__lexical", "document__styles")
    given = of.boilerplate.select_related("source", "document").defer(*heavy)
    return sorted(given, key=lambda one: one.first is not None)


def skipped(report: Report) -> Skipped:
    """Tell what of the uploads that a report was made from is not in it."""
    ranked = report.submissions.order_by()
    refused = Entry.objects.filter(accepted=False, batch__in=ranked.values("batch")).select_related("batch")
    failed = SubmissionFile.objects.filter(
        submission__in=ranked.values("pk"), document__state=Document.State.FAILED
    )
    light = failed.select_related("submission", "document").defer("document__tokens", "document__lexical")
    of, earlier = report.assignment_id, report.created
    uploaded = Submission.objects.filter(
        batch__assignment=of, batch__state__in=Batch.READ, batch__created__lte=earlier
    )
    return Skipped(
        list(refused.order_by("batch", "name", "pk")[:SHOWN]),
        refused.count(),
        list(light.order_by("submission__name", "path")[:SHOWN]),
        failed.count(),
        uploaded.exclude(pk__in=ranked.values("pk")).count(),
    )
