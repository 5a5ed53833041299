"""Django's commands and the preparation of an installation, with private services where none are given."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, execute_from_command_line

from moss.embedded import client as embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = "moss.settings"
# These look at the code only.
WITHOUT_SERVICES = frozenset({"help", "version", "check", "collectstatic", "diffsettings"})
WARM = [sys.executable, "-c", "from fingerprint.kernel_cache import warm_once; warm_once()"]


def start_django() -> None:
    """Hold the services and load the settings and the apps."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    embedded.ensure()
    django.setup()


def run(arguments: list[str]) -> None:
    """Run one of Django's commands: the program's name, the command, its arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    command = next((argument for argument in arguments[1:] if not argument.startswith("-")), "help")
    if command not in WITHOUT_SERVICES and "--help" not in arguments:
        embedded.ensure()
    execute_from_command_line(arguments)


def prepare() -> None:
    """Compile the engine's kernels, migrate and collect static files; quick when there is nothing to do."""
    # numba's cache breaks when several workers fill it at once, so one process does, beside the migration.
    with subprocess.Popen(WARM, cwd=embedded.PACKAGE.parent) as warming:  # noqa: S603 - a constant
        start_django()
        migrate()
        collect_static()
        if warming.wait() != 0:
            raise RuntimeError("The engine's kernels could not be compiled; the reason stands above.")


def migrate() -> None:
    call_command("migrate", verbosity=0, interactive=False)


def collect_static() -> None:
    """Collect and compress static files unless those collected are of these very sources."""
    mark = settings.STATIC_ROOT / ".sources"
    digest = hashlib.sha256("\n".join(sorted(_static_sources())).encode()).hexdigest()
    if not mark.exists() or mark.read_text() != digest:
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
        mark.write_text(digest)


def _static_sources() -> Iterator[str]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            yield f"{name} {state.st_size} {state.st_mtime_ns}"
