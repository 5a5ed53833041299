"""The times of commits, read from the log of a working copy that real Git wrote."""

import io
from pathlib import Path

from hypothesis import given, strategies as st

from submissions.intake.entries import CommitTimes
from submissions.intake.limits import Limits
from submissions.intake.members import CommitLog, folder_of_log, read_commit_log
from submissions.intake.sandbox.archives import UploadedFile, unpack as unpack_in_child
from submissions.intake.unpacking import unpack
from tests.support.archives import zipped
from tests.support.git_server import START, git

LIMITS = Limits(commit_log_bytes=10_000)
LOG = "ada/.git/logs/HEAD"
OLD, NEW = "0" * 40, "a" * 40
CODE = b"print(1)\n"


def line(seconds: object = START, action: str = "commit: x", who: str = "Ada <a@b>", new: str = NEW) -> bytes:
    return f"{OLD} {new} {who} {seconds} +0200\t{action}\n".encode()


def commits_in(log: bytes, limits: Limits = LIMITS) -> tuple[CommitTimes | None, str]:
    """Return what a child finds in the log of an archive, and the reason that the uploader sees."""
    data = zipped({"ada/.git/config": b"[core]", LOG: log, "ada/main.py": CODE})
    file = UploadedFile("class.zip", len(data), lambda: io.BytesIO(data))
    [entry] = [one for one in unpack_in_child(file, 1_000_000_000, limits) if one.name == LOG]
    assert entry.data is None
    return entry.commits, entry.reason


def test_the_log_that_git_wrote_says_when_commits_were_made(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for hour, options in enumerate((["-m", "first"], ["-m", "second"], ["--amend", "-m", "better"])):
        git(tmp_path, "commit", "--quiet", "--allow-empty", *options, time=START + hour * 3600)
    git(tmp_path, "checkout", "--quiet", "-b", "other", time=START + 9 * 3600)
    log = (tmp_path / ".git/logs/HEAD").read_bytes()
    assert log.count(b"\n") == 4
    assert commits_in(log) == (CommitTimes(START, START + 7200, 2), "only the times of its commits are kept")


def test_lines_that_git_does_not_write_are_counted_and_left_out() -> None:
    broken = [
        line("soon"), line(-5), line("9" * 12), line(new="g" * 40), b"\n", b"x" * 300 + b"\n", line("²"),
    ]  # fmt: skip
    times, reason = commits_in(line() + b"".join(broken) + line(START + 60))
    assert times == CommitTimes(START, START + 60, 2)
    assert reason == f"only the times of its commits are kept; lines that cannot be read: {len(broken)}"


def test_no_times_are_read_of_a_clone_a_log_over_the_limit_and_other_logs() -> None:
    assert commits_in(line(action="clone: from https://example.org/a"))[0] is None
    assert commits_in(line() * 200) == (None, "has more than 10 kB, the limit for one file")
    for path in ("ada/node_modules/x/.git/logs/HEAD", "ada/.git/logs/refs/heads/main"):
        data = zipped({path: line(), "ada/main.py": CODE})
        assert not any(entry.commits for entry in unpack("class.zip", io.BytesIO(data), LIMITS))
    data = zipped({LOG: line(), "ada/main.py": CODE})
    assert [one.name for one in unpack("class.zip", io.BytesIO(data))] == ["ada/.git/", "ada/main.py"]


def test_names_and_messages_of_commits_are_not_in_what_is_unpacked() -> None:
    data = zipped({LOG: line(who="Secret Person <s@p>", action="commit: secret word"), "ada/main.py": CODE})
    entries = list(unpack("class.zip", io.BytesIO(data), LIMITS))
    assert any(entry.commits for entry in entries)
    assert "secret" not in repr(entries).casefold()


def test_the_folder_of_a_log_is_that_of_its_working_copy() -> None:
    paths = (LOG, ".git/logs/HEAD", "a.git/logs/HEAD", "ada/main.py")
    assert [folder_of_log(path) for path in paths] == ["ada/", "", None, None]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.binary(max_size=9)), max_size=9))
def test_any_bytes_between_commits_change_no_times(commits: list[tuple[int, int, bytes]]) -> None:
    noise = [one.replace(b"\n", b"").replace(b"\r", b"") for _, _, one in commits]
    log = b"".join(
        line(START + seconds) * count + other + b"\n" for (count, seconds, _), other in zip(commits, noise, strict=True)
    )
    seconds = [START + at for count, at, _ in commits for _ in range(count)]
    expected = CommitTimes(min(seconds), max(seconds), len(seconds)) if seconds else None
    read = read_commit_log(log)
    assert read == CommitLog(expected, read.unread)
    assert read.unread >= len(commits)
