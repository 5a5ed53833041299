"""7z, RAR and Zstandard, which libarchive reads, keep every rule that zip and tar keep."""

import io
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from submissions.intake.entries import Entry
from submissions.intake.libarchive_reader import encrypted_entries
from submissions.intake.limits import BadArchive, Limits
from submissions.intake.sandbox.archives import (
    UploadedFile,
    unpack,
    unpack_all as unpack_all_in_child,
    unpack_opened,
)
from submissions.intake.unpacking import unpack_all, walk
from tests.support import jobs_without_libarchive
from tests.support.archives import (
    HAS_LIBARCHIVE,
    LIBARCHIVE_WRITERS,
    Files,
    entries,
    reasons,
    seven_zipped,
    taken,
    zipped,
)
from tests.support.long_rows import rest_is_long
from tests.support.rar import (
    HARD,
    RAR_5,
    SYMBOLIC,
    encrypted_5,
    link_5,
    rar_4,
    rar_4_entry,
    rar_4_of,
    rar_5,
    rar_5_entry,
    rar_5_of,
    rar_5_of_hidden_names,
)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not HAS_LIBARCHIVE, reason="libarchive is not installed")]

CLASS: Files = {"alice/Main.java": b"class Main {}", "bob/Müll.java": b"class Other {}" * 50}
MEMORY = 1_000_000_000
# The packed parts of these are one after the other, so that what comes before damage can be read.
STREAMED = ["class.tar.zst", "class-4.rar", "class-5.rar"]


def upload(name: str, data: bytes) -> UploadedFile:
    return UploadedFile(name, len(data), lambda: io.BytesIO(data))


def in_child(name: str, data: bytes) -> list[Entry]:
    return list(unpack(upload(name, data), MEMORY))


@pytest.mark.parametrize("name", LIBARCHIVE_WRITERS)
def test_every_format_gives_back_the_bytes_that_went_in_whatever_its_name(name: str) -> None:
    for called in (name, "class.zip"):
        unpacked = entries(called, LIBARCHIVE_WRITERS[name](CLASS))
        assert taken(unpacked) == CLASS
        assert not reasons(unpacked)


@pytest.mark.parametrize("name", LIBARCHIVE_WRITERS)
def test_a_confined_child_reads_what_this_process_reads(name: str) -> None:
    data = zipped({"class/" + name: LIBARCHIVE_WRITERS[name](CLASS), "class/cleo.py": b"x = 1\n"})
    unpacked = in_child("class.zip", data)
    assert unpacked == entries("class.zip", data)
    folder = "class/" + name.partition(".")[0]
    expected = {f"{folder}/{path}": content for path, content in CLASS.items()}
    assert taken(unpacked) == {**expected, "class/cleo.py": b"x = 1\n"}


@pytest.mark.parametrize("name", LIBARCHIVE_WRITERS)
def test_an_archive_in_an_archive_becomes_a_folder_unless_it_is_nested_too_deep(name: str) -> None:
    write = LIBARCHIVE_WRITERS[name]
    packed = write({"ada.7z": seven_zipped({"a.py": b"a"}), "bo.zip": zipped({"b.py": b"b"})})
    assert taken(entries(name, packed)) == {"ada/a.py": b"a", "bo/b.py": b"b"}
    data = zipped({"a.py": b"x"})
    for level in range(4):
        data = write({f"{level}.zip": data})
    too_deep = "an archive nested deeper than 3; unpack it and upload again"
    assert reasons(entries(name, data)) == {"3/2/1.zip": too_deep}


@pytest.mark.parametrize("name", ["class.7z", "class.tar.zst"])
def test_a_nested_archive_that_grows_beyond_the_ratio_is_stopped_and_the_next_file_is_read(name: str) -> None:
    bomb = LIBARCHIVE_WRITERS[name]({"alice.py": b"x = 1", "zeros": bytes(4_000_000), "later.py": b"y = 2"})
    unpacked = entries("class.zip", zipped({name: bomb, "zoe.py": b"z = 3"}))
    assert taken(unpacked) == {"class/alice.py": b"x = 1", "zoe.py": b"z = 3"}
    assert "more than 200 times its packed size" in reasons(unpacked)[name]


@pytest.mark.parametrize("name", ["class.7z", "class.tar.zst"])
def test_a_refused_entry_is_not_unpacked_beyond_the_ratio_either(name: str) -> None:
    bomb = LIBARCHIVE_WRITERS[name]({"zeros": bytes(40_000_000), "later.py": b"y = 2"})
    unpacked = entries("class.zip", zipped({name: bomb, "zoe.py": b"z = 3"}))
    assert taken(unpacked) == {"zoe.py": b"z = 3"}
    assert reasons(unpacked)["class/zeros"] == "has more than 5 MB, the limit for one file"
    assert "more than 200 times its packed size" in reasons(unpacked)[name]


@pytest.mark.parametrize("name", LIBARCHIVE_WRITERS)
def test_the_limits_on_entries_bytes_and_one_file_hold(name: str) -> None:
    noise = random.Random(3)
    data = LIBARCHIVE_WRITERS[name]({f"{n}.txt": noise.randbytes(100_000) for n in range(9)})
    few = entries(name, data, Limits(entries=4))
    assert len(taken(few)) == 4
    assert reasons(few) == {name: "more than 4 entries; the rest was not read"}
    small = entries(name, data, Limits(total_bytes=350_000))
    assert len(taken(small)) == 3
    assert reasons(small) == {name: "unpacks to more than 350 kB; the rest was not read"}
    assert len(reasons(entries(name, data, Limits(file_bytes=99_999)))) == 9


def test_a_declared_size_below_the_real_one_gives_no_more_than_it_declares() -> None:
    for name, data in {
        "c-4.rar": rar_4_of(rar_4_entry(b"a.py", b"x" * 5000, size=10), rar_4_entry(b"b.py", b"b")),
        "c-5.rar": rar_5_of(rar_5_entry(b"a.py", b"x" * 5000, size=10), rar_5_entry(b"b.py", b"b")),
    }.items():
        assert all(len(content) <= 5000 for content in taken(entries(name, data)).values())


@pytest.mark.parametrize("name", LIBARCHIVE_WRITERS)
def test_an_archive_that_is_empty_or_of_which_nothing_can_be_read_is_refused(name: str) -> None:
    with pytest.raises(BadArchive, match="an empty archive: it holds no file"):
        entries(name, LIBARCHIVE_WRITERS[name]({}))
    for size in (0, 3, 40):
        with pytest.raises(BadArchive, match=name):
            entries(name, LIBARCHIVE_WRITERS[name](CLASS)[:size])


@pytest.mark.parametrize("name", STREAMED)
def test_files_before_the_cut_are_kept(name: str) -> None:
    noise = random.Random(2)
    files = {f"{n}.txt": noise.randbytes(300_000) for n in range(10)}
    data = LIBARCHIVE_WRITERS[name](files)
    unpacked = entries(name, data[: len(data) // 2])
    assert taken(unpacked)
    assert taken(unpacked).items() <= files.items()
    assert "damaged or cut off" in unpacked[-1].reason
    assert (unpacked[-1].name, unpacked[-1].incomplete) == (name, True)


@pytest.mark.parametrize("name", rest_is_long(LIBARCHIVE_WRITERS))
def test_an_archive_cut_at_any_byte_is_named(name: str) -> None:
    data = LIBARCHIVE_WRITERS[name](CLASS)[:900]
    whole = len(LIBARCHIVE_WRITERS[name](CLASS))
    files = [upload(f"{length:04}-{name}", data[:length]) for length in range(min(len(data), whole - 1))]
    unpacked = list(unpack_all_in_child(files, MEMORY))
    assert set(taken(unpacked).values()) <= set(CLASS.values())
    for file in files:
        assert reasons(unpacked)[file.name], file.name


@pytest.mark.parametrize("name", rest_is_long(LIBARCHIVE_WRITERS))
def test_a_changed_byte_gives_entries_or_a_reason(name: str) -> None:
    data = LIBARCHIVE_WRITERS[name](CLASS)
    changed = [
        data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :]
        for at in range(min(len(data), 300))
        for mask in (0x01, 0xFF)
    ]
    files = [upload(f"{n}-{name}", data) for n, data in enumerate(changed)]
    unpacked = list(unpack_all_in_child(files, MEMORY))
    answered = {entry.name.partition("-")[0] for entry in unpacked}
    assert answered == {str(n) for n in range(len(changed))}
    assert not [entry.reason for entry in unpacked if "ended the program" in entry.reason]


def test_links_are_refused() -> None:
    rar = rar_5_of(
        rar_5_entry(b"symbolic.py", b"", extra=link_5(SYMBOLIC, b"/etc/passwd")),
        rar_5_entry(b"hard.py", b"", extra=link_5(HARD, b"/etc/passwd")),
    )
    assert reasons(entries("c.rar", rar)) == {"symbolic.py": "a symbolic link", "hard.py": "a hard link"}
    older = rar_4_of(rar_4_entry(b"symbolic.py", b"/etc/passwd", mode=0o120777))
    assert reasons(entries("c.rar", older)) == {"symbolic.py": "a symbolic link"}


@pytest.mark.parametrize("write", [rar_4, rar_5, seven_zipped])
def test_names_that_lead_out_of_the_archive_are_refused(write: Callable[[Files], bytes]) -> None:
    unpacked = entries("c", write({"../up.py": b"x", "/etc/passwd": b"x", "a\\..\\..\\b.py": b"x", "c.py": b"c"}))
    assert taken(unpacked) == {"c.py": b"c"}
    assert len(reasons(unpacked)) == 3


def test_encrypted_entries_are_refused() -> None:
    rar = rar_4_of(rar_4_entry(b"a.py", b"xxxx", flags=4), rar_4_entry(b"b.py", b"b"))
    unpacked = entries("c.rar", rar)
    assert taken(unpacked) == {"b.py": b"b"}
    assert reasons(unpacked) == {"a.py": "encrypted; upload it without a password"}
    with pytest.raises(BadArchive, match="encrypted; upload it without a password"):
        entries("c.rar", rar_4_of(rar_4_entry(b"a.py", b"x"), flags=0x80))


def test_a_newer_rar_with_a_password_is_refused_with_what_to_do() -> None:
    advice = "RAR 5 archives with a password cannot be opened; upload it without a password"
    mixed = rar_5_of(
        rar_5_entry(b"a.py", b"x = 1\n"), rar_5_entry(b"b.py", b"x" * 99, extra=encrypted_5()),
        rar_5_entry(b"c.py", b"x = 3\n"),
    )  # fmt: skip
    unpacked = entries("c.rar", mixed)
    assert taken(unpacked) == {"a.py": b"x = 1\n", "c.py": b"x = 3\n"}
    assert reasons(unpacked) == {"b.py": advice}
    with pytest.raises(BadArchive, match=advice):
        entries("c.rar", rar_5_of_hidden_names())


@given(st.binary(max_size=300))
def test_any_bytes_after_the_start_of_a_newer_rar_end_the_search_for_passwords(rest: bytes) -> None:
    with suppress(BadArchive):
        assert encrypted_entries(io.BytesIO(RAR_5 + rest)) <= {*range(len(rest))}


def test_times_are_local_in_an_older_rar_and_of_the_world_in_a_newer_one() -> None:
    assert entries("c.rar", rar_4(CLASS))[0].modified == datetime(2024, 3, 1, 12, 30)  # noqa: DTZ001
    assert entries("c.rar", rar_5(CLASS))[0].modified == datetime(2024, 3, 1, 12, 30, tzinfo=UTC)


def test_a_packed_way_that_cannot_be_read_says_what_to_do() -> None:
    unpacked = entries("c.rar", rar_4_of(rar_4_entry(b"a.py", b"xxxx", method=9), rar_4_entry(b"b.py", b"b")))
    assert reasons(unpacked)["a.py"].endswith("upload a zip instead")


@pytest.mark.parametrize(("name", "kind"), [("c.7z", "7z"), ("c.rar", "RAR"), ("c.tar.zst", "zst")])
def test_without_the_library_an_upload_says_what_to_install(name: str, kind: str) -> None:
    file = upload(name, b"x")
    jobs = jobs_without_libarchive.__name__
    with pytest.raises(BadArchive, match=f"{kind} archives need the library .*apt install libarchive13"):
        list(unpack(file, MEMORY, jobs=jobs))
    among_others = list(unpack_all_in_child([file, upload("a.py", b"a")], MEMORY, jobs=jobs))
    assert taken(among_others) == {"a.py": b"a"}
    assert "install libarchive13" in reasons(among_others)[name]


def test_without_the_library_a_child_reads_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, write in LIBARCHIVE_WRITERS.items():
        (tmp_path / name).write_bytes(write(CLASS))
    (tmp_path / "cleo.py").write_bytes(b"x = 1\n")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "alice").write_bytes(b"x = 2\n")
    (tmp_path / "broken.7z").write_bytes(b"7z\xbc\xaf\x27\x1c broken")
    monkeypatch.delitem(sys.modules, "libarchive")
    unpacked = list(walk(tmp_path, in_child=unpack_opened))
    expected = {f"{folder}/{path}" for folder in ("class", "class-4", "class-5") for path in CLASS}
    numbered = {"class/alice/Main (2).java", "class/bob/Müll (2).java"}
    assert set(taken(unpacked)) == expected | numbered | {"class/alice", "cleo.py"}
    assert "upload a zip instead" in reasons(unpacked)["broken.7z"]


def test_an_archive_in_an_upload_is_refused_without_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    data = seven_zipped(CLASS)
    monkeypatch.delitem(sys.modules, "libarchive")
    assert "install libarchive13" in reasons(list(unpack_all([("c.7z", io.BytesIO(data))])))["c.7z"]
