"""Tables of a report, pairs and submissions, as CSV and JSON: a new table or format is one entry here.

Names are written as students gave them, as `moss.check.exports` does: a spreadsheet should import the
columns with names as text.
"""

from __future__ import annotations

import csv
import json
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions import queries
from submissions.queries.decisions import decisions
from submissions.queries.exports import counted_submissions
from submissions.ranking.pair_rows import PairRow, stored_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from submissions.models import Report
    from submissions.pseudonyms.names import Names
    from submissions.queries import Flag, PairFilter

    Row = dict[str, Any]

EVIDENCE = ("structure", "literals", "names")
# Rows read from the database at once.
CHUNK = 500


class Asked(NamedTuple):
    """A report, what of it to list, and under which names."""

    report: Report
    chosen: PairFilter
    names: Names


class Table(NamedTuple):
    """The columns of a table, and its rows, each with all of them."""

    columns: tuple[str, ...]
    rows: Callable[[Asked], Iterator[Row]]


class Format(NamedTuple):
    """How a table is written: `write` gets its name, the table and what was asked for."""

    content_type: str
    write: Callable[[str, Table, Asked], Iterator[str]]


def _pairs(asked: Asked) -> Iterator[Row]:
    report, names = asked.report, asked.names
    flags, made = queries.Flags.of(report), decisions(report.assignment)
    listed = queries.ranked_pairs(report, asked.chosen, names)
    for pair in listed.iterator(chunk_size=CHUNK):
        decision = made.get((pair.left.name, pair.right.name))
        yield {
            **_rounded(stored_row(pair)._asdict()),
            "left": names.of(pair.left.name),
            "right": names.of(pair.right.name),
            **_rounded({part: getattr(pair, part) for part in EVIDENCE}),
            "flags": list(map(_flag, flags.between(*queries.sides(pair)))),
            "decision": pair.decision,
            "assignee": decision.assignee.get_username() if decision and decision.assignee else None,
            "notes": names.text(decision.notes) if decision else "",
        }


def _flag(flag: Flag) -> str:
    sides = [side for side in ("left", "right") if getattr(flag, side)]
    return " ".join([flag.kind, *sides])


def _submissions(asked: Asked) -> Iterator[Row]:
    """List submissions whose name, or whose best match's, holds what is searched for."""
    names, chosen = asked.names, asked.chosen
    counted = {found.pk: found for found in counted_submissions(asked.report)}
    matches = asked.report.findings.best if asked.report.findings else []
    best = {one.submission: (one.match, one.similarity) for one in matches}
    values = sorted(one.similarity for one in matches)
    # By the names that are read: in the order of real ones a class list would tell who is who.
    for pk, found in sorted(counted.items(), key=lambda one: names.of(one[1].name)):
        match, similarity = best.get(pk, (None, None))
        other = names.of(counted[match].name) if match in counted else None
        row = {
            "submission": names.of(found.name),
            "best_match": other,
            "similarity": similarity,
            "rank": None if similarity is None else len(values) - bisect_right(values, similarity) + 1,
            "files": found.file_count,
            "tokens": found.token_count or 0,
            "handed_in": found.handed_in and found.handed_in.isoformat(),
            "uploaded": found.batch.created.isoformat(),
        }
        called = f"{names.of(found.name)} {other or ''}".casefold()
        wanted = all(word in called for word in chosen.text.casefold().split())
        if wanted and (similarity or 0) >= chosen.minimum:
            yield _rounded(row)


def _rounded(row: Row) -> Row:
    """Give shares and similarities to six decimals."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}


TABLES = {
    "pairs": Table((*PairRow._fields, *EVIDENCE, "flags", "decision", "assignee", "notes"), _pairs),
    "submissions": Table(
        ("submission", "best_match", "similarity", "rank", "files", "tokens", "handed_in", "uploaded"),
        _submissions,
    ),
}


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _csv(_: str, table: Table, asked: Asked) -> Iterator[str]:
    writer = csv.writer(_Echo(), lineterminator="\n")
    yield writer.writerow(table.columns)
    for row in table.rows(asked):
        yield writer.writerow(_cell(row[column]) for column in table.columns)


def _cell(value: object) -> object:
    return "; ".join(value) if isinstance(value, list) else value


def _json(name: str, table: Table, asked: Asked) -> Iterator[str]:
    of = asked.report.assignment
    about = {
        "course": of.course.name,
        "assignment": of.name,
        "ranked": asked.report.finished and asked.report.finished.isoformat(),
        "parameters": asked.report.parameters,
    }
    yield f"{_dumped(about)[:-1]},\n{_dumped(name)}: ["
    for number, row in enumerate(table.rows(asked)):
        yield (",\n" if number else "\n") + _dumped({column: row[column] for column in table.columns})
    yield "\n]}\n"


def _dumped(value: Mapping[str, object] | str) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMATS = {
    "csv": Format("text/csv; charset=utf-8", _csv),
    "json": Format("application/json", _json),
}


def written(name: str, form: str, asked: Asked) -> Iterable[str]:
    """Write a table, a piece at a time.

    Raises
    ------
    KeyError
        When there is no such table or format.
    """
    return FORMATS[form].write(name, TABLES[name], asked)
