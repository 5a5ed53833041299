"""The `moss` command; a command's module is imported when it is called, so that help comes at once."""

from __future__ import annotations

from importlib import import_module

import click

# name: module and function, one line of help
COMMANDS = {
    "check": ("moss.commands.check:check", "Rank the pairs of submissions in PATH, most alike first."),
    "corpus": ("moss.commands.corpus:corpus", "Screen an archive of documents for near-duplicates."),
    "demo": ("moss.commands.demo:demo", "Run everything on the bundled sample class and keep serving."),
    "serve": ("moss.commands.serve:serve", "Run the web server, the worker and the scheduler until Ctrl-C."),
    "stop": ("moss.commands.stop:stop", "Stop the server that runs in this MOSS_HOME."),
    "setup": ("moss.commands.setup:setup", "Prepare the database, the static files and the engine."),
    "manage": ("moss.commands.manage:manage", "Run one of Django's commands, such as createsuperuser."),
}


class LazyGroup(click.Group):
    """Finds its commands in COMMANDS."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="moss-server", prog_name="moss")
def main() -> None:
    """Find the submissions of a programming course that share code.

    `moss check FOLDER` ranks a folder of submissions here and now. `moss demo` shows the web server with a
    sample class. Every command explains itself with --help.
    """
