"""The files of an upload as a layout sees them: paths, sizes, times, and the bytes of metadata files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

# Largest metadata file that is read, and the bytes of all of them together.
METADATA_BYTES = 5_000_000
ALL_METADATA_BYTES = 50_000_000
# Number of paths that a score looks at, so that recognising a layout takes the same time for any upload.
SAMPLED = 1_000


class ListedFile(NamedTuple):
    """Size of a file in bytes, and when it was last modified (naive if local time; None if not known)."""

    size: int
    modified: datetime | None = None


class Listing:
    """The files of an upload by path, in the order of their paths.

    `metadata` has the bytes of files that a layout may read; `name` is that of the upload without its suffix,
    or empty. No layout is recognised by it.
    """

    def __init__(
        self, files: Mapping[str, ListedFile], metadata: Mapping[str, bytes] | None = None, name: str = ""
    ) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.name = name
        self._metadata = metadata or {}

    def with_paths(self, paths: Iterable[str]) -> Listing:
        """Return a listing with more files, of which only the paths are known."""
        more = {path: ListedFile(0) for path in paths}
        return Listing(more | self.files, self._metadata, self.name)

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
        """Return the text of a metadata file; empty if there is none, or if it is too large to be read."""
        return self._metadata.get(path, b"").decode("utf-8-sig", "replace")
