"""Commands that keep an installation: `moss account`, `audit`, `backup`, `restore`, `doctor`, `student` and `token`."""

from __future__ import annotations

import csv
import getpass
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from moss.installation import start_django

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from moss.integrations.accounts.change import Caller
    from submissions.models import ApiToken, Course
    from submissions.students.finding import Decided, Near
    from submissions.students.scope import Scope

COURSES = click.option(
    "--course", "courses", type=int, multiple=True, help="Only this course, by its number; several times."
)
SAME = click.option(
    "--same", multiple=True, help="A similar name of `find` that is this student's, by its key; several times."
)
OTHERS = click.option("--others-are-not", "others", is_flag=True, help="All other similar names are somebody else's.")
REASON = click.option("--reason", required=True, help="Why, for the audit log and the receipt.")

COLUMNS = ("username", "email", "first_name", "last_name")
# `moss account list` writes these, too.
STATES = ("is_staff", "is_active", "last_login")
Row = dict[str, str]


def caller(command: str) -> str:
    """Return who runs a command, for the audit log."""
    return f"{getpass.getuser()} (moss {command})"[:150]


@click.group(short_help="Shorten the audit log.")
def audit() -> None:
    """Shorten the audit log; its page and `moss doctor --audit` read it."""


@audit.command()
@click.option("--months", type=click.IntRange(1, 1200), required=True, help="Delete what is older than this.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def shorten(*, months: int, yes: bool) -> None:
    """Delete old entries, as the owner of the tables (DATABASE_OWNER_URL).

    An entry of the log says until where, so that `moss doctor --audit` still proves the rest to be whole.
    Export the log first, where old entries have to be kept elsewhere.
    """
    start_django()
    from dateutil.relativedelta import relativedelta
    from django.utils import timezone

    from moss.operations.database import as_owner
    from submissions.audit.log import shorten_log

    before = timezone.now() - relativedelta(months=months)
    if not yes:
        click.confirm(f"Delete the entries from before {before:%Y-%m-%d}?", abort=True)
    with as_owner():
        number = shorten_log(before, caller("audit"))
    click.echo(f"{number:,} entries from before {before:%Y-%m-%d} were deleted.")


@click.command(short_help="Write everything that this installation holds to FILE.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--for", "recipient", help="Encrypt it for this recipient of age or key of GnuPG.  [default: MOSS_BACKUP_RECIPIENT]"
)
def backup(file: Path, recipient: str | None) -> None:
    """Write the database and the stored files of one moment to FILE, while the server runs or not.

    FILE holds students' work and must be kept like it. SECRET_KEY is not in it. Where FILE is a folder, the
    backup gets the time as its name, and those that are older than MOSS_BACKUP_DAYS are deleted there.
    """
    start_django()
    from django.conf import settings

    from moss.operations.backups import delete_old, name_of_now, suffix_for, why_not, write
    from submissions.work import heartbeats

    recipient = recipient or settings.BACKUP_RECIPIENT
    target = file / name_of_now(suffix_for(recipient)) if os.path.isdir(file) else file  # noqa: PTH112 - also without rights
    if suffix_for(recipient) and target.suffix != suffix_for(recipient):
        raise click.ClickException(f"The name of an encrypted backup ends with {suffix_for(recipient)}.")
    if os.path.exists(target):  # noqa: PTH110 - as above
        raise click.ClickException(f"{target} exists: name another file.")
    try:
        manifest = write(target, recipient)
    except Exception as error:
        heartbeats.save_end(heartbeats.FAILED)
        if isinstance(error, OSError):
            raise click.ClickException(why_not(error, target.absolute().parent, recipient)) from error
        raise
    heartbeats.save_end(heartbeats.WRITTEN)
    click.echo(f"{target}: version {manifest.version}, {sum(manifest.counts.values()):,} rows.")
    if target != file and settings.BACKUP_DAYS:
        for old in delete_old(file, settings.BACKUP_DAYS):
            click.echo(f"{old}: deleted after {settings.BACKUP_DAYS} days.")


@click.command(short_help="Replace what this installation holds by a backup.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--replace", is_flag=True, help="Delete what this installation holds.")
@click.option("--check", "only_check", is_flag=True, help="Restore into a database that is dropped again.")
@click.option("--unsigned", is_flag=True, help="Take FILE without the signature of this installation's SECRET_KEY.")
@click.option(
    "--identity",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the private key of a backup that age encrypted.",
)
def restore(file: Path, *, replace: bool, only_check: bool, unsigned: bool, identity: Path | None) -> None:
    """Restore FILE, written by `moss backup` of this version or an older one.

    Stop the server and its workers first. A file that is broken, changed or of a newer version changes nothing.
    """
    start_django()
    from moss.commands.tables import printable
    from moss.operations.backups import check, restore as restore_backup
    from moss.operations.database import OTHER_ORDER, database_locale, differences

    if only_check:
        manifest = check(file, identity=identity, unsigned=unsigned)
        tables, rows = len(manifest.counts), sum(manifest.counts.values())
        text = "Restored as a test, and dropped: {:,} tables with {:,} rows, as they were written on {}."
        click.echo(text.format(tables, rows, manifest.written[:10]))
        return
    _refuse_while_used()
    manifest = restore_backup(file, replace=replace, identity=identity, unsigned=unsigned)
    for text in differences(database_locale()):
        click.echo(printable(f"{text}. {OTHER_ORDER}"), err=True)
    click.echo(printable(f"Restored what version {manifest.version} wrote on {manifest.written[:10]}."))


def _refuse_while_used() -> None:
    """Fail with the names of the workers that answer, and of other processes of this product."""
    from moss.operations.database import other_sessions
    from moss.operations.doctor import advices
    from submissions.work.heartbeats import workers

    ours, others = other_sessions()
    names = [*(worker.title for worker in workers() if worker.answers), *ours]
    if names:
        raise click.ClickException(f"Stop these first: {', '.join(names)}. {advices().stop} Nothing was changed.")
    if others:
        click.echo(f"Connected, too, which may delay the restoring: {', '.join(others)}.", err=True)


@click.command(short_help="List the share links that open, with their addresses.")
def links() -> None:
    """List the share links of all courses that open, as CSV, with their addresses.

    With another SECRET_KEY, links that were sent before do not open any more: send these instead.
    """
    start_django()
    from django.conf import settings
    from django.urls import reverse

    from submissions.matches.file_formats import ExportTable, write_csv
    from submissions.shares.links import share_token, working_shares

    rows = []
    for share in working_shares():
        address = settings.PUBLIC_ORIGIN + reverse("shared", args=[share_token(share)])
        about = share.assignment.course.name, share.assignment.name, share.left, share.right
        rows.append((*about, share.created_by, share.expires.isoformat(), address))
    columns = ("course", "assignment", "left", "right", "made by", "expires", "address")
    sys.stdout.writelines(write_csv(ExportTable("links", columns, rows, {})))


@click.command(short_help="Check the installation and say what to do.")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON list instead of lines.")
@click.option("--audit", "with_audit", is_flag=True, help="Check the whole audit log, too.")
def doctor(*, as_json: bool, with_audit: bool) -> None:
    """Check database, broker, workers, machine and settings, a line for each check.

    The exit status is 1 if there is a problem; a warning does not count.
    """
    start_django()
    from moss.operations.doctor import findings

    results = findings(with_audit=with_audit)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in results], indent=2))
    else:
        for finding in results:
            advice = f". {finding.advice}" if finding.advice else ""
            click.echo(f"{finding.state:8} {finding.check}: {finding.message}{advice}")
    raise SystemExit(int(any(finding.state == "problem" for finding in results)))


@click.group(short_help="Export or erase everything that is stored of one student.")
def student() -> None:
    """Find, export or erase one student over all courses, by the name or an id that submissions carry."""


@student.command()
@click.argument("name_or_id")
@COURSES
def find(name_or_id: str, courses: tuple[int, ...]) -> None:
    """Show what is stored of a student, by course."""
    start_django()
    _show_similar(_near(name_or_id))
    _show(_scope(name_or_id, courses))


@student.command()
@click.argument("name_or_id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@REASON
@COURSES
@SAME
@OTHERS
def export(
    name_or_id: str, file: Path, reason: str, courses: tuple[int, ...], same: tuple[str, ...], *, others: bool
) -> None:
    """Write a student's files and every row about the student to FILE, a zip file."""
    start_django()
    from submissions.students.exporting import note_export, write_export

    work = _decided_scope(name_or_id, courses, same, others=others)
    try:
        with file.open("xb") as target:
            rows = write_export(work, target)
    except FileExistsError as error:
        raise click.ClickException(f"{file} exists: name another file.") from error
    file.chmod(0o600)
    note_export(work, caller("student"), reason)
    click.echo(f"{file}: {rows:,} rows, and the files of {len(work.submissions):,} submissions.")


@student.command()
@click.argument("name_or_id")
@REASON
@COURSES
@SAME
@OTHERS
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(
    name_or_id: str, reason: str, courses: tuple[int, ...], same: tuple[str, ...], *, others: bool, yes: bool
) -> None:
    """Erase a student: submissions, pairs, decisions, names in texts. This cannot be undone."""
    start_django()
    from submissions.students.erasing import ask_for_erasure
    from submissions.students.scope import NotFound
    from submissions.work.running import run_here

    work = _decided_scope(name_or_id, courses, same, others=others)
    _show(work)
    if not yes:
        click.confirm("Erase this student?", abort=True)
    try:
        erasure = ask_for_erasure(work, caller("student"), reason)
    except NotFound as error:
        raise click.ClickException(str(error)) from error
    run_here("erase_student", erasure.pk)
    erasure.refresh_from_db()
    if erasure.state != erasure.State.DONE:
        raise click.ClickException(erasure.message)
    removed, changed = (sum(erasure.result[part].values()) for part in ("removed", "changed"))
    click.echo(f"Receipt {erasure.pk}: {removed:,} rows removed, {changed:,} rows changed.")
    for left in erasure.result["left"]:
        place = f" in {left['course']}" if left["course"] else ""
        click.echo(f"Left{place}: {left['rows']:,} entries, because {left['why']}.")
    click.echo("Backups from before still have this student: see docs/do/backup.md.")


def _decided_scope(name_or_id: str, courses: tuple[int, ...], same: tuple[str, ...], *, others: bool) -> Scope:
    """Return the scope of a student with a decision on all similar names, or fail with those without."""
    from submissions.students.finding import Decided

    near = _near(name_or_id)
    if unknown := set(same) - {match.key for match in near}:
        raise click.ClickException(f"No similar name is called {', '.join(sorted(unknown))}.")
    different = {match.key for match in near if others} - set(same)
    work = _scope(name_or_id, courses, Decided.of(near, same, different))
    if work.undecided:
        _show_similar(work.undecided)
        raise click.ClickException(
            "Name those that are this student's with --same, and say --others-are-not of the rest."
        )
    return work


def _near(name_or_id: str) -> list[Near]:
    from submissions.students.finding import find, near_matches

    return near_matches(name_or_id, find(name_or_id))


def _show_similar(matches: Iterable[Near]) -> None:
    for match in matches:
        places = ", ".join(match.places) or "roster"
        name = " ".join(filter(None, (match.name, match.identifier)))
        click.echo(f"Similar: {match.key}  {match.course.name} / {places}: {name}")


def _scope(name_or_id: str, courses: tuple[int, ...], decided: Decided | None = None) -> Scope:
    from submissions.students.scope import NotFound, scope

    try:
        return scope(name_or_id, courses or None, decided)
    except NotFound as error:
        raise click.ClickException(str(error)) from error


def _show(work: Scope) -> None:
    for one in work.chosen:
        figures = ", ".join(f"{number:,} {kind}" for kind, number in work.figures(one).items() if number)
        names = "; ".join(sorted({*one.names, *one.ids}))
        click.echo(f"{one.course.pk}  {one.course.name}: {names}: {figures}")
        if one.same_names:
            click.echo(f"   {one.same_names:,} other submissions have this name with another id.")
    for assignment in work.held:
        click.echo(f"Held, and kept: {assignment.course.name} / {assignment.name} ({assignment.hold})")
    if work.shared:
        click.echo(f"{len(work.shared):,} submissions of groups stay, without this student.")


@click.group(short_help="Create, list and revoke tokens of the API.")
def token() -> None:
    """Create, list and revoke the tokens of the API, of any account."""


@token.command()
@click.argument("account")
@click.option("--name", required=True, help="What uses the token, such as a script.")
@click.option("--scope", type=click.Choice(["read", "write"]), default="read", show_default=True)
@click.option("--course", "courses", type=int, multiple=True, help="Only this course, by its id; repeatable.")
@click.option("--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="How long it holds.")
@click.option(
    "--role",
    type=click.Choice(["instructor", "assistant", "observer"]),
    default="instructor",
    show_default=True,
    help="Of a service account in these courses.",
)
def create(account: str, name: str, scope: str, courses: tuple[int, ...], days: int, role: str) -> None:  # noqa: PLR0917 - click's
    """Create a token for ACCOUNT and print it; it is not shown again.

    ACCOUNT is a user name. One that begins with service:, as service:nightly, is a service account. It
    belongs to no person, nobody can sign in to it, and it is created with a role in the courses.
    """
    start_django()
    from submissions.core import accounts

    chosen = _courses(courses)
    try:
        if account.startswith(accounts.SERVICE):
            user = accounts.service_account(account, chosen, role, caller("token"))
        else:
            user = _person(account, chosen)
    except accounts.BadName as error:
        raise click.ClickException(str(error)) from error
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

    if bool(ids) == bool(account):
        raise click.UsageError("Name the ids of tokens, or an account by --account.")
    chosen = [one for one in accounts.all_tokens(account) if account or one.pk in ids]
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


def _line(one: ApiToken) -> str:
    courses = ", ".join(str(course.pk) for course in one.courses.all()) if one.restricted else "all"
    state = f"until {one.expires:%Y-%m-%d}" if one.is_valid else "not valid"
    used = f"used {one.used:%Y-%m-%d}" if one.used else "never used"
    known_by = f"{one.pk}  {one.user.get_username()}  {one.name}  {one.prefix}…"
    return f"{known_by}  {one.scope}  courses: {courses}  {state}  {used}"


def people(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the names of accounts, and a file of them."""
    of_file = click.option(
        "--csv",
        "file",
        type=click.File(encoding="utf-8-sig"),
        help="A CSV file, or -, whose first line has the columns username, email, first_name and last_name.",
    )
    return click.argument("usernames", nargs=-1)(of_file(command))


@click.group(short_help="Create, invite, disable, enable and list accounts.")
def account() -> None:
    """Create, invite, disable, enable and list accounts."""


@account.command(name="create")
@people
def create_people(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Create accounts without a password, for people who sign in with their campus account.

    Those that exist are left as they are; where one cannot be created, none is.
    """
    start_django()
    rows = _rows(usernames, file)
    created = _create(rows)
    click.echo(f"Accounts created: {len(created)}, there before: {len(rows) - len(created)}.")


@account.command()
@people
def invite(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Send people a link to choose a password; create their accounts where they have none.

    Without mail (MOSS_MAIL_HOST), or without an address, the links are printed.
    """
    start_django()
    from django.conf import settings

    from moss.integrations.accounts.change import invite as invite_account

    rows = _rows(usernames, file)
    _create(rows)
    addresses = {user.get_username(): invite_account(user, _caller()) for user in _accounts(rows)}
    for name, address in addresses.items():
        if address:
            click.echo(f"{name} {address}")
    sent = sum(not address for address in addresses.values())
    said = f"{sent} of {len(addresses)} invitations were sent."
    if sent < len(addresses):
        said += " Hand over the links above" + ("." if settings.MAIL else ": no mail is set (MOSS_MAIL_HOST).")
    click.echo(f"{said} Each link works once, for {settings.LINK_DAYS} days.", err=True)


@account.command()
@people
def disable(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Close accounts: they sign in no more, and their sessions and tokens end. What they own stays."""
    start_django()
    from moss.integrations.accounts.change import close

    closed = _accounts(_rows(usernames, file))
    close(closed, _caller())
    click.echo(f"Accounts closed: {len(closed)}.")


@account.command()
@people
def enable(usernames: tuple[str, ...], file: TextIO | None) -> None:
    """Open closed accounts again; their tokens stay revoked."""
    start_django()
    from moss.integrations.accounts.change import reopen

    opened = _accounts(_rows(usernames, file), are_open=False)
    reopen(opened, _caller())
    click.echo(f"Accounts opened again: {len(opened)}.")


@account.command(name="list")
def list_people() -> None:
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


def _accounts(rows: list[Row], *, are_open: bool = True) -> list[User]:
    from django.contrib.auth.models import User

    names = {row["username"] for row in rows}
    found = list(User.objects.filter(username__in=names, is_active=are_open).order_by("username"))
    if missing := sorted(names - {user.username for user in found}):
        state = "closed (moss account enable opens it)" if are_open else "open"
        raise click.ClickException(f"There is no account, or it is {state}: {', '.join(missing)}.")
    return found


def _caller() -> Caller:
    from moss.integrations.accounts.change import Caller

    return Caller(caller("account"), "moss account")
