"""`moss corpus`: find near-duplicates in archives of prose, HTML and code; the results as tables."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from moss.commands.tables import WIDTH, printable
from submissions.matches.ranked_pairs import percent_text

if TYPE_CHECKING:
    from submissions.archive.corpora import CorpusSummary, NearCopyMatch, ResemblanceMatch, StoredDocument
    from submissions.archive.jobs import ClusteredDocument, SweepResult
    from submissions.archive.signatures import SkippedDocument

PATH = click.argument("path", type=click.Path(exists=True, path_type=Path))
NAME = click.option("--name", default="default", show_default=True, metavar="CORPUS", help="Name of the corpus.")
WORKERS = click.option(
    "--workers/--here", "on_workers", default=None, help="Have all workers of the installation do this, or "
    "this process. By default workers do it where REDIS_URL names a broker and a worker answers.",
)  # fmt: skip
JSON = click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
INTERRUPTED_STATUS = 130  # the exit status that shells report for a command ended by Ctrl-C


def _corpus_table(headings: Sequence[str], text_columns: int, rows: Iterable[Sequence[str]], empty: str) -> str:
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
        f"identical {printable(document.name)}: to {printable(document.same_as)}\n" for document in added.identical
    )


def clusters_text(clusters: Sequence[Sequence[ClusteredDocument]]) -> str:
    """Return a table: document, kind of duplicate, resemblance to the first document of its cluster."""
    rows = [
        (str(number), _name_with_sweeps(member.stored), member.same if position else "", _percent(member.resemblance))
        for number, cluster in enumerate(clusters, 1)
        for position, member in enumerate(cluster)
    ]
    headings = ("#", "document", "duplicate", "of the first")
    return _corpus_table(headings, 3, rows, "No two documents are near-duplicates.")


def matches_text(matches: Iterable[ResemblanceMatch]) -> str:
    """Return a table: both documents, kind of duplicate, resemblance, containment in both directions."""
    rows = [
        (match.new, _name_with_sweeps(match.stored), match.same, *map(_percent, match.estimate)) for match in matches
    ]
    headings = ("new", "stored", "duplicate", "resemblance", "of new in stored", "of stored in new")
    return _corpus_table(headings, 3, rows, "No stored document is similar.")


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
    return _corpus_table(headings, 4, rows, "No stored document is a near-copy.")


def corpora_text(corpora: Iterable[CorpusSummary]) -> str:
    """Return a table: name, recipe, numbers of sweeps, documents and texts."""
    rows = [
        (corpus.name, corpus.recipe, *map(str, (corpus.sweeps, corpus.documents, corpus.texts))) for corpus in corpora
    ]
    return _corpus_table(("corpus", "recipe", "sweeps", "documents", "texts"), 2, rows, "There is no corpus yet.")


@click.group(short_help="Screen an archive of documents for near-duplicates.")
def corpus() -> None:
    """Store documents (prose, HTML, code) and find near-duplicates among them and of new documents.

    PATH is a folder, an archive (zip, tar.gz, 7z, rar) or a single file. First add documents to a corpus.
    Then cluster the stored documents, or compare new documents with them.
    """


@contextmanager
def _corpus_database() -> Iterator[None]:
    """Start Django with a migrated database; what a path or a value is refused for is one line."""
    from moss.installation import migrate, start_django

    try:
        start_django()
        migrate()
        yield
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error).strip()) from error


@contextmanager
def _progress(path: Path, description: str) -> Iterator[Callable[[], None]]:
    """Show a progress bar if stderr is a terminal; yield a function to call after each file."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import MofNCompleteColumn, Progress

    total = sum(file.is_file() for file in path.rglob("*")) if path.is_dir() else None
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda: bar.advance(task)


def _write_json(value: object) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=True))


def _echo_skipped(skipped: Iterable[SkippedDocument]) -> None:
    for entry in skipped:
        click.echo(f"skipped {printable(entry.name)}: {printable(entry.reason)}", err=True)


def _chosen(on_workers: bool | None) -> bool:  # noqa: FBT001 - an option of the command line
    """Return whether workers do the work; say on stderr where a broker is given and no worker answers."""
    from moss.embedded.client import private_servers
    from submissions.archive.jobs import has_workers

    if on_workers is not None:
        return on_workers
    if "valkey" in private_servers():
        return False
    if not has_workers():
        click.echo("No worker answers: this process does the work alone.", err=True)
        return False
    return True


@corpus.command()
@PATH
@NAME
@WORKERS
@JSON
def add(path: Path, name: str, on_workers: bool | None, as_json: bool) -> None:  # noqa: FBT001 - flags
    """Add all documents in PATH to the corpus, as a new sweep.

    Ctrl-C stops the command; run it again to continue the same sweep. Documents that are stored already are
    not read again.
    """
    with _corpus_database():
        from submissions.archive.jobs import add_documents

        try:
            with _progress(path, "Adding") as advance:
                added = add_documents(name, path, advance, on_workers=_chosen(on_workers))
        except KeyboardInterrupt:
            click.echo("Stopped. The documents read so far are stored; run the same command to continue.", err=True)
            sys.exit(INTERRUPTED_STATUS)
        if as_json:
            lists = {"identical": _dicts(added.identical), "skipped": _dicts(added.skipped)}
            _write_json({"corpus": name, **added._asdict(), **lists})
        else:
            click.echo(added_text(name, added), nl=False)
            _echo_skipped(added.skipped)


@corpus.command()
@NAME
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Estimated resemblance from which on two documents are joined.",
)
@WORKERS
@JSON
def cluster(name: str, threshold: float, on_workers: bool | None, as_json: bool) -> None:  # noqa: FBT001 - flags
    """Cluster the stored documents by resemblance; duplicates are listed in the clusters too."""
    with _corpus_database():
        from submissions.archive.jobs import clusters

        groups = clusters(name, threshold, on_workers=_chosen(on_workers))
        if as_json:
            flat_groups = [[_flat(member) for member in group] for group in groups]
            _write_json({"corpus": name, "threshold": threshold, "clusters": flat_groups})
        else:
            click.echo(clusters_text(groups), nl=False)


@corpus.command()
@PATH
@NAME
@click.option(
    "--least",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="Lowest share of one document that the other must contain.",
)
@click.option(
    "-n",
    "--show",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Highest number of matches to list for each document.",
)
@JSON
def query(path: Path, name: str, least: float, show: int, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Compare new documents with all stored ones: resemblance and containment, best matches first."""
    with _corpus_database():
        from submissions.archive.corpora import query_corpus
        from submissions.archive.signatures import read_documents

        with _progress(path, "Reading") as advance:
            new, skipped = read_documents(path, advance)
        matches = query_corpus(name, new, least, show)
        if as_json:
            _write_json({"corpus": name, "matches": [*map(_flat, matches)], "skipped": _dicts(skipped)})
        else:
            click.echo(matches_text(matches), nl=False)
            _echo_skipped(skipped)


@corpus.command()
@PATH
@NAME
@click.option(
    "--distance",
    type=click.IntRange(0, 6),
    default=3,
    show_default=True,
    help="Highest number of bits in which two SimHashes may differ.",
)
@JSON
def near(path: Path, name: str, distance: int, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Find stored near-copies of new documents by min-wise features and by SimHash."""
    with _corpus_database():
        from submissions.archive.corpora import find_near_copies
        from submissions.archive.signatures import read_documents

        with _progress(path, "Reading") as advance:
            new, skipped = read_documents(path, advance)
        copies = find_near_copies(name, new, distance)
        if as_json:
            _write_json({"corpus": name, "copies": [*map(_flat, copies)], "skipped": _dicts(skipped)})
        else:
            click.echo(copies_text(copies), nl=False)
            _echo_skipped(skipped)


@corpus.command("list")
@JSON
def list_(as_json: bool) -> None:  # noqa: FBT001 - as above
    """List the corpora with the number of sweeps, documents and texts in each."""
    with _corpus_database():
        from submissions.archive.corpora import list_corpora

        corpora = list_corpora()
        if as_json:
            _write_json(_dicts(corpora))
        else:
            click.echo(corpora_text(corpora), nl=False)


@corpus.command()
@click.argument("name")
def drop(name: str) -> None:
    """Delete the corpus NAME and everything in it."""
    with _corpus_database():
        from submissions.archive.corpora import drop_corpus

        drop_corpus(name)
        click.echo(f"Corpus {name} is deleted.")


def _dicts(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def _flat(row: Any) -> dict[str, Any]:
    """Return a record as one flat dictionary: the fields of nested records are on the top level."""
    flat: dict[str, Any] = {}
    for field, value in row._asdict().items():
        if field in {"stored", "estimate"}:
            flat |= value._asdict()
        else:
            flat[field] = value
    return flat
