"""Unpacking zip and tar archives: damaged ones, wrong sizes, and the files that are compared."""

import io
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from submissions.intake.entries import Entry
from submissions.intake.file_languages import NO_PROGRAM, reading_languages
from submissions.intake.limits import BadArchive, Limits
from submissions.intake.unpacking import unpack, unpack_all, walk
from tests.support.archives import (
    ARCHIVE_WRITERS,
    Files,
    entries,
    nested_zip,
    overlapping_zip,
    reasons,
    taken,
    tarred,
    zip_by_hand,
    zipped,
)

CLASS: Files = {"alice/Main.java": b"class Main {}", "bob/Main.java": b"class Other {}"}


LINES = b"".join(b"line %d\n" % n for n in range(2000))


@pytest.mark.parametrize("name", ARCHIVE_WRITERS)
def test_every_format_gives_back_the_bytes_that_went_in_whatever_its_name(name: str) -> None:
    for called in (name, "upload"):
        unpacked = entries(called, ARCHIVE_WRITERS[name](CLASS))
        assert taken(unpacked) == CLASS
        assert not reasons(unpacked)


def test_a_loose_file_and_an_office_document_are_themselves_and_left_open() -> None:
    file = io.BytesIO(b"x = 1")
    assert list(unpack("alice.py", file)) == [Entry("alice.py", 5, data=b"x = 1")]
    assert not file.closed
    data = zipped({"word/document.xml": b"<w/>"})
    assert taken(entries("essay.docx", data)) == {"essay.docx": data}


def test_a_file_above_the_limit_or_that_grows_beyond_the_ratio_is_refused_and_the_rest_goes_on() -> None:
    files = {"bob.py": b"x", "big.py": bytes(50_000_000), "zeros": bytes(4_000_000), "zoe.py": b"z"}
    unpacked = entries("class.zip", zipped(files))
    assert taken(unpacked) == {"bob.py": b"x", "zoe.py": b"z"}
    assert reasons(unpacked)["big.py"] == "has more than 5 MB, the limit for one file"
    assert "more than 200 times its packed size" in reasons(unpacked)["zeros"]


def test_a_declared_size_below_the_real_one_is_not_believed() -> None:
    unpacked = entries("class.zip", zip_by_hand([(b"a.py", LINES), (b"b.py", LINES)], declared=10))
    assert not taken(unpacked)
    assert all("Bad CRC-32" in reason for reason in reasons(unpacked).values())


@pytest.mark.parametrize("name", ["class.tar.gz", "class.tbz2", "class.tar.xz"])
def test_a_nested_tar_that_grows_beyond_the_ratio_is_stopped_and_the_next_file_is_read(name: str) -> None:
    bomb = ARCHIVE_WRITERS[name]({"alice.py": b"x = 1", "zeros": bytes(4_000_000), "later.py": b"y = 2"})
    unpacked = entries("class.zip", zipped({name: bomb, "zoe.py": b"z = 3"}))
    assert taken(unpacked) == {"class/alice.py": b"x = 1", "zoe.py": b"z = 3"}
    assert "more than 200 times its packed size" in reasons(unpacked)[name]


@pytest.mark.parametrize("name", ARCHIVE_WRITERS)
def test_the_total_size_is_counted_and_stops_the_rest(name: str) -> None:
    noise = random.Random(1)
    data = ARCHIVE_WRITERS[name]({f"{n}.txt": noise.randbytes(30_000) for n in range(5)})
    unpacked = entries(name, data, Limits(total_bytes=100_000))
    assert len(taken(unpacked)) in {2, 3}
    assert reasons(unpacked) == {name: "unpacks to more than 100 kB; the rest was not read"}


def test_the_total_size_counts_inner_archives_too() -> None:
    inner = zipped({"a": LINES}, zipfile.ZIP_STORED)
    unpacked = entries("c.zip", zipped({f"{n}.zip": inner for n in range(4)}), Limits(total_bytes=5 * len(LINES)))
    assert len(taken(unpacked)) == 2
    assert reasons(unpacked).keys() == {"2", "3"}


@pytest.mark.parametrize("name", ARCHIVE_WRITERS)
def test_the_number_of_entries_is_limited(name: str) -> None:
    unpacked = entries(name, ARCHIVE_WRITERS[name]({f"{n}.py": b"x" for n in range(9)}), Limits(entries=5))
    assert len(taken(unpacked)) == 5
    assert reasons(unpacked) == {name: "more than 5 entries; the rest was not read"}


def test_a_folder_that_is_not_there_and_a_zip_with_a_directory_over_the_limits_are_refused(
    tmp_path: Path,
) -> None:
    data = zipped({f"{n:0200}.py": b"" for n in range(400)})
    with pytest.raises(BadArchive, match="is not a folder"):
        list(walk(tmp_path / "nowhere"))
    with pytest.raises(BadArchive, match=r"class.zip: its directory takes more than 65.5 kB"):
        entries("class.zip", data, Limits(entries=5))


def test_junk_is_limited_as_well() -> None:
    data = tarred({f"node_modules/{n}.js": b"x" for n in range(60)})
    unpacked = entries("class.tar", data, Limits(entries=5))
    rest = "this folder uses more than its share: more than 50 junk entries; the rest was not read"
    assert reasons(unpacked)["node_modules"] == rest


def test_overlapping_entries_are_taken_once_and_the_later_ones_overlap() -> None:
    unpacked = entries("bomb.zip", overlapping_zip(50, LINES))
    assert taken(unpacked) == {"a": LINES}
    assert [entry.reason for entry in unpacked[1:]] == ["overlaps another entry"] * 49
    # Versions of Python differ in which of the two their zipfile refuses.
    unpacked = entries("two.zip", nested_zip(LINES))
    assert list(taken(unpacked)) == ["a"]
    assert reasons(unpacked) == {"b": "overlaps another entry"}


def test_archives_in_archives_become_folders_unless_they_are_nested_too_deep() -> None:
    inner = ARCHIVE_WRITERS["class.tar.gz"]({"src/Main.java": b"class Main {}"})
    both = {"class/alice.tar.gz": inner, "class/bob.zip": zipped({"b.py": b"b"})}
    unpacked = taken(entries("class.zip", zipped(both)))
    assert unpacked == {"class/alice/src/Main.java": b"class Main {}", "class/bob/b.py": b"b"}
    data = zipped({"a.py": b"x"})
    for level in range(4):
        data = zipped({f"{level}.zip": data})
    deep = entries("class.zip", data)
    assert not taken(deep)
    assert reasons(deep) == {"3/2/1.zip": "an archive nested deeper than 3; unpack it and upload again"}


def test_several_uploads_share_one_root_and_one_budget() -> None:
    files = [
        ("alice.zip", io.BytesIO(zipped({"A.java": b"a"}))),
        ("bob.py", io.BytesIO(b"b")),
        ("c.zip", io.BytesIO(b"R")),
    ]
    unpacked = list(unpack_all(files))
    assert taken(unpacked) == {"alice/A.java": b"a", "bob.py": b"b"}
    assert "damaged or cut off" in reasons(unpacked)["c.zip"]
    too_many = ((f"{n}.txt", io.BytesIO(LINES)) for n in range(9))
    limited = list(unpack_all(too_many, Limits(total_bytes=3 * len(LINES))))
    assert len(taken(limited)) == 3
    assert len(limited) == 4


def test_a_folder_is_walked_without_following_links_or_opening_pipes(tmp_path: Path) -> None:
    root = tmp_path / "class"
    (root / "alice").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"x")
    (root / "alice" / "A.java").write_bytes(b"class A {}")
    (root / "bob.zip").write_bytes(zipped({"B.java": b"class B {}"}))
    (tmp_path / "secret").write_bytes(b"secret")
    (root / "alice" / "link.py").symlink_to(tmp_path / "secret")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe")
    unpacked = list(walk(root))
    assert taken(unpacked) == {"alice/A.java": b"class A {}", "bob/B.java": b"class B {}"}
    assert reasons(unpacked) == {
        ".git/": "hidden",
        "alice/link.py": "a symbolic link",
        "loop": "a symbolic link",
        "pipe": "not a file but a device, pipe or socket",
    }


def test_a_folder_on_disk_has_no_limits_and_each_archive_in_it_its_own(tmp_path: Path) -> None:
    for n in range(4):
        (tmp_path / f"{n}.py").write_bytes(LINES)
        (tmp_path / f"small{n}.zip").write_bytes(zipped({"a.py": LINES, "b.py": LINES}))
    (tmp_path / "large.zip").write_bytes(zipped({f"{n}.py": b"x" for n in range(5)}))
    unpacked = list(walk(tmp_path, Limits(entries=3, total_bytes=3 * len(LINES))))
    assert len(taken(unpacked)) == 4 + 4 * 2 + 3
    rest = "this folder uses more than its share: more than 3 entries; the rest was not read"
    assert reasons(unpacked) == {"large": rest}
    assert [entry.name for entry in unpacked if entry.incomplete] == ["large"]


def test_unpacking_needs_no_django() -> None:
    code = "import sys, submissions.intake.unpacking; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


LANGUAGES = st.sampled_from(["java", "python", "c", "cpp", "text", "json", "xml", "notebook", "make"])


@pytest.mark.parametrize(
    ("detected", "wanted", "expected"),
    [
        (["java", "text", "xml"], "", ["java", "", ""]),
        (["java", "python"], "", ["java", "python"]),
        (["text", "text"], "", ["text", "text"]),
        (["text", "json"], "", ["text", "json"]),
        (["java", "text"], "java", ["java", ""]),
        (["java", "python"], "java", ["java", ""]),
        (["text", "text"], "java", ["java", "java"]),
        (["c", "cpp", "make"], "cpp", ["cpp", "cpp", ""]),
        (["notebook", "python", "text"], "python", ["notebook", "python", ""]),
        ([], "java", []),
    ],
)
def test_programs_in_the_chosen_language_count(detected: list[str], wanted: str, expected: list[str]) -> None:
    assert reading_languages(detected, wanted) == expected


@given(st.lists(LANGUAGES, max_size=6), st.sampled_from(["", "java", "python", "c", "cpp"]))
def test_something_of_each_submission_counts(detected: list[str], wanted: str) -> None:
    read = reading_languages(detected, wanted)
    assert len(read) == len(detected)
    assert any(read) or not detected
    if not wanted and set(detected) - NO_PROGRAM:
        assert not NO_PROGRAM & set(read)
