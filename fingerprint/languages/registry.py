"""Which front-end a name means, and which name a file has."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from fingerprint.languages.tables import LANGUAGES, OTHERS

if TYPE_CHECKING:
    from fingerprint.languages.base import FrontEnd
    from fingerprint.languages.spec import Language


def choices() -> list[tuple[str, str]]:
    """(name, title) of every tuned language, for menus; imports neither NumPy nor Pygments."""
    return [(row.name, row.title) for row in (*OTHERS, *LANGUAGES)]


def tuned() -> list[FrontEnd]:
    """Every tuned front-end, in the order of the table."""
    return [front_end(name) for name, _ in choices()]


def front_end(name: str) -> FrontEnd:
    """Front-end of a language: by its name or alias, MOSS's names among them, or by any Pygments alias.

    Raises
    ------
    ValueError
        For an unknown name; the message gives the names that come close.
    """
    wanted = name.strip().lower()
    row = _by_name().get(wanted)
    return _made(row.name) if row else _untuned(wanted)


@cache
def _by_name() -> dict[str, Language]:
    rows = (*OTHERS, *LANGUAGES)
    return {alias: row for row in rows for alias in (*row.aliases.split(), row.title.lower(), row.name)}


@cache
def _made(name: str) -> FrontEnd:
    if name == "text":
        from fingerprint.languages.prose import Prose  # noqa: PLC0415 - each is slow to import and not always needed

        return Prose()
    if name == "notebook":
        from fingerprint.languages.notebook import Notebook  # noqa: PLC0415 - each is slow to import and not always needed

        return Notebook(front_end)
    from fingerprint.languages.code import CodeFrontEnd  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return CodeFrontEnd(_by_name()[name])


@cache
def _untuned(alias: str) -> FrontEnd:
    from fingerprint.languages.code import CodeFrontEnd, untuned  # noqa: PLC0415 - NumPy and Pygments are slow to import

    row = untuned(alias)
    if row is None:
        close = get_close_matches(alias, _by_name(), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"no language is called {alias!r}{hint}")
    return CodeFrontEnd(row)
