"""What `moss corpus` found, for a terminal."""

from __future__ import annotations

import io
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moss.commands.table import WIDTH, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.corpus.adding import Added
    from submissions.corpus.clustering import Member
    from submissions.corpus.corpora import Listed
    from submissions.corpus.screening import Match, NearCopy
    from submissions.corpus.stored import Place


def _table(headings: Sequence[str], words: int, rows: Iterable[Sequence[str]], nothing: str) -> str:
    """Lay out rows of which the first `words` columns are words and the rest numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, heading in enumerate(headings):
        table.add_column(heading, justify="left" if at < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    written = io.StringIO()
    console = Console(file=written, width=max(WIDTH, get_terminal_size().columns))
    console.print(table if table.row_count else nothing)
    return written.getvalue()


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _named(place: Place) -> str:
    first, last = place.first_sweep, place.last_sweep
    return f"{place.document} (sweep {first}{'' if first == last else f' to {last}'})"


def added_text(name: str, added: Added) -> str:
    """One line of numbers, then each document that is identical to another."""
    identical = len(added.identical)
    total = added.new + added.unchanged + identical
    resumed = ", gone on with" if added.resumed else ""
    head = (
        f"Sweep {added.sweep} of corpus {name}{resumed}: {total} documents, "
        f"{added.new} new, {added.unchanged} unchanged, {identical} identical to others, "
        f"{len(added.skipped)} skipped.\n"
    )
    return head + "".join(
        f"identical {printable(one.name)}: to {printable(one.same_as)}\n" for one in added.identical
    )


def clusters_text(clusters: Sequence[Sequence[Member]]) -> str:
    """List document, how it is a duplicate, resemblance to the first of its cluster."""
    rows = [
        (str(number), _named(member.place), member.same if at else "", _percent(member.resemblance))
        for number, cluster in enumerate(clusters, 1)
        for at, member in enumerate(cluster)
    ]
    headings = ("#", "document", "duplicate", "of the first")
    return _table(headings, 3, rows, "No two documents are near-duplicates.")


def matches_text(matches: Iterable[Match]) -> str:
    """Both documents, how they are duplicates, resemblance, both containments."""
    rows = [(m.new, _named(m.stored), m.same, *map(_percent, m.estimate)) for m in matches]
    headings = ("new", "stored", "duplicate", "resemblance", "of new in stored", "of stored in new")
    return _table(headings, 3, rows, "Nothing stored is like it.")


def copies_text(copies: Iterable[NearCopy]) -> str:
    """Both documents, how they are duplicates, by what they were found, and the numbers."""
    rows = [
        (
            copy.new,
            _named(copy.stored),
            copy.same,
            " and ".join(copy.by),
            *("-" if number is None else str(number) for number in (copy.features, copy.distance)),
            _percent(copy.resemblance),
        )
        for copy in copies
    ]
    headings = ("new", "stored", "duplicate", "found by", "features", "bits apart", "resemblance")
    return _table(headings, 4, rows, "Nothing stored is nearly the same.")


def corpora_text(corpora: Iterable[Listed]) -> str:
    """Name, recipe, and how much is in each."""
    rows = [(c.name, c.recipe, *map(str, (c.sweeps, c.documents, c.texts))) for c in corpora]
    return _table(("corpus", "recipe", "sweeps", "documents", "texts"), 2, rows, "There is no corpus yet.")
