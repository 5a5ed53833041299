"""All files of one upload; decides which of them are left out, submission by submission."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from submissions.intake.entries import Entry, folders_around
from submissions.intake.left_out import rules
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.sentences import EXCLUDED, NOT_CHOSEN

COPY = next(rule for rule in rules.RULES if rule.copies)
# Files that are no program; a submission of only these would be empty.
NO_CODE = (
    "*.md *.txt *.rst *.json *.xml *.yml *.yaml *.csv *.tsv *.html *.htm *.css *.svg *.properties *.toml"
    " *.cfg"
    " *.ini *.in *.out *.log *.bat *.cmd *.lock readme license makefile dockerfile"
)


def described(entry: Entry, patterns: FilePatterns) -> Entry:
    """Return an entry for a Listing: one with bytes has their digest, and why they leave it out."""
    if entry.data is None:
        return entry
    reason = reason_of_content(entry.name, entry.data, patterns)
    return entry._replace(digest=digest(entry.data), left_out=reason)


def digest(data: bytes) -> bytes:
    """Return what tells files of other bytes apart."""
    return blake2b(data, digest_size=16).digest()


def reason_of_content(path: str, data: bytes, patterns: FilePatterns) -> str:
    """Return why what a file says leaves it out; empty if it stays."""
    rule = rules.rule_of_content(path, data, patterns.taken_in)
    return rule.reason if rule else ""


class LeftOut(NamedTuple):
    """The paths in the upload that are left out, and the entries to list instead of them.

    `folders` are those of the entries that are folders; `unmatched` are patterns that match no entry.
    """

    paths: frozenset[str]
    folders: frozenset[str]
    entries: list[Entry]
    unmatched: tuple[str, ...] = ()

    def replaces(self, path: str, *, accepted: bool) -> bool:
        """Return whether one of `entries` is listed instead of an entry of the upload."""
        return path in self.paths if accepted else any(folder in self.folders for folder in folders_around(path))


class Listing:
    """The files of one upload, added one by one."""

    def __init__(self, patterns: FilePatterns | None = None) -> None:
        self._patterns = patterns or FilePatterns()
        self._files: dict[str, Entry] = {}
        self._others: list[str] = []

    def add(self, entry: Entry) -> None:
        """Add an entry of the upload, which was accepted if it has a digest."""
        if entry.digest:
            self._files[entry.name] = entry
        else:
            self._others.append(entry.name)

    def left_out(self, places: Mapping[str, tuple[str, str]]) -> LeftOut:
        """Return the left-out files; `places` maps each used path to (submission, path inside it)."""
        submissions: dict[str, dict[str, str]] = defaultdict(dict)
        for path, (submission, inner) in places.items():
            submissions[submission][inner] = path
        others = self._others_inside(places)
        reasons: dict[str, tuple[str, str]] = {}
        for submission, paths in submissions.items():
            files = {inner: self._files[path] for inner, path in paths.items()}
            for inner, (folder, reason) in self._reasons(files, others[submission]).items():
                path = paths[inner]
                in_folder = folder and path.endswith(inner)
                reasons[path] = path.removesuffix(inner) + folder if in_folder else path, reason
        folders = frozenset(entry for entry, _ in reasons.values() if entry.endswith("/"))
        inside = {*(inner for _, inner in places.values()), *chain.from_iterable(others.values())}
        return LeftOut(frozenset(reasons), folders, self._entries(reasons), self._patterns.unmatched(inside))

    def _entries(self, reasons: Mapping[str, tuple[str, str]]) -> list[Entry]:
        sizes: dict[tuple[str, str], int] = defaultdict(int)
        for path, entry in reasons.items():
            sizes[entry] += self._files[path].size
        return [Entry(name, size, reason) for (name, reason), size in sizes.items()]

    def _others_inside(self, places: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
        """Return, by submission, the paths inside it of entries that were not accepted."""
        roots: dict[str, set[str]] = defaultdict(set)
        for path, (submission, inner) in places.items():
            if path.endswith(f"/{inner}"):
                roots[path.removesuffix(inner)].add(submission)
        inside: dict[str, list[str]] = defaultdict(list)
        for other in self._others:
            for root in folders_around(other):
                if len(submissions := roots.get(root, ())) == 1:
                    inside[next(iter(submissions))].append(other[len(root) :])
        return inside

    def _reasons(self, files: Mapping[str, Entry], others: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return (folder or nothing, reason) for each path of one submission that is left out.

        Files that only say that they are generated stay if there would be no program left: a student must
        not disappear with one line.
        """
        patterns = self._patterns
        candidates = {path: file for path, file in files.items() if not patterns.includes(path)}
        others_than_chosen = {path: ("", NOT_CHOSEN) for path in files if not patterns.chooses(path)}
        reasons = others_than_chosen | dict.fromkeys(_copies(files, patterns), ("", COPY.reason))
        reasons |= _folder_reasons(files, others, patterns)
        says = {path: ("", file.left_out) for path, file in candidates.items() if file.left_out and path not in reasons}
        if not any_code(files.keys() - reasons.keys() - says.keys()) and any_code(says):
            says = {}
        reasons = {path: reason for path, reason in (reasons | says).items() if path in candidates}
        reasons = others_than_chosen | reasons
        return reasons | {path: ("", EXCLUDED) for path in files if patterns.excludes(path)}


def _folder_reasons(
    files: Mapping[str, Entry], others: Iterable[str], patterns: FilePatterns
) -> dict[str, tuple[str, str]]:
    """Return (folder, reason) for the files that are left out with a folder around them."""
    inside: dict[str, list[str]] = defaultdict(list)
    names: dict[str, set[str]] = defaultdict(set)
    for path in (*files, *others):
        for folder in folders_around(path):
            inside[folder].append(path[len(folder) :])
            names[folder].add(path[len(folder) :].partition("/")[0].lower())
    reasons: dict[str, tuple[str, str]] = {}
    for folder in sorted(inside, key=len):
        parent, _, name = folder.rstrip("/").rpartition("/")
        beside = names[f"{parent}/" if parent else ""] if folder else set()
        described = rules.Folder(name, inside[folder], names[folder], beside)
        for rule in rules.rules_of_folder(described, patterns.taken_in):
            for path, whole in _files_of_rule(folder, inside[folder], rule):
                reasons.setdefault(path, (whole, rule.reason))
    return {path: reason for path, reason in reasons.items() if path in files}


def _files_of_rule(folder: str, inside: list[str], rule: rules.Rule) -> Iterator[tuple[str, str]]:
    """Yield the path of each file that a rule leaves out, and the folder if all in it is left out."""
    files = [path for path in inside if not rule.files or _is_one_of(rule.files, path)]
    whole = folder if len(files) == len(inside) else ""
    yield from ((folder + path, whole) for path in files)


def _copies(files: Mapping[str, Entry], patterns: FilePatterns) -> Iterator[str]:
    """Yield the files in folders of build output whose bytes are also in a file outside such folders."""
    if COPY.name in patterns.taken_in:
        return
    output = {path for path in files if any(map(rules.is_output, path.split("/")[:-1]))}
    written = {files[path].digest for path in files.keys() - output}
    yield from (path for path in output if files[path].digest in written)


def any_code(paths: Iterable[str]) -> bool:
    """Return whether one of some files may be a program, by their names."""
    return any(not _is_one_of(NO_CODE, path) for path in paths)


def _is_one_of(patterns: str, path: str) -> bool:
    return rules.matches(patterns, path.rsplit("/", 1)[-1].lower())
