"""Find the rule of RULES that a path, the content of a file, or a folder matches."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.left_out.rules import OUTPUT, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set as AbstractSet

    from submissions.intake.left_out.rules import Rule

# A tool says in the first bytes of a file that it wrote it, and some in the last.
HEAD_BYTES, TAIL_BYTES, COMMENT_BYTES = 16_384, 300, 4_096
COMMENT_STARTS = (
    b"//", b"/*", b"*", b"#", b"--", b";", b"%", b"<!", b"<?", b'"', b"'", b"(*", b"{-", b"@", b"!", b"rem ",
    b"=begin", b"\\",
)  # fmt: skip
BLOCKS = {b"/*": b"*/", b"<!--": b"-->", b'"""': b'"""', b"'''": b"'''", b"(*": b"*)", b"{-": b"-}"}
# Names whose rules are kept, because most names in a class occur often.
CACHED_NAMES = 10_000
# What stands for other characters in a pattern.
SPECIAL = re.compile(r"[*?\[]")
OF_FOLDERS = [rule for rule in RULES if rule.folders]
OF_FILES = [rule for rule in RULES if not rule.proof and (rule.files or rule.says)]
OF_ANY_FILE = [rule for rule in OF_FILES if not rule.files]
# All patterns of names: most names match none of them.
FOLDERS = " ".join(rule.folders for rule in OF_FOLDERS)
FILES = " ".join(rule.files for rule in OF_FILES)


def rule_of_name(path: str, taken_in: AbstractSet[str]) -> tuple[str, Rule] | None:
    """Return (path up to its first folder or file that is left out by name, rule), or None.

    The rules named in `taken_in` do not apply.
    """
    parts = path.split("/")
    for i, part in enumerate(parts):
        is_file = i == len(parts) - 1
        for rule in _rules_by_name(part, is_file=is_file):
            if rule.name not in taken_in:
                return "/".join(parts[: i + 1]) + ("" if is_file else "/"), rule
    return None


def rule_of_content(name: str, data: bytes, taken_in: AbstractSet[str]) -> Rule | None:
    """Return the first rule that a file named `name` matches by what it says, except those in `taken_in`."""
    sample = data[:HEAD_BYTES] + (b"\n" + data[-TAIL_BYTES:] if len(data) > HEAD_BYTES else b"")
    comment = first_comment(data)
    for rule in _rules_of_file(name.rsplit("/", 1)[-1]):
        searched = sample if rule.files else comment
        if searched and rule.says and rule.name not in taken_in and _expression(rule.says).search(searched):
            return rule
    return None


@lru_cache(CACHED_NAMES)
def _rules_by_name(name: str, *, is_file: bool) -> list[Rule]:
    """Return the rules that leave out any file or folder of a name."""
    rules = _rules_of_file(name) if is_file else _rules_of_folder(name)
    return [rule for rule in rules if rule.by_name]


@lru_cache(CACHED_NAMES)
def _rules_of_folder(name: str) -> list[Rule]:
    """Return the rules for folders of a name."""
    lower = name.lower()
    named = matches(FOLDERS, lower)
    return [rule for rule in OF_FOLDERS if matches(rule.folders, lower)] if named else []


@lru_cache(CACHED_NAMES)
def _rules_of_file(name: str) -> list[Rule]:
    """Return the rules for files of a name in any folder."""
    lower = name.lower()
    rules = OF_FILES if matches(FILES, lower) else OF_ANY_FILE
    return [rule for rule in rules if not rule.files or matches(rule.files, lower)]


@lru_cache(CACHED_NAMES)
def is_output(folder: str) -> bool:
    """Return whether build tools write to folders of this name."""
    return matches(OUTPUT, folder.lower())


class Folder(NamedTuple):
    """A folder: its name, the paths of all files in it, and the names of what is directly in or beside it.

    `names` and `beside` are in lower case.
    """

    name: str
    paths: Sequence[str]
    names: AbstractSet[str]
    beside: AbstractSet[str]


def rules_of_folder(folder: Folder, taken_in: AbstractSet[str]) -> Iterator[Rule]:
    """Yield the rules that a folder matches by its name and by a proof, except those in `taken_in`."""
    for rule in _rules_of_folder(folder.name):
        if rule.proof and rule.name not in taken_in and _is_proved(rule, folder):
            yield rule


def _is_proved(rule: Rule, folder: Folder) -> bool:
    names, patterns, beside = _proofs(rule.proof)
    return (
        not names.isdisjoint(folder.names)
        or (beside != "" and any(matches(beside, name) for name in folder.beside))
        or (patterns != "" and any(matches(patterns, path.lower()) for path in folder.paths))
    )


@cache
def _proofs(proof: str) -> tuple[frozenset[str], str, str]:
    """Return the names directly in the folder, the patterns of paths in it, and those of names beside it."""
    inside = [part for part in proof.split() if not part.startswith("../")]
    patterns = [part for part in inside if SPECIAL.search(part) or "/" in part]
    beside = [part[3:] for part in proof.split() if part.startswith("../")]
    return frozenset(inside) - frozenset(patterns), " ".join(patterns), " ".join(beside)


def first_comment(data: bytes) -> bytes:
    """Return the lines at the start of a file that are empty, a comment or a directive."""
    head = data[:COMMENT_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head[:10].lower().startswith(COMMENT_STARTS):
        return b""
    lines, closing = [], b""
    for line in data[:COMMENT_BYTES].removeprefix(b"\xef\xbb\xbf").splitlines():
        text = line.strip().lower()
        if closing:
            closing = b"" if closing in text else closing
        elif text and not text.startswith(COMMENT_STARTS):
            break
        else:
            closing = _open_block(text)
        lines.append(line)
    return b"\n".join(lines)


def _open_block(text: bytes) -> bytes:
    """Return what closes the comment that a line opens and does not close itself, or nothing."""
    for opening, closing in BLOCKS.items():
        if text.startswith(opening) and closing not in text[len(opening) :]:
            return closing
    return b""


class _Names(NamedTuple):
    """Patterns of names by what they ask for: the whole name, its start, its end, or an expression."""

    whole: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    others: re.Pattern[str] | None


def matches(patterns: str, name: str) -> bool:
    """Return whether one of some patterns, separated by spaces, matches a name in lower case."""
    names = _names(patterns)
    return (
        name in names.whole
        or name.startswith(names.starts)
        or name.endswith(names.ends)
        or (names.others is not None and names.others.match(name) is not None)
    )


@cache
def _names(patterns: str) -> _Names:
    """Return patterns as they are looked for: few ask for more than a whole name, its start or its end."""
    rest = set(patterns.split())
    whole = {pattern for pattern in rest if not SPECIAL.search(pattern)}
    starts = {pattern for pattern in rest if pattern[-1] == "*" and not SPECIAL.search(pattern[:-1])}
    ends = {pattern for pattern in rest if pattern[0] == "*" and not SPECIAL.search(pattern[1:])}
    rest -= whole | starts | ends
    others = re.compile("|".join(map(translate, sorted(rest)))) if rest else None
    start, end = tuple(pattern[:-1] for pattern in starts), tuple(pattern[1:] for pattern in ends)
    return _Names(frozenset(whole), start, end, others)


@cache
def _expression(says: bytes) -> re.Pattern[bytes]:
    return re.compile(says, re.IGNORECASE | re.DOTALL | re.MULTILINE)
