"""Fill a report with the ranked pairs of its assignment's cohort.

Submissions of other assignments that it has pairs with are copied. A ranking in shards is merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.db import connection

from fingerprint import engine
from submissions.cases.read import SUSPECTED, with_decisions
from submissions.core.database import copy, insert
from submissions.core.submitters import stored_names
from submissions.matches.bands import WHOLE_SHARE, MovedThreshold, OtherClasses, are_many
from submissions.matches.ranked_pairs import PAIRS_AT_ONCE, WHOLE_TOKENS, aligned_pairs, count_same_files
from submissions.models import (
    Assignment,
    Batch,
    Document,
    Ignored,
    Pair,
    RankingPlan,
    RankingShard,
    Report,
    Submission,
    SubmissionFile,
    SubmissionStudent,
)
from submissions.pairs.read import suggested_threshold
from submissions.reports import progress
from submissions.reports.cohort import CohortChanged, LoadedCohort, LoadedFile, name_ranks, planned
from submissions.reports.findings import RankedInput, collect_findings, find_cases, rank_without_exclusions
from submissions.reports.identical import duplicate_groups
from submissions.reports.old_work import delete_copies, delete_unneeded_labels
from submissions.reports.read import OF_WORK
from submissions.reports.shards import (
    ListedPairs,
    Prepared,
    pack_aligned,
    pair_columns,
    plan_check,
    prepare,
    ranked_batches,
    unpack_parts,
    unpack_scores,
    with_copies,
)
from submissions.uploads import lifecycle
from submissions.uploads.fingerprinting import PARAMS
from submissions.uploads.read import CAN_MAKE_CASE

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable, Ranking, ScorePairs, Scores
    from fingerprint.kernels.types import Flags

ROWS = 1000
# Deleting them waits for the end of this transaction; anything else may go on.
LOCK = """
    SELECT file.id, file.document_id
    FROM submissions_submissionfile file
    JOIN submissions_submission submission ON submission.id = file.submission_id
    JOIN submissions_document document ON document.id = file.document_id
    WHERE submission.id = ANY(%s) FOR KEY SHARE
"""

# Number of pairs that a report stores, the most similar ones.
MAX_PAIRS = 5_000
# A suggested threshold that differs from that of the ranking before by more than this says why.
LEAST_MOVE = 0.05


def copy_old_work(assignment: Assignment, cohort: LoadedCohort, ranking: Ranking, stored: Ranking) -> LoadedCohort:
    """Return the cohort with a copy in place of each old submission that the report needs.

    These are the old submissions of the `stored` pairs, and the best match of each submission of the class.
    Copies of an earlier report that are the same are kept; others are deleted, and labels without copies of
    assignments that are not compared any more. Raises AssignmentBusy when one of them was deleted or read
    again since the cohort was loaded; the ranking is tried again.
    """
    if not (cohort.old_work.submissions or assignment.batches.filter(role=Batch.Role.OTHER).exists()):
        return cohort
    needed = {index for index in _sides(stored) | _best_matches(ranking) if cohort.is_unlisted(index)}
    origins = {cohort.submissions[index].pk: cohort.submissions[index] for index in needed}
    _lock(cohort, set(origins))
    copies = _kept_copies(assignment, cohort, origins)
    copies |= _new_copies(assignment, [one for pk, one in origins.items() if pk not in copies])
    delete_unneeded_labels(assignment)
    rows = SubmissionFile.objects.filter(submission__in=copies.values()).values_list(
        "submission__origin_id", "path", "pk", "submission_id"
    )
    by_path = {(origin, path): copied for origin, path, *copied in rows}
    files = [_copied(file, *by_path.get((file.submission_id, file.path), ())) for file in cohort.files]
    submissions = [copies.get(one.pk, one) for one in cohort.submissions]
    return replace(cohort, submissions=submissions, name_ranks=name_ranks(submissions), files=files)


def _sides(ranking: Ranking) -> set[int]:
    return {*ranking.pairs.left.tolist(), *ranking.pairs.right.tolist()}


def _best_matches(ranking: Ranking) -> set[int]:
    """Return both sides of the best pair of each submission, by index."""
    positive = ranking.take(np.flatnonzero(ranking.scores.similarity > 0))
    sides = np.stack((positive.pairs.left, positive.pairs.right), axis=1).ravel()
    _, first = np.unique(sides, return_index=True)
    return _sides(positive.take(np.unique(first // 2)))


def _lock(cohort: LoadedCohort, origins: Collection[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [list(origins)])
        present = set(cursor.fetchall())
    loaded = {(file.pk, file.document_id) for file in cohort.files if file.submission_id in origins}
    if not loaded <= present:
        raise lifecycle.AssignmentBusy


def _kept_copies(
    assignment: Assignment, cohort: LoadedCohort, origins: Mapping[int, Submission]
) -> dict[int, Submission]:
    """Return the copies that are the same as their origins now, by the origins; delete all others."""
    now: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for file in cohort.files:
        now[file.submission_id].add((file.path, file.document_id))
    stored: dict[int, set[tuple[str, int]]] = defaultdict(set)
    copies = Submission.objects.filter(batch__assignment=assignment, batch__role=Batch.Role.OTHER)
    files = SubmissionFile.objects.filter(submission__in=copies.values("pk"), document__state=Document.State.READY)
    for pk, path, document in files.values_list("submission_id", "path", "document_id"):
        stored[pk].add((path, document))
    kept = {
        copy.origin_id: copy
        for copy in copies.select_related("batch")
        if copy.origin_id and copy.origin_id in origins and stored[copy.pk] == now[copy.origin_id]
    }
    delete_copies(copies.exclude(pk__in=[copy.pk for copy in kept.values()]))
    return kept


def _new_copies(assignment: Assignment, origins: Iterable[Submission]) -> dict[int, Submission]:
    """Store copies of submissions, of their files that were read and of their students, by the origins."""
    batches = {batch.origin_id: batch for batch in assignment.batches.filter(role=Batch.Role.OTHER)}
    by_batch: dict[Batch, dict[str, Submission]] = defaultdict(dict)
    for one in origins:
        by_batch[batches[one.batch.assignment_id]][one.name] = one
    rows = [
        Submission(
            batch=batch,
            name=unique,
            identifier=by_name[name].identifier,
            handed_in=by_name[name].handed_in or by_name[name].batch.created,
            commits=by_name[name].commits,
            origin=by_name[name],
            released=by_name[name].released,
        )
        for batch, by_name in by_batch.items()
        for name, unique in stored_names(batch, by_name).items()
    ]
    stored = Submission.objects.bulk_create(rows, batch_size=ROWS)
    copies = {row.origin_id: row for row in stored if row.origin_id}
    _copy_files(copies)
    _copy_students(copies)
    return copies


def _copy_files(copies: Mapping[int, Submission]) -> None:
    files = SubmissionFile.objects.filter(submission__in=copies.keys()).order_by("pk")
    SubmissionFile.objects.bulk_create(
        (
            SubmissionFile(
                submission=copies[file.submission_id],
                path=file.path,
                source_id=file.source_id,
                document_id=file.document_id,
                detected=file.detected,
            )
            for file in files
        ),
        batch_size=ROWS,
    )


def _copy_students(copies: Mapping[int, Submission]) -> None:
    """Copy the students; the row of another course's roster stays that of the origin."""
    students = SubmissionStudent.objects.filter(submission__in=copies.keys()).select_related("enrolled")
    SubmissionStudent.objects.bulk_create(
        (
            SubmissionStudent(
                submission=copies[student.submission_id],
                name=student.name,
                identifier=student.identifier,
                enrolled=student.enrolled,
            )
            for student in students.order_by("pk")
        ),
        batch_size=ROWS,
    )


def _copied(file: LoadedFile, pk: int | None = None, submission: int = 0) -> LoadedFile:
    """Return a file under the primary keys of its copy and of that one's submission, where it has one."""
    return file._replace(pk=pk, submission_id=submission) if pk else file


class Results(NamedTuple):
    """A ranking, and the `best` pairs, which the report lists.

    `before` ranks the cohort without exclusions.
    """

    cohort: LoadedCohort
    ranking: engine.Ranking
    best: engine.Ranking
    before: Callable[[], RankedInput]


def rank(report: Report, prepared: Prepared | None = None) -> None:
    """Fill a report with its pairs, ignored tokens, duplicates and findings, in the caller's transaction.

    It is safe to run again: the results of an earlier run are replaced. What is not `prepared` is first.
    Raises Cancelled when a user cancelled the ranking. Raises TakesLong when the report is in the interactive
    queue and takes too long for it. Raises ClassTooLarge when it takes more memory than a worker may use.
    """
    ready = prepare(report) if prepared is None else prepared
    progress.publish(report.pk, progress.comparing(ready.cohort.class_size))
    check = progress.cancel_check(report.pk)
    results = compute(ready.cohort, check, ready.jobs[0].pairs)
    aligned = aligned_pairs(ready.cohort.inputs, results.best, check)
    tracked = progress.track(report.pk, progress.ALIGNING, aligned, len(results.best.units), PAIRS_AT_ONCE)
    save(report, results, lambda cohort: pack_aligned(cohort, tracked))


def compute(
    cohort: LoadedCohort,
    check: Callable[[], None],
    candidates: engine.CandidatePairs | None = None,
    score_pairs: ScorePairs | None = None,
) -> Results:
    """Rank a cohort; the last two as for `engine.rank_for_report`."""
    known = None if score_pairs else engine.KnownPassages()
    ranking = engine.rank_for_report(
        cohort.inputs, MAX_PAIRS, check=check, candidates=candidates, score_pairs=score_pairs, known=known
    )
    return Results(cohort, ranking, _best(cohort, ranking), lambda: rank_without_exclusions(cohort, ranking))


def save(report: Report, results: Results, listed: Callable[[LoadedCohort], Iterable[ListedPairs]]) -> None:
    """Store the results in the caller's transaction, in place of those of an earlier run.

    `listed` returns the best pairs, given the cohort with copies of submissions of other assignments.
    """
    cohort, ranking, best, before = results
    report.pairs.all().delete()
    cohort = copy_old_work(report.assignment, cohort, ranking, best)
    report.ignored.all().delete()
    _save_submissions(report, cohort)
    for part in listed(cohort):
        copy(connection, Pair, pair_columns(report, cohort, part))
    _save_ignored(report, cohort)
    progress.publish(report.pk, "Grouping duplicates")
    report.duplicates = duplicate_groups(cohort)
    progress.publish(report.pk, "Measuring the effect of exclusions")
    cases = find_cases(report.assignment, cohort, ranking)
    findings = collect_findings(cohort, ranking, best, before)
    report.findings = findings.model_copy(update=cases._asdict())
    report.parameters = parameters(cohort) | {
        "threshold": ranking.threshold._asdict() | {"many_whole": _has_many_whole(cohort, ranking)},
        "unrelated": ranking.unrelated and ranking.unrelated._asdict(),
    }
    if moved := _moved(report, cohort):
        report.parameters["moved"] = moved
    if others := _other_classes(report):
        report.parameters["others"] = others._asdict()
    if Batch.objects.filter(submissions__reports=report, incomplete=True).exists():
        report.parameters["incomplete"] = True


def _moved(report: Report, cohort: LoadedCohort) -> dict[str, object] | None:
    """Return the suggestion of the ranking before and what was changed since, by `MovedThreshold`.

    It is None where the suggestion is about the same, or where there is no ranking before.
    """
    earlier = report.assignment.reports.filter(pk__lt=report.pk, state=Report.State.DONE).first()
    if earlier is None:
        return None
    before, now = earlier.parameters, report.parameters
    suggested = float(before["threshold"]["value"])
    if abs(suggested - now["threshold"]["value"]) <= LEAST_MOVE + 1e-9:
        return None
    of_class = earlier.submissions.filter(batch__role=Batch.Role.CLASS)
    then = dict(of_class.values_list("name", "pk"))
    names = {one.name: one.pk for index, one in enumerate(cohort.submissions) if not cohort.is_old(index)}
    moved = MovedThreshold(
        suggested,
        added=len(names.keys() - then.keys()),
        removed=before["submissions"] - len(then.keys() & names.keys()),
        replaced=sum(then.get(name, pk) != pk for name, pk in names.items()),
        boilerplate="boilerplate" in before and before["boilerplate"] != now["boilerplate"],
        score=before.get("score_version") != now["score_version"],
    )
    return moved._asdict()


def _other_classes(report: Report) -> OtherClasses | None:
    """Return how similar pairs are within the other assignments that were chosen to compare with.

    None where none has a report by the same rules of the score. A report with more pairs above the threshold
    than it stores does not count.
    """
    suggested = suggested_threshold(report)
    chosen = report.assignment.compared_with.filter(course__owner=report.assignment.course.owner_id)
    found = OtherClasses(0, 0, 0, 0.0, 0, suggested)
    for other in chosen.order_by("pk"):
        newest = other.reports.filter(state=Report.State.DONE).first()
        if newest is None or newest.parameters.get("score_version") != engine.SCORE_VERSION:
            continue
        rows = with_decisions(newest.pairs.filter(OF_WORK["class"], CAN_MAKE_CASE).order_by())
        stored = list(rows.values_list("similarity", "decision"))
        honest = [similarity for similarity, decision in stored if decision not in SUSPECTED]
        above = sum(similarity >= suggested for similarity in honest)
        if above < MAX_PAIRS:
            suspected = len(stored) - len(honest)
            pairs = found.pairs + _compared_pairs(newest) - suspected
            highest = max(found.highest, *honest, 0.0)
            counts = (found.assignments + 1, pairs, found.suspected + suspected)
            found = OtherClasses(*counts, highest, found.above + above, suggested)
    return found if found.pairs > 0 else None


def _compared_pairs(report: Report) -> int:
    """Return how many pairs of a class were compared: all but those of one student or one team."""
    submissions, left_out = report.parameters["submissions"], 0
    if report.findings:
        left_out = report.findings.not_compared.students + report.findings.not_compared.teams
    return int(submissions * (submissions - 1) // 2 - left_out)


def rank_without_cancelled(report: Report, prepared: Prepared | None = None) -> list[int]:
    """Rank a report again until no batch was cancelled during the ranking.

    Return the primary keys of the batches that are done with it.
    """
    while True:
        ranked = ranked_batches(report.assignment_id)
        rank(report, prepared)
        if not has_cancelled(report):
            return ranked
        prepared = None


def has_cancelled(report: Report) -> bool:
    """Return whether a batch of the report was cancelled meanwhile."""
    return Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists()


def _best(cohort: LoadedCohort, ranking: engine.Ranking) -> engine.Ranking:
    """Return the most similar pairs, and the best pair of every submission if it reaches the threshold.

    So the pairs of every case can be opened, however many there are. Pairs with old submissions take the
    place of none of the class.
    """
    sides = zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True)
    has_files = np.array(count_same_files(cohort.shared_sources, sides), dtype=np.int64) > 0
    is_old = cohort.old[ranking.pairs.left] | cohort.old[ranking.pairs.right]
    parts = [_best_rows(ranking, np.flatnonzero(part), has_files) for part in (~is_old, is_old)]
    return ranking.take(np.union1d(*parts))


def _best_rows(ranking: engine.Ranking, rows: npt.NDArray[np.intp], has_files: Flags) -> npt.NDArray[np.intp]:
    """Return the rows that a report stores; `rows` are ordered by similarity, the highest first.

    `has_files` tells which rows of the ranking have an identical file.
    """
    whole = has_files | _whole_sides(ranking).any(axis=0)
    listed = np.union1d(rows[:MAX_PAIRS], rows[whole[rows]][:MAX_PAIRS])
    above = rows[ranking.scores.similarity[rows] >= ranking.threshold.value]
    sides = np.stack((ranking.pairs.left[above], ranking.pairs.right[above]), axis=1).ravel()
    _, first = np.unique(sides, return_index=True)
    return np.union1d(listed, above[first // 2])


def _whole_sides(ranking: engine.Ranking) -> Flags:
    shares = np.stack((ranking.scores.left_share, ranking.scores.right_share))
    whole: Flags = (shares >= WHOLE_SHARE) & (ranking.scores.tokens >= WHOLE_TOKENS)
    return whole


def _has_many_whole(cohort: LoadedCohort, ranking: engine.Ranking) -> bool:
    """Return whether many submissions of the class are whole in pairs of the class below the threshold."""
    sides = np.stack((ranking.pairs.left, ranking.pairs.right))
    below = (ranking.scores.similarity < ranking.threshold.value) & ~cohort.old[sides].any(axis=0)
    return are_many(len(np.unique(sides[_whole_sides(ranking) & below])), cohort.class_size)


def parameters(cohort: LoadedCohort) -> dict[str, object]:
    """Return everything besides the sources that the figures of a report depend on."""
    return asdict(PARAMS) | {
        "guarantee": PARAMS.guarantee,
        "submissions": cohort.class_size,
        "common_limit": cohort.inputs.cohort.limit,
        "boilerplate": cohort.boilerplate,
        "engine_version": engine.ENGINE_VERSION,
        "score_version": engine.SCORE_VERSION,
        "versions": {"moss": version("moss-server"), "pygments": version("pygments")},
        "profiles": sorted({file.profile for file in cohort.files}),
    }


def _save_submissions(report: Report, cohort: LoadedCohort) -> None:
    report.submissions.clear()
    listed = [one.pk for one in cohort.listed]
    columns = {"report_id": [report.pk] * len(listed), "submission_id": listed}
    insert(connection, Report.submissions.through, columns)


def _save_ignored(report: Report, cohort: LoadedCohort) -> None:
    """Store the ignored tokens of each document that has any.

    One row serves all files with this document: in one class they have the same ignored tokens. Tokens
    ignored in the class take precedence, since the course of old work handed out other code.
    """
    of_files = list(zip(cohort.files, cohort.contents, cohort.inputs.cohort.ignored_spans(), strict=True))
    of_files.sort(key=lambda row: not cohort.is_old(row[1].submission))
    spans_of = {
        file.document_id: spans for file, content, spans in of_files if not cohort.is_unlisted(content.submission)
    }
    rows = {document: spans for document, spans in spans_of.items() if spans}
    columns: dict[str, list[Any]] = {"document_id": list(rows), "spans": list(rows.values())}
    insert(connection, Ignored, columns | {"report_id": [report.pk] * len(rows)})


def merge_scores(plan: RankingPlan) -> Results:
    """Return what ranking the cohort of a plan in one piece would, from the scores of its shards.

    Raises Cancelled when a user cancelled the ranking. Raises CohortChanged when what the plan selected was changed.
    """
    kept = planned(plan)
    return compute(kept.cohort, plan_check(plan.pk), kept.candidates, StoredScores(plan))


def with_effect(plan: RankingPlan, results: Results) -> Results:
    """Return results that know the ranking without exclusions, if that ranking differs."""
    cohort, job_count = results.cohort, len(planned(plan).jobs)
    if not cohort.is_ranked_twice:
        return results
    before = rank_without_exclusions(cohort, results.ranking, StoredScores(plan, job_count))
    return results._replace(before=lambda: before)


def merge_passages(plan: RankingPlan, results: Results, copied: LoadedCohort) -> Iterator[ListedPairs]:
    """Yield the pairs that the report lists, with what its shards aligned; see `rank.save` for `copied`."""
    shards = plan.shards.filter(kind=RankingShard.Kind.PASSAGES).order_by("number")
    done = 0
    for pairs, packed in shards.values_list("pairs", "result").iterator(chunk_size=1):
        ranking = results.best.take(np.arange(done, done + pairs))
        yield with_copies(results.cohort, copied, ListedPairs(ranking, unpack_parts(bytes(packed or b""))))
        done += pairs


class StoredScores:
    """The scores of the jobs of a plan from number `first` on; it is called for them in their order."""

    def __init__(self, plan: RankingPlan, first: int = 0) -> None:
        self._plan, self._numbers = plan, count(first)

    def __call__(
        self, cohort: Cohort, lexical: LexicalTable, pairs: CandidatePairs, check: Callable[[], None]
    ) -> Scores:
        check()
        parts = list(self._parts(next(self._numbers)))
        if not parts:  # No shard has no pairs.
            parts = [engine.score(cohort, lexical, pairs.take(np.arange(0)), check)]
        scores = engine.Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        if len(scores.similarity) != len(pairs.left):
            raise CohortChanged
        return scores

    def _parts(self, job: int) -> Iterator[Scores]:
        shards = self._plan.shards.filter(kind=RankingShard.Kind.SCORES, job=job).order_by("number")
        for scores in shards.values_list("result", flat=True).iterator(chunk_size=1):
            yield unpack_scores(bytes(scores or b""))
