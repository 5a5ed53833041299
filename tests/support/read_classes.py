"""Classes of submissions as files, ranked by `moss check`, for what each front-end reads of them."""

from collections.abc import Mapping
from pathlib import Path

from moss.check.rank import LocalReport, RankingOptions, rank_path

Scores = dict[frozenset[str], float]


def ranked(root: Path, files: Mapping[str, str | bytes]) -> LocalReport:
    """Return the report of a class whose files, by their paths, are written below `root`."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return rank_path(root, RankingOptions(show=None))


def scores(report: LocalReport) -> Scores:
    """Return the similarity of each listed pair, by the names of its submissions."""
    return {
        frozenset((report.submissions[pair.left], report.submissions[pair.right])): pair.similarity
        for pair in report.pairs()
    }


def score(report: LocalReport, left: str, right: str) -> float:
    """Return the similarity of a pair, 0 if it is not listed."""
    return scores(report).get(frozenset((left, right)), 0.0)


def languages(report: LocalReport) -> dict[str, str]:
    """Return the language in which each file was read, by submission and path."""
    return {f"{report.submissions[file.submission]}:{file.path}": file.reading.language for file in report.files}
