"""Checks of this machine: its disk, limits, fonts, libraries and the compiled engine."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

from django.conf import settings

import fingerprint
from fingerprint import engine
from moss.doctor.findings import Finding, ok, problem, warning

DISK_PROBLEM_BYTES, DISK_WARNING_BYTES = 1_000_000_000, 5_000_000_000
OPEN_FILES = 1024
FONT_SECONDS = 30
# In a child: the printing library reads the system's fonts and libraries.
HAS_FONTS = "from submissions.comparison.printing import has_fonts; raise SystemExit(not has_fonts())"


def disk() -> Finding:
    """Check that the disk of MOSS_HOME has room."""
    free = shutil.disk_usage(settings.MOSS_HOME).free
    message = f"{free / 1e9:.1f} GB free in {settings.MOSS_HOME}"
    if free >= DISK_WARNING_BYTES:
        return ok("disk", message)
    state = problem if free < DISK_PROBLEM_BYTES else warning
    return state("disk", message, "Make room: uploads stop when the disk is full.")


def limits() -> Finding:
    """Check that this user may open enough files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY or files >= OPEN_FILES:
        return ok("limits", f"{files if files >= 0 else 'any number of'} open files a process")
    message = f"a process may open only {files} files"
    return warning("limits", message, f"Raise the limit to {OPEN_FILES} (ulimit -n, LimitNOFILE of systemd).")


def fonts() -> Finding:
    """Check that documents can be printed."""
    command = [sys.executable, "-c", HAS_FONTS]
    root = Path(fingerprint.__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=FONT_SECONDS, check=False)  # noqa: S603 - a constant
    if done.returncode == 0:
        return ok("fonts", "PDF documents can be printed")
    return warning("fonts", "PDF documents cannot be printed", "Debian: apt install fonts-dejavu-core")


def libarchive() -> Finding:
    """Check that 7z, RAR and Zstandard archives can be read."""
    if library := find_library("archive"):
        return ok("libarchive", library)
    message = "7z, RAR and Zstandard archives are refused"
    return warning("libarchive", message, "Debian: apt install libarchive13")


def kernels() -> Finding:
    """Check that the engine is compiled for this processor."""
    if library := engine.compiled_library():
        return ok("kernels", f"compiled in {library.parent}")
    message = "the engine is not compiled for this processor; the first who needs it waits until it is"
    return warning("kernels", message, "Run moss setup.")
