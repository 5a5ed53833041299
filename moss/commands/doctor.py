"""`moss doctor`: check the installation and say what to do."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from django.core.exceptions import ImproperlyConfigured
from environs import EnvError

from moss.embedded.paths import EmbeddedError


@click.command(short_help="Check the installation and say what to do.")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON list instead of lines.")
@click.option("--audit", "with_audit", is_flag=True, help="Check the whole audit log, too.")
def doctor(*, as_json: bool, with_audit: bool) -> None:
    """Check database, broker, workers, machine and settings, a line for each check.

    The exit status is 1 if there is a problem; a warning does not count.
    """
    from moss.installation import start_django

    try:
        start_django()
    except (EmbeddedError, ImproperlyConfigured, EnvError) as error:
        raise click.ClickException(str(error)) from error
    from moss.doctor.checks import findings

    results = findings(with_audit=with_audit)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in results], indent=2))
    else:
        for finding in results:
            advice = f". {finding.advice}" if finding.advice else ""
            click.echo(f"{finding.state:8} {finding.check}: {finding.message}{advice}")
    raise SystemExit(int(any(finding.state == "problem" for finding in results)))
