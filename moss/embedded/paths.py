"""Folders, sockets and URLs of one installation. Only `InstallationPaths.create` changes the file system."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shlex import quote as quote_shell
from urllib.parse import quote

from platformdirs import user_data_path

PACKAGE = Path(__file__).resolve().parent.parent
# The path of a Unix socket has at most 108 bytes including the final NUL; Postgres's socket name is longest.
SOCKET_PATH_LIMIT = 107
# Permission bits: others could replace the keys and the sockets of the installation.
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Roles of the private database: the superuser, who owns the tables, and the one that the service connects as.
OWNER_ROLE, SERVICE_ROLE = "moss", "moss_service"
LONGEST_SOCKET_NAME = ".s.PGSQL.5432"


class EmbeddedError(RuntimeError):
    """A private server is not available; the message explains what to do."""


@dataclass(frozen=True, slots=True)
class InstallationPaths:
    """The folders of one installation: its data (`home`) and its sockets (`run`)."""

    home: Path
    run: Path

    @property
    def daemon_socket(self) -> Path:
        return self.run / "daemon.sock"

    @property
    def valkey_socket(self) -> Path:
        return self.run / "valkey.sock"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def database_url(self) -> str:
        """Return the address of the database for the service, which does not own its tables."""
        return f"postgresql://{SERVICE_ROLE}@/moss?host={quote(str(self.run))}"

    @property
    def database_owner_url(self) -> str:
        return f"postgresql://{OWNER_ROLE}@/moss?host={quote(str(self.run))}"

    @property
    def redis_url(self) -> str:
        return f"unix://{quote(str(self.valkey_socket))}"

    def create(self) -> None:
        """Create the folders, readable by their owner only.

        Raises
        ------
        EmbeddedError
            When the folder of the sockets belongs to another user, or others may write to one of the folders.
        """
        for folder in (self.home, self.run, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if folder.stat().st_mode & OTHERS_WRITE:
                command = f"chmod go-w {quote_shell(str(folder))}"
                raise EmbeddedError(f"Other users may write to {folder}. Run: {command}")
        if self.run.stat().st_uid != os.geteuid():
            raise EmbeddedError(f"{self.run} belongs to another user; set MOSS_HOME to a folder of your own.")


def default_home() -> Path:
    """Return MOSS_HOME, else `.moss` in the source checkout, else a folder in the user's data folder."""
    if chosen := os.environ.get("MOSS_HOME"):
        return Path(chosen).expanduser().resolve()
    checkout = PACKAGE.parent
    if (checkout / "pyproject.toml").exists():
        return checkout / ".moss"
    return user_data_path("moss")


def installation_paths(home: Path | None = None) -> InstallationPaths:
    """Return the paths of the installation in `home`, by default in `default_home()`.

    The sockets are in the temporary folder if their paths in `home` would be too long.
    """
    base = home or default_home()
    run = base / "run"
    if len(os.fsencode(run / LONGEST_SOCKET_NAME)) > SOCKET_PATH_LIMIT:
        digest = hashlib.sha256(os.fsencode(base)).hexdigest()[:12]
        run = Path(tempfile.gettempdir()) / f"moss-{os.geteuid()}-{digest}"
    return InstallationPaths(base, run)
