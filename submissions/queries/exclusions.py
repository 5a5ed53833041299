"""The boilerplate of an assignment, and content that a report leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Exists, OuterRef, Q

from submissions.models import Batch, BoilerplateUpload, Document, Entry, Submission, SubmissionFile
from submissions.queries.lists import alias_of, displayed_entries
from submissions.queries.withheld import all_submissions, readable_submissions

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Assignment, Boilerplate, Report
    from submissions.pseudonyms.names import Names

# Maximum number of rows per list on a report's page; the pages of the uploads list all of them.
LISTED = 50
# A text with more digits is no primary key.
KEY_DIGITS = 18


class SkippedContent(NamedTuple):
    """Uploaded content that is not in a report.

    `entries`: the first entries of uploads that were not accepted; `files`: the first files that could not
    be read; `entry_count` and `file_count`: how many there are in total; `replaced_count`: number of
    submissions that a later upload replaced.
    """

    entries: list[Entry]
    entry_count: int
    files: list[SubmissionFile]
    file_count: int
    replaced_count: int


def listed_boilerplate(assignment: Assignment) -> list[Boilerplate]:
    """Return the boilerplate of an assignment without its bytes and tokens: files first, then passages."""
    heavy = ("source__data", "document__tokens", "document__lexical", "document__coarse", "document__styles")
    rows = readable_boilerplate(assignment).select_related("source", "document").defer(*heavy)
    return sorted(rows, key=lambda boilerplate: boilerplate.first is not None)


def readable_boilerplate(assignment: Assignment) -> QuerySet[Boilerplate]:
    """Return boilerplate without the passages of code that only withheld submissions have."""
    hidden = assignment.withheld.hidden
    if not hidden:
        return assignment.boilerplate.all()
    theirs = SubmissionFile.objects.filter(submission__in=hidden, document=OuterRef("document"))
    readable = SubmissionFile.objects.filter(
        submission__in=all_submissions(assignment).order_by().values("pk"), document=OuterRef("document")
    )
    return assignment.boilerplate.exclude(Q(first__isnull=False) & Exists(theirs) & ~Exists(readable))


def ignored_lines(assignment: Assignment, key: str) -> Boilerplate | None:
    """Return the ignored lines of a submission with a primary key, if the reader may see them."""
    if not (key.isascii() and key.isdigit() and len(key) <= KEY_DIGITS):
        return None
    return readable_boilerplate(assignment).filter(pk=key, first__isnull=False).first()


def listed_boilerplate_uploads(assignment: Assignment) -> list[BoilerplateUpload]:
    """Return the uploads of boilerplate that are not read yet, that failed, or that have refused entries."""
    return list(assignment.boilerplate_uploads.exclude(state=BoilerplateUpload.State.DONE, refused=0))


def skipped_content(report: Report, names: Names) -> SkippedContent:
    """Return the content of a report's uploads that is not in the report, by displayed path or name."""
    ranked = readable_submissions(report).order_by()
    refused = Entry.objects.filter(accepted=False, batch__in=ranked.values("batch")).select_related("batch")
    failed = SubmissionFile.objects.filter(
        submission__in=ranked.values("pk"), document__state=Document.State.FAILED
    )
    failed_light = failed.select_related("submission", "document").defer(
        "document__tokens", "document__lexical", "document__coarse"
    )
    uploaded = Submission.objects.filter(
        batch__assignment=report.assignment_id,
        batch__state__in=Batch.FULLY_READ,
        batch__created__lte=report.created,
        origin=None,
    )
    alias = alias_of("submission__batch__assignment", "submission__name")
    by_name = failed_light.order_by(alias if names.hidden else "submission__name", "path")
    return SkippedContent(
        entries=list(displayed_entries(refused.order_by("batch", "name", "pk"), names)[:LISTED]),
        entry_count=refused.count(),
        files=list(by_name[:LISTED]),
        file_count=failed.count(),
        replaced_count=uploaded.exclude(pk__in=ranked.values("pk")).count(),
    )
