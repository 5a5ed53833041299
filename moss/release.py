"""The version and the commit of this installation."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
# Written into a wheel and a source distribution when they are built; a checkout asks git.
FILE = Path(__file__).with_name("commit.txt")


@cache
def commit() -> str:
    """Return the commit; "" where nobody knows it. A plus follows it where files were changed since."""
    if (FOLDER / ".git").exists():
        return commit_of(FOLDER)
    return FILE.read_text(encoding="ascii").strip() if FILE.exists() else ""


def commit_of(checkout: Path) -> str:
    """Return the commit of a checkout by git; "" where git is missing or refuses."""
    git = shutil.which("git")
    if git is None:
        return ""
    # Variables of git, such as those of a hook, would name another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [git, "--no-optional-locks", "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+"]
    answer = subprocess.run(  # noqa: S603 - nothing in it comes from outside
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return answer.stdout.strip() if answer.returncode == 0 else ""


def this_release() -> str:
    return release(version("moss-server"), commit())


def release(number: str, of_commit: str) -> str:
    """Return a version with its commit, where that is known."""
    return f"{number}, commit {of_commit}" if of_commit else number
