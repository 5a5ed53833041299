"""`moss account`: create, invite, disable and list accounts, some by name or many from a CSV file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from io import StringIO
from typing import TYPE_CHECKING, TextIO

import click

from moss.commands.operations import caller
from moss.installation import start_django

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from moss.integrations.accounts.change import Caller

COLUMNS = ("username", "email", "first_name", "last_name")
# `moss account list` writes these, too.
STATES = ("is_staff", "is_active", "last_login")
Row = dict[str, str]


def people(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the names of accounts, and a file of them."""
    of_file = click.option(
        "--csv",
        "file",
        type=click.File(encoding="utf-8-sig"),
        help="A CSV file, or -, whose first line has the columns username, email, first_name and last_name.",
    )
    return click.argument("usernames", nargs=-1)(of_file(command))


@click.group(short_help="Create, invite, disable and list accounts.")
def account() -> None:
    """Create, invite, disable and list accounts."""


@account.command()
@people
def create(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Create accounts without a password, for people who sign in with their campus account.

    Those that exist are left as they are; where one cannot be created, none is.
    """
    start_django()
    rows = _rows(usernames, file)
    created = _create(rows)
    click.echo(f"{len(created)} accounts were created, {len(rows) - len(created)} existed.")


@account.command()
@people
def invite(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Send people a link to choose a password; create their accounts where they have none.

    Without mail (MOSS_MAIL_HOST), or without an address, the links are printed.
    """
    start_django()
    from moss.integrations.accounts.change import invite as invite_account

    rows = _rows(usernames, file)
    _create(rows)
    addresses = {user.get_username(): invite_account(user, _caller()) for user in _accounts(rows)}
    for name, address in addresses.items():
        if address:
            click.echo(f"{name} {address}")
    sent = sum(not address for address in addresses.values())
    click.echo(f"{sent} of {len(addresses)} invitations were sent.", err=True)


@account.command()
@people
def disable(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Close accounts: they sign in no more, and their sessions and tokens end. What they own stays."""
    start_django()
    from moss.integrations.accounts.change import close

    closed = _accounts(_rows(usernames, file))
    close(closed, _caller())
    click.echo(f"{len(closed)} accounts were closed.")


@account.command(name="list")
def list_() -> None:
    """List all accounts as CSV."""
    start_django()
    from django.contrib.auth.models import User

    from submissions.matches.file_formats import ExportTable, write_csv

    columns = (*COLUMNS, *STATES)
    rows = User.objects.order_by("username").values_list(*columns)
    sys.stdout.writelines(write_csv(ExportTable("accounts", columns, rows, {})))


def _rows(usernames: Sequence[str], file: TextIO | None) -> list[Row]:
    rows = [{"username": name} for name in usernames]
    if file:
        try:
            rows += _rows_of(file)
        except (UnicodeDecodeError, csv.Error) as error:
            raise click.ClickException(f"{file.name} is no CSV file in UTF-8: {error}") from error
    if not rows:
        raise click.UsageError("Name accounts, or a file of them by --csv.")
    # As where people sign up, no two names differ in their case only.
    return list({row["username"].casefold(): row for row in rows}.values())


def _rows_of(file: TextIO) -> list[Row]:
    text, name_of_file = file.read(), getattr(file, "name", "-")
    head = text.partition("\n")[0]
    reader = csv.DictReader(StringIO(text), delimiter=max(",;\t", key=head.count))
    reader.fieldnames = [name.strip().casefold() for name in reader.fieldnames or ()]
    _check_columns(name_of_file, reader.fieldnames)
    rows = []
    for row in reader:
        if any(map(str.strip, [*(row.get(None) or ()), row.get("") or ""])):
            reason = "has a value in no column, or in one without a name."
            raise click.ClickException(f"Line {reader.line_num} of {name_of_file} {reason}")
        rows.append({name: (row.get(name) or "").strip() for name in COLUMNS})
    return rows


def _check_columns(file: str, names: Sequence[str]) -> None:
    """Say which columns are not read; refuse a name that is nearly that of a column which the file does not have."""
    if "username" not in names:
        raise click.ClickException(f"The first line of {file} has no column username.")
    others = [name for name in names if name and name not in (*COLUMNS, *STATES)]
    for name in others:
        if near := get_close_matches(name, {*COLUMNS} - {*names}, 1, 0.75):  # `emial`, but not `full_name`
            raise click.ClickException(f"{file} has a column {name}, and there is no such column: is it {near[0]}?")
    if others:
        click.echo(f"Columns of {file} that are not read: {', '.join(others)}.", err=True)


def _create(rows: list[Row]) -> list[User]:
    from django.core.exceptions import ValidationError

    from moss.integrations.accounts.change import create_accounts

    try:
        return create_accounts(rows, _caller())
    except ValidationError as error:
        raise click.ClickException(f"{' '.join(error.messages)} None was created.") from error


def _accounts(rows: list[Row]) -> list[User]:
    from django.contrib.auth.models import User

    names = {row["username"] for row in rows}
    found = list(User.objects.filter(username__in=names, is_active=True).order_by("username"))
    if missing := sorted(names - {user.username for user in found}):
        raise click.ClickException(f"There is no account, or it is closed: {', '.join(missing)}.")
    return found


def _caller() -> Caller:
    from moss.integrations.accounts.change import Caller

    return Caller(caller("account"), "moss account")
