"""The files of a repository that a real Git server gives, also of one that was made to do harm."""

import io
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from moss.integrations.repositories import fetching as snapshots, git as running
from moss.integrations.repositories.fetching import Snapshot, Wanted, reachable, take_snapshot
from moss.integrations.repositories.git import Git, GitFailed, Remote
from submissions.intake.unpacking import unpack
from tests.support.git_server import HOUR, START, GitServer, blob, commit, git, hand_in, tree

# They start Git and a server of repositories.
pytestmark = pytest.mark.services

# Bytes that cannot be packed.
NOISE = Random(1).randbytes(8_000_000)
CODE = b"def area(width, height):\n    return width * height\n"


def taken(
    server: GitServer, name: str, wanted: Wanted | None = None, *, token: str = "", seconds: float = 60
) -> tuple[dict[str, bytes], dict[str, str], Snapshot]:
    """Fetch a repository as a job does; return the files, the refused entries, and what was noted."""
    target = io.BytesIO()
    remote = reachable(server.url(name), token)
    snapshot = take_snapshot(remote, wanted or Wanted(), target, seconds)
    entries = list(unpack("pushed-1.zip", target))
    files = {one.name: one.data for one in entries if one.data is not None}
    return files, {one.name: one.reason for one in entries if one.reason and one.name != ".git/"}, snapshot


def at(hours: float) -> datetime:
    return datetime.fromtimestamp(START + hours * HOUR, UTC)


def test_the_newest_commit_of_the_default_branch_is_taken(git_server: GitServer) -> None:
    repository = git_server.repository("anna")
    first = hand_in(repository, {"main.py": b"old\n"})
    last = hand_in(repository, {"main.py": CODE, "zwei.py": b"print(2)\n"}, first, hours=1)
    files, refused, snapshot = taken(git_server, "anna")
    assert files == {"main.py": CODE, "zwei.py": b"print(2)\n"}
    assert not refused
    assert snapshot == Snapshot(last, at(1), 2, [])


def test_the_last_commit_before_the_due_date_is_taken(git_server: GitServer) -> None:
    repository = git_server.repository("anna")
    first = hand_in(repository, {"main.py": CODE})
    hand_in(repository, {"main.py": b"late\n"}, first, hours=2)
    files, _refused, snapshot = taken(git_server, "anna", Wanted(until=at(1)))
    assert (files, snapshot.commit) == ({"main.py": CODE}, first)


def test_what_was_merged_after_the_due_date_does_not_count(git_server: GitServer) -> None:
    repository = git_server.repository("anna")
    first = hand_in(repository, {"main.py": CODE})
    side = hand_in(repository, {"side.py": b"x = 1\n"}, first, hours=1, branch="side")
    hand_in(repository, {"main.py": CODE, "side.py": b"x = 1\n"}, first, side, hours=3)
    assert taken(git_server, "anna", Wanted(until=at(2)))[2].commit == first


def test_a_repository_without_a_commit_before_the_due_date_says_so(git_server: GitServer) -> None:
    hand_in(git_server.repository("anna"), {"main.py": CODE}, hours=2)
    with pytest.raises(GitFailed, match="no commit before the due date"):
        taken(git_server, "anna", Wanted(until=at(1)))


@pytest.mark.slow
def test_a_branch_and_a_commit_can_be_named(git_server: GitServer) -> None:
    repository = git_server.repository("anna")
    first = hand_in(repository, {"main.py": CODE})
    hand_in(repository, {"main.py": b"later\n"}, first, hours=1)
    hand_in(repository, {"other.py": CODE}, branch="lab/2")
    assert list(taken(git_server, "anna", Wanted(branch="lab/2"))[0]) == ["other.py"]
    assert taken(git_server, "anna", Wanted(commit=first))[0] == {"main.py": CODE}
    with pytest.raises(GitFailed, match="no such branch"):
        taken(git_server, "anna", Wanted(branch="lab/3"))
    with pytest.raises(GitFailed, match="no such commit"):
        taken(git_server, "anna", Wanted(commit="0123456789" * 4))


def test_a_private_repository_needs_its_token(git_server: GitServer) -> None:
    hand_in(git_server.repository("private/anna"), {"main.py": CODE})
    with pytest.raises(GitFailed, match="refused the token, or asks for one"):
        taken(git_server, "private/anna")
    with pytest.raises(GitFailed, match="refused the token, or asks for one"):
        taken(git_server, "private/anna", token="wrong")
    assert taken(git_server, "private/anna", token=git_server.token)[0] == {"main.py": CODE}


def test_links_stay_links_and_lead_nowhere(git_server: GitServer) -> None:
    repository = git_server.repository("eve")
    link, code = blob(repository, b"/etc/passwd"), blob(repository, CODE)
    commit(repository, tree(repository, ("120000", "a.py", link), ("100644", "main.py", code)))
    files, refused, _snapshot = taken(git_server, "eve")
    assert files == {"main.py": CODE}
    assert "link" in refused["a.py"]


def test_names_that_lead_out_of_the_folder_are_refused(git_server: GitServer) -> None:
    repository = git_server.repository("eve")
    code = blob(repository, CODE)
    inner = tree(repository, ("100644", "out.py", code), ("100644", "config", code))
    outer = tree(
        repository,
        ("40000", "..", inner),
        ("40000", ".git", inner),
        ("100644", "C:\\x.py", code),
        ("100644", "main.py", code),
    )
    commit(repository, outer)
    files, refused, _snapshot = taken(git_server, "eve")
    assert set(files) <= {"main.py", "C:_x.py", "C_x.py"}
    assert files["main.py"] == CODE
    assert any("out.py" in name for name in refused)


def test_a_submodule_is_named_and_not_fetched(git_server: GitServer) -> None:
    repository = git_server.repository("eve")
    inner = hand_in(git_server.repository("inner"), {"secret.py": CODE})
    modules = blob(repository, f'[submodule "x"]\n\tpath = x\n\turl = {git_server.url("inner")}\n'.encode())
    code = blob(repository, CODE)
    entries = (("100644", ".gitmodules", modules), ("100644", "main.py", code), ("160000", "x", inner))
    commit(repository, tree(repository, *entries))
    files, _refused, snapshot = taken(git_server, "eve")
    assert files["main.py"] == CODE
    assert snapshot.left_out == ["x: a submodule"]
    assert not any("inner" in path for path, _credentials in git_server.asked)


def test_a_huge_file_is_not_even_fetched(git_server: GitServer, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = git_server.repository("eve")
    monkeypatch.setattr(running, "PACK_BYTES", 6_000_000)
    noise = blob(repository, NOISE)
    commit(
        repository,
        tree(repository, ("100644", "huge.py", noise), ("100644", "main.py", blob(repository, CODE))),
    )
    files, _refused, snapshot = taken(git_server, "eve")
    assert files == {"main.py": CODE}
    assert snapshot.left_out == ["huge.py: larger than 5 MB"]


def test_a_repository_that_ignores_the_limit_of_size_is_ended(
    git_server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = git_server.repository("eve")
    git(repository, "config", "uploadpack.allowFilter", "false")
    monkeypatch.setattr(running, "PACK_BYTES", 1_000_000)
    noise = blob(repository, NOISE)
    commit(repository, tree(repository, ("100644", "huge.py", noise)))
    with pytest.raises(GitFailed, match="larger than 100 MB"):
        taken(git_server, "eve")


def test_many_small_files_that_are_large_together_are_refused(
    git_server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MOST_BYTES", 1_000_000)
    repository = git_server.repository("eve")
    # A bomb: one object, named many times.
    bomb = blob(repository, b"\0" * 400_000)
    commit(repository, tree(repository, *(("100644", f"{n}.py", bomb) for n in range(9))))
    with pytest.raises(GitFailed, match="larger than 1 MB together"):
        taken(git_server, "eve")


def test_a_server_that_sends_to_another_host_gets_no_token_there(git_server: GitServer) -> None:
    hand_in(git_server.repository("anna"), {"main.py": CODE})
    other = git_server.url("anna").replace("127.0.0.1", "localhost")
    git_server.redirects["moved"] = f"{other}/info/refs?service=git-upload-pack"
    with pytest.raises(GitFailed, match="redirects to another host"):
        taken(git_server, "moved", token="secret")
    assert [path for path, _credentials in git_server.asked] == ["/moved/info/refs"]


@pytest.mark.parametrize("location", ["https://[", "https://[host]/", "https://a[::1]/", "http://[::1]a/"])
def test_a_server_that_sends_to_no_address_does_not_answer(git_server: GitServer, location: str) -> None:
    git_server.redirects["moved"] = location
    with pytest.raises(GitFailed, match=r"does not answer|redirects to another host"):
        taken(git_server, "moved")


def test_a_repository_that_moved_at_its_host_is_found(git_server: GitServer) -> None:
    hand_in(git_server.repository("anna.git"), {"main.py": CODE})
    git_server.redirects["anna"] = "/anna.git/info/refs?service=git-upload-pack"
    assert taken(git_server, "anna")[0] == {"main.py": CODE}


def test_git_itself_follows_no_redirect(git_server: GitServer) -> None:
    hand_in(git_server.repository("anna"), {"main.py": CODE})
    git_server.redirects["moved"] = f"{git_server.url('anna')}/info/refs?service=git-upload-pack"
    with pytest.raises(GitFailed, match="redirects to another address"):
        take_snapshot(Remote(git_server.url("moved"), "127.0.0.1"), Wanted(), io.BytesIO())


def test_git_connects_to_the_number_that_was_checked(git_server: GitServer) -> None:
    hand_in(git_server.repository("anna"), {"main.py": CODE})
    address = git_server.url("anna").replace("127.0.0.1", "git.example.org")
    snapshot = take_snapshot(Remote(address, "127.0.0.1"), Wanted(), io.BytesIO())
    assert snapshot.files == 1


@pytest.mark.parametrize("address", ["http://localhost.localdomain/x", "http://127.0.0.2/x", "https://10.1.2.3/x"])
def test_a_host_in_a_private_network_is_not_asked(address: str) -> None:
    with pytest.raises(GitFailed, match=r"may not fetch from the network of its host|name of its host is not known"):
        reachable(address, "")


def test_a_silent_server_ends_at_the_deadline(git_server: GitServer) -> None:
    git_server.silent.add("slow")
    with pytest.raises(GitFailed, match="took too long") as failed:
        take_snapshot(Remote(git_server.url("slow"), "127.0.0.1"), Wanted(), io.BytesIO(), seconds=1)
    assert failed.value.passing


@pytest.mark.parametrize("address", ["file:///etc", "ext::sh -c id", "ssh://127.0.0.1/x", "git://127.0.0.1/x"])
def test_git_uses_no_protocol_but_that_of_the_address(address: str, tmp_path: Path) -> None:
    runner = Git(tmp_path, Remote("https://git.example.org/x", "127.0.0.1"))
    runner.run("init", "--quiet", "--bare", "--template=", ".")
    with pytest.raises(GitFailed):
        runner.run("fetch", "--", address)


def test_the_token_is_in_no_command_line_and_no_file(git_server: GitServer, tmp_path: Path) -> None:
    hand_in(git_server.repository("private/anna"), {"main.py": CODE})
    remote = Remote(git_server.url("private/anna"), "127.0.0.1", git_server.token)
    runner = Git(tmp_path, remote)
    assert not any(git_server.token in part for part in runner._command(["fetch"]))
    runner.run("init", "--quiet", "--bare", "--template=", ".")
    snapshots._fetch(runner, "--depth=1", source="HEAD")
    written = b"".join(path.read_bytes() for path in runner.folder.rglob("*") if path.is_file())
    assert b"x-access" not in written
    assert b"Authorization" not in written
    assert git_server.asked[-1][1].startswith("Basic ")
