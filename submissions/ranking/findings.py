"""Results of a report besides its pairs: best matches, copies, cases, common code, effect of exclusions."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.engine import distinct_values, group_duplicates, whole_lines
from submissions.comparison.components import connected_components
from submissions.mates import are_mates, compared_mates
from submissions.models.records import BestMatch, CommonPassage, DuplicateRecord, Findings
from submissions.ranking.exclusions import exclusion_effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from fingerprint.engine import Cohort, CohortFile, Ranking
    from fingerprint.kernels.types import Flags, Hashes, Ids
    from submissions.models import Assignment, SubmissionFile
    from submissions.ranking.exclusions import RankedInput
    from submissions.ranking.load import LoadedCohort

    # [first, after the last) k-gram, by the index of its first token in the cohort.
    Run = tuple[int, int]
    Indexes = npt.NDArray[np.intp]


def collect_findings(
    cohort: LoadedCohort, ranking: Ranking, stored: Ranking, before: Callable[[], RankedInput]
) -> Findings:
    """Return the findings of a ranking; `stored` are the pairs that the report stores.

    `before` ranks the cohort without exclusions; it is called where there are any.
    """
    not_compared = cohort.mates.not_compared(cohort.submissions)
    uploaded_earlier = not_compared.earlier - int(cohort.old.sum())
    return Findings(
        best=best_matches(cohort, ranking),
        scored=ranking.candidates + _old_pairs(cohort, stored),
        listed=len(stored.units),
        common=common_passages(cohort),
        effect=exclusion_effect(cohort, ranking, before),
        not_compared=not_compared.model_copy(
            update={"earlier": uploaded_earlier, "models": len(cohort.models)}
        ),
        compared=cohort.old_work.compared,
        archive=cohort.old_work.archive,
    )


def _old_pairs(cohort: LoadedCohort, stored: Ranking) -> int:
    """Return the number of stored pairs with a submission that was looked up, or with a model solution."""
    return int((cohort.old[stored.pairs.left] | cohort.old[stored.pairs.right]).sum())


def best_matches(cohort: LoadedCohort, ranking: Ranking) -> list[BestMatch]:
    """Return the best match of every submission, in cohort order."""
    ids = [submission.pk for submission in cohort.submissions]
    match, similarity = np.full(len(ids), -1), np.zeros(len(ids))
    positive = ranking.scores.similarity > 0
    left, right = ranking.pairs.left[positive], ranking.pairs.right[positive]
    # Assigned from the last pair to the first, so that the best pair of each submission overwrites others.
    one, other = (
        np.stack((left, right), axis=1).ravel()[::-1],
        np.stack((right, left), axis=1).ravel()[::-1],
    )
    match[one] = other
    similarity[one] = np.repeat(ranking.scores.similarity[positive], 2)[::-1]
    return [
        BestMatch(submission=pk, match=ids[index] if index >= 0 else None, similarity=value)
        for number, (pk, index, value) in enumerate(
            zip(ids, match.tolist(), similarity.tolist(), strict=True)
        )
        if not cohort.is_unlisted(number)
    ]


class RankedCases(NamedTuple):
    """Number of pairs at or above the threshold, and the cases, by primary keys, the largest first."""

    above: int
    cases: list[list[int]]


def find_cases(assignment: Assignment, cohort: LoadedCohort, ranking: Ranking) -> RankedCases:
    """Return the cases of all scored pairs; pairs of one student or one team connect nothing."""
    above = np.flatnonzero(ranking.scores.similarity >= ranking.threshold.value)
    rows = np.array([row for row in above.tolist() if _connects(cohort, ranking, row)], dtype=np.intp)
    ids = np.array([submission.pk for submission in cohort.submissions], dtype=np.int64)
    left, right = (ids[side[rows]].tolist() for side in (ranking.pairs.left, ranking.pairs.right))
    pairs = list(zip(left, right, strict=True))
    if keys := compared_mates(assignment, ids.tolist()):
        pairs = [pair for pair in pairs if not are_mates(keys, *pair)]
    return RankedCases(len(pairs), connected_components(pairs))


def _connects(cohort: LoadedCohort, ranking: Ranking, row: int) -> bool:
    """Return whether a pair is in the report, of two students, and both sides were handed in."""
    left, right = int(ranking.pairs.left[row]), int(ranking.pairs.right[row])
    unlisted = cohort.is_unlisted(left) or cohort.is_unlisted(right)
    return not unlisted and cohort.can_make_case(left, right)


def duplicate_groups(cohort: LoadedCohort) -> list[DuplicateRecord]:
    """Return the groups of submissions that are the same; see `fingerprint.ranking.groups.Sameness`.

    A group of one student or team is left out, and a submission without code.
    """
    sources: dict[int, list[int]] = defaultdict(list)
    files: dict[int, list[tuple[bytes, bytes, bytes]]] = defaultdict(list)
    for file, content in zip(cohort.files, cohort.contents, strict=True):
        if cohort.is_unlisted(content.submission):
            continue
        sources[content.submission].append(file.source_id)
        if len(content.kinds):
            files[content.submission].append(_written(file, content))
    indexes, fingerprints = range(len(cohort.submissions)), _fingerprint_digests(cohort)
    keys: list[list[Any]] = [[tuple(sorted(sources[i])) if files[i] else () for i in indexes]]
    keys += [[tuple(sorted(row[column] for row in files[i])) for i in indexes] for column in range(3)]
    keys.append([fingerprints.get(i, b"") for i in indexes])
    return [
        DuplicateRecord(
            sameness=group.sameness.value, submissions=[cohort.submissions[i].pk for i in group.members]
        )
        for group in group_duplicates(keys)
        if not cohort.mates.is_one_group(group.members)
    ]


def _written(file: SubmissionFile, content: CohortFile) -> tuple[bytes, bytes, bytes]:
    """Return what files that differ in layout have in common, in names too, and in values and types too."""
    spelling = bytes(file.document.spelling)
    tokens, without_names = spelling[: len(spelling) // 2], spelling[len(spelling) // 2 :]
    kinds = _digest(content.kinds)
    return kinds + tokens, kinds + without_names, kinds


def _fingerprint_digests(cohort: LoadedCohort) -> dict[int, bytes]:
    """Return a digest of the distinct fingerprints of each submission that has any, by its index."""
    hashes: dict[int, list[Hashes]] = defaultdict(list)
    for content in cohort.contents:
        if not cohort.is_unlisted(content.submission):
            hashes[content.submission].append(content.hashes)
    hashes_by_submission = {i: distinct_values(np.concatenate(parts)) for i, parts in hashes.items()}
    return {i: _digest(values) for i, values in hashes_by_submission.items() if len(values)}


def _digest(values: Hashes) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()


# Number of passages of common code that a report lists.
MAX_LISTED = 50


def common_passages(loaded: LoadedCohort) -> list[CommonPassage]:
    """Return passages of common code, by decreasing number of k-grams times number of submissions.

    A passage of which more than half was in an earlier one is not listed again.
    """
    cohort = loaded.inputs.cohort
    if cohort.limit is None:
        return []
    # What is common is so in the class, and is shown in its own code.
    class_tokens = loaded.class_tokens
    marked = cohort.common & (cohort.tokens.kgrams >= 0) & class_tokens
    selected = _select_passages(cohort, class_tokens, _sort_runs(cohort, _marked_runs(marked)))
    passages = [_common_passage(loaded, *run) for run in selected]
    return sorted(
        passages, key=lambda passage: -(passage.after - passage.first - cohort.k + 1) * passage.submissions
    )


def _common_passage(loaded: LoadedCohort, first: int, after: int, submissions: int) -> CommonPassage:
    cohort = loaded.inputs.cohort
    file = int(np.searchsorted(cohort.file_starts, first, side="right")) - 1
    first, after = whole_lines(cohort, first, after + cohort.k - 1)
    start = int(cohort.file_starts[file])
    return CommonPassage(
        document=loaded.files[file].document_id,
        first=first - start,
        after=after - start,
        submissions=submissions,
    )


def _marked_runs(marked: Flags) -> list[Run]:
    edges = np.diff(marked.astype(np.int8), prepend=0, append=0)
    return list(zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist(), strict=True))


def _sort_runs(cohort: Cohort, runs: list[Run]) -> list[Run]:
    """Return runs by decreasing sum of their k-grams' frequencies; of runs with equal k-grams, the first."""
    ids, sums = cohort.tokens.kgrams, np.concatenate(([0], np.cumsum(cohort.frequency, dtype=np.int64)))
    distinct: dict[bytes, Run] = {}
    for first, after in runs:
        distinct.setdefault(ids[first:after].tobytes(), (first, after))
    return sorted(distinct.values(), key=lambda run: int(sums[run[0]] - sums[run[1]]))


def _select_passages(cohort: Cohort, class_tokens: Flags, runs: list[Run]) -> Iterator[tuple[int, int, int]]:
    """Yield up to MAX_LISTED (first, after, submissions), parts of runs of which at least half is new.

    `own` are the tokens that count.
    """
    ids = np.where(class_tokens, cohort.tokens.kgrams, -1)
    order = np.argsort(ids, kind="stable")
    seen = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.bool_)
    remaining = MAX_LISTED
    for run in runs:
        if 2 * int(seen[ids[slice(*run)]].sum()) > run[1] - run[0]:
            continue
        for first, after, submissions in _split_run(cohort, ids, order, *run):
            if remaining and 2 * int(seen[ids[first:after]].sum()) <= after - first:
                remaining -= 1
                yield first, after, submissions
            seen[ids[first:after]] = True
        if not remaining:
            return


def _split_run(
    cohort: Cohort, ids: Ids, order: Indexes, first: int, after: int
) -> Iterator[tuple[int, int, int]]:
    """Split a run into parts (first, after, submissions).

    A longer part is in fewer submissions, so each has the length that maximises length times submissions.
    """
    while first < after:
        counts = _submission_counts(cohort, ids, order, first, after)
        size = max(range(1, len(counts) + 1), key=lambda n: n * counts[n - 1])
        yield first, first + size, counts[size - 1]
        first += size + cohort.k - 1


def _submission_counts(cohort: Cohort, ids: Ids, order: Indexes, first: int, after: int) -> list[int]:
    """Return how many submissions contain the first k-gram of a run, the first two, and so on.

    The list ends before the first count that is not above the common limit. `order` sorts `ids`, of k-grams.
    """
    counts: list[int] = []
    low, high = (np.searchsorted(ids, ids[first], side, sorter=order) for side in ("left", "right"))
    starts = order[low:high]
    for step in range(after - first):
        starts = starts[starts + step < len(ids)]
        starts = starts[ids[starts + step] == ids[first + step]]
        submissions = len(np.unique(np.searchsorted(cohort.submission_starts, starts, side="right")))
        if submissions <= (cohort.limit or 0):
            break
        counts.append(submissions)
    return counts
