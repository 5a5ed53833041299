"""Make what the library of kernels stores beside them when it is built: `python -m` this, and a folder.

These are the tables of all lexers, and the marks of literals. Each is a file, with the ending `.data`, of the
name under which the library stores it. A wheel is built where only numba and Pygments are installed: no module
that is imported here needs more.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables.dispatch import DispatchingLexer, dispatching_lexer
from fingerprint.lextables.expressions import Untranslatable
from fingerprint.lextables.lexer import lexer_tables, name_of, pack
from fingerprint.ranking.weights import STORED_MARKS, literal_marks


def store_tables(folder: Path) -> None:
    """Write the tables of the lexer of each language that tables can read."""
    for lexer_name in sorted({row.lexer for row in LANGUAGES}):
        lexer = dispatching_lexer(lexer_class(lexer_name))
        if isinstance(lexer, DispatchingLexer):
            with suppress(Untranslatable):
                (folder / f"{name_of(lexer)}.data").write_bytes(pack(lexer_tables(lexer)))


def store_marks(folder: Path) -> None:
    """Write the marks of literals of all languages."""
    (folder / f"{STORED_MARKS}.data").write_bytes(b"".join(part.tobytes() for part in literal_marks()))


if __name__ == "__main__":
    store_tables(Path(sys.argv[1]))
    store_marks(Path(sys.argv[1]))
