"""The times of commits of the submissions of an upload."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from submissions.intake.archives.commit_log import folder_of_log, joined_times
from submissions.intake.archives.members import CommitTimes
from submissions.intake.left_out.listing import folders_around
from submissions.models.records import Commits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.models import ListedEntry


def commits_by_submission(listed: Iterable[ListedEntry], owners: Mapping[str, str]) -> dict[str, Commits]:
    """Return the times of commits by submission; `owners` has the submission of each file that is used.

    A log counts where all files that are used in its working copy are of one submission.
    """
    by_folder = {folder_of_log(row.name) or "": row.commits for row in listed if row.commits}
    if not by_folder:
        return {}
    inside: dict[str, set[str]] = defaultdict(set)
    for path, submission in owners.items():
        for folder in folders_around(path):
            inside[folder].add(submission)
    times: dict[str, list[CommitTimes]] = defaultdict(list)
    for folder, commits in by_folder.items():
        if len(inside[folder]) == 1:
            times[next(iter(inside[folder]))].append(CommitTimes(commits.first, commits.last, commits.number))
    return {name: Commits(**joined_times(logs)._asdict()) for name, logs in times.items()}
