"""Encrypt backups with age or GnuPG, for a recipient whose private key is kept elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from moss.backups.postgres import BackupError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Recipients of age, and keys of SSH, which age takes too; any other text names a key of GnuPG.
OF_AGE = ("age1", "ssh-ed25519 ", "ssh-rsa ")
AGE, GPG = ".age", ".gpg"
PACKAGES = {"age": "age", "gpg": "gnupg"}
GPG_OPTIONS = ("--batch", "--yes", "--no-tty")
NO_IDENTITY = "{file} is encrypted with age: name the file with the private key (--identity)."


def suffix_for(recipient: str) -> str:
    """Return what the name of a backup ends with; empty where there is no recipient."""
    if not recipient:
        return ""
    return AGE if recipient.startswith(OF_AGE) else GPG


def encrypt(plain: Path, target: Path, recipient: str) -> None:
    """Write a file for the owner of a private key."""
    if suffix_for(recipient) == AGE:
        _run(["age", "--encrypt", "--recipient", recipient, "--output", str(target), str(plain)])
    else:
        # Whoever runs the service chose the key by the setting: no web of trust is asked.
        options = [*GPG_OPTIONS, "--trust-model", "always", "--recipient", recipient]
        _run(["gpg", *options, "--output", str(target), "--encrypt", str(plain)])


def decrypt(source: Path, target: Path, identity: Path | None) -> None:
    """Write what an encrypted backup holds; GnuPG finds the private key itself.

    Raises
    ------
    BackupError
        When there is no private key for it, or the file was changed; the message says which program refused.
    """
    if source.suffix == GPG:
        _run(["gpg", *GPG_OPTIONS, "--output", str(target), "--decrypt", str(source)])
    elif identity is None:
        raise BackupError(NO_IDENTITY.format(file=source))
    else:
        _run(["age", "--decrypt", "--identity", str(identity), "--output", str(target), str(source)])


def is_encrypted(file: Path) -> bool:
    return file.suffix in {AGE, GPG}


def _run(command: Sequence[str]) -> None:
    program = command[0]
    if shutil.which(program) is None:
        raise BackupError(f"{program} was not found: install it (Debian: apt install {PACKAGES[program]}).")
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a program by its name
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason was given"]
        raise BackupError(f"{program} refused: {lines[0]}")
