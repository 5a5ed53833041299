"""`moss maintain`: re-enqueue lost work and end stuck work; a part of `moss serve` and of the containers."""

from __future__ import annotations

import click


@click.command(short_help="Re-enqueue lost work and end stuck work until Ctrl-C.")
@click.option("--check", is_flag=True, help="Only exit, with status 0 if the maintenance runs, else 1.")
def maintain(*, check: bool) -> None:
    """Re-enqueue work lost to a crash and end work that is stuck, every 10 seconds, until Ctrl-C.

    `moss serve` runs this as one of its processes.
    """
    from moss.database_pooling import refuse_shared_sessions
    from moss.installation import start_django

    start_django()
    # Imported after Django's start: it needs the models.
    from moss.maintenance import is_maintained, maintain as maintain_forever

    if check:
        raise SystemExit(not is_maintained())
    refuse_shared_sessions()
    maintain_forever()
