"""Labelled pairs on disk: SET/files/<group>/<submission> and SET/pairs.csv (a,b,label,group,level)."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = ["a", "b", "label", "group", "level"]
HONEST = "non"  # the level of pairs that are not plagiarised, where levels name disguises


class SetError(ValueError):
    """A folder or a row that is no labelled set; the message names it and says why."""


class Pair(NamedTuple):
    """Two submissions of one group, `group/name` below `files/`; label 1 = plagiarised."""

    a: str
    b: str
    label: int
    group: str
    level: str


class LabelledSet(NamedTuple):
    folder: Path
    pairs: list[Pair]

    @property
    def name(self) -> str:
        return self.folder.name

    def groups(self) -> dict[str, Path]:
        """Folder of each group that a pair belongs to, in the order of the file."""
        return {pair.group: self.folder / "files" / pair.group for pair in self.pairs}


def find_sets(folder: Path) -> list[LabelledSet]:
    """Read `folder` when it is a set itself, else every set directly below it, by name.

    Raises
    ------
    SetError
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
    """Read one set and check every row of it.

    Raises
    ------
    SetError
        Naming file, line and reason.
    """
    path = folder / "pairs.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if list(rows.fieldnames or []) != COLUMNS:
            raise SetError(f"{path}: the first line must be {','.join(COLUMNS)}, not {rows.fieldnames}")
        pairs = [_checked(row, folder, f"{path}, line {rows.line_num}") for row in rows]
    twice = [key for key, times in Counter(frozenset(pair[:2]) for pair in pairs).items() if times > 1]
    if twice:
        raise SetError(f"{path}: {' and '.join(sorted(twice[0]))} are paired more than once")
    return LabelledSet(folder.resolve(), pairs)


def _checked(row: dict[str, str], folder: Path, where: str) -> Pair:
    if None in row or None in row.values():
        raise SetError(f"{where}: {len(COLUMNS)} fields are needed")
    if row["label"] not in {"0", "1"}:
        raise SetError(f"{where}: label must be 0 or 1, not {row['label']!r}")
    pair = Pair(row["a"], row["b"], int(row["label"]), row["group"], row["level"])
    if pair.a == pair.b:
        raise SetError(f"{where}: {pair.a} is paired with itself")
    for side in (pair.a, pair.b):
        _check_side(PurePosixPath(side), pair.group, folder / "files", where)
    return pair


def _check_side(side: PurePosixPath, group: str, files: Path, where: str) -> None:
    if str(side.parent) != group or side.name == ".." or group in {"", ".", ".."}:
        raise SetError(f"{where}: {side} does not lie directly in group {group!r}")
    if not (files / side).exists():
        raise SetError(f"{where}: {files / side} does not exist")


def write_pairs(folder: Path, pairs: Iterable[Pair]) -> None:
    """Write `folder`/pairs.csv."""
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(pairs)
