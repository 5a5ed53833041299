"""Measure what appended code takes from copies: `python -m bench.appended FOLDER [--pairs 10]`.

FOLDER is a folder of sets as in `bench.accuracy`. Of each set some copied pairs are chosen by a seed, and of
each its class, at most 60 submissions. To one side is appended, at most 30 % of its characters: code of a
classmate, code of another task, or unused strings. The other side is the copy as it is, or an exact copy. The
table has how far the similarity of the pair falls, and how many pairs lose a place among all pairs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.labelled import find_sets
from bench.processes import command
from bench.tables import markdown
from moss.check.rank import RankingOptions, rank_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.labelled import LabelledPair, LabelledSet

APPENDED_PART = 0.3
MOST_SUBMISSIONS = 60
# What may be lost by the property of docs/know/score.md.
ALLOWED = 0.03
STRINGS = {
    ".java": 'String {} = "{}";',
    ".cs": 'string {} = "{}";',
    ".c": 'char *{} = "{}";',
    ".cpp": 'string {} = "{}";',
    ".py": '{} = "{}"',
    ".go": 'var {} = "{}"',
    ".hs": '{} = "{}"',
    ".js": 'var {} = "{}";',
    ".m": "{} = '{}';",
}


class Loss(NamedTuple):
    """The similarity and the places among all pairs of its class that a pair loses by one appended text."""

    similarity: float
    places: int


class Standing(NamedTuple):
    similarity: float
    place: int


def unused_strings(suffix: str, characters: int, random: Random) -> str:
    """Return declarations of strings of random words, at most that many characters."""
    form, lines = STRINGS[suffix], [""]
    while sum(len(line) for line in lines) < characters:
        words = ["".join(random.choices("abcdefghijklmnoprstuvwyz", k=7)) for _ in range(4)]
        lines.append(form.format(words[0], " ".join(words[1:])) + "\n")
    return "".join(lines[:-1])


def beginning(text: str, characters: int) -> str:
    """Return the first lines of a text that have at most that many characters together."""
    return text[: text.rfind("\n", 0, characters + 1) + 1]


def longest_file(submission: Path) -> Path:
    files = [submission] if submission.is_file() else [path for path in submission.rglob("*") if path.is_file()]
    return max(files, key=lambda path: path.stat().st_size)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _standing(folder: Path, names: frozenset[str]) -> Standing:
    """Return the similarity of a pair, 0 if it is not ranked, and its place among all pairs."""
    report = rank_path(folder, RankingOptions(show=None))
    ranking = report.ranking
    numbers = np.flatnonzero([name in names for name in report.submissions])
    rows = np.flatnonzero(np.isin(ranking.pairs.left, numbers) & np.isin(ranking.pairs.right, numbers))
    if not len(rows):
        return Standing(0.0, len(ranking.pairs.left))
    similarity = float(ranking.scores.similarity[rows[0]])
    return Standing(similarity, int((ranking.scores.similarity > similarity).sum()))


def _copy_class(folder: Path, pair: LabelledPair, random: Random, target: Path) -> list[Path]:
    """Copy both sides of a pair and others of their class to `target`; return the others."""
    sides = {Path(pair.a).name, Path(pair.b).name}
    others = sorted(path for path in folder.iterdir() if path.name not in sides)
    others = random.sample(others, min(len(others), MOST_SUBMISSIONS - len(sides)))
    for path in [*others, *(folder / name for name in sorted(sides))]:
        (shutil.copytree if path.is_dir() else shutil.copy)(path, target / path.name)
    return others


def appended_texts(
    labelled: LabelledSet, pair: LabelledPair, mates: list[Path], changed: Path, random: Random
) -> Iterator[tuple[str, str]]:
    """Yield each kind of text that is appended, and the text."""
    room = int(len(_read(changed)) * APPENDED_PART)
    copies = {side for one in labelled.pairs if one.label and {one.a, one.b} & {pair.a, pair.b} for side in one[:2]}
    mates = [mate for mate in mates if f"{pair.group}/{mate.name}" not in copies]
    tasks = [folder for group, folder in labelled.groups().items() if group != pair.group]
    if mates:
        yield "a classmate's code", beginning(_read(longest_file(random.choice(mates))), room)
    if tasks:
        other = random.choice(sorted(random.choice(tasks).iterdir()))
        yield "code of another task", beginning(_read(longest_file(other)), room)
    if changed.suffix in STRINGS:
        yield "unused strings", unused_strings(changed.suffix, room, random)


def losses(labelled: LabelledSet, pair: LabelledPair, random: Random) -> Iterator[tuple[tuple[str, str], Loss]]:
    """Yield what each appended text takes from a pair, by the kind of copy and the kind of text."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        mates = _copy_class(labelled.groups()[pair.group], pair, random, folder)
        names = frozenset(Path(side).name for side in (pair.a, pair.b))
        kept, changed = (longest_file(folder / Path(side).name) for side in (pair.a, pair.b))
        texts = list(appended_texts(labelled, pair, mates, changed, random))
        original = changed.read_bytes()
        for copy in ("disguised", "exact"):
            if copy == "exact":
                kept.write_bytes(original)
            changed.write_bytes(original)
            before = _standing(folder, names)
            for kind, text in texts:
                changed.write_bytes(original + b"\n" + text.encode())
                after = _standing(folder, names)
                yield (copy, kind), Loss(before.similarity - after.similarity, after.place - before.place)


def table(by_kind: Mapping[tuple[str, str], list[Loss]]) -> str:
    header = ["copy", "appended", "pairs", "mean loss", "90 %", f"over {ALLOWED:g}", "loses places"]
    rows = []
    for (copy, kind), lost in sorted(by_kind.items()):
        similarity = np.array([one.similarity for one in lost])
        over, places = (similarity > ALLOWED).sum(), sum(one.places > 0 for one in lost)
        figures = [f"{similarity.mean():.3f}", f"{np.quantile(similarity, 0.9):.3f}", str(over), str(places)]
        rows.append([copy, kind, str(len(lost)), *figures])
    return markdown(header, rows)


@command
def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.appended", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a set, or a folder of sets")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="copied pairs of each set (10)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    by_kind: defaultdict[tuple[str, str], list[Loss]] = defaultdict(list)
    for labelled in find_sets(arguments.folder):
        print(labelled.name, file=sys.stderr)
        random = Random(arguments.seed)
        copied = [pair for pair in labelled.pairs if pair.label]
        for pair in random.sample(copied, min(len(copied), arguments.pairs)):
            for kinds, loss in losses(labelled, pair, random):
                by_kind[kinds].append(loss)
    print(table(by_kind))


if __name__ == "__main__":
    sys.exit(main())
