"""`moss listen`: take the uploads of MOSS clients; a part of `moss serve` where that is wanted."""

from __future__ import annotations

import click


@click.command(short_help="Take the uploads of MOSS clients until Ctrl-C.")
@click.option("--host", help="Address to listen on.  [default: MOSS_LISTEN_HOST, or 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port to listen on.  [default: MOSS_LISTEN_PORT, or 7690]",
)
@click.option(
    "--results-at",
    help="Address of the web pages for the clients.  [default: MOSS_RESULTS_URL, or http://127.0.0.1:8000]",
)
def listen(host: str | None, port: int | None, results_at: str | None) -> None:
    """Take the uploads of MOSS clients, which scripts of the MOSS service are, until Ctrl-C.

    The web server and the workers must run: `moss serve --listen` runs all of them. The user id for a script
    is on the page of the account.
    """
    from moss.installation import start_django

    start_django()
    from django.conf import settings

    from moss.integrations.moss_protocol.server import listen_forever
    from moss.serving import ports

    host, port = host or settings.LISTEN_HOST, port or settings.LISTEN_PORT
    with ports.listen(host, port) as listener:
        click.echo(f"MOSS clients can connect to {host}, port {port}, until Ctrl-C.")
        listen_forever(listener, results_at or settings.RESULTS_URL)
