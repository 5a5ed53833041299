"""Entries of an upload: one shape from the child that unpacks them to the list on the page."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class CommitTimes(NamedTuple):
    """The first and the last commit in seconds since 1970, and the number of commits, at least one."""

    first: int
    last: int
    number: int


class Entry(NamedTuple):
    """One entry of an upload, from the child that unpacks it to the list on its page.

    name : clean relative POSIX path, only for display if the entry was refused; a folder of junk is one entry
        whose name ends in a slash
    size : bytes, the declared ones where the entry was not read
    reason : why it does not count, for the uploader; empty where it counts
    data : its bytes, where it was unpacked and they are at hand; `digest` stands for them where they are not
    modified : time of an unpacked entry, from the innermost archive that stores one; naive if local time
    left_out : why its content leaves it out
    incomplete : it is an archive whose rest was not read
    commits : the times in a log of Git, which is not accepted
    submission : name of the submission that it belongs to, empty if not known
    """

    name: str
    size: int
    reason: str = ""
    data: bytes | None = None
    modified: datetime | None = None
    digest: bytes = b""
    left_out: str = ""
    incomplete: bool = False
    commits: CommitTimes | None = None
    submission: str = ""
