"""`moss corpus`: screen an archive of prose, HTML and code for near-duplicates."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from submissions.corpus.reading import Skipped

PATH = click.argument("path", type=click.Path(exists=True, path_type=Path))
NAME = click.option("--name", default="default", show_default=True, metavar="CORPUS", help="Which corpus.")
JSON = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
STOPPED = 130  # what a shell gives for a command that Ctrl-C ended


@click.group(short_help="Screen an archive of documents for near-duplicates.")
def corpus() -> None:
    """Keep archives of prose, HTML and code, and find near-duplicates in them and of new documents.

    DIR is a folder, an archive (zip, tar, tar.gz) or one file. Add documents first; then cluster them, or ask
    what a new document is like.
    """


@contextmanager
def _corpora() -> Iterator[None]:
    """Have a database with its tables, and errors in one line."""
    from django.db import OperationalError

    from moss.embedded.paths import EmbeddedError
    from moss.installation import migrate, start_django

    try:
        start_django()
        migrate()
        yield
    except (EmbeddedError, OperationalError, OSError, ValueError) as error:
        raise click.ClickException(str(error).strip()) from error


@contextmanager
def _progress(path: Path, doing: str) -> Iterator[Callable[[], None]]:
    """Show a bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    total = sum(file.is_file() for file in path.rglob("*")) if path.is_dir() else None
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda: bar.advance(task)


def _write_json(value: object) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=True))


def _name_skipped(skipped: Iterable[Skipped]) -> None:
    from moss.commands.table import printable

    for entry in skipped:
        click.echo(f"skipped {printable(entry.name)}: {entry.reason}", err=True)


@corpus.command()
@PATH
@NAME
@JSON
def add(path: Path, name: str, as_json: bool) -> None:  # noqa: FBT001 - a flag of the command line
    """Add every document of PATH as a new sweep.

    Ctrl-C stops it; the same command again goes on where it was. What is stored already is not read again.
    """
    from moss.commands.corpus_tables import added_text

    with _corpora():
        from submissions.corpus.adding import add as add_all

        try:
            with _progress(path, "Adding") as done:
                found = add_all(name, path, done)
        except KeyboardInterrupt:
            click.echo("Stopped; what was read is kept, and the same command goes on from there.", err=True)
            sys.exit(STOPPED)
        if as_json:
            named = {"identical": _dicts(found.identical), "skipped": _dicts(found.skipped)}
            _write_json({"corpus": name, **found._asdict(), **named})
        else:
            click.echo(added_text(name, found), nl=False)
            _name_skipped(found.skipped)


@corpus.command()
@NAME
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Estimated resemblance from which two documents are joined.",
)
@JSON
def cluster(name: str, threshold: float, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Cluster the stored documents by resemblance, duplicates among them."""
    from moss.commands.corpus_tables import clusters_text

    with _corpora():
        from submissions.corpus.clustering import clusters

        found = clusters(name, threshold)
        if as_json:
            groups = [[_flat(member) for member in group] for group in found]
            _write_json({"corpus": name, "threshold": threshold, "clusters": groups})
        else:
            click.echo(clusters_text(found), nl=False)


@corpus.command()
@PATH
@NAME
@click.option(
    "--least",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="Share of either document that the other must hold.",
)
@click.option(
    "-n",
    "--show",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Matches of each document.",
)
@JSON
def query(path: Path, name: str, least: float, show: int, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Estimate resemblance and containment of new documents against everything stored, best first."""
    from moss.commands.corpus_tables import matches_text

    with _corpora():
        from submissions.corpus.new_documents import read_all
        from submissions.corpus.screening import query as ask

        with _progress(path, "Reading") as done:
            new, skipped = read_all(path, done)
        found = ask(name, new, least, show)
        if as_json:
            _write_json({"corpus": name, "matches": [*map(_flat, found)], "skipped": _dicts(skipped)})
        else:
            click.echo(matches_text(found), nl=False)
            _name_skipped(skipped)


@corpus.command()
@PATH
@NAME
@click.option(
    "--distance",
    type=click.IntRange(0, 6),
    default=3,
    show_default=True,
    help="Bits in which SimHashes may differ.",
)
@JSON
def near(path: Path, name: str, distance: int, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Find stored near-copies of new documents by min-wise features and by SimHash."""
    from moss.commands.corpus_tables import copies_text

    with _corpora():
        from submissions.corpus.new_documents import read_all
        from submissions.corpus.screening import near as ask

        with _progress(path, "Reading") as done:
            new, skipped = read_all(path, done)
        found = ask(name, new, distance)
        if as_json:
            _write_json({"corpus": name, "copies": [*map(_flat, found)], "skipped": _dicts(skipped)})
        else:
            click.echo(copies_text(found), nl=False)
            _name_skipped(skipped)


@corpus.command("list")
@JSON
def list_(as_json: bool) -> None:  # noqa: FBT001 - as above
    """List the corpora."""
    from moss.commands.corpus_tables import corpora_text

    with _corpora():
        from submissions.corpus.corpora import listed

        found = listed()
        if as_json:
            _write_json(_dicts(found))
        else:
            click.echo(corpora_text(found), nl=False)


@corpus.command()
@click.argument("name")
def drop(name: str) -> None:
    """Delete the corpus NAME with all that is in it."""
    with _corpora():
        from submissions.corpus.corpora import drop as drop_all

        drop_all(name)
        click.echo(f"Corpus {name} is deleted.")


def _dicts(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def _flat(row: Any) -> dict[str, Any]:
    """Give a result as one JSON object: its place and its estimate beside the rest."""
    flat: dict[str, Any] = {}
    for field, value in row._asdict().items():
        if field in {"place", "stored", "estimate"}:
            flat |= value._asdict()
        else:
            flat[field] = value
    return flat
