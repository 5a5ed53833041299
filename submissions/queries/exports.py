"""Rows of a report's tables, for exports."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from django.db.models import Count, Exists, OuterRef, Sum
from django.utils import timezone
from pydantic import BaseModel

from submissions.comparison.pair_rows import pair_mark
from submissions.models import Decision
from submissions.pseudonyms.names import search_words
from submissions.queries.cases import case_decisions, cases_by_member, followed_decision, is_linking
from submissions.queries.decisions import readable_decisions, stored_decisions, with_decisions
from submissions.queries.flags import Flags, partly_read, timed_submissions
from submissions.queries.pairs import displayed_pair
from submissions.queries.reports import effective_threshold, ranked_pairs
from submissions.queries.withheld import readable_pairs, readable_submissions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Report, Submission
    from submissions.pseudonyms.names import Names
    from submissions.queries.cases import CasePairs
    from submissions.queries.decisions import DecidedPair
    from submissions.queries.flags import Flag
    from submissions.queries.reports import ListedPair, PairFilter

    CountedSubmission = WithAnnotations[Submission, "CountAnnotations"]

# Number of rows fetched from the database at once.
CHUNK = 500


class CountAnnotations(TypedDict):
    file_count: int
    token_count: int | None


class PairExport(BaseModel):
    """A pair with its scores, evidence, flags, case and decision, for exports and the API.

    Exports use the field names as columns. `comparison.pair_rows.PairRow` has the figures alone: `moss check`
    knows no decisions, and writes it without this library.

    `case` is the number of the case of a pair at or above the threshold. Similarity, shares and evidence are
    in [0, 1], rounded to 6 digits. `assignee` and `notes` are those of the decision on the pair, or else on
    its case. `mark`: see `PairRow`.
    """

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    mark: str
    left_with_common: float
    right_with_common: float
    structure: float
    literals: float
    names: float
    imports: float
    flags: list[str]
    case: int | None
    decision: str
    assignee: str | None
    notes: str


class SubmissionExport(NamedTuple):
    """A submission with its best match. Exports use the field names as columns.

    `rank` is 1 for the submission whose best match has the highest similarity; equal ones share a rank.
    `best_match` is None for a submission that shares nothing with any other. It, `similarity` and `rank` are
    None where the report has no best match of it. `partly_read`: see `queries.flags.partly_read`.
    """

    submission: str
    best_match: str | None
    similarity: float | None
    rank: int | None
    case: int | None
    files: int
    tokens: int
    partly_read: bool
    handed_in: str | None
    uploaded: str
    first_commit: str | None
    last_commit: str | None
    commits: int | None


def pair_exports(report: Report, pair_filter: PairFilter, names: Names) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `PairExport` of the pairs that pass a filter, in its order.

    They have the names that the reader may see.
    """
    return (tuple(dict(row).values()) for _, row in exported_pairs(report, pair_filter, names))


def exported_pairs(
    report: Report, pair_filter: PairFilter, names: Names, part: slice = slice(None), pk: int | None = None
) -> Iterator[tuple[ListedPair, PairExport]]:
    """Yield those pairs, or a part or one of them, with their rows; sides are as the reader sees them."""
    flags, decided = Flags.from_report(report), stored_decisions(report.assignment)
    of_cases = case_decisions(report.assignment)
    threshold = effective_threshold(report, pair_filter)
    in_case = cases_by_member(report, threshold)
    ranked = ranked_pairs(report, pair_filter, names)
    for pair in (ranked.filter(pk=pk) if pk else ranked)[part].iterator(chunk_size=CHUNK):
        both = (pair.left.name, pair.right.name)
        decision = decided.get(both) or followed_decision(of_cases, both, pair.similarity)
        displayed = displayed_pair(pair, names)
        yield (
            displayed,
            PairExport(
                left=names.display_name(displayed.left.name),
                right=names.display_name(displayed.right.name),
                similarity=round(pair.similarity, 6),
                left_share=round(displayed.left_share, 6),
                right_share=round(displayed.right_share, 6),
                tokens=pair.tokens,
                lines=pair.lines,
                longest=pair.longest,
                mark=pair_mark(translated=pair.translated, structure=pair.structure),
                left_with_common=round(displayed.left_with_common, 6),
                right_with_common=round(displayed.right_with_common, 6),
                structure=round(pair.structure, 6),
                literals=round(pair.literals, 6),
                names=round(pair.names, 6),
                imports=round(pair.imports, 6),
                flags=list(map(_flag_text, flags.between(*timed_submissions(displayed)))),
                case=_number(in_case.get(pair.left_id)) if is_linking(pair, threshold) else None,
                decision=pair.decision,
                assignee=decision.assignee.get_username() if decision and decision.assignee else None,
                notes=names.redact_text(decision.notes) if decision else "",
            ),
        )


def _number(case: CasePairs | None) -> int | None:
    return case.number if case else None


def _flag_text(flag: Flag) -> str:
    if flag.term:
        return f"the same student {flag.term}"
    return " ".join([flag.kind, *(side for side in ("left", "right") if getattr(flag, side))])


def submission_exports(report: Report, pair_filter: PairFilter, names: Names) -> Iterator[SubmissionExport]:
    """Yield the submissions that pass the filter's text and threshold, sorted by displayed name.

    Every word of the text must occur in the name of the submission or of its best match.
    """
    counted = {submission.pk: submission for submission in counted_submissions(report)}
    in_case = cases_by_member(report, effective_threshold(report, pair_filter))
    matches = report.findings.best if report.findings else []
    best = {match.submission: match for match in matches}
    values = sorted(match.similarity for match in matches)
    words, partly = search_words(pair_filter.text), partly_read(readable_submissions(report))
    # Sort by displayed name: the order of the real names would reveal who is behind an alias.
    for pk, submission in sorted(counted.items(), key=lambda item: names.display_name(item[1].name)):
        match = best.get(pk)
        other = counted.get(match.match or 0) if match else None
        similarity, commits = match.similarity if match else None, submission.commits
        row = SubmissionExport(
            submission=names.display_name(submission.name),
            best_match=names.display_name(other.name) if other else None,
            similarity=None if similarity is None else round(similarity, 6),
            rank=None if similarity is None else len(values) - bisect_right(values, similarity) + 1,
            case=_number(in_case.get(pk)),
            files=submission.file_count,
            tokens=submission.token_count or 0,
            partly_read=pk in partly,
            handed_in=_time(submission.handed_in, names) if submission.handed_in else None,
            uploaded=_time(_uploaded(submission), names),
            first_commit=_time(commits.first_time, names) if commits else None,
            last_commit=_time(commits.last_time, names) if commits else None,
            commits=commits.number if commits else None,
        )
        searched = f"{row.submission} {row.best_match or ''}"
        if all(word.is_in(searched) for word in words) and (similarity or 0) >= pair_filter.threshold:
            yield row


def _uploaded(submission: Submission) -> datetime:
    """Return when a submission was uploaded; of that of another assignment, when it was handed in there."""
    return (submission.handed_in if submission.origin_id else None) or submission.batch.created


def _time(time: datetime, names: Names) -> str:
    """Return a time, or only its day where names are hidden: the exact time can reveal who handed in."""
    return timezone.localdate(time).isoformat() if names.hidden else time.isoformat()


def counted_submissions(report: Report) -> QuerySet[CountedSubmission]:
    """Return a report's submissions with their batch, and with `file_count` and `token_count`."""
    counted = readable_submissions(report).select_related("batch")
    return counted.annotate(
        file_count=Count("files"), token_count=Sum("files__document__token_count")
    ).order_by("pk")


def confirmed_pairs(report: Report) -> QuerySet[DecidedPair]:
    """Return a report's confirmed pairs with both submissions and without passages, most similar first."""
    decided = with_decisions(
        readable_pairs(report).select_related("left__batch", "right__batch").defer("passages")
    )
    return decided.filter(decision=Decision.State.CONFIRMED)


def unlisted_confirmed_count(report: Report) -> int:
    """Return the number of pairs that are not in this report and were confirmed on their own page."""
    listed = readable_pairs(report).filter(left__name=OuterRef("left"), right__name=OuterRef("right"))
    confirmed = readable_decisions(report.assignment).filter(state=Decision.State.CONFIRMED)
    return confirmed.exclude(Exists(listed)).count()
