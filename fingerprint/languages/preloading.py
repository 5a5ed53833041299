"""Load all that reading a file may need, for a process that then gives up opening files."""

from __future__ import annotations

from fingerprint.kernels.library import close_library
from fingerprint.languages.code import import_lexers
from fingerprint.languages.decoding import import_encodings
from fingerprint.languages.front_ends import choices, front_end
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.lexical_terms import fill_uses, find_places
from fingerprint.languages.look_alikes import plain
from fingerprint.languages.normalisation import fill_normalised
from fingerprint.languages.notebook import load_schemas
from fingerprint.languages.token_rows import fill_lines
from fingerprint.lextables.characters import cased_characters
from fingerprint.lextables.dispatch import dispatching_lexer
from fingerprint.lextables.lexer import lexer_tables, read


def preload() -> None:
    """Load every lexer, encoding and schema; no front-end opens a file afterwards, whatever it reads."""
    for name, _ in choices():
        front_end(name)
    import_lexers()
    lexer = dispatching_lexer(lexer_class("sql"))
    read(lexer, lexer_tables(lexer), "SELECT 'a';\n", ("root",))
    for kernel in (fill_normalised, find_places, fill_uses, fill_lines):
        kernel.load()
    cased_characters()
    close_library()
    import_encodings()
    plain("\u0430")  # Reads the table of letters, a file of its package.
    load_schemas()
