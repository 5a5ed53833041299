"""`moss submit`: send a folder or a list of repositories to a server, and print the pairs of the report."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Report = Callable[[str, int, int], None]

TOKEN_HELP = "Create one on the page of your account, and set MOSS_TOKEN or name its file by --token-file."  # noqa: S105


@click.command()
@click.argument("server")
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--assignment", required=True, help="Id of the assignment; with --course, its name.")
@click.option(
    "--course", default="", help="Name or id of the course; an assignment that is not there is created."
)
@click.option("--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The token.")
@click.option("--earlier", "role", flag_value="earlier", help="The folder has earlier or other work.")
@click.option("--model-solutions", "role", flag_value="model", help="Nobody handed in what the folder has.")
@click.option(
    "--git",
    "repositories",
    type=click.File(encoding="utf-8-sig"),
    help="Instead of FOLDER: a list of Git repositories, 'student,address[,branch[,commit]]' a line.",
)
@click.option("--git-token-env", default="", help="Name of the variable with the token that reads them.")
@click.option(
    "--again",
    "hours",
    type=click.IntRange(min=0),
    metavar="HOURS",
    help="With --git: fetch once more, so many hours after the due date; 0 is as soon as it has passed.",
)
@click.option("--show", type=click.IntRange(1, 500), default=20, show_default=True, help="Pairs to print.")
@click.option("--json", "as_json", is_flag=True, help="Print the report and its pairs as JSON.")
def submit(  # noqa: PLR0917 - click's
    server: str,
    folder: Path | None,
    assignment: str,
    course: str,
    token_file: Path | None,
    role: str | None,
    repositories: TextIO | None,
    git_token_env: str,
    hours: int | None,
    show: int,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Upload a folder to a server, wait for the report, and print its pairs.

    With --git, the server fetches the repositories of a list instead.

    SERVER is an address such as https://moss.example.org. FOLDER has what the students handed in, as `moss
    check` takes it. If the command is ended, the same command goes on within a day. The token is in the
    environment variable MOSS_TOKEN or in a file: an argument could be read by every user of this machine.
    """
    from moss.commands.table import printable
    from moss.submitting.client import ServerRefused, Service, assignment_named
    from moss.submitting.waiting import NotRanked, submit_folder, submit_repositories

    source = _git_source(repositories, git_token_env, hours, is_one_named=bool(folder) != bool(repositories))
    service = Service(_origin(server), _token(token_file))
    key = None if course else _id(assignment)
    try:
        key = key or assignment_named(service, course, assignment)
        with _progress() as progress:
            about: dict[str, Any] = {"role": role or "class", "show": show, "progress": progress}
            if source:
                result = submit_repositories(service, source, key, **about)
            elif folder:
                result = submit_folder(service, folder, key, **about)
    except (ServerRefused, NotRanked, OSError) as error:
        raise click.ClickException(printable(str(error))) from error
    _name_failed(result)
    click.echo(json.dumps(result, indent=2, ensure_ascii=False) if as_json else _table(result), nl=as_json)


def _id(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise click.UsageError(f"{text!r} is not the id of an assignment. To give a name, add --course.")
    return int(text)


def _origin(server: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(server)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.username:
        raise click.UsageError(
            f"{server!r} is not the address of a server, such as https://moss.example.org."
        )
    return server.rstrip("/")


def _name_failed(result: dict[str, Any]) -> None:
    """Print the repositories that could not be fetched, with the reasons."""
    from moss.commands.table import printable

    for one in result.get("repositories", ()):
        if one["state"] == "failed":
            click.echo(printable(f"{one['student'] or 'hidden'}: {one['reason']}"), err=True)


def _git_source(
    repositories: TextIO | None, variable: str, hours: int | None, *, is_one_named: bool
) -> dict[str, Any]:
    """Return what the API takes to fetch a list of repositories; nothing where there is no list."""
    if not is_one_named:
        raise click.UsageError("Name a FOLDER, or a list of repositories with --git.")
    token = _git_token(variable)
    if not repositories:
        if hours is not None:
            raise click.UsageError("--again is for a list of repositories: add --git.")
        return {}
    again = {} if hours is None else {"again_after_due": True, "hours_after_due": hours}
    return {"repositories": repositories.read(), "token": token, **again}


def _git_token(variable: str) -> str:
    """Return the token in a variable; an empty one where none is named."""
    token = os.environ.get(variable, "").strip() if variable else ""
    if variable and not token:
        raise click.UsageError(f"The variable {variable} is empty: set it to the token.")
    return token


def _token(file: Path | None) -> str:
    """Return the token, from a file or the environment."""
    token = (file.read_text(encoding="utf-8") if file else os.environ.get("MOSS_TOKEN", "")).strip()
    if not token:
        raise click.UsageError(f"A token is missing. {TOKEN_HELP}")
    if not (token.isascii() and token.isprintable()):
        raise click.UsageError(f"That is no token. {TOKEN_HELP}")
    return token


@contextmanager
def _progress() -> Iterator[Report]:
    """Yield a function that shows a stage with what is done of it, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Packing", total=None)
        yield lambda stage, done, total: bar.update(
            task, description=stage, completed=done, total=total or None
        )


def _table(answer: dict[str, Any]) -> str:
    from moss.commands.table import pairs_text
    from submissions.matches.ranked_pairs import PairRow

    report = answer["report"]
    names = PairRow._fields
    rows = [PairRow(**{name: pair[name] for name in names if name in pair}) for pair in answer["pairs"]]
    threshold = report["threshold"]
    if threshold["reason"] == "chosen":
        sentence = f"Threshold {threshold['value']:.2f}: chosen; {threshold['suggested']:.2f} is suggested."
    else:
        sentence = f"Suggested threshold {threshold['value']:.2f}: {threshold['reason']}."
    click.echo(f"{report['submissions']} submissions. {sentence}", err=True)
    return "".join(pairs_text(rows))
