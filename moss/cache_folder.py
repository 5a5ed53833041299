"""The folder in which the commands keep what makes the next run shorter, and which may be deleted."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """Return the folder that MOSS_CACHE names, or else the user's cache folder; None when it is off."""
    chosen = os.environ.get("MOSS_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moss-server"
