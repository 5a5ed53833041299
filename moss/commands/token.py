"""`moss token`: the tokens of all accounts, and service accounts, which belong to no person."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from moss.commands import caller, start_django

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import ApiToken, Course


@click.group(short_help="Create, list and revoke tokens of the API.")
def token() -> None:
    """Create, list and revoke the tokens of the API, of any account."""


@token.command()
@click.argument("account")
@click.option("--name", required=True, help="What uses the token, such as a script.")
@click.option("--scope", type=click.Choice(["read", "write"]), default="read", show_default=True)
@click.option("--course", "courses", type=int, multiple=True, help="Only this course, by its id; repeatable.")
@click.option(
    "--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="How long it holds."
)
@click.option(
    "--role", type=click.Choice(["instructor", "assistant", "observer"]), default="instructor",
    show_default=True, help="Of a service account in these courses.",
)  # fmt: skip
def create(account: str, name: str, scope: str, courses: tuple[int, ...], days: int, role: str) -> None:  # noqa: PLR0917 - click's
    """Create a token for ACCOUNT and print it; it is not shown again.

    ACCOUNT is a user name. One that begins with service:, as service:nightly, is a service account. It
    belongs to no person, nobody can sign in to it, and it is created with a role in the courses.
    """
    start_django()
    from submissions.core import accounts

    chosen = _courses(courses)
    is_service = account.startswith(accounts.SERVICE)
    user = _service(account, chosen, role) if is_service else _person(account, chosen)
    created, secret = accounts.create_token(user, name, scope, timedelta(days=days), chosen)
    accounts.note_tokens(caller("token"), None, "created", [created])
    click.echo(f"Token {created.pk} of {account}, valid until {created.expires:%Y-%m-%d}:", err=True)
    click.echo(secret)


@token.command(name="list")
@click.argument("account", default="")
def list_(account: str) -> None:
    """List the tokens that were not revoked, of ACCOUNT or of all."""
    start_django()
    from submissions.core.accounts import all_tokens

    for one in all_tokens(account):
        click.echo(_line(one))


@token.command()
@click.argument("ids", type=int, nargs=-1)
@click.option("--account", default="", help="Revoke all tokens of this account.")
def revoke(ids: tuple[int, ...], account: str) -> None:
    """Revoke tokens by the ids that `moss token list` shows, or all of an account."""
    start_django()
    from submissions.core import accounts
    from submissions.core.accounts import all_tokens

    if bool(ids) == bool(account):
        raise click.UsageError("Name the ids of tokens, or an account by --account.")
    chosen = [one for one in all_tokens(account) if account or one.pk in ids]
    unknown = sorted({*ids} - {one.pk for one in chosen})
    if unknown or not chosen:
        raise click.ClickException(f"There is no such token: {', '.join(map(str, unknown)) or account}.")
    for one in chosen:
        accounts.revoke_tokens(one.user, [one.pk])
    accounts.note_tokens(caller("token"), None, "revoked", chosen)
    click.echo(f"{len(chosen)} revoked.")


def _courses(ids: tuple[int, ...]) -> list[Course]:
    from submissions.models import Course

    courses = Course.objects.in_bulk(ids)
    if missing := [str(pk) for pk in ids if pk not in courses]:
        raise click.ClickException(f"There is no course {', '.join(missing)}.")
    return list(courses.values())


def _person(account: str, courses: list[Course]) -> User:
    from django.contrib.auth.models import User

    from submissions.core.rights import Right, may

    user = User.objects.filter(username=account, is_active=True).first()
    if user is None:
        raise click.ClickException(f"There is no account {account!r}, or it is closed.")
    for course in courses:
        if not may(user, Right.READ, course):
            raise click.ClickException(f"{account} may not read course {course.pk}.")
    return user


def _service(account: str, courses: list[Course], role: str) -> User:
    from submissions.core.accounts import BadName, service_account

    try:
        return service_account(account, courses, role, caller("token"))
    except BadName as error:
        raise click.ClickException(str(error)) from error


def _line(one: ApiToken) -> str:
    courses = ", ".join(str(course.pk) for course in one.courses.all()) if one.restricted else "all"
    state = f"until {one.expires:%Y-%m-%d}" if one.is_valid else "not valid"
    used = f"used {one.used:%Y-%m-%d}" if one.used else "never used"
    known_by = f"{one.pk}  {one.user.get_username()}  {one.name}  {one.prefix}…"
    return f"{known_by}  {one.scope}  courses: {courses}  {state}  {used}"
