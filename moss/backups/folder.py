"""A folder of backups: each with its time in the name, and old ones deleted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from pathlib import Path

FORM = "moss-%Y%m%dT%H%M%SZ"
NAME = re.compile(r"(moss-\d{8}T\d{6}Z)\.moss(?:\.age|\.gpg)?")


def name_of_now(suffix: str) -> str:
    return f"{timezone.now().astimezone(UTC).strftime(FORM)}.moss{suffix}"


def delete_old(folder: Path, days: int) -> list[Path]:
    """Delete the backups of a folder that are older than some days by their names; return them.

    The newest stays however old it is, and so do files of other names.
    """
    named = {file: match[1] for file in folder.iterdir() if (match := NAME.fullmatch(file.name))}
    oldest = timezone.now() - timedelta(days=days)
    files = sorted(named, key=lambda file: named[file])[:-1]
    old = [file for file in files if datetime.strptime(named[file], FORM).replace(tzinfo=UTC) < oldest]
    for file in old:
        file.unlink()
    return old
