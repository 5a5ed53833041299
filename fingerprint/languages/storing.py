"""Make the tables of all lexers, which the library has: `python -m fingerprint.languages.storing FOLDER`.

Each is a file, with the ending `.data`, of the name under which the library stores it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from fingerprint.languages.lexer_dispatch import DispatchingLexer, dispatching_lexer
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.registry import LANGUAGES
from fingerprint.languages.rule_tables.expressions import Untranslatable
from fingerprint.languages.rule_tables.stored import lexer_tables, name_of, pack


def store_tables(folder: Path) -> None:
    """Write the tables of the lexer of each language that tables can read."""
    for lexer_name in sorted({row.lexer for row in LANGUAGES}):
        lexer = dispatching_lexer(lexer_class(lexer_name))
        if isinstance(lexer, DispatchingLexer):
            with suppress(Untranslatable):
                (folder / f"{name_of(lexer)}.data").write_bytes(pack(lexer_tables(lexer)))


if __name__ == "__main__":
    store_tables(Path(sys.argv[1]))
