"""Ranked pairs as CSV and JSON. The CSV's columns are a contract."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from submissions.ranking.pair_rows import PairRow
from submissions.ranking.ranked_pairs import PairColumns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.engine import Passage
    from moss.check.local import LocalReport
    from submissions.ranking.ranked_pairs import RankedPair

# Rows of a CSV that are made at once.
ROWS = 50_000


def row(report: LocalReport, pair: RankedPair) -> PairRow:
    """One pair by name; shares and similarity to six decimals."""
    return PairRow(
        left=report.submissions[pair.left],
        right=report.submissions[pair.right],
        similarity=round(pair.similarity, 6),
        left_share=round(pair.left_share, 6),
        right_share=round(pair.right_share, 6),
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
    )


def rows(report: LocalReport) -> Iterator[PairRow]:
    """All pairs by name, best first."""
    columns = PairColumns.of(report.ranking)
    names = ([report.submissions[at] for at in side] for side in (columns.left, columns.right))
    return map(PairRow, *names, *columns[2:])


def as_csv(report: LocalReport) -> Iterator[str]:
    """Write the pairs under the contract's columns, for programs, as parts of one text.

    `left` and `right` are names as students gave them, unchanged. One that begins with `=`, `+`, `-`, `@`, a
    tab or CR is a formula to a spreadsheet, which should import these columns as text.
    """
    yield ",".join(PairRow._fields) + "\n"
    names = [_quoted(name) for name in report.submissions]
    for at in range(0, len(report.ranking.pairs.left), ROWS):
        columns = PairColumns.of(report.ranking, slice(at, at + ROWS))
        sides = ([names[at] for at in side] for side in (columns.left, columns.right))
        numbers: tuple[Sequence[float], ...] = columns[2:]
        table = map(",".join, zip(*sides, *map(_texts, numbers), strict=True))
        yield "\n".join(table) + "\n"


def _quoted(field: str) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([field, ""])  # alone, an empty one would be quoted
    return text.getvalue()[:-1]


def _texts(numbers: Sequence[float]) -> list[str]:
    """Write numbers out, equal ones once: there are hundreds of thousands, and many are alike."""
    known = {number: str(number) for number in set(numbers)}
    return [known[number] for number in numbers]


def as_json(report: LocalReport) -> str:
    """Submissions, pairs with their passages, and what was skipped."""
    body = {
        "submissions": report.submissions,
        "common_limit": report.cohort.limit,
        "threshold": report.ranking.threshold._asdict(),
        "pairs": [
            row(report, pair)._asdict()
            | {"evidence": _evidence(pair), "passages": [_passage(report, p) for p in pair.passages]}
            for pair in report.pairs()
        ],
        "skipped": [skipped._asdict() for skipped in report.skipped],
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def _evidence(pair: RankedPair) -> dict[str, float]:
    """Say what each kind of evidence adds to the similarity."""
    return {part: round(getattr(pair, part), 6) for part in ("structure", "literals", "names")}


def _passage(report: LocalReport, passage: Passage) -> dict[str, object]:
    ends = (
        ("left", passage.left_file, passage.left_token),
        ("right", passage.right_file, passage.right_token),
    )
    sides = {}
    for side, at, first in ends:
        lines = report.files[at].tokens.lines
        sides[side] = {
            "file": report.files[at].path,
            "first_line": int(lines[first]),
            "last_line": int(lines[first + passage.tokens - 1]),
        }
    return sides | {"tokens": passage.tokens, "submissions": passage.submissions}
