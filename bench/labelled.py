"""Labelled sets on disk: SET/files/<group>/<submission> and SET/pairs.csv (a,b,label,group,level)."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from bench.processes import BenchError

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = ["a", "b", "label", "group", "level"]
HONEST = "non"  # the level of pairs that are not plagiarised, in sets whose levels are disguises


# Pairs of public sets whose labels we judge wrong, with the reason.
DOUBTFUL = Path(__file__).with_name("doubtful.csv")


class SetError(BenchError):
    """A folder or a row is not a valid labelled set; the message names it and the reason."""


class LabelledPair(NamedTuple):
    """Two submissions of one group, as paths `group/name` below `files/`; label 1 = plagiarised."""

    a: str
    b: str
    label: int
    group: str
    level: str


class LabelledSet(NamedTuple):
    """The pairs of a set, in the order of its file."""

    folder: Path
    pairs: list[LabelledPair]

    @property
    def name(self) -> str:
        return self.folder.name

    def groups(self) -> dict[str, Path]:
        """Return the folder of each group that has a pair, in the order of the file."""
        return {pair.group: self.folder / "files" / pair.group for pair in self.pairs}


def find_sets(folder: Path) -> list[LabelledSet]:
    """Return `folder` as a set if it is one, else all sets directly in it, sorted by name.

    Raises
    ------
    SetError
        When there is no set, or one is not valid.
    """
    if not folder.is_dir():
        raise SetError(f"{folder} is not a folder")
    if (folder / "pairs.csv").exists():
        return [read_set(folder)]
    sets = [read_set(path.parent) for path in sorted(folder.glob("*/pairs.csv"))]
    if not sets:
        raise SetError(f"no set found: neither {folder}/pairs.csv nor {folder}/<set>/pairs.csv exists")
    return sets


def read_set(folder: Path) -> LabelledSet:
    """Read one set and check every row.

    Raises
    ------
    SetError
        The message names the file, the line and the reason.
    """
    path = folder / "pairs.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if list(rows.fieldnames or []) != COLUMNS:
            raise SetError(f"{path}: the first line must be {','.join(COLUMNS)}, not {rows.fieldnames}")
        pairs = [_checked_pair(row, folder, f"{path}, line {rows.line_num}") for row in rows]
    counts = Counter(frozenset(pair[:2]) for pair in pairs)
    repeated = [names for names, count in counts.items() if count > 1]
    if repeated:
        raise SetError(f"{path}: {' and '.join(sorted(repeated[0]))} are paired more than once")
    return LabelledSet(folder.resolve(), pairs)


def _checked_pair(row: dict[str, str], folder: Path, location: str) -> LabelledPair:
    if None in row or None in row.values():
        raise SetError(f"{location}: {len(COLUMNS)} fields are needed")
    if row["label"] not in {"0", "1"}:
        raise SetError(f"{location}: label must be 0 or 1, not {row['label']!r}")
    pair = LabelledPair(row["a"], row["b"], int(row["label"]), row["group"], row["level"])
    if pair.a == pair.b:
        raise SetError(f"{location}: {pair.a} is paired with itself")
    for side in (pair.a, pair.b):
        _check_submission(PurePosixPath(side), pair.group, folder / "files", location)
    return pair


def _check_submission(path: PurePosixPath, group: str, files: Path, location: str) -> None:
    if str(path.parent) != group or path.name == ".." or group in {"", ".", ".."}:
        raise SetError(f"{location}: {path} is not directly in group {group!r}")
    if not (files / path).exists():
        raise SetError(f"{location}: {files / path} does not exist")


def doubtful_pairs(set_name: str) -> set[frozenset[str]]:
    """Return the pairs of a set whose labels we judge wrong."""
    with DOUBTFUL.open(newline="", encoding="utf-8") as file:
        return {frozenset((row["a"], row["b"])) for row in csv.DictReader(file) if row["set"] == set_name}


def write_pairs(folder: Path, pairs: Iterable[LabelledPair]) -> None:
    """Write `folder`/pairs.csv."""
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(pairs)
