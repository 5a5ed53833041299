"""Classes with a known part of copies, drawn from labelled sets: what `bench.threshold` measures on."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fingerprint.engine import Exclusions, RankingInput
from fingerprint.ranking.rank import rank_for_report
from moss.check.rank import PARAMS, RankingOptions, cohort_file, rank_path
from moss.check.readings import read_boilerplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from bench.labelled import LabelledPair, LabelledSet
    from fingerprint.engine import CohortFile, Reading
    from fingerprint.ranking.rank import Ranking

SIZES = (10, 30, 100, 300)
SHARES = (0.0, 0.01, 0.03, 0.1, 0.3)
# Sizes of the classes with few copies, and the number of copied pairs in them.
FEW_SIZES, FEW_PAIRS = (12, 20, 30, 45), (0, 1, 2, 3)
STARTERS = ("none", "unregistered", "registered")
# The part of a program that stands for the code that a course hands out.
STARTER_PART = 0.4
COPY, HONEST, UNKNOWN = 1, 0, -1


class Group(NamedTuple):
    """The programs of one task: their columns and, by two names, the label of a pair.

    `families` are programs of which each was made from another of them, or may have been. `plain` are the
    programs as they are, `started` the same with one starter code before each, which `starter` is.
    """

    name: str
    families: list[list[str]]
    labels: Mapping[frozenset[str], int]
    plain: Mapping[str, CohortFile]
    started: Mapping[str, CohortFile]
    starter: Reading


class Kind(NamedTuple):
    """The properties of a class: its size, the part of copies, and how its starter code is treated.

    `way` is how it was drawn: "share", "few", or "whole" for a group as it is, with all its copies.
    """

    size: int
    share: float
    starter: str
    way: Literal["share", "few", "whole"] = "share"


class DrawnClass(NamedTuple):
    """A ranked class, with the label of each pair of its ranking, and the number of its copied pairs."""

    source: str
    kind: Kind
    submissions: int
    ranking: Ranking
    labels: npt.NDArray[np.int8]
    copies: int


def read_groups(labelled: LabelledSet) -> Iterator[Group]:
    """Read the groups of a set."""
    for name, folder in labelled.groups().items():
        pairs = [pair for pair in labelled.pairs if pair.group == name]
        families = _families([path.name for path in sorted(folder.iterdir())], pairs)
        yield _read_group(f"{labelled.name}/{name}", folder, families, pairs)


def _families(names: Sequence[str], pairs: Sequence[LabelledPair]) -> list[list[str]]:
    """Return the connected parts of the graph of copies, the largest first, its main original first."""
    family = {name: [name] for name in names}
    for pair in pairs:
        left, right = (family[Path(side).name] for side in (pair.a, pair.b))
        if pair.label and left is not right:
            left += right
            family |= dict.fromkeys(right, left)
    copies = Counter(Path(side).name for pair in pairs if pair.label for side in (pair.a, pair.b))
    distinct = {id(one): sorted(one, key=lambda name: (-copies[name], name)) for one in family.values()}
    return sorted(distinct.values(), key=lambda one: (-len(one), one))


def _read_group(name: str, folder: Path, families: list[list[str]], pairs: Sequence[LabelledPair]) -> Group:
    labels = {frozenset(Path(side).name for side in (pair.a, pair.b)): pair.label for pair in pairs}
    handed_out_file = _median_program(folder, [family[0] for family in families if len(family) == 1])
    lines = handed_out_file.read_text(errors="replace").splitlines(keepends=True)
    starter = "".join(lines[: max(1, round(len(lines) * STARTER_PART))])
    kept = [[name for name in family if name != handed_out_file.name] for family in families]
    with tempfile.TemporaryDirectory() as temporary:
        started, handed_out = Path(temporary, "class"), Path(temporary, handed_out_file.name)
        started.mkdir()
        handed_out.write_text(starter)
        for path in folder.iterdir():
            (started / path.name).write_text(f"{starter}\n{path.read_text(errors='replace')}")
        (reading,), _ = read_boilerplate([handed_out], "")
        return Group(name, [*filter(None, kept)], labels, _columns(folder), _columns(started), reading)


def _median_program(folder: Path, names: Sequence[str]) -> Path:
    """Return the program of the median size among `names`, or among all where there are none."""
    paths = [folder / name for name in names] or list(folder.iterdir())
    return sorted(paths, key=lambda path: (path.stat().st_size, path.name))[len(paths) // 2]


def _columns(folder: Path) -> dict[str, CohortFile]:
    report = rank_path(folder, RankingOptions(show=1))
    return {report.submissions[file.submission]: cohort_file(file) for file in report.files}


def draw_classes(group: Group, seed: int) -> Iterator[DrawnClass]:
    """Draw and rank one class of each kind for which the group has enough programs."""
    for size in SIZES:
        for share in SHARES:
            rng, wanted = Random(f"{seed} {group.name} {size} {share}"), round(size * share)
            if share and wanted < 2:  # noqa: PLR2004 - a pair
                continue
            if names := _drawn_names(group.families, size, wanted, rng):
                yield from (_ranked(group, Kind(size, share, starter), names) for starter in STARTERS)


def few_copies(group: Group, seed: int) -> Iterator[DrawnClass]:
    """Draw and rank small classes with few copies, each of another program of the class."""
    for size in FEW_SIZES:
        for pairs in FEW_PAIRS:
            rng = Random(f"{seed} {group.name} {size} {pairs} pairs")
            twos = [[one[0], rng.choice(one[1:])] if len(one) > 1 else one for one in group.families]
            if names := _drawn_names(twos, size, 2 * pairs, rng):
                drawn = _ranked(group, Kind(size, pairs / size, "none", "few"), names)
                if drawn.copies == pairs:
                    yield drawn


def whole_class(group: Group) -> Iterator[DrawnClass]:
    """Rank all programs of a group; pairs without a label are unknown. None is yielded without a copy."""
    names = sorted(name for family in group.families for name in family)
    drawn = _ranked(group, Kind(len(names), 1.0, "none", "whole"), names)
    labels = [
        group.labels.get(frozenset((names[left], names[right])), UNKNOWN)
        for left, right in zip(*drawn.ranking.pairs[:2], strict=True)
    ]
    if drawn.copies and HONEST in labels:
        yield drawn._replace(labels=np.array(labels, dtype=np.int8))


def _drawn_names(families: Sequence[list[str]], size: int, wanted: int, rng: Random) -> list[str]:
    """Return the names of a class with `wanted` copies; empty where there are too few programs.

    Copies are whole families, the last of them cut to the number of copies that is wanted. Of any other
    family there is one program.
    """
    order = rng.sample(families, len(families))
    copies: list[str] = []
    honest: list[str] = []
    for family in order:
        room = wanted - len(copies)
        if len(family) > 1 and room > 1:
            copies += [family[0], *rng.sample(family[1:], min(len(family), room) - 1)]
        else:
            honest.append(rng.choice(family))
    honest = honest[: size - len(copies)]
    return sorted(copies + honest) if len(copies) + len(honest) == size else []


def _ranked(group: Group, kind: Kind, names: Sequence[str]) -> DrawnClass:
    columns = group.plain if kind.starter == "none" else group.started
    files = [columns[name]._replace(submission=number) for number, name in enumerate(names) if name in columns]
    registered = [group.starter] if kind.starter == "registered" else []
    exclusions = Exclusions(
        [reading.tokens.kinds for reading in registered], [one.lexical for one in registered], "default"
    )
    inputs = RankingInput.from_files(files, len(names), PARAMS.k, exclusions)
    ranking = rank_for_report(inputs, show=len(names) ** 2, least=0.0)
    labels = _labels(group, names)
    rows = ranking.pairs.left, ranking.pairs.right
    upper = labels[np.triu_indices(len(names), 1)]
    return DrawnClass(group.name, kind, len(names), ranking, labels[rows], int((upper == COPY).sum()))


def _labels(group: Group, names: Sequence[str]) -> npt.NDArray[np.int8]:
    """Return the label of each two programs, int8 [n, n]: `COPY`, `HONEST`, or `UNKNOWN` without one."""
    family = defaultdict(int, {name: at for at, one in enumerate(group.families) for name in one})
    numbers = np.array([family[name] for name in names])
    labels = np.where(numbers[:, None] == numbers, UNKNOWN, HONEST).astype(np.int8)
    for row, left in enumerate(names):
        for column, right in enumerate(names):
            label = group.labels.get(frozenset((left, right)))
            if label is not None:
                labels[row, column] = label
    return labels
