"""The members of a cohort as primary keys, so that several workers load the same one, also later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.models import Batch, Boilerplate, Document, Submission, SubmissionFile
from submissions.models.records import ComparedArchive, ComparedAssignment
from submissions.ranking.old_work import OldWork, find_old_work

if TYPE_CHECKING:
    from django.db.models import Model

    from submissions.models import Assignment


class CohortChanged(Exception):
    """Something of a selection was deleted or changed since, so it cannot be loaded again."""


class Selection(NamedTuple):
    """The submissions of an assignment by name, without old ones, and everything else that is loaded."""

    submissions: list[Submission]
    old_work: OldWork
    boilerplate: list[Boilerplate]
    common_limit: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the primary keys of everything."""
        return {
            "submissions": [one.pk for one in self.submissions],
            "old": list(self.old_work.submissions),
            "old_pairs": self.old_work.pairs,
            "old_boilerplate": [one.pk for one in self.old_work.boilerplate],
            "compared": [one.model_dump() for one in self.old_work.compared],
            "archive": self.old_work.archive and self.old_work.archive.model_dump(),
            "boilerplate": [one.pk for one in self.boilerplate],
            "common_limit": self.common_limit,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Selection:
        """Load what `to_json` returned.

        Raises
        ------
        CohortChanged
            When a part was deleted, or its upload was cancelled.
        """
        submissions = _rows(Submission, stored["submissions"])
        if Batch.objects.filter(submissions__in=submissions).exclude(state__in=Batch.FULLY_READ).exists():
            raise CohortChanged
        old = _rows(Submission, stored["old"])
        old_work = OldWork(
            {one.pk: one for one in old},
            [(new, earlier) for new, earlier in stored["old_pairs"]],
            _rows(Boilerplate, stored["old_boilerplate"]),
            [ComparedAssignment(**one) for one in stored["compared"]],
            ComparedArchive(**stored["archive"]) if stored.get("archive") else None,
        )
        return cls(submissions, old_work, _rows(Boilerplate, stored["boilerplate"]), stored["common_limit"])


def _rows(model: type[Model], keys: list[int]) -> list[Any]:
    """Return the rows with these primary keys, in their order."""
    rows: Any = model._default_manager  # noqa: SLF001 - the managers of all models here are default ones
    by_key = (rows.select_related("batch") if model is Submission else rows).in_bulk(keys)
    if len(by_key) < len(keys):
        raise CohortChanged
    return [by_key[key] for key in keys]


def select_cohort(assignment: Assignment) -> Selection:
    """Return the cohort of an assignment as it is now; of compared assignments, what shares most with it."""
    submissions = cohort_submissions(assignment)
    old_work = _look_up_old_work(assignment, submissions)
    return Selection(submissions, old_work, cohort_boilerplate(assignment), assignment.common_limit)


def cohort_boilerplate(assignment: Assignment) -> list[Boilerplate]:
    """Return the boilerplate of an assignment that was read."""
    return list(assignment.boilerplate.filter(document__state=Document.State.READY).order_by("pk"))


def cohort_submissions(assignment: Assignment) -> list[Submission]:
    """Return the newest submission of every name, by name, in all batches whose documents were all read."""
    read = Submission.objects.filter(batch__assignment=assignment, batch__state__in=Batch.FULLY_READ)
    uploaded = read.exclude(batch__role=Batch.Role.OTHER)
    newest = uploaded.order_by("name", "-batch_id").distinct("name")
    return list(newest.select_related("batch"))


def _look_up_old_work(assignment: Assignment, submissions: list[Submission]) -> OldWork:
    """Return the work of other assignments that shares most with the submissions of the class itself."""
    class_batches = set(assignment.batches.filter(role=Batch.Role.CLASS).values_list("pk", flat=True))
    in_class = {submission.pk for submission in submissions if submission.batch_id in class_batches}
    ready = SubmissionFile.objects.filter(submission__in=in_class, document__state=Document.State.READY)
    return find_old_work(assignment, ready)
