"""Group the entries of an upload into submissions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.archives.unpack import UnpackedEntry

# A folder that contains one of these is the project of one student, not a class of submissions.
PROJECT_ENTRIES = frozenset({
    "src", "test", "tests", "lib", "include", "docs", "doc", "main", "__init__.py", "makefile",
    "pom.xml", "build.gradle", "build.gradle.kts", "cmakelists.txt", "package.json", "cargo.toml",
    "go.mod", "setup.py", "pyproject.toml",
})  # fmt: skip


def split_paths(paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Map every path to (submission, path inside it); a single file is a submission of its own name.

    Each entry directly in the root, file or folder, is one submission. While the root contains only one
    folder, that folder becomes the root. If this never leads to several entries, or if they are the parts of
    one project (PROJECT_ENTRIES), there is one submission, named after the outermost folder. A file and a
    folder of the same name are two submissions.
    """
    wrapper = _wrapper_folder(paths)
    folders = {path[len(wrapper) :].split("/")[0] for path in paths if "/" in path[len(wrapper) :]}
    split = {}
    for path in paths:
        name, slash, inner = path[len(wrapper) :].partition("/")
        file_submission = f"{name} (file)" if name in folders else name
        split[path] = (name, inner) if slash else (file_submission, name)
    return split


def group_submissions(entries: Iterable[UnpackedEntry]) -> dict[str, list[UnpackedEntry]]:
    """Group the accepted `entries` by submission, sorted by name; their new names are paths inside it."""
    accepted = {entry.name: entry for entry in entries if entry.data is not None}
    groups: dict[str, list[UnpackedEntry]] = defaultdict(list)
    for path, (submission, inner) in split_paths(sorted(accepted)).items():
        groups[submission].append(accepted[path]._replace(name=inner))
    return dict(sorted(groups.items()))


def _wrapper_folder(paths: Sequence[str]) -> str:
    """Return the folder, with a slash at its end, whose entries are the submissions; empty for the root."""
    wrapper = ""
    while paths:
        inside = {path[len(wrapper) :].partition("/")[:2] for path in paths}
        if len(inside) > 1:
            is_project = wrapper and any(name.lower() in PROJECT_ENTRIES for name, _ in inside)
            return "" if is_project else wrapper
        name, slash = inside.pop()
        if not slash:
            return ""
        wrapper += name + slash
    return ""
