"""The `moss` command. A subcommand's module is imported only when it runs, so that help is fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

# Name of the subcommand: (module and function, one line of help).
COMMANDS = {
    "check": ("moss.commands.check:check", "Rank all pairs of submissions in PATH by similarity."),
    "corpus": ("moss.commands.corpus:corpus", "Screen an archive of documents for near-duplicates."),
    "demo": ("moss.commands.service:demo", "Run everything on the bundled sample class and keep serving."),
    "serve": ("moss.commands.service:serve", "Run the web server, the workers and maintenance until Ctrl-C."),
    "web": ("moss.commands.service:web", "Run the web server alone until Ctrl-C."),
    "worker": ("moss.commands.service:worker", "Run a worker alone until Ctrl-C."),
    "listen": ("moss.commands.service:listen", "Take the uploads of MOSS clients until Ctrl-C."),
    "maintain": ("moss.commands.service:maintain", "Re-enqueue lost work and end stuck work until Ctrl-C."),
    "submit": ("moss.commands.submit:submit", "Upload a folder to a server, wait for the report, and print its pairs."),
    "stop": ("moss.commands.service:stop", "Stop the server that runs in this MOSS_HOME."),
    "setup": ("moss.commands.service:setup", "Prepare the database, the static files and the engine."),
    "doctor": ("moss.commands.operations:doctor", "Check the installation and say what to do."),
    "backup": ("moss.commands.operations:backup", "Write everything that this installation holds to FILE."),
    "restore": ("moss.commands.operations:restore", "Replace what this installation holds by a backup."),
    "student": ("moss.commands.operations:student", "Export or erase everything that is stored of one student."),
    "audit": ("moss.commands.operations:audit", "Shorten the audit log."),
    "account": ("moss.commands.operations:account", "Create, invite, disable, enable and list accounts."),
    "links": ("moss.commands.operations:links", "List the share links that open, with their addresses."),
    "token": ("moss.commands.operations:token", "Create, list and revoke tokens of the API."),
    "manage": ("moss.commands.service:manage", "Run one of Django's commands, such as createsuperuser."),
}

# Errors that are one sentence in the terminal, by their names: help imports none of them.
DATABASE = "django.db.utils.DatabaseError"
SENTENCES = {
    "django.core.exceptions.ImproperlyConfigured",
    "django.core.management.base.CommandError",
    "environs.exceptions.EnvError",
    "fingerprint.extensions.ExtensionError",
    "moss.integrations.accounts.change.LastAdministrator",
}


class LazyGroup(click.Group):
    """A click group that imports its commands, listed in COMMANDS, on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__}
            if DATABASE in kinds:
                first_line = str(error).partition("\n")[0]
                raise click.ClickException(f"The database refused it: {first_line}. moss doctor says more.") from error
            if kinds & SENTENCES:
                raise click.ClickException(str(error)) from error
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl([(name, short_help) for name, (_, short_help) in COMMANDS.items()])


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's
    if wanted:
        from moss.release import this_release  # noqa: PLC0415 - it asks git

        click.echo(f"moss, version {this_release()}")
        context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and the commit.",
)
def main() -> None:
    """Find the submissions of a programming course that share code.

    `moss check FOLDER` ranks a folder of submissions in the terminal. `moss demo` starts the web server
    with a sample class. `moss COMMAND --help` explains a command.
    """
