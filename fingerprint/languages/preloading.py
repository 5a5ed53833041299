"""Load all that reading a file may need, for a process that then gives up opening files.

`python -m fingerprint.languages.preloading FOLDER` makes the tables of all lexers when the library of
kernels is built. Each is a file, with the ending `.data`, of the name under which the library stores it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from fingerprint.kernels.library import close_library
from fingerprint.languages.code import import_lexers
from fingerprint.languages.decoding import import_encodings
from fingerprint.languages.front_ends import tuned_front_ends
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.lexical_terms import fill_uses, find_places
from fingerprint.languages.normalisation import fill_normalised
from fingerprint.languages.notebook import load_schemas
from fingerprint.languages.token_rows import fill_lines
from fingerprint.lextables.characters import cased_characters
from fingerprint.lextables.dispatch import DispatchingLexer, dispatching_lexer
from fingerprint.lextables.expressions import Untranslatable
from fingerprint.lextables.lexer import lexer_tables, name_of, pack, read


def store_tables(folder: Path) -> None:
    """Write the tables of the lexer of each language that tables can read."""
    for lexer_name in sorted({row.lexer for row in LANGUAGES}):
        lexer = dispatching_lexer(lexer_class(lexer_name))
        if isinstance(lexer, DispatchingLexer):
            with suppress(Untranslatable):
                (folder / f"{name_of(lexer)}.data").write_bytes(pack(lexer_tables(lexer)))


def preload() -> None:
    """Load every lexer, encoding and schema; no front-end opens a file afterwards, whatever it reads."""
    tuned_front_ends()
    import_lexers()
    load_compiled_rules()
    import_encodings()
    load_schemas()


def load_compiled_rules() -> None:
    """Open the library of compiled functions, and import what making tables imports at first use."""
    lexer = dispatching_lexer(lexer_class("sql"))
    read(lexer, lexer_tables(lexer), "SELECT 'a';\n", ("root",))
    for kernel in (fill_normalised, find_places, fill_uses, fill_lines):
        kernel.load()
    cased_characters()
    close_library()


if __name__ == "__main__":
    store_tables(Path(sys.argv[1]))
