"""The files of an upload as a layout sees them: paths, sizes, times, and the bytes of metadata files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

# Bytes of all metadata files together that are read.
ALL_METADATA_BYTES = 20_000_000
# Number of paths that a score looks at, so that recognising a layout takes the same time for any upload.
SAMPLED = 1_000


class ListedFile(NamedTuple):
    """Size of a file in bytes, and when it was last modified (naive if local time; None if not known)."""

    size: int
    modified: datetime | None = None


class Listing:
    """The files of an upload by path, in the order of their paths.

    `metadata` has the bytes of files that a layout may read; `name` is that of the upload without its suffix,
    or empty. No layout is recognised by it. `unread` has the reason why a metadata file is not read, and
    `reading` is called with the path of each that is.
    """

    def __init__(
        self,
        files: Mapping[str, ListedFile],
        metadata: Mapping[str, bytes] | None = None,
        name: str = "",
        unread: Mapping[str, str] | None = None,
        reading: Callable[[str], None] | None = None,
    ) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.name = name
        self.unread = unread or {}
        self._metadata, self._reading = metadata or {}, reading

    def with_paths(self, paths: Iterable[str]) -> Listing:
        """Return a listing with more files, of which only the paths are known."""
        more = {path: ListedFile(0) for path in paths}
        return Listing(more | self.files, self._metadata, self.name, self.unread, self._reading)

    @cached_property
    def paths(self) -> list[str]:
        return list(self.files)

    @cached_property
    def sample(self) -> list[str]:
        """Paths to score by: all, or SAMPLED of them at equal distances."""
        count = len(self.paths)
        if count <= SAMPLED:
            return self.paths
        return [self.paths[index * count // SAMPLED] for index in range(SAMPLED)]

    @cached_property
    def file_names(self) -> dict[str, list[str]]:
        """Paths by the name of their file."""
        by_name: dict[str, list[str]] = {}
        for path in self.paths:
            by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return by_name

    def read(self, path: str) -> str:
        """Return the text of a metadata file; empty if there is none, or if it is not read."""
        if self._reading and path in self._metadata:
            self._reading(path)
        return self._metadata.get(path, b"").decode("utf-8-sig", "replace")
