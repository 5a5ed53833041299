"""Submissions that are the same, or but for layout, names or values: found by a ranking, and listed."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.utils.translation import gettext_lazy

from fingerprint.engine import distinct_values, group_duplicates
from submissions.core.models import DuplicateRecord
from submissions.uploads.read import submissions_by_id

if TYPE_CHECKING:
    from typing import Any

    from fingerprint.engine import CohortFile
    from fingerprint.kernels.types import Hashes
    from submissions.core.names import Names
    from submissions.models import Report, Submission, SubmissionFile
    from submissions.reports.cohort import LoadedCohort

SAMENESS = {
    "identical": gettext_lazy("the same bytes"),
    "layout": gettext_lazy("the same but for layout and comments"),
    "names": gettext_lazy("the same program with other names"),
    "lexical": gettext_lazy("the same program with other names, values or types"),
}


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


class ListedDuplicates(NamedTuple):
    """Submissions of a report that are duplicates; `description` says what they have in common."""

    description: str
    submissions: list[Submission]


def listed_duplicates(report: Report, names: Names, member: int | None = None) -> list[ListedDuplicates]:
    """Return the groups of identical submissions, the strongest sameness and the largest group first.

    Each is sorted by displayed name. With `member`, the primary key of a submission, only those it is in.
    """
    duplicates = [
        group
        for group in report.duplicates
        if group.sameness in SAMENESS and (member is None or member in group.submissions)
    ]
    submissions = submissions_by_id(pk for group in duplicates for pk in group.submissions)
    groups = [
        ListedDuplicates(
            str(SAMENESS[group.sameness]),
            sorted(
                (submissions[pk] for pk in group.submissions if pk in submissions),
                key=lambda submission: names.display_name(submission.name),
            ),
        )
        for group in duplicates
    ]
    strength = {str(description): place for place, description in enumerate(SAMENESS.values())}
    return sorted(
        groups,
        key=lambda group: (strength[group.description], -len(group.submissions), _first_name(group, names)),
    )


def _first_name(group: ListedDuplicates, names: Names) -> str:
    return names.display_name(group.submissions[0].name) if group.submissions else ""
