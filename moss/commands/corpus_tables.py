"""Results of `moss corpus` as tables for a terminal."""

from __future__ import annotations

import io
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moss.commands.table import WIDTH, printable
from submissions.matches.ranked_pairs import percent_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.archive.corpora import CorpusSummary, StoredDocument
    from submissions.archive.jobs import ClusteredDocument, SweepResult
    from submissions.archive.screening import NearCopyMatch, ResemblanceMatch


def _table(headings: Sequence[str], text_columns: int, rows: Iterable[Sequence[str]], empty: str) -> str:
    """Return the rows as a table, or the sentence `empty` if there are none.

    The first `text_columns` columns are text, aligned left; the others are numbers, aligned right.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="left" if column < text_columns else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    output = io.StringIO()
    console = Console(file=output, width=max(WIDTH, get_terminal_size().columns))
    console.print(table if table.row_count else empty)
    return output.getvalue()


def _percent(share: float | None) -> str:
    return "-" if share is None else percent_text(share)


def _name_with_sweeps(stored: StoredDocument) -> str:
    first, last = stored.first_sweep, stored.last_sweep
    return f"{stored.document} (sweep {first}{'' if first == last else f' to {last}'})"


def added_text(name: str, added: SweepResult) -> str:
    """Return a line with the counts of a sweep, then a line for each document identical to another."""
    identical = len(added.identical)
    total = added.new + added.unchanged + identical
    resumed = " (continued)" if added.resumed else ""
    summary = (
        f"Sweep {added.sweep} of corpus {name}{resumed}: {total} documents, "
        f"{added.new} new, {added.unchanged} unchanged, {identical} identical to others, "
        f"{len(added.skipped)} skipped.\n"
    )
    return summary + "".join(
        f"identical {printable(document.name)}: to {printable(document.same_as)}\n"
        for document in added.identical
    )


def clusters_text(clusters: Sequence[Sequence[ClusteredDocument]]) -> str:
    """Return a table: document, kind of duplicate, resemblance to the first document of its cluster."""
    rows = [
        (
            str(number),
            _name_with_sweeps(member.stored),
            member.same if position else "",
            _percent(member.resemblance),
        )
        for number, cluster in enumerate(clusters, 1)
        for position, member in enumerate(cluster)
    ]
    headings = ("#", "document", "duplicate", "of the first")
    return _table(headings, 3, rows, "No two documents are near-duplicates.")


def matches_text(matches: Iterable[ResemblanceMatch]) -> str:
    """Return a table: both documents, kind of duplicate, resemblance, containment in both directions."""
    rows = [
        (match.new, _name_with_sweeps(match.stored), match.same, *map(_percent, match.estimate))
        for match in matches
    ]
    headings = ("new", "stored", "duplicate", "resemblance", "of new in stored", "of stored in new")
    return _table(headings, 3, rows, "No stored document is similar.")


def copies_text(copies: Iterable[NearCopyMatch]) -> str:
    """Return a table: both documents, kind of duplicate, the methods that found them, and their figures."""
    rows = [
        (
            copy.new,
            _name_with_sweeps(copy.stored),
            copy.same,
            " and ".join(copy.by),
            *("-" if number is None else str(number) for number in (copy.features, copy.distance)),
            _percent(copy.resemblance),
        )
        for copy in copies
    ]
    headings = ("new", "stored", "duplicate", "found by", "features", "bits apart", "resemblance")
    return _table(headings, 4, rows, "No stored document is a near-copy.")


def corpora_text(corpora: Iterable[CorpusSummary]) -> str:
    """Return a table: name, recipe, numbers of sweeps, documents and texts."""
    rows = [
        (corpus.name, corpus.recipe, *map(str, (corpus.sweeps, corpus.documents, corpus.texts)))
        for corpus in corpora
    ]
    return _table(("corpus", "recipe", "sweeps", "documents", "texts"), 2, rows, "There is no corpus yet.")
