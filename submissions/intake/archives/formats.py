"""Archive formats. To support a new one, add an entry to READERS."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from functools import partial
from typing import IO, TYPE_CHECKING, NamedTuple

from submissions.intake.archives.libarchive_reader import ZstandardFile, read_with_libarchive
from submissions.intake.archives.tar_reader import read_tar
from submissions.intake.archives.zip_reader import read_zip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.intake.archives.members import ArchiveMember
    from submissions.intake.limits import Budget

    Reader = Callable[[IO[bytes], Budget], Iterator[ArchiveMember]]

# Number of bytes at the start of a file from which its format is detected.
HEAD_BYTES = 512


class ArchiveFormat(NamedTuple):
    """A format, recognised by the first bytes of a file, else by its suffix.

    `start` is a regular expression for the first bytes. A format without `read` is refused, by its `name`.
    One with `needs_libarchive` is read only in a child that loaded the library.
    """

    name: str
    start: bytes
    suffixes: tuple[str, ...] = ()
    read: Reader | None = None
    needs_libarchive: bool = False

    def matches(self, head: bytes) -> bool:
        """Return whether a file with the first bytes `head` starts like this format."""
        return re.match(self.start, head, re.DOTALL) is not None


# tar must be first: a tar starts with the name of its first file, which may look like any other format.
READERS = (
    ArchiveFormat("tar", rb".{257}ustar", (".tar",), read_tar),
    ArchiveFormat("zip", rb"PK(\x03\x04|\x05\x06)", (".zip", ".sb3"), read_zip),
    ArchiveFormat("gz", rb"\x1f\x8b\x08", (".tgz", ".gz"), partial(read_tar, decompress=gzip.open)),
    ArchiveFormat(
        "bz2",
        rb"BZh.(1AY&SY|\x17\x72\x45\x38\x50\x90)",
        (".tbz2", ".tbz", ".bz2"),
        partial(read_tar, decompress=bz2.open),
    ),
    ArchiveFormat("xz", rb"\xfd7zXZ\x00", (".txz", ".xz"), partial(read_tar, decompress=lzma.open)),
    ArchiveFormat(
        "zst",
        rb"\x28\xb5\x2f\xfd",
        (".tzst", ".zst"),
        partial(read_tar, decompress=ZstandardFile),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "7z",
        rb"7z\xbc\xaf\x27\x1c",
        (".7z",),
        partial(read_with_libarchive, formats=("7zip",)),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "RAR 4",
        rb"Rar!\x1a\x07\x00",
        read=partial(read_with_libarchive, formats=("rar",), local_time=True),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "RAR",
        rb"Rar!\x1a\x07",
        (".rar",),
        partial(read_with_libarchive, formats=("rar5",)),
        needs_libarchive=True,
    ),
    ArchiveFormat("cabinet", rb"MSCF\0\0\0\0"),
    ArchiveFormat("ar", rb"!<arch>\n"),
    ArchiveFormat("compress", rb"\x1f\x9d"),
    ArchiveFormat("lzip", rb"LZIP"),
)
# The start of a file of any format: most files are none.
STARTS = re.compile(b"|".join(b"(?:%b)" % archive.start for archive in READERS), re.DOTALL)
BY_SUFFIX = {suffix: archive for archive in reversed(READERS) for suffix in archive.suffixes}
# Zips that are documents or programs. They are not unpacked; the front-ends refuse them as binary files.
ZIPPED_DOCUMENTS = frozenset({
    ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".jar", ".war", ".ear", ".apk", ".aab",
    ".whl", ".egg", ".nupkg", ".mlx", ".ggb",
})  # fmt: skip


def head_of(file: IO[bytes]) -> bytes:
    """Return the first HEAD_BYTES bytes of a file, and go back to its start."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return head


def archive_format(name: str, head: bytes) -> ArchiveFormat | None:
    """Return the format of a file by its first HEAD_BYTES bytes, else its name; None if it is no archive."""
    suffix = _suffix(name)
    if suffix in ZIPPED_DOCUMENTS:
        return None
    if STARTS.match(head):
        return next(archive for archive in READERS if archive.matches(head))
    return BY_SUFFIX.get(suffix)


def archive_stem(name: str) -> str:
    """Return the name of the folder that stands for a nested archive: `work` for `work.tar.gz`."""
    stem = name
    if _suffix(stem) in BY_SUFFIX:
        stem = stem[: -len(_suffix(stem))]
        if _suffix(stem) == ".tar":
            stem = stem[: -len(".tar")]
    return stem


def _suffix(name: str) -> str:
    """Return the part of `name` from its last full stop on, in lower case."""
    return name[name.rfind(".") :].lower() if "." in name else ""
