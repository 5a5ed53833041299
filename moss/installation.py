"""Prepare an installation and run Django's commands.

Private services are started where the environment names none.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, execute_from_command_line

from moss.embedded.client import PACKAGE, ensure_services, refuse_missing_servers

SETTINGS = "moss.settings"
# Commands that need neither database nor broker.
WITHOUT_SERVICES = frozenset({"help", "version", "check", "collectstatic", "diffsettings"})
COMPILE = [sys.executable, "-m", "moss.compiling"]


def start_django() -> None:
    """Start the private services where needed, and load Django's settings and apps."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    ensure_services()
    django.setup()


def run(arguments: list[str]) -> None:
    """Run one of Django's commands; `arguments` are the program's name, the command and its arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    command = next((argument for argument in arguments[1:] if not argument.startswith("-")), "help")
    if command not in WITHOUT_SERVICES and "--help" not in arguments:
        ensure_services()
    execute_from_command_line(arguments)


def prepare() -> None:
    """Compile the engine, migrate and collect static files; fast when nothing has changed."""
    refuse_missing_servers()  # Before the compiler starts, which takes longest the first time.
    # It compiles while the database is migrated.
    with subprocess.Popen(COMPILE, cwd=PACKAGE.parent) as compiler:  # noqa: S603 - a constant
        start_django()
        migrate()
        collect_static()
        if compiler.wait() != 0:
            raise RuntimeError("The engine could not be compiled; the error is printed above.")


def migrate() -> None:
    call_command("migrate", verbosity=0, interactive=False)


def collect_static() -> None:
    """Collect and compress the static files, unless they are unchanged since the last time."""
    marker = settings.STATIC_ROOT / ".sources"
    digest = hashlib.sha256("\n".join(sorted(_static_sources())).encode()).hexdigest()
    if not marker.exists() or marker.read_text() != digest:
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
        marker.write_text(digest)


def _static_sources() -> Iterator[str]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            yield f"{name} {state.st_size} {state.st_mtime_ns}"
