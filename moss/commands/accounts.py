"""`moss account`: create, invite, disable and list accounts, some by name or many from a CSV file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.commands.operations import caller, start_django

if TYPE_CHECKING:
    from django.contrib.auth.models import User

COLUMNS = ("username", "email", "first_name", "last_name")
Row = dict[str, str]


def people(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the names of accounts, and a file of them."""
    of_file = click.option(
        "--csv",
        "file",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="A CSV file, whose first line has the columns username, email, first_name and last_name.",
    )
    return click.argument("usernames", nargs=-1)(of_file(command))


@click.group(short_help="Create, invite, disable and list accounts.")
def account() -> None:
    """Create, invite, disable and list accounts."""


@account.command()
@people
def create(usernames: tuple[str, ...], file: Path | None) -> None:
    """Create accounts without a password, for people who sign in with their campus account.

    Those that exist are left as they are; where one cannot be created, none is.
    """
    start_django()
    rows = _rows(usernames, file)
    created = _create(rows)
    click.echo(f"{len(created)} accounts were created, {len(rows) - len(created)} existed.")


@account.command()
@people
def invite(usernames: tuple[str, ...], file: Path | None) -> None:
    """Send people a link to choose a password; create their accounts where they have none.

    Without mail (MOSS_MAIL_HOST), or without an address, the links are printed.
    """
    start_django()
    rows = _rows(usernames, file)
    _create(rows)
    sent, invited = 0, _accounts(rows)
    for user in invited:
        address = _invitation(user)
        if _send(user, address):
            sent += 1
        else:
            click.echo(f"{user.get_username()} {address}")
    _note("invited", invited)
    click.echo(f"{sent} of {len(invited)} invitations were sent.", err=True)


@account.command()
@people
def disable(usernames: tuple[str, ...], file: Path | None) -> None:
    """Close accounts: they sign in no more, and their sessions and tokens end. What they own stays."""
    start_django()
    from django.contrib.auth.models import User
    from django.utils import timezone

    from moss.integrations.accounts.models import Session
    from submissions.models import ApiToken

    closed = _accounts(_rows(usernames, file))
    User.objects.filter(pk__in=[user.pk for user in closed]).update(is_active=False)
    Session.objects.filter(user__in=closed).delete()
    ApiToken.objects.filter(user__in=closed, revoked=None).update(revoked=timezone.now())
    _note("closed", closed)
    click.echo(f"{len(closed)} accounts were closed.")


@account.command(name="list")
def list_() -> None:
    """List all accounts as CSV."""
    start_django()
    from django.contrib.auth.models import User

    from submissions.matches.file_formats import ExportTable, write_csv

    columns = (*COLUMNS, "is_staff", "is_active", "last_login")
    rows = User.objects.order_by("username").values_list(*columns)
    sys.stdout.writelines(write_csv(ExportTable("accounts", columns, rows, {})))


def _rows(usernames: Sequence[str], file: Path | None) -> list[Row]:
    rows = [{"username": name} for name in usernames]
    if file:
        try:
            rows += _rows_of(file)
        except (UnicodeDecodeError, csv.Error) as error:
            raise click.ClickException(f"{file} is no CSV file in UTF-8: {error}") from error
    if not rows:
        raise click.UsageError("Name accounts, or a file of them by --csv.")
    # As where people sign up, no two names differ in their case only.
    return list({row["username"].casefold(): row for row in rows}.values())


def _rows_of(file: Path) -> list[Row]:
    text = file.read_text(encoding="utf-8-sig")
    reader = csv.DictReader(StringIO(text), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    if "username" not in (reader.fieldnames or ()):
        raise click.ClickException(f"The first line of {file} has no column username.")
    return [{name: (row.get(name) or "").strip() for name in COLUMNS} for row in reader]


def _create(rows: list[Row]) -> list[User]:
    from django.contrib.auth.models import User
    from django.core.exceptions import ValidationError
    from django.db import transaction

    there = {name.casefold() for name in User.objects.values_list("username", flat=True)}
    created = list[User]()
    with transaction.atomic():
        for row in (row for row in rows if row["username"].casefold() not in there):
            user = User(**row)
            user.set_unusable_password()
            try:
                user.full_clean()
            except ValidationError as error:
                reason = " ".join(error.messages)
                raise click.ClickException(f"{row['username']!r}: {reason} None was created.") from error
            user.save()
            created.append(user)
        _note("created", created)
    return created


def _accounts(rows: list[Row]) -> list[User]:
    from django.contrib.auth.models import User

    names = {row["username"] for row in rows}
    found = list(User.objects.filter(username__in=names, is_active=True).order_by("username"))
    if missing := sorted(names - {user.username for user in found}):
        raise click.ClickException(f"There is no account, or it is closed: {', '.join(missing)}.")
    return found


def _invitation(user: User) -> str:
    """Return the address at which a person chooses a password; it works once."""
    from allauth.account.forms import default_token_generator
    from allauth.account.utils import user_pk_to_url_str
    from django.conf import settings
    from django.urls import reverse

    parts = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    path = reverse("account_reset_password_from_key", kwargs=parts)
    return f"{settings.PUBLIC_ORIGIN}{path}"


def _send(user: User, address: str) -> bool:
    from django.conf import settings
    from django.utils.translation import gettext_lazy

    from submissions.core.mails import Mail

    days = settings.PASSWORD_RESET_TIMEOUT // 86_400
    context: dict[str, Any] = {"username": user.username, "address": address, "days": days}
    mail = Mail(gettext_lazy("Your account for comparing submissions"), "accounts/invited.txt", context)
    return settings.MAIL and mail.send_to(user)


def _note(what: str, users: list[User]) -> None:
    from submissions.audit.models import AuditAction
    from submissions.models import AuditEntry

    for user in users:
        AuditEntry.objects.create(
            who=caller("account"),
            action=AuditAction.CHANGED_PEOPLE,
            subject=f"{what}: {user.username}",
            page="moss account",
        )
