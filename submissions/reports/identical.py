"""Submissions that are the same, or but for layout, names or values, and identical files."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.utils.translation import gettext as _, gettext_lazy

from fingerprint.engine import distinct_values, group_duplicates
from submissions.core.models import DuplicateRecord
from submissions.models import Report, Submission, SubmissionFile
from submissions.uploads.read import submissions_by_id

if TYPE_CHECKING:
    from fingerprint.engine import CohortFile
    from fingerprint.kernels.types import Hashes
    from submissions.core.names import Names
    from submissions.reports.cohort import LoadedCohort, LoadedFile

SAMENESS = {
    "identical": gettext_lazy("the same content"),
    "layout": gettext_lazy("identical except layout, comments, punctuation and modifiers"),
    "names": gettext_lazy("identical except names"),
    "lexical": gettext_lazy("identical except names, values and types"),
}
# The last one: submissions that have an identical file.
STRENGTH = (*SAMENESS, "files")


def duplicate_groups(cohort: LoadedCohort) -> list[DuplicateRecord]:
    """Return the groups of submissions that are the same; see `fingerprint.ranking.groups.Sameness`.

    Groups with an identical file follow. A group of one student or team is left out, and a submission without code.
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
    groups = [
        DuplicateRecord(sameness=group.sameness.value, submissions=[cohort.submissions[i].pk for i in group.members])
        for group in group_duplicates(keys)
        if not cohort.mates.is_one_group(group.members)
    ]
    return groups + _file_groups(cohort, [set(one.submissions) for one in groups if one.sameness == "identical"])


def _file_groups(cohort: LoadedCohort, identical: list[set[int]]) -> list[DuplicateRecord]:
    """Return the groups of submissions with an identical file that are not identical as a whole."""
    members: dict[object, list[int]] = defaultdict(list)
    for index, sources in enumerate(cohort.shared_sources):
        for source in sources:
            if not cohort.is_unlisted(index):
                members[source].append(index)
    # The path of a file of the class, where it has one: readers may not see work of other courses.
    by_path = sorted(
        zip(cohort.files, cohort.contents, strict=True),
        key=lambda row: (cohort.is_old(row[1].submission), row[0].path),
        reverse=True,
    )
    file_of: dict[object, int] = {
        file.source_id: file.pk for file, content in by_path if not cohort.is_unlisted(content.submission)
    }
    records = (
        DuplicateRecord(sameness="files", submissions=[cohort.submissions[i].pk for i in group], file=file_of[source])
        for source, group in members.items()
        if len(group) > 1 and not cohort.mates.is_one_group(group)
    )
    return [record for record in records if not any(whole.issuperset(record.submissions) for whole in identical)]


def _written(file: LoadedFile, content: CohortFile) -> tuple[bytes, bytes, bytes]:
    """Return what files that differ in layout have in common, in names too, and in values and types too."""
    spelling = bytes(file.spelling)
    tokens, without_names = spelling[: len(spelling) // 2], spelling[len(spelling) // 2 :]
    kinds = _digest(content.kinds)
    return kinds + tokens, kinds + without_names, kinds


def _fingerprint_digests(cohort: LoadedCohort) -> dict[int, bytes]:
    """Return a digest of the distinct fingerprints of each submission, by its index, if others may have the same."""
    hashes: dict[int, list[Hashes]] = defaultdict(list)
    for content in cohort.contents:
        if len(content.hashes) and not cohort.is_unlisted(content.submission):
            hashes[content.submission].append(content.hashes)
    # Hardly any others have the same least and greatest one; to sort them all takes longer.
    bounds = {i: (min(one.min() for one in parts), max(one.max() for one in parts)) for i, parts in hashes.items()}
    counts = Counter(bounds.values())
    alike = {i: np.concatenate(parts) for i, parts in hashes.items() if counts[bounds[i]] > 1}
    return {i: _digest(distinct_values(values)) for i, values in alike.items()}


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
        if group.sameness in STRENGTH and (member is None or member in group.submissions)
    ]
    submissions = submissions_by_id(pk for group in duplicates for pk in group.submissions)
    files = [group.file for group in duplicates if group.file]
    paths = dict(SubmissionFile.objects.filter(pk__in=files).values_list("pk", "path")) if files else {}
    groups = [
        ListedDuplicates(
            _description(group, paths, names),
            sorted(
                (submissions[pk] for pk in group.submissions if pk in submissions),
                key=lambda submission: names.display_name(submission.name),
            ),
        )
        for group in duplicates
    ]
    order = [STRENGTH.index(group.sameness) for group in duplicates]
    rows = zip(order, groups, strict=True)
    return [group for _, group in sorted(rows, key=lambda row: (row[0], *_order(row[1], names)))]


def _description(group: DuplicateRecord, paths: dict[int, str], names: Names) -> str:
    if group.sameness != "files":
        return str(SAMENESS[group.sameness])
    return _("the same file {path}").format(path=names.redact_text(paths.get(group.file or 0, "")))


def _order(group: ListedDuplicates, names: Names) -> tuple[int, str, str]:
    first = names.display_name(group.submissions[0].name) if group.submissions else ""
    return -len(group.submissions), first, group.description
