"""Group the entries of an upload into submissions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from submissions.archives.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.archives.unpack import UnpackedEntry

# A folder that contains one of these is the project of one student, not a class of submissions.
PROJECT_ENTRIES = frozenset({
    "src", "test", "tests", "lib", "include", "docs", "doc", "main", "__init__.py", "makefile",
    "pom.xml", "build.gradle", "build.gradle.kts", "cmakelists.txt", "package.json", "cargo.toml",
    "go.mod", "setup.py", "pyproject.toml",
})  # fmt: skip

# Characters that the name of a submission has at most, as a path has.
NAME_CHARACTERS = Limits().path_length


def split_paths(paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Map every path to (submission, path inside it); a single file is a submission of its own name.

    Each entry directly in the root, file or folder, is one submission. While the root contains only one
    folder, that folder becomes the root. If this never leads to several entries, or if they are the parts of
    one project (PROJECT_ENTRIES), there is one submission, named after the outermost folder. A file and a
    folder of the same name are two submissions, the file's with ` (file)` at its end.
    """
    wrapper = _wrapper_folder(paths)
    split, files = {}, []
    for path in paths:
        name, slash, inner = path[len(wrapper) :].partition("/")
        if slash:
            split[path] = (name, inner)
        else:
            files.append((path, name))
    taken = {name for name, _ in split.values()} | {name for _, name in files}
    folders = {name for name, _ in split.values()}
    for path, name in files:
        split[path] = (_file_submission(name, taken) if name in folders else name, name)
    return split


def _file_submission(name: str, taken: set[str]) -> str:
    """Return a name for the submission of a file beside a folder of its name; add it to the names `taken`."""
    number, unique = 1, name
    while unique in taken:
        end = " (file)" if number == 1 else f" (file {number})"
        unique, number = name[: NAME_CHARACTERS - len(end)] + end, number + 1
    taken.add(unique)
    return unique


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
