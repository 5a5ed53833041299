"""`moss audit`: how long the audit log is kept."""

from __future__ import annotations

import click

from moss.commands import caller, start_django


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

    from moss.database_roles import as_owner
    from submissions.courses.retention import shorten_log

    before = timezone.now() - relativedelta(months=months)
    if not yes:
        click.confirm(f"Delete the entries from before {before:%Y-%m-%d}?", abort=True)
    with as_owner():
        number = shorten_log(before, caller("audit"))
    click.echo(f"{number:,} entries from before {before:%Y-%m-%d} were deleted.")
