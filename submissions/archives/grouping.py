"""Which entries make up which submission."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.archives.unpack import Unpacked

# A folder that holds one of these is somebody's project, not a class.
PROJECT_PARTS = frozenset({
    "src", "test", "tests", "lib", "include", "docs", "doc", "main", "__init__.py", "makefile",
    "pom.xml", "build.gradle", "build.gradle.kts", "cmakelists.txt", "package.json", "cargo.toml",
    "go.mod", "setup.py", "pyproject.toml",
})  # fmt: skip


def placed(paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Map every path to (submission, path inside it); a loose file keeps its name as both.

    Each entry directly in the root, file or folder, is one submission. A root that holds one folder and
    nothing else is looked through, again and again, until several entries stand side by side; they are
    the submissions. When none ever do, or what stands there are the parts of one project (PROJECT_PARTS),
    there is one submission, named after the outermost folder. A file and a folder of one name stay two.
    """
    wrapper = _wrapper(paths)
    folders = {path[len(wrapper) :].split("/")[0] for path in paths if "/" in path[len(wrapper) :]}
    found = {}
    for path in paths:
        name, slash, inner = path[len(wrapper) :].partition("/")
        alone = f"{name} (file)" if name in folders else name
        found[path] = (name, inner) if slash else (alone, name)
    return found


def submissions_of(entries: Iterable[Unpacked]) -> dict[str, list[Unpacked]]:
    """Group the accepted `entries` by submission, sorted by name, their names made relative to it."""
    accepted = {entry.name: entry for entry in entries if entry.data is not None}
    groups: dict[str, list[Unpacked]] = defaultdict(list)
    for path, (submission, inner) in placed(sorted(accepted)).items():
        groups[submission].append(accepted[path]._replace(name=inner))
    return dict(sorted(groups.items()))


def _wrapper(paths: Sequence[str]) -> str:
    """Folder, with its slash, whose entries are the submissions; empty for the root."""
    wrapper = ""
    while paths:
        inside = {path[len(wrapper) :].partition("/")[:2] for path in paths}
        if len(inside) > 1:
            is_project = wrapper and any(name.lower() in PROJECT_PARTS for name, _ in inside)
            return "" if is_project else wrapper
        name, slash = inside.pop()
        if not slash:
            return ""
        wrapper += name + slash
    return ""
