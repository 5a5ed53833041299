"""The times of the commits that Git noted in `.git/logs/HEAD`, of which nothing else is kept.

A line of it is `OLD NEW NAME <MAIL> SECONDS ZONE`, a tab and what was done, as Git 2 writes it.
"""

from __future__ import annotations

import io
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake import reasons
from submissions.intake.archives.members import (
    DAMAGE_ERRORS,
    ArchiveMember,
    CommitTimes,
    UnpackedEntry,
    copy_within_limits,
)
from submissions.intake.left_out.listing import folders_around
from submissions.intake.limits import BadArchive, Budget, RefusalError, damage_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

GIT, LOG = ".git/", "logs/HEAD"
# A log of this size has about 5,000 commits; a longer one is not read.
MOST_LOG_BYTES = 1_000_000
# Seconds since 1970 up to the year 9999 have this many digits at most.
DIGITS = 11
LAST_SECOND = 253_402_300_799
# More lines than a log that is read can have.
MAX_COMMITS = MOST_LOG_BYTES


class CommitLog(NamedTuple):
    """The commits of a log, None where it has none, and the number of its lines that cannot be read."""

    times: CommitTimes | None
    unread: int

    @property
    def reason(self) -> str:
        """The reason why the log is no file of the submission, for the uploader."""
        kept = reasons.TIMES_KEPT
        return reasons.UNREAD_LINES.format(reason=kept, n=f"{self.unread:,}") if self.unread else kept


def folder_of_log(path: str) -> str | None:
    """Return the folder with the working copy whose log has this path; None for any other path."""
    return path.removesuffix(GIT + LOG) if f"/{path}".endswith(f"/{GIT}{LOG}") else None


def commit_log_entry(member: ArchiveMember, name: str, budget: Budget) -> UnpackedEntry:
    """Return the entry for a log, which has its times and never its text."""
    copy, limit = io.BytesIO(), budget.limits.commit_log_bytes
    try:
        with member.open() as stream:
            copy_within_limits(b"", stream, copy, member=member, budget=budget, limit=limit)
    except RefusalError as error:
        return UnpackedEntry(name, None, member.size, str(error))
    except BadArchive:
        raise
    except DAMAGE_ERRORS as error:
        return UnpackedEntry(name, None, member.size, damage_reason(error))
    log = read_commit_log(copy.getvalue())
    return UnpackedEntry(name, None, copy.tell(), log.reason, commits=log.times)


def read_commit_log(data: bytes) -> CommitLog:
    """Return the commits that were made where the log is; commits that were cloned or pulled are not in it.

    An amended commit counts once, with the time of the change too.
    """
    seconds, number, unread = list[int](), 0, 0
    for line in data.splitlines():
        head, _, action = line.partition(b"\t")
        time = _seconds(head)
        if time is None:
            unread += 1
        elif action.startswith((b"commit:", b"commit (")):
            seconds.append(time)
            number += not action.startswith(b"commit (amend)")
    times = CommitTimes(min(seconds), max(seconds), max(number, 1)) if seconds else None
    return CommitLog(times, unread)


def _seconds(head: bytes) -> int | None:
    """Return the time of a line, from what stands before its tab; None if it is no such line."""
    parts = head.split(b" ")
    if len(parts) < 5 or not all(map(_is_object, parts[:2])):  # noqa: PLR2004 - the fields of a line
        return None
    seconds, zone = parts[-2:]
    if not (seconds.isdigit() and len(seconds) <= DIGITS and zone[:1] in {b"+", b"-"} and zone[1:].isdigit()):
        return None
    return int(seconds) if int(seconds) <= LAST_SECOND else None


def _is_object(name: bytes) -> bool:
    return len(name) in {40, 64} and not name.strip(b"0123456789abcdef")


def commits_by_submission(
    logs: Mapping[str, CommitTimes], owners: Mapping[str, str]
) -> dict[str, CommitTimes]:
    """Return the times of commits by submission, from those of logs by path.

    `owners` has the submission of each file that is used. A log counts where all files that are used in its
    working copy are of one submission.
    """
    if not logs:
        return {}
    submissions_in: dict[str, set[str]] = defaultdict(set)
    for path, submission in owners.items():
        for folder in folders_around(path):
            submissions_in[folder].add(submission)
    times: dict[str, list[CommitTimes]] = defaultdict(list)
    for path, log in logs.items():
        submissions = submissions_in[folder_of_log(path) or ""]
        if len(submissions) == 1:
            times[next(iter(submissions))].append(log)
    return {name: _joined_times(of_one) for name, of_one in times.items()}


def _joined_times(logs: Iterable[CommitTimes]) -> CommitTimes:
    """Return the times of all commits of one submission, which may have several working copies."""
    first, last, numbers = zip(*logs, strict=True)
    return CommitTimes(min(first), max(last), sum(numbers))
