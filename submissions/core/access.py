"""The objects that a person may see. Pages fetch what they show through these functions.

This is the one place that keeps withheld work out: old work of courses that a reader may not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import NamedTuple, cast

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from submissions.core.models import BestMatch, CommonPassage, Findings, NotCompared, SharedCommon
from submissions.core.rights import Right, courses_of_old_work, require, visible_courses
from submissions.courses.models import NOTHING_WITHHELD, Withheld
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Course,
    DeletedBatch,
    IgnoringProposal,
    Pair,
    ReadingRequest,
    Report,
    ResumableUpload,
    Share,
    Submission,
    SubmissionFile,
)


class WithheldPair(NamedTuple):
    """A pair of which a reader sees one side only: a submission of the class, and that there is a match.

    `course` is the course of the other side, whose people can be asked; nothing else of the other side may be
    shown. `request` is the request to read the pair.
    """

    submission: Submission
    similarity: float
    course: Course
    copy: Submission
    request: ReadingRequest | None


def for_reader(assignment: Assignment, user: User | AnonymousUser | None, *, shared: bool = False) -> Assignment:
    """Return the assignment as this user may read it; None is a reader without an account.

    With `shared`, as a link of the user shows it: granted requests are for readers of the course only.
    """
    lazy = SimpleLazyObject(partial(withheld, assignment, user, shared=shared))
    assignment.withheld = cast("Withheld", lazy)
    return assignment


def withheld(assignment: Assignment, user: User | AnonymousUser | None, *, shared: bool = False) -> Withheld:
    unreadable = unreadable_batches(assignment.course, user).filter(assignment=assignment)
    batches = frozenset(unreadable.values_list("pk", flat=True))
    if not batches:
        return NOTHING_WITHHELD
    copies = frozenset(Submission.objects.filter(batch__in=batches).values_list("pk", flat=True))
    opened = _agreed(copies) if copies and user is not None and not shared else ()
    return Withheld(batches, copies, frozenset(opened))


def _agreed(copies: Collection[int]) -> list[tuple[int, int]]:
    """Return the pairs of a new submission and a copy that the owner of the old course has agreed to."""
    rows = ReadingRequest.objects.filter(state=ReadingRequest.State.AGREED, old__copies__in=copies)
    same = rows.filter(new__batch__assignment=F("old__copies__batch__assignment"))
    return list(same.values_list("new", "old__copies"))


def withheld_in_course(course: Course, user: User) -> dict[int, Withheld]:
    """Return what a user may not see of the assignments of a course, by primary key; others have nothing."""
    batches: dict[int, set[int]] = defaultdict(set)
    for pk, assignment in unreadable_batches(course, user).values_list("pk", "assignment_id"):
        batches[assignment].add(pk)
    copies: dict[int, set[int]] = defaultdict(set)
    keys = [pk for keys_of_one in batches.values() for pk in keys_of_one]
    rows = Submission.objects.filter(batch__in=keys).values_list("pk", "batch__assignment_id")
    for pk, assignment in rows if keys else ():
        copies[assignment].add(pk)
    opened = _agreed([pk for keys_of_one in copies.values() for pk in keys_of_one]) if copies else []
    return {
        pk: Withheld(
            frozenset(keys_of_one), frozenset(copies[pk]), frozenset(one for one in opened if one[1] in copies[pk])
        )
        for pk, keys_of_one in batches.items()
    }


def unreadable_batches(course: Course, user: User | AnonymousUser | None) -> QuerySet[Batch]:
    """Return the copies of other courses' assignments, in those of a course, that a user may not read.

    A chosen assignment that was deleted has a label left, which only the owner of the course sees. Nobody
    sees the label of a deleted assignment of the archive, which may be somebody else's.
    """
    others = Batch.objects.filter(assignment__course=course, role=Batch.Role.OTHER)
    if user is not None and user.pk == course.owner_id:
        others = others.exclude(origin=None, from_archive=False)
    return others.exclude(origin__course__in=courses_of_old_work(user, course))


def readable_pairs(report: Report) -> QuerySet[Pair]:
    """Return the pairs of a report that the reader of its assignment may see."""
    kept = report.assignment.withheld
    return report.pairs.filter(readable(kept)) if kept.copies else report.pairs.all()


def readable(kept: Withheld) -> Q:
    """Return the condition for pairs that are not withheld."""
    return ~(Q(left__in=kept.copies) | Q(right__in=kept.copies)) | _opened(kept)


def is_readable_pair(assignment: Assignment, left: int, right: int) -> bool:
    """Return whether the reader of an assignment may see two of its submissions, by primary key, together."""
    kept = assignment.withheld
    is_opened = bool({(left, right), (right, left)} & kept.opened)
    return is_opened or not {left, right} & kept.copies


def readable_submissions(report: Report) -> QuerySet[Submission]:
    """Return the submissions of a report that the reader of its assignment may see."""
    kept = report.assignment.withheld
    return report.submissions.exclude(pk__in=kept.hidden) if kept.hidden else report.submissions.all()


def all_submissions(assignment: Assignment) -> QuerySet[Submission]:
    """Return the submissions of an assignment, ranked or not, that its reader may see."""
    submissions = Submission.objects.filter(batch__assignment=assignment)
    hidden = assignment.withheld.hidden
    return submissions.exclude(pk__in=hidden) if hidden else submissions


def withheld_names(assignment: Assignment) -> set[str]:
    """Return the names of the copies that the reader of an assignment may not see."""
    hidden = assignment.withheld.hidden
    return set(Submission.objects.filter(pk__in=hidden).values_list("name", flat=True)) if hidden else set()


def withheld_pairs(report: Report) -> list[WithheldPair]:
    """Return the pairs of a report that its reader may not open, most similar first.

    Those found in the archive are listed while both courses are in it.
    """
    kept = report.assignment.withheld
    if not kept.copies:
        return []
    rows = report.pairs.exclude(readable(kept)).defer("passages")
    sides = ("left__batch__origin__course__owner", "right__batch__origin__course__owner")
    asked = ReadingRequest.objects.filter(old__copies__in=kept.copies)
    requests = {(one.new_id, one.old_id): one for one in asked}
    pairs = [_withheld_pair(pair, kept, requests) for pair in rows.select_related(*sides)]
    both_in_archive = report.assignment.course.in_archive
    return [one for one in pairs if not one.copy.batch.from_archive or (both_in_archive and one.course.in_archive)]


def withheld_pair(report: Report, left: int, right: int) -> WithheldPair | None:
    """Return a pair that its reader may not open, by the primary keys of both sides in either order."""
    pairs = withheld_pairs(report)
    return next((one for one in pairs if {one.submission.pk, one.copy.pk} == {left, right}), None)


def _withheld_pair(pair: Pair, kept: Withheld, requests: Mapping[tuple[int, int], ReadingRequest]) -> WithheldPair:
    new, copy = (pair.left, pair.right) if pair.right_id in kept.copies else (pair.right, pair.left)
    assert copy.batch.origin
    assert copy.origin_id
    request = requests.get((new.pk, copy.origin_id))
    return WithheldPair(new, pair.similarity, copy.batch.origin.course, copy, request)


def _opened(kept: Withheld) -> Q:
    opened = Q(pk__in=[])
    for new, copy in kept.opened:
        opened |= Q(left=new, right=copy) | Q(left=copy, right=new)
    return opened


def withhold(report: Report) -> Report:
    """Take what the reader of its assignment may not see out of what a report stores besides its pairs.

    The report must not be saved afterwards.
    """
    kept = report.assignment.withheld
    if not kept.batches:
        return report
    report.duplicates = [
        group.model_copy(update={"submissions": readable_ids})
        for group in report.duplicates
        if len(readable_ids := _without(group.submissions, kept)) > 1
    ]
    if report.findings:
        report.findings = _readable_findings(report, report.findings, kept)
    for name in ("moved", "others"):
        report.parameters.pop(name, None)
    return report


def _without(ids: Iterable[int], kept: Withheld) -> list[int]:
    """Return the submissions that are of no other course: a pair can be opened, its duplicates cannot."""
    return [pk for pk in ids if pk not in kept.copies]


def _readable_findings(report: Report, findings: Findings, kept: Withheld) -> Findings:
    """Return findings of the readable pairs; the cases and the number above follow from these pairs."""
    left_out = report.pairs.exclude(readable(kept)).count()
    stored = findings.not_compared
    not_compared = NotCompared(
        students=stored.students,
        teams=stored.teams,
        earlier=stored.earlier,
        models=stored.models,
        pairs=[pair for pair in stored.pairs if len(_without((pair.left, pair.right), kept)) > 1],
    )
    effect = findings.effect and findings.effect.model_copy(
        update={"moved": [pair for pair in findings.effect.moved if len(_without((pair.left, pair.right), kept)) > 1]}
    )
    labels = set(Batch.objects.filter(pk__in=kept.batches).values_list("name", flat=True))
    return findings.model_copy(
        update={
            "best": _readable_best(report, findings.best, kept),
            "scored": findings.scored - left_out,
            "listed": findings.listed - left_out,
            "common": _readable_common(report, findings.common),
            "shared": _readable_shared(report, findings.shared),
            "effect": effect,
            "not_compared": not_compared,
            "above": None,
            "cases": None,
            "compared": [one for one in findings.compared if one.label not in labels],
        }
    )


def _readable_shared(report: Report, shared: SharedCommon | None) -> SharedCommon | None:
    """Return the code that most of a class share if all of it can be read."""
    readable = _readable_common(report, shared.passages) if shared else []
    return shared if shared and len(readable) == len(shared.passages) else None


def _readable_best(report: Report, best: list[BestMatch], kept: Withheld) -> list[BestMatch]:
    """Return the best matches; replace a withheld match by the submission's best pair that can be read."""
    readable = [match for match in best if match.submission not in kept.hidden]
    replaced = {
        match.submission
        for match in readable
        if (match.match in kept.copies or match.submission in kept.copies)
        and not {(match.submission, match.match), (match.match, match.submission)} & kept.opened
    }
    next_best: dict[int, tuple[int, float]] = {}
    pairs = readable_pairs(report).filter(Q(left__in=replaced) | Q(right__in=replaced))
    for left, right, similarity in pairs.values_list("left", "right", "similarity"):
        next_best.setdefault(left, (right, similarity))
        next_best.setdefault(right, (left, similarity))
    none: tuple[int | None, float] = (None, 0.0)
    return [
        match.model_copy(update=dict(zip(("match", "similarity"), next_best.get(match.submission, none), strict=True)))
        if match.submission in replaced
        else match
        for match in readable
    ]


def _readable_common(report: Report, common: list[CommonPassage]) -> list[CommonPassage]:
    """Return the common code of documents that are not of withheld submissions only."""
    files = SubmissionFile.objects.filter(
        submission__in=readable_submissions(report).order_by().values("pk"),
        document__in={passage.document for passage in common},
    )
    readable = set(files.values_list("document_id", flat=True))
    return [passage for passage in common if passage.document in readable]


class Gone(Http404):
    """The object was deleted; the user could see it before."""


def find_course(user: User, pk: int, right: Right) -> Course:
    """Return a course.

    Raises Http404 when it does not exist, or `user` has no right in it at all. Raises PermissionDenied when
    `user` has rights in it, but not this one. The other functions of this module raise the same.
    """
    row = get_object_or_404(visible_courses(user).select_related("owner"), pk=pk)
    require(user, right, row)
    return row


def find_assignment(user: User, pk: int, right: Right) -> Assignment:
    copies = Batch.objects.filter(assignment=OuterRef("pk"), role=Batch.Role.OTHER)
    rows = Assignment.objects.filter(course__in=visible_courses(user)).annotate(
        has_others=Exists(copies.exclude(origin__course=OuterRef("course")))
    )
    row = get_object_or_404(rows.select_related("course__owner", "course__roster"), pk=pk)
    require(user, right, row.course)
    return for_reader(row, user) if row.has_others else row  # type: ignore[attr-defined] # annotated


def find_resumable(user: User, pk: int) -> ResumableUpload:
    """Return an upload in parts that `user` began and may add to, or raise Http404."""
    rows = ResumableUpload.objects.filter(uploaded_by=user, assignment__course__in=visible_courses(user))
    upload = get_object_or_404(rows.select_related("assignment__course__owner", "uploaded_by"), pk=pk)
    require(user, Right.CHANGE, upload.assignment.course)
    return upload


def unfinished_uploads(user: User, assignment: Assignment) -> QuerySet[ResumableUpload]:
    """Return the uploads of an assignment that `user` began and whose rest did not arrive."""
    rows = ResumableUpload.objects.filter(uploaded_by=user, assignment=assignment, ended=None)
    return rows.order_by("pk")


def find_batch(user: User, pk: int, right: Right) -> Batch:
    """Return a batch; raise Gone when the batch was deleted and `user` could see it before."""
    uploads = Batch.objects.exclude(role=Batch.Role.OTHER)
    rows = uploads.filter(assignment__course__in=visible_courses(user), pk=pk)
    if existing := rows.select_related(
        "assignment__course__owner", "assignment__course__roster", "uploaded_by"
    ).first():
        require(user, right, existing.assignment.course)
        for_reader(existing.assignment, user)
        return existing
    if DeletedBatch.objects.filter(batch=pk, assignment__course__in=visible_courses(user)).exists():
        raise Gone(_("This upload was deleted with everything that came from it."))
    raise Http404("No such upload.")


def find_boilerplate(user: User, pk: int, right: Right) -> Boilerplate:
    rows = Boilerplate.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("assignment__course__owner", "assignment__course__roster"), pk=pk)
    require(user, right, row.assignment.course)
    for_reader(row.assignment, user)
    return row


def find_boilerplate_upload(user: User, pk: int, right: Right) -> BoilerplateUpload:
    rows = BoilerplateUpload.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("assignment__course__owner"), pk=pk)
    require(user, right, row.assignment.course)
    for_reader(row.assignment, user)
    return row


def find_proposal(user: User, pk: int) -> IgnoringProposal:
    """Return lines that may be ignored; this takes the right to change the assignment."""
    rows = IgnoringProposal.objects.filter(assignment__course__in=visible_courses(user))
    related = ("assignment__course__owner", "assignment__course__roster", "document__source")
    row = get_object_or_404(rows.select_related(*related), pk=pk)
    require(user, Right.CHANGE, row.assignment.course)
    for_reader(row.assignment, user)
    if not all_submissions(row.assignment).filter(files__document=row.document_id).exists():
        raise Http404("No submission that may be read has these lines.")
    return row


def find_share(user: User, pk: int) -> Share:
    """Return a share link; this takes the right to share."""
    rows = Share.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("assignment__course__owner"), pk=pk)
    require(user, Right.SHARE, row.assignment.course)
    for_reader(row.assignment, user)
    return row
