import bz2
import random
import stat
import tarfile
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from submissions.intake.entries import Entry
from submissions.intake.limits import BadArchive, Limits
from tests.support.archives import (
    ARCHIVE_WRITERS,
    Files,
    entries,
    reasons,
    taken,
    tarred,
    tarred_special,
    zip_by_hand,
    zipped,
    zipped_special,
)

pytestmark = pytest.mark.slow

CLASS: Files = {"alice/Main.java": b"class Main {}", "bob/Main.java": b"class Other {}"}


def test_a_damaged_inner_archive_is_named_and_the_rest_goes_on() -> None:
    unpacked = entries("class.zip", zipped({"alice.zip": zipped(CLASS)[:60], "bob.py": b"b"}))
    assert taken(unpacked) == {"bob.py": b"b"}
    assert reasons(unpacked)["alice.zip"] == "damaged or cut off: File is not a zip file (read as zip)"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"),
        (tarfile.FIFOTYPE, "pipe"),
    ],
)
def test_links_and_devices_in_a_tar_are_refused(kind: bytes, reason: str) -> None:
    assert reason in reasons(entries("c.tar", tarred_special("a.py", kind, "/etc/passwd")))["a.py"]


@pytest.mark.parametrize(("mode", "reason"), [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFCHR, "device")])
def test_links_and_devices_in_a_zip_are_refused(mode: int, reason: str) -> None:
    assert reason in reasons(entries("c.zip", zipped_special("a.py", mode)))["a.py"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zip_by_hand([(b"a.py", b"x")], flags=1), "encrypted; upload it without a password"),
        (
            zipped({"a.py": b"x"}, zipfile.ZIP_BZIP2),
            "packed by zip method 12; pack it with the usual one (deflate)",
        ),
        (zipped({"a.py": b""}), "empty"),
    ],
    ids=["encrypted", "an unusual method", "empty"],
)
def test_an_entry_that_cannot_be_read_is_refused_with_what_to_do(data: bytes, reason: str) -> None:
    assert reasons(entries("c.zip", data)) == {"a.py": reason}


@pytest.mark.long
@pytest.mark.parametrize("name", ["class.tar", "class.tar.gz", "class.tbz2", "class.tar.xz"])
def test_files_before_the_cut_of_a_truncated_tar_are_kept(name: str) -> None:
    noise = random.Random(2)
    files = {f"{n}.txt": noise.randbytes(300_000) for n in range(10)}
    data = ARCHIVE_WRITERS[name](files)
    unpacked = entries(name, data[: len(data) // 2])
    assert taken(unpacked)
    assert taken(unpacked).items() <= files.items()
    assert "damaged or cut off" in unpacked[-1].reason
    assert (unpacked[-1].name, unpacked[-1].size) == (name, len(data) // 2)


def test_a_damaged_header_a_cut_between_entries_and_a_wrong_checksum_of_a_tar_are_named() -> None:
    data = bytearray(tarred({"a.py": b"a", "b.py": b"b"}))
    cut = entries("c.tar", bytes(data[:1024]))
    data[1024:1100] = b"\xff" * 76
    damaged = entries("c.tar", bytes(data))
    assert taken(damaged) == taken(cut) == {"a.py": b"a"}
    assert reasons(damaged) == {"c.tar": "damaged; what follows could not be read"}
    assert "without its end mark" in reasons(cut)["c.tar"]
    data = bytearray(ARCHIVE_WRITERS["class.tar.gz"](CLASS))
    data[-8] ^= 1
    assert "CRC" in reasons(entries("c.tar.gz", bytes(data)))["c.tar.gz"]


def test_a_tar_header_of_absurd_length_is_not_loaded() -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 500_000_000
    data = bz2.compress(info.tobuf() + bytes(100_000))
    with pytest.raises(BadArchive, match="a header of 500000256 bytes"):
        entries("c.tar.bz2", data)


def test_a_truncated_zip_is_refused_by_name() -> None:
    with pytest.raises(BadArchive, match=r"class.zip: damaged or cut off: File is not a zip file"):
        entries("class.zip", zipped(CLASS)[:100])


@pytest.mark.parametrize(("name", "head", "kind"), [("c.zip", b"MSCF\0\0\0\0", "cabinet"), ("c", b"LZIP", "lzip")])
def test_an_unsupported_format_is_named_with_what_to_do(name: str, head: bytes, kind: str) -> None:
    with pytest.raises(BadArchive, match=f"{name}: {kind} archives cannot be opened here; upload a zip or tar.gz"):
        entries(name, head)


@pytest.mark.parametrize("name", ARCHIVE_WRITERS)
def test_an_empty_archive_and_one_of_no_bytes_are_refused(name: str) -> None:
    with pytest.raises(BadArchive, match="an empty archive: it holds no file"):
        entries(name, ARCHIVE_WRITERS[name]({}))
    with pytest.raises(BadArchive, match=name):
        entries(name, b"")


@pytest.mark.parametrize("name", ["class.zip", "class.tar.gz"])
def test_an_archive_cut_at_any_byte_is_refused_or_gives_the_files_before_the_cut(name: str) -> None:
    data = ARCHIVE_WRITERS[name](CLASS)
    assert len(data) < 600
    kept = set()
    for length in range(len(data)):
        unpacked: list[Entry] = []
        with suppress(BadArchive):
            unpacked = entries(name, data[:length])
        assert taken(unpacked).items() <= CLASS.items()
        assert not unpacked or unpacked[-1].reason
        kept.add(len(taken(unpacked)))
    # The directory of a zip is at its end, so that nothing can be read without its last bytes.
    assert kept == ({0} if name == "class.zip" else {0, 1, 2})


def check_any_outcome(name: str, data: bytes) -> None:
    """Fail if unpacking raises anything but BadArchive, or an entry is invalid."""
    unpacked: list[Entry] = []
    with suppress(BadArchive):
        unpacked = entries(name, data, Limits(total_bytes=1_000_000))
    for entry in unpacked:
        assert (entry.data is None) == bool(entry.reason)
        if entry.data is not None:
            assert entry.size == len(entry.data)
            assert ".." not in entry.name.split("/")
            assert not entry.name.startswith("/")
            assert "\x01" not in entry.name
    assert len(taken(unpacked)) == sum(entry.data is not None for entry in unpacked)


@given(st.binary(max_size=1500), st.sampled_from(["a.zip", "a.tar", "a.tgz", "a.tar.bz2", "a.txz", "a.py"]))
def test_arbitrary_bytes_give_entries_or_a_bad_archive(data: bytes, name: str) -> None:
    check_any_outcome(name, data)


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(ARCHIVE_WRITERS)),
    st.dictionaries(st.text("ab./\\é\x01", min_size=1, max_size=8), st.binary(max_size=40), min_size=1, max_size=5),
    st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=6)), max_size=4),
    st.floats(0, 1),
)
def test_corrupted_archives_give_entries_or_a_bad_archive(
    name: str, files: Files, damage: list[tuple[float, bytes]], cut: float
) -> None:
    data = bytearray(ARCHIVE_WRITERS[name](files))
    for place, junk in damage:
        offset = int(place * len(data))
        data[offset : offset + len(junk)] = junk
    check_any_outcome(name, bytes(data[: int(len(data) * (1 - cut / 4))]))
