"""Declared sizes that no file can have: the entry is refused, and its stored size fits the database."""

import gzip
import struct
import tarfile
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.intake.limits import BadArchive
from submissions.models import Entry
from tests.support.archives import entries, reasons, taken, zipped
from tests.support.sample_class import CLASS
from tests.support.uploads import HandIn

LARGEST = 2**63 - 1
GOOD = {name: source.encode() for name, source in CLASS.items()}


def tar_declaring(size: int, before: dict[str, bytes] | None = None) -> bytes:
    """Return a tar of CLASS, or of other files, and then an entry whose header declares `size`."""
    packed = b""
    for name, data in (GOOD if before is None else before).items():
        info = tarfile.TarInfo(name)
        info.size = len(data)
        packed += info.tobuf() + data + bytes(-len(data) % 512)
    header = bytearray(tarfile.TarInfo("odd.py").tobuf())
    header[124:136] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)  # type: ignore[attr-defined]  # not in the stubs
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return packed + bytes(header) + b"x".ljust(512, b"\0") + bytes(1024)


def zip_declaring(size: int, name: bytes = b"odd.py") -> bytes:
    """Return a zip of CLASS and an entry whose zip64 field declares `size`."""
    body, directory = b"", b""
    for entry, data in (GOOD | {name.decode(): b"x"}).items():
        declared = size if entry == name.decode() else len(data)
        zip64 = struct.pack("<HHQ", 1, 8, declared)
        fields = ("<HHHHHLLLHH", 45, 0, 0, 0, 33, zlib.crc32(data), len(data))
        local = struct.pack(*fields, len(data), len(entry), 0)
        central = struct.pack(*fields, 0xFFFFFFFF, len(entry), len(zip64))
        place = struct.pack("<HHHLL", 0, 0, 0, 0, len(body))
        directory += b"PK\x01\x02\x2d\x03" + central + place + entry.encode() + zip64
        body += b"PK\x03\x04" + local + entry.encode() + data
    count = len(GOOD) + 1
    return body + directory + b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, count, count, len(directory), len(body), 0)


def tar_with_pax_size(size: int) -> bytes:
    """Return a tar of CLASS and then an entry whose PAX header declares `size`."""
    info = tarfile.TarInfo("odd.py")
    info.pax_headers = {"size": str(size)}
    return tar_declaring(0)[: -4 * 512] + info.tobuf(tarfile.PAX_FORMAT) + bytes(1024)


NEGATIVE = {
    "negative.tar": tar_declaring(-1),
    "very-negative.tar": tar_declaring(-(2**70)),
    "negative.tgz": gzip.compress(tar_declaring(-1)),
    "pax.tar": tar_with_pax_size(-512),
}
IMPOSSIBLE = {
    "huge.tar": tar_declaring(2**63),
    "huge.zip": zip_declaring(2**63),
    "largest.zip": zip_declaring(2**64 - 1),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_entry_of_an_impossible_size_is_refused_and_the_others_are_kept(name: str) -> None:
    unpacked = entries(name, IMPOSSIBLE[name])
    assert taken(unpacked) == GOOD
    assert "declares an impossible size" in reasons(unpacked)["odd.py"]
    assert all(0 <= entry.size <= LARGEST for entry in unpacked)


@pytest.mark.parametrize("name", NEGATIVE)
def test_a_negative_size_ends_a_tar(name: str) -> None:
    """Some versions of Python stop there, whatever follows."""
    unpacked = entries(name, NEGATIVE[name])
    assert taken(unpacked) == GOOD
    assert reasons(unpacked) == {name: "damaged; what follows could not be read"}


def test_junk_of_an_impossible_size_is_listed_with_a_possible_one_and_a_tar_that_begins_so_is_none() -> None:
    refused = [entry for entry in entries("class.zip", zip_declaring(2**64 - 1, b"odd.so")) if entry.data is None]
    assert [(entry.size, entry.reason) for entry in refused] == [(LARGEST, "compiled output")]
    with pytest.raises(BadArchive, match="damaged or cut off"):
        entries("negative.tar", tar_declaring(-1, {}))


@pytest.mark.parametrize("name", IMPOSSIBLE | NEGATIVE)
def test_an_entry_of_an_impossible_size_in_a_nested_archive_is_refused(name: str) -> None:
    unpacked = entries("class.zip", zipped({name: (IMPOSSIBLE | NEGATIVE)[name], "zoe.py": b"z = 1"}))
    assert taken(unpacked).keys() == {f"{name.partition('.')[0]}/{path}" for path in GOOD} | {"zoe.py"}
    assert all(0 <= entry.size <= LARGEST for entry in unpacked)


@pytest.mark.long
@pytest.mark.parametrize("name", ["huge.tar", "huge.zip"])
def test_a_batch_with_an_entry_of_an_impossible_size_is_ranked(hand_in: HandIn, name: str) -> None:
    batch = hand_in(SimpleUploadedFile(name, IMPOSSIBLE[name]))
    assert batch.state == "done"
    assert batch.submissions.count() == len(CLASS)
    assert "impossible size" in Entry.objects.get(name="odd.py").reason
