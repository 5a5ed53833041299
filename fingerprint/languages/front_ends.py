"""The registry of front-ends, by the names and aliases of their languages."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from fingerprint.languages.language_table import COARSE_LANGUAGES, LANGUAGES, OTHERS, Language

if TYPE_CHECKING:
    from fingerprint.languages.base import FrontEnd


def choices() -> list[tuple[str, str]]:
    """Return (name, title) of every tuned language, for menus; imports neither NumPy nor Pygments."""
    return [(row.name, row.title) for row in (*OTHERS, *LANGUAGES)]


def salts() -> dict[str, str]:
    """Return the families of kinds of all languages that are tuned, by name; see `kind_id`."""
    return {row.name: row.salt for row in (*OTHERS, *LANGUAGES)}


def punctuation_of_families() -> dict[str, str]:
    """Return what is dropped as punctuation by the families of all languages but those that write literals.

    These are the languages of the table and those of Pygments, without its plugins.
    """
    from fingerprint.languages.code import lexer_names  # noqa: PLC0415 - NumPy and Pygments are slow to import

    tuned = {row.name: row for row in (*OTHERS, *LANGUAGES)}
    rows = {name: Language(name, name, name) for name in lexer_names()} | tuned
    return {row.salt: row.punctuation for row in rows.values() if not (row.parts or row.kept_numbers)}


@cache
def families_ignoring_case() -> frozenset[str]:
    """Return the families of tuned languages whose names are the same in upper and lower case."""
    return frozenset(row.salt for row in (*OTHERS, *LANGUAGES) if row.ignore_case)


def coarse_family(name: str) -> str:
    """Return the family of a language by its name, "" if its programs have no coarse stream.

    Notebooks count as Python, which most of them are.
    """
    if name not in COARSE_LANGUAGES:
        return "python" if name == "notebook" else ""
    return _by_alias()[name].salt


def term_families(name: str, text: str) -> set[str]:
    """Return the families of the ids that the terms of a text have; those of all its cells for a notebook."""
    if name == "notebook":
        from fingerprint.languages.notebook import cell_languages  # noqa: PLC0415 - each is slow to import and not always needed

        return {family for cell in cell_languages(text) for family in term_families(cell, "")}
    row = _by_alias().get(name)
    if row and row.parts:
        return {family for one in _languages_of_parts(name, text) for family in term_families(one, "")}
    return {row.salt if row else name}


def _languages_of_parts(name: str, text: str) -> set[str]:
    from fingerprint.languages.mixed_documents import PartsFrontEnd  # noqa: PLC0415 - NumPy and Pygments are slow to import

    frontend = front_end(name)
    return frontend.languages(text) if isinstance(frontend, PartsFrontEnd) else set()


def front_end(name: str) -> FrontEnd:
    """Return the front-end of a language.

    `name` is its name, its title, an alias (MOSS's names included) or an alias of a Pygments lexer. Raises
    ValueError for an unknown name; the message suggests similar names.
    """
    alias = name.strip().lower()
    row = _by_alias().get(alias)
    return _tuned_front_end(row.name) if row else _untuned_front_end(alias)


def expect(characters: Mapping[str, int]) -> None:
    """Prepare to read so many characters of each language; unknown names are left out."""
    from fingerprint.languages.code import CodeFrontEnd  # noqa: PLC0415 - NumPy and Pygments are slow to import

    for name, count in characters.items():
        with suppress(ValueError):
            frontend = front_end(name)
            if isinstance(frontend, CodeFrontEnd):
                frontend.expect(count)


@cache
def _by_alias() -> dict[str, Language]:
    rows = (*OTHERS, *LANGUAGES)
    return {name: row for row in rows for name in row.names()}


@cache
def _tuned_front_end(name: str) -> FrontEnd:
    if name == "text":
        from fingerprint.languages.prose import Prose  # noqa: PLC0415 - each is slow to import and not always needed

        return Prose()
    if name == "notebook":
        from fingerprint.languages.notebook import Notebook  # noqa: PLC0415 - each is slow to import and not always needed

        return Notebook(front_end)
    from fingerprint.languages.code import CodeFrontEnd  # noqa: PLC0415 - NumPy and Pygments are slow to import

    row = _by_alias()[name]
    if name == "scratch":
        from fingerprint.languages.scratch import Scratch  # noqa: PLC0415 - as above

        return Scratch(row)
    if row.parts:
        from fingerprint.languages.mixed_documents import PartsFrontEnd  # noqa: PLC0415 - as above

        return PartsFrontEnd(row, front_end)
    return CodeFrontEnd(row)


@cache
def _untuned_front_end(alias: str) -> FrontEnd:
    from fingerprint.languages.code import CodeFrontEnd, untuned_language  # noqa: PLC0415 - NumPy and Pygments are slow to import

    row = untuned_language(alias)
    if row is None:
        similar = get_close_matches(alias, _by_alias(), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise ValueError(f"no language is called {alias!r}{hint}")
    return CodeFrontEnd(row)
