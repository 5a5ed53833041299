"""Uploads are unpacked in a child: with the same entries; what ends the child is refused with a reason."""

import io
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import IO
from unittest.mock import Mock

import psutil
import pytest

from submissions.intake import unpacking as in_this_process
from submissions.intake.entries import Entry
from submissions.intake.limits import BadArchive, Limits
from submissions.intake.sandbox.archives import JOBS, UploadedFile, unpack, unpack_all
from submissions.intake.sandbox.process import ReusedChild
from tests.support import harmful_archives
from tests.support.archives import ARCHIVE_WRITERS, tarred, zipped
from tests.support.processes import descendants

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("new_children")]

MEMORY = 1_000_000_000
FILES = {f"student-{n}/main.py": f"x = {n}\n".encode() * 30 for n in range(20)}
HARMFUL = harmful_archives.__name__


def upload(name: str, data: bytes) -> UploadedFile:
    return UploadedFile(name, len(data), lambda: io.BytesIO(data))


def own_children() -> list[psutil.Process]:
    """Return the children that unpack for this process, without those of a worker that other tests started."""
    of_workers = {one.pid for worker in descendants(os.getpid(), "celery") for one in descendants(worker.pid, JOBS)}
    return [child for child in descendants(os.getpid(), JOBS) if child.pid not in of_workers]


def only_child() -> psutil.Process:
    """Return the only such child; its command can be read soon after it was started."""
    deadline = time.monotonic() + 30
    while len(children := own_children()) != 1:
        assert time.monotonic() < deadline, children
        time.sleep(0.01)
    return children[0]


def accepted(entries: list[Entry]) -> list[str]:
    return [entry.name for entry in entries if entry.data is not None]


def refused(entries: list[Entry]) -> dict[str, str]:
    return {entry.name: entry.reason for entry in entries if entry.data is None}


NESTED = {**FILES, "more/work.zip": zipped(FILES), "more/work.tar.gz": ARCHIVE_WRITERS["class.tar.gz"](FILES)}
LINKS = {"../up.py": b"x", "/etc/passwd": b"x", "a\0b.py": b"x", ".git/config": b"x", "a.py": b""}
# Made when they are needed: some are large.
UPLOADS: dict[str, Callable[[], bytes]] = {
    **{name: partial(write, FILES) for name, write in ARCHIVE_WRITERS.items()},
    "nested.zip": lambda: zipped(NESTED),
    "bomb.zip": lambda: zipped({"bomb.txt": b"\0" * 40_000_000}),
    "links.zip": lambda: zipped(LINKS),
    "russian.zip": lambda: zipped({"имя/работа.py": b"x = 1\n"}),
    "large.zip": lambda: zipped({"a/large.txt": os.urandom(4_900_000), "a/too-large.txt": os.urandom(5_100_000)}),
    "work.py": lambda: b"x = 1\n",
    "truncated.tar": lambda: tarred(FILES)[:5000],
}


@pytest.mark.parametrize("name", UPLOADS)
def test_a_child_unpacks_what_this_process_unpacks(name: str) -> None:
    data = UPLOADS[name]()
    expected = list(in_this_process.unpack(name, io.BytesIO(data)))
    assert list(unpack(upload(name, data), MEMORY)) == expected


@pytest.mark.parametrize("data", [b"", zipped({}), zipped(FILES)[:-30]])
def test_an_upload_of_which_nothing_can_be_read_is_refused_as_before(data: bytes) -> None:
    with pytest.raises(BadArchive) as expected:
        list(in_this_process.unpack("a.zip", io.BytesIO(data)))
    with pytest.raises(BadArchive) as raised:
        list(unpack(upload("a.zip", data), MEMORY))
    assert str(raised.value) == str(expected.value)


def test_several_files_are_unpacked_as_one_folder() -> None:
    files = {"work.zip": zipped(FILES), "a.py": b"a = 1\n", "broken.tar.gz": b"\x1f\x8b\x08 broken"}
    expected = in_this_process.unpack_all((name, io.BytesIO(data)) for name, data in files.items())
    assert list(unpack_all([upload(*file) for file in files.items()], MEMORY)) == list(expected)


def test_only_one_of_many_files_is_open_at_a_time() -> None:
    opened: list[IO[bytes]] = []

    def opener(data: bytes) -> Callable[[], IO[bytes]]:
        def open_one() -> IO[bytes]:
            assert all(file.closed for file in opened)
            opened.append(io.BytesIO(data))
            return opened[-1]

        return open_one

    files = [UploadedFile(name.replace("/", "-"), len(data), opener(data)) for name, data in FILES.items()]
    assert len(accepted(list(unpack_all(files, MEMORY)))) == len(FILES)
    assert len(opened) == len(FILES)
    assert all(file.closed for file in opened)


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (
            "crash",
            "it ended the program that unpacks it, twice (SIGSEGV); pack it again; the rest was not read",
        ),
        ("allocate", "unpacking it takes more memory than the 1 GB that it may use; the rest was not read"),
        ("fail", "it broke the program that unpacks it (KeyError); pack it again; the rest was not read"),
    ],
)
def test_entries_before_the_end_of_a_child_stay_once_the_rest_has_reasons(harm: str, reason: str) -> None:
    data = zipped({"a.py": b"a = 1\n", f"harm: {harm}.py": b"x = 1\n", "z.py": b"z = 1\n"})
    entries = list(unpack(upload("class.zip", data), MEMORY, jobs=HARMFUL))
    assert accepted(entries) == ["a.py"]
    assert refused(entries) == {"class.zip": reason}


def test_the_other_files_of_an_upload_are_unpacked_although_one_ends_the_child() -> None:
    first = zipped({"harm: crash.py": b"x = 1\n"})
    with pytest.raises(BadArchive, match=r"class\.zip: it ended the program that unpacks it, twice"):
        list(unpack(upload("class.zip", first), MEMORY, jobs=HARMFUL))
    files = [
        upload("first.zip", zipped({"a.py": b"a = 1\n"})),
        upload("bad.zip", zipped({"b.py": b"b = 1\n", "harm: crash.py": b"x = 1\n", "c.py": b"c = 1\n"})),
        upload("last.py", b"d = 1\n"),
    ]
    entries = list(unpack_all(files, MEMORY, jobs=HARMFUL))
    assert accepted(entries) == ["first/a.py", "bad/b.py", "last.py"]
    assert list(refused(entries)) == ["bad.zip"]


def test_each_child_unpacks_one_upload_and_the_next_one_is_started_before_it() -> None:
    reused = ReusedChild(MEMORY, JOBS, 1)
    used: list[int] = []
    for data in (b"a = 1\n", b"b = 1\n", b"c = 1\n"):
        used.append(reused.start().pid)
        assert accepted(list(unpack(upload("a.py", data), MEMORY, reused=reused))) == ["a.py"]
        waiting = only_child()
        assert waiting.pid not in used
    reused.close()
    assert len({*used}) == len(used)
    assert not own_children()


def test_an_upload_is_unpacked_although_the_next_child_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    reused = ReusedChild(MEMORY, JOBS, 1)
    entries = unpack(upload("a.py", b"a = 1\n"), MEMORY, reused=reused)
    first = next(entries)
    with monkeypatch.context() as patch:
        patch.setattr("subprocess.Popen", Mock(side_effect=OSError("no more processes")))
        assert accepted([first, *entries]) == ["a.py"]
    assert accepted(list(unpack(upload("b.py", b"b = 1\n"), MEMORY, reused=reused))) == ["b.py"]
    reused.close()


@pytest.mark.parametrize("is_abandoned", [False, True])
def test_a_child_that_ended_before_its_upload_or_during_one_is_replaced(*, is_abandoned: bool) -> None:
    reused = ReusedChild(MEMORY, JOBS, 1)
    if not is_abandoned:
        reused.start().end()
    else:
        next(unpack(upload("class.zip", zipped(FILES)), MEMORY, reused=reused))
    assert accepted(list(unpack(upload("a.py", b"a = 1\n"), MEMORY, reused=reused))) == ["a.py"]
    reused.close()


def test_a_child_that_is_killed_from_outside_costs_no_entry_and_nobody_leaves_a_process() -> None:
    entries = unpack(upload("class.zip", zipped(FILES)), MEMORY)
    names = [next(entries).name]
    child = only_child()
    child.kill()
    assert [*names, *(entry.name for entry in entries)] == list(FILES)
    unread = unpack(upload("class.zip", zipped(FILES)), MEMORY)
    next(unread)
    unread.close()  # type: ignore[attr-defined]  # a generator
    assert not own_children()


def test_an_entry_that_takes_too_long_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.intake.sandbox.archives.STEP_SECONDS", 1.0)
    data = zipped({"a.py": b"a = 1\n", "harm: sleep.py": b"x = 1\n"})
    entries = list(unpack(upload("class.zip", data), MEMORY, jobs=HARMFUL))
    assert refused(entries)["class.zip"].startswith("an entry took longer than 1 s")


def test_a_nested_archive_takes_memory_only_up_to_the_limit() -> None:
    inner = zipped({"noise.bin": b"x"}, 0) + os.urandom(80_000_000)
    limits = replace(Limits(), ratio_floor=10**9)
    entries = list(unpack(upload("class.zip", zipped({"a.py": b"a\n", "inner.zip": inner}, 0)), 150_000_000, limits))
    assert accepted(entries) == ["a.py"]
    assert "takes more memory than the 150 MB that it may use" in refused(entries)["inner.zip"]


@pytest.mark.parametrize("harm", ["crash", "allocate", "fail"])
def test_an_archive_of_one_student_that_ends_the_child_is_refused_alone(harm: str) -> None:
    inner = zipped({"before.py": b"b = 1\n", f"harm: {harm}.py": b"x = 1\n", "after.py": b"c = 1\n"})
    own = {"ada/a.py": b"a = 1\n", "mallory/work.zip": inner, "mallory/work/before.py": b"c = 1\n"}
    files = own | {"zoe.zip": zipped(FILES), "zoe/z.py": b"z = 1\n"}
    entries = list(unpack(upload("class.zip", zipped(files)), MEMORY, jobs=HARMFUL))
    others = [*(f"zoe/{name}" for name in FILES), "zoe/z.py"]
    assert accepted(entries) == ["ada/a.py", "mallory/work/before.py", *others]
    assert "mallory/work.zip" in refused(entries)
    assert refused(entries)["mallory/work.zip"].endswith("the rest was not read")


@pytest.mark.parametrize("place", [0, 2, 4], ids=["first", "middle", "last"])
@pytest.mark.parametrize("chosen", ["one archive", "its files"])
def test_many_archives_of_one_student_that_end_the_child_are_refused_alone(chosen: str, place: int) -> None:
    students = [{f"class/student-{n}/work.zip": zipped({"a.py": b"a = 1\n"})} for n in range(4)]
    harmful = zipped({"harm: fail.py": b"x = 1\n"})
    students.insert(place, {f"class/mallory/{n}/work-{n}.zip": harmful for n in range(14)})
    files = {path: data for student in students for path, data in student.items()}
    if chosen == "its files":
        entries = list(unpack_all([upload(*file) for file in files.items()], MEMORY, jobs=HARMFUL))
    else:
        entries = list(unpack(upload("class.zip", zipped(files)), MEMORY, jobs=HARMFUL))
    assert accepted(entries) == [f"class/student-{n}/work/a.py" for n in range(4)]
    assert list(refused(entries)) == [path for path in files if "mallory" in path]


def test_the_end_of_the_memory_is_not_damage_of_the_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> object:
        raise MemoryError

    monkeypatch.setattr("submissions.intake.zip_and_tar.detect_encoding", no_memory)
    with pytest.raises(MemoryError):
        list(in_this_process.unpack("a.zip", io.BytesIO(zipped(FILES))))
