"""Ranked pairs for a terminal."""

from __future__ import annotations

import io
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from submissions.local import LocalReport


def as_table(report: LocalReport) -> str:
    """Rank, names, similarity, each side's share, tokens, lines and the longest passage."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in (
        "#",
        "left",
        "right",
        "similarity",
        "left share",
        "right share",
        "tokens",
        "lines",
        "longest",
    ):
        table.add_column(heading, justify="left" if heading in {"left", "right"} else "right")
    for number, pair in enumerate(report.pairs, 1):
        table.add_row(
            str(number),
            Text(report.submissions[pair.left]),
            Text(report.submissions[pair.right]),
            f"{pair.similarity:.0%}",
            f"{pair.left_share:.0%}",
            f"{pair.right_share:.0%}",
            str(pair.tokens),
            str(pair.lines),
            str(pair.longest),
        )
    console = Console(file=io.StringIO(), width=max(100, get_terminal_size().columns))
    console.print(table if report.pairs else "No two submissions share anything.")
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()
