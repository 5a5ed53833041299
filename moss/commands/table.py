"""Ranked pairs as a table for a terminal."""

from __future__ import annotations

import io
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from submissions.ranking.pair_rows import NO_PASSAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.ranking.pair_rows import PairRow

HEADINGS = ("#", "left", "right", "similarity", "left share", "right share", "tokens", "lines", "longest")
# Wide enough for two names of usual length and the figures; longer cells are cut off with an ellipsis.
WIDTH = 120


def printable(name: str) -> str:
    """Replace the unprintable characters of a name: control codes and changes of the text direction."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)


def _share(share: float, with_common: float | None) -> str:
    """Return a share with common code, and in parentheses without it if that is another percentage."""
    without = f"{share:.0%}"
    both = without if with_common is None else f"{with_common:.0%}"
    return without if both == without else f"{both} ({without})"


def _counts(row: PairRow) -> tuple[str, str, str]:
    if row.mark == NO_PASSAGE:
        return ("-", "-", "-")
    if not row.tokens:
        return ("common code only" if row.left_with_common != 0 else "no passage", "", "")
    return (str(row.tokens), str(row.lines), str(row.longest))


def pairs_text(rows: Iterable[PairRow], notes: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return a table: rank, names, similarity, both shares, tokens, lines, longest passage.

    Where common code changes a share, the share without it follows in parentheses, and a line says so.
    `notes` maps pairs of names to a note, which is written in a last column with the marks of pairs.
    """
    rows, notes = list(rows), notes or {}
    noted = ((row, notes.get((row.left, row.right), "")) for row in rows)
    remarks = [" ".join(filter(None, (row.mark, row.flag, note))) for row, note in noted]
    has_remarks = bool(notes) or any(remarks)
    table = Table(box=None, pad_edge=False, header_style="bold")
    widest = max(map(len, remarks), default=0)
    for heading in (*HEADINGS, *([""] if has_remarks else [])):
        table.add_column(
            heading,
            justify="left" if heading in {"left", "right", ""} else "right",
            no_wrap=True,
            min_width=None if heading else widest,
        )
    for number, (row, remark) in enumerate(zip(rows, remarks, strict=True), 1):
        names = (Text(printable(row.left)), Text(printable(row.right)))
        shares = (
            f"{row.similarity:.0%}",
            _share(row.left_share, row.left_with_common),
            _share(row.right_share, row.right_with_common),
        )
        table.add_row(str(number), *names, *shares, *_counts(row), *([remark] if has_remarks else []))
    output = io.StringIO()
    console = Console(file=output, width=max(WIDTH, get_terminal_size().columns))
    console.print(table if table.row_count else "No two submissions share anything.")
    text = output.getvalue()
    has_common = any(_share(row.left_share, row.left_with_common).endswith(")") for row in rows)
    return f"{text}In parentheses: the share without common code.\n" if has_common else text
