"""Run the steps of the Dockerfile in this machine, which they change: `.ci/bare` makes one for them.

The image begins with Debian 13 and a Python 3.13 that no package of Debian uses; here that is an environment.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path

SOURCES = Path.cwd()
STEPS = re.sub(r"\\\n", "", (SOURCES / "Dockerfile").read_text(encoding="utf-8"))
# What the first line of the Dockerfile stands for.
PYTHON = "/usr/local/image"
BASE = f"apt-get update -qq && apt-get install -y -qq --no-install-recommends passwd && python3 -m venv {PYTHON}"


class Image:
    """An image as far as it is built: the environment, the user and the folder of the next step."""

    def __init__(self) -> None:
        path = f"{PYTHON}/bin:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "DEBIAN_FRONTEND": "noninteractive"}
        self.user = "root"
        self.folder = "/"

    def run(self, command: str) -> None:
        """Run a command as the image's user."""
        print(f"== {command}", flush=True)
        inner = [
            "setpriv",
            f"--reuid={self.user}",
            f"--regid={self.user}",
            "--init-groups",
            "sh",
            "-c",
            command,
        ]
        subprocess.run(inner, cwd=self.folder, env=self.environment, check=True)

    def copy(self, source: str, target: str) -> None:
        """Copy a file or folder of the sources; .dockerignore names what is left out."""
        place = SOURCES / source
        if place.is_file():
            shutil.copy(place, target)
        else:
            shutil.copytree(place, target, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv"))

    def step(self, word: str, rest: str) -> None:
        """Do one step."""
        match word:
            case "RUN":
                self.run(rest)
            case "COPY":
                self.copy(*rest.split())
            case "ENV" | "ARG":
                self.environment |= dict(re.findall(r'(\w+)="?([^"\s]*)"?', rest))
            case "USER":
                self.user = rest
                self.environment["HOME"] = pwd.getpwnam(rest).pw_dir
            case "WORKDIR":
                self.folder = rest
            case "FROM":
                self.run(BASE)
            case "VOLUME" | "EXPOSE" | "CMD":
                print(f"== {word} {rest}")
            case _:
                raise SystemExit(f"The step {word} is not known here.")


def main() -> None:
    image = Image()
    for line in STEPS.splitlines():
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            image.step(word, rest.strip())
    image.run(f"moss --version && moss check {SOURCES}/moss/sample/submissions")


if __name__ == "__main__":
    main()
