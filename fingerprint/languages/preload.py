"""Load all that reading a file may need, for a process that then gives up opening files."""

from __future__ import annotations

from fingerprint.languages.code import import_lexers
from fingerprint.languages.decode import import_encodings
from fingerprint.languages.lookup import tuned_front_ends
from fingerprint.languages.notebook import load_schemas


def preload() -> None:
    """Load every lexer, encoding and schema; no front-end opens a file afterwards, whatever it reads."""
    tuned_front_ends()
    import_lexers()
    import_encodings()
    load_schemas()
