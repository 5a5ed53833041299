"""Measure what ignoring lines of a submission would change, before anybody decides about it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from submissions.comparison.components import connected_components
from submissions.mates import are_mates, compared_mates
from submissions.models import Boilerplate, IgnoringProposal, Submission
from submissions.models.records import IgnoringEffect, LineCounts, LoweredPair
from submissions.queries.cases import linking_pairs, report_cases
from submissions.queries.pairs import threshold_of
from submissions.queries.reports import report_state
from submissions.ranking.kept_cohorts import ClassTooLarge, check_memory, token_count
from submissions.ranking.load import load_cohort
from submissions.ranking.selection import select_cohort
from submissions.storage.tokens import unpack_with_lines
from submissions.work import jobs

if TYPE_CHECKING:
    from fingerprint.engine import Ranking
    from fingerprint.kernels.types import Flags, Lines
    from submissions.models import Job, Report
    from submissions.ranking.load import LoadedCohort
    from submissions.ranking.selection import Selection

# Pairs that a proposal lists.
MAX_LISTED = 50
# Lines that fewer submissions than these have are not chosen: two who copied would be the class.
MANY = 4
# Lines of which it is counted who has them; the rest of a longer passage has no count.
MAX_LINES = 500
GONE = "The file with these lines is not in the report any more: its upload was deleted or read again."


def measure_ignoring(job: Job) -> None:
    """Count who has each line of a proposal, choose lines where none are chosen, and measure the effect.

    Raises
    ------
    Refused
        When the class is too large, or the file with the lines is not in it any more.
    """
    pending = IgnoringProposal.objects.filter(pk=job.subject, effect__isnull=True, message="")
    proposal = pending.select_related("assignment__course", "document").first()
    report = report_state(proposal.assignment).report if proposal else None
    if proposal is None:
        return
    if report is None:
        raise jobs.Refused(GONE, GONE)
    selection = select_cohort(proposal.assignment)
    try:
        check_memory(token_count(selection))
    except ClassTooLarge as error:
        raise jobs.Refused(str(error), str(error)) from error
    if proposal.chosen_first is None or proposal.counts is None:
        _choose_lines(proposal, load_cohort(proposal.assignment, selection))
    effect = _effect(report, _rank_without(proposal, selection))
    chosen = pending.filter(chosen_first=proposal.chosen_first, chosen_after=proposal.chosen_after)
    chosen.update(effect=effect)


def fail_ignoring(job: Job, message: str) -> None:
    """Say on its page that the effect of a proposal could not be measured."""
    IgnoringProposal.objects.filter(pk=job.subject).update(message=message)


def _choose_lines(proposal: IgnoringProposal, cohort: LoadedCohort) -> None:
    """Store who has the lines of a proposal; choose those that many have, or all where no line is in many."""
    files = (i for i, one in enumerate(cohort.files) if one.document_id == proposal.document_id)
    file = next(files, None)
    if file is None:
        raise jobs.Refused(GONE, GONE)
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    bounds = _line_bounds(lines, proposal.first, proposal.after)
    holders = [_holders(cohort, file, *bound) for bound in bounds[:MAX_LINES]]
    first, after = _commonest_run(holders, bounds, max(MANY, cohort.class_size // 2 + 1))
    numbers = [int(lines[start]) for start, _ in bounds[:MAX_LINES]]
    counts = dict(zip(numbers, map(int, map(np.sum, holders)), strict=True))
    proposal.counts = LineCounts(
        first=numbers[0],
        counts=[counts.get(number, 0) for number in range(numbers[0], numbers[-1] + 1)],
        submissions=cohort.class_size,
    )
    built = cohort.inputs.cohort
    start = int(built.file_starts[file])
    chosen = engine.whole_lines(built, start + bounds[first][0], start + bounds[after - 1][1])
    proposal.chosen_first, proposal.chosen_after = (token - start for token in chosen)
    proposal.save(update_fields=["counts", "chosen_first", "chosen_after"])


def _line_bounds(lines: Lines, first: int, after: int) -> list[tuple[int, int]]:
    """Return [first token, after the last) of each line with tokens among [`first`, `after`)."""
    edges = np.flatnonzero(np.diff(lines[first:after])) + 1 + first
    return list(pairwise([first, *edges.tolist(), after]))


def _holders(cohort: LoadedCohort, file: int, first: int, after: int) -> Flags:
    """Return which submissions of the class have the tokens [`first`, `after`) of a file: bool [n].

    They have them in a run of at least k equal tokens: of a shorter line, with the tokens around it.
    """
    built = cohort.inputs.cohort
    start, end = int(built.file_starts[file]), int(built.file_starts[file + 1]) - 1
    size = max(after - first, built.k)
    windows = range(max(start, start + after - size), min(start + first, end - size) + 1)
    kinds, holds = built.tokens.kinds, np.zeros(len(built), dtype=np.bool_)
    for window in windows:
        places = np.flatnonzero(kinds[: len(kinds) - size + 1] == kinds[window])
        for step in range(1, size):
            places = places[kinds[places + step] == kinds[window + step]]
        holds[np.searchsorted(built.submission_starts, places, side="right") - 1] = True
    return holds & ~cohort.old


def _commonest_run(holders: list[Flags], bounds: list[tuple[int, int]], least: int) -> tuple[int, int]:
    """Return the run of lines [first, after) with the most tokens times submissions that have all of it.

    At least `least` submissions have it; where no line is in so many, it is all lines.
    """
    best, run = 0, (0, len(bounds))
    for first, flags in enumerate(holders):
        common = flags
        for after in range(first + 1, len(holders) + 1):
            common = common & holders[after - 1]
            if (count := int(common.sum())) < least:
                break
            weight = count * (bounds[after - 1][1] - bounds[first][0])
            if weight > best:
                best, run = weight, (first, after)
    return run


def _rank_without(proposal: IgnoringProposal, selection: Selection) -> tuple[LoadedCohort, Ranking]:
    """Rank the class as if the chosen lines were registered."""
    ignored = Boilerplate(
        document_id=proposal.document_id, first=proposal.chosen_first, after=proposal.chosen_after
    )
    boilerplate = [*selection.boilerplate, ignored]
    cohort = load_cohort(proposal.assignment, selection._replace(boilerplate=boilerplate))
    return cohort, engine.rank_for_report(cohort.inputs, MAX_LISTED)


def _effect(report: Report, ranked: tuple[LoadedCohort, Ranking]) -> IgnoringEffect:
    cohort, ranking = ranked
    before = threshold_of(report)
    chosen = report.assignment.threshold
    threshold = ranking.threshold.value if chosen is None else chosen
    similarities = _similarities(report, cohort, ranking)
    standing = {link for link, similarity in similarities.items() if similarity >= threshold}
    stood = {frozenset(link[:2]): link for link in linking_pairs(report, before)}
    lowered = [
        LoweredPair(
            left=link.left,
            right=link.right,
            similarity=similarities.get(pair, 0.0),
            similarity_before=link.similarity,
        )
        for pair, link in stood.items()
        if pair not in standing
    ]
    return IgnoringEffect(
        threshold=threshold,
        threshold_before=before,
        cases=len(connected_components(tuple(pair) for pair in standing)),  # type: ignore[misc] # of two
        cases_before=len(report_cases(report)),
        lowered=lowered[:MAX_LISTED],
        lowered_count=len(lowered),
        raised_count=len(standing - stood.keys()),
    )


def _similarities(report: Report, cohort: LoadedCohort, ranking: Ranking) -> dict[frozenset[int], float]:
    """Return the similarities of the pairs of a ranking that may connect cases, by both primary keys.

    Old work is in a report under the keys of its copies; without one it is in no pair of the report.
    """
    copies = Submission.objects.filter(reports=report, origin__isnull=False)
    copy_of = dict(copies.values_list("origin", "pk"))
    keys = [
        copy_of.get(one.pk) if cohort.is_unlisted(index) else one.pk
        for index, one in enumerate(cohort.submissions)
    ]
    mates = compared_mates(report.assignment, [key for key in keys if key])
    rows = zip(
        ranking.pairs.left.tolist(),
        ranking.pairs.right.tolist(),
        ranking.scores.similarity.tolist(),
        strict=True,
    )
    return {
        frozenset((left_key, right_key)): similarity
        for left, right, similarity in rows
        if (left_key := keys[left])
        and (right_key := keys[right])
        and cohort.can_make_case(left, right)
        and not are_mates(mates, left_key, right_key)
    }
