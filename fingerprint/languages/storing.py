"""Make the tables of all lexers when the library of kernels is built: `python -m` this, and a folder.

Each is a file, with the ending `.data`, of the name under which the library stores it. A wheel is built where
only numba and Pygments are installed, so no front-end is imported here.
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


def store_tables(folder: Path) -> None:
    """Write the tables of the lexer of each language that tables can read."""
    for lexer_name in sorted({row.lexer for row in LANGUAGES}):
        lexer = dispatching_lexer(lexer_class(lexer_name))
        if isinstance(lexer, DispatchingLexer):
            with suppress(Untranslatable):
                (folder / f"{name_of(lexer)}.data").write_bytes(pack(lexer_tables(lexer)))


if __name__ == "__main__":
    store_tables(Path(sys.argv[1]))
