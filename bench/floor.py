"""Lower bound for the time of a tool that lexes with Pygments: only lex all files of a folder, on all cores.

Run it as a file, `python floor.py FOLDER`. It imports only Pygments.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_for_filename

if TYPE_CHECKING:
    from pygments.lexer import Lexer

CHUNK = 8  # files that a process receives at a time


@cache
def _lexer(suffix: str) -> Lexer:
    return get_lexer_for_filename(f"file{suffix}")


def lex(path: Path) -> int:
    """Return the number of tokens of a file."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    return sum(1 for _ in _lexer(path.suffix).get_tokens_unprocessed(text))


def main(folder: str) -> None:
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with multiprocessing.Pool(cores) as pool:
        print(sum(pool.imap_unordered(lex, files, CHUNK)))


if __name__ == "__main__":
    main(*sys.argv[1:])
