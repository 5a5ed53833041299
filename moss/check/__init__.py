"""Compare a folder in the terminal (`moss check`) or from Python, without any service and without Django.

    >>> from moss.check import compare
    >>> result = compare("moss/sample/submissions", top=2)
    >>> [(pair.left, pair.right, round(pair.similarity, 2)) for pair in result.pairs]
    [('ngozi-adeyemi', 'petr-havelka', 1.0), ('amara-okafor', 'jonas-weidler', 1.0)]
    >>> result.pairs[0].passages[0].left
    Lines(file='Fines.java', first_line=20, last_line=145, cells='')

What `__all__` names keeps its names, arguments and fields until the first number of the version changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["ComparedPair", "Comparison", "Lines", "SharedPassage", "compare"]


class Lines(NamedTuple):
    """Lines of a file of a submission, from 1, both included; of a notebook, `cells` says where that is in them."""

    file: str
    first_line: int
    last_line: int
    cells: str = ""


class SharedPassage(NamedTuple):
    """A passage of so many tokens that two submissions share.

    It occurs in `submissions` of the class; a `common` one is in so many that it counts for nothing.
    """

    left: Lines
    right: Lines
    tokens: int
    submissions: int
    common: bool


class ComparedPair(NamedTuple):
    """Two submissions by their names, with what they share; similarity and shares are in [0, 1].

    `flag` says what is identical, or that one is earlier work or a model solution; else it is empty.
    """

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    flag: str
    passages: list[SharedPassage]


class Comparison(NamedTuple):
    """The names of the submissions, the suggested threshold, and the pairs, best first."""

    submissions: list[str]
    threshold: float
    pairs: list[ComparedPair]


AnyPath = str | PathLike[str]
Paths = AnyPath | Iterable[AnyPath]


def compare(
    path: AnyPath, *, boilerplate: Paths = (), earlier: Paths = (), language: str = "", top: int | None = None
) -> Comparison:
    """Compare the submissions of a folder or an archive, as `moss check` does.

    `boilerplate` names handed-out code, `earlier` work of earlier years, `language` that of every file, else
    each file's is found out; `top` is the highest number of pairs, None for all. Raises ValueError where
    nothing can be compared, and OSError where a file cannot be read.
    """
    from moss.check.outputs import details_table  # noqa: PLC0415 - they load the engine
    from moss.check.rank import RankingOptions, rank_path  # noqa: PLC0415 - as above

    if top is not None and top < 1:
        raise ValueError("top is a number from 1 on, or None for all pairs.")
    chosen = RankingOptions(language, _paths(boilerplate), show=top, earlier=_paths(earlier))
    report = rank_path(Path(path), chosen)
    if report.shortfall:
        raise ValueError(report.shortfall)
    table = details_table(report)
    rows: Iterable[dict[str, Any]] = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return Comparison(report.sorted_names, report.ranking.threshold.value, [_pair(row) for row in rows])


def _paths(given: Paths) -> tuple[Path, ...]:
    return (Path(given),) if isinstance(given, str | PathLike) else tuple(map(Path, given))


def _pair(row: dict[str, Any]) -> ComparedPair:
    passages = [
        SharedPassage(**one | {side: Lines(**one[side]) for side in ("left", "right")}) for one in row["passages"]
    ]
    return ComparedPair(**{name: row[name] for name in ComparedPair._fields} | {"passages": passages})
