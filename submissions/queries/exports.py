"""Rows of a report's tables, as exports and other programs get them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from django.db.models import Count, Sum

from submissions.models import Decision
from submissions.queries.decisions import decisions, with_decisions
from submissions.queries.flags import Flags, sides
from submissions.queries.reports import ranked_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Report, Submission
    from submissions.pseudonyms.names import Names
    from submissions.queries.decisions import DecidedPair
    from submissions.queries.flags import Flag
    from submissions.queries.reports import PairFilter

    CountedSubmission = WithAnnotations[Submission, "Counts"]

# Rows read from the database at once.
CHUNK = 500


class Counts(TypedDict):
    file_count: int
    token_count: int | None


class PairExport(NamedTuple):
    """A pair with its figures, its evidence, its flags and what was decided of it."""

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    structure: float
    literals: float
    names: float
    flags: list[str]
    decision: str
    assignee: str | None
    notes: str


class SubmissionExport(NamedTuple):
    """A submission with its best match; `rank` 1 is the submission with the most similar one."""

    submission: str
    best_match: str | None
    similarity: float | None
    rank: int | None
    files: int
    tokens: int
    handed_in: str | None
    uploaded: str


def pair_exports(report: Report, chosen: PairFilter, names: Names) -> Iterator[PairExport]:
    """Yield the pairs that pass a filter, in its order, under the names that the reader may see."""
    flags, decided = Flags.of(report), decisions(report.assignment)
    for pair in ranked_pairs(report, chosen, names).iterator(chunk_size=CHUNK):
        decision = decided.get((pair.left.name, pair.right.name))
        assignee = decision.assignee if decision else None
        yield PairExport(
            left=names.of(pair.left.name),
            right=names.of(pair.right.name),
            similarity=round(pair.similarity, 6),
            left_share=round(pair.left_share, 6),
            right_share=round(pair.right_share, 6),
            tokens=pair.tokens,
            lines=pair.lines,
            longest=pair.longest,
            structure=round(pair.structure, 6),
            literals=round(pair.literals, 6),
            names=round(pair.names, 6),
            flags=list(map(_flag, flags.between(*sides(pair)))),
            decision=pair.decision,
            assignee=assignee.get_username() if assignee else None,
            notes=names.text(decision.notes) if decision else "",
        )


def _flag(flag: Flag) -> str:
    return " ".join([flag.kind, *(side for side in ("left", "right") if getattr(flag, side))])


def submission_exports(report: Report, chosen: PairFilter, names: Names) -> Iterator[SubmissionExport]:
    """Yield the submissions whose name, or whose best match's name, holds what is searched for."""
    counted = {submission.pk: submission for submission in counted_submissions(report)}
    matches = report.findings.best if report.findings else []
    best = {match.submission: match for match in matches}
    values = sorted(match.similarity for match in matches)
    # By the names that are read: the order of real names would tell who is who to a reader of a class list.
    for pk, submission in sorted(counted.items(), key=lambda one: names.of(one[1].name)):
        match = best.get(pk)
        other = counted.get(match.match or 0) if match else None
        similarity = match.similarity if match else None
        row = SubmissionExport(
            submission=names.of(submission.name),
            best_match=names.of(other.name) if other else None,
            similarity=None if similarity is None else round(similarity, 6),
            rank=None if similarity is None else len(values) - bisect_right(values, similarity) + 1,
            files=submission.file_count,
            tokens=submission.token_count or 0,
            handed_in=submission.handed_in.isoformat() if submission.handed_in else None,
            uploaded=submission.batch.created.isoformat(),
        )
        searched = f"{row.submission} {row.best_match or ''}".casefold()
        passes = all(word in searched for word in chosen.text.casefold().split())
        if passes and (similarity or 0) >= chosen.minimum:
            yield row


def counted_submissions(report: Report) -> QuerySet[CountedSubmission]:
    """Return a report's submissions with their upload, `file_count` and `token_count`."""
    counted = report.submissions.select_related("batch")
    return counted.annotate(
        file_count=Count("files"), token_count=Sum("files__document__token_count")
    ).order_by("pk")


def confirmed_pairs(report: Report) -> QuerySet[DecidedPair]:
    """Return a report's confirmed pairs with both submissions, most similar first, without their passages."""
    decided = with_decisions(report.pairs.select_related("left", "right").defer("passages"))
    return decided.filter(decision=Decision.State.CONFIRMED)


def confirmed_elsewhere(report: Report) -> int:
    """Count the confirmed pairs that this report does not list."""
    confirmed = report.assignment.decisions.filter(state=Decision.State.CONFIRMED)
    return confirmed.count() - confirmed_pairs(report).count()
