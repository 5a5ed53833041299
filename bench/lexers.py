"""Compare compiled rules with Pygments: `python -m bench.lexers FOLDER [--least 0]`.

Each file of FOLDER is read by Pygments' own loop, by the loop that chooses rules by their first character,
and by the compiled rules. A table shows for each language how many files were read, how many have other
tokens, and characters a second in millions. It fails if a file has other tokens.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.tables import markdown
from fingerprint.languages import decode, detect, front_end
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.lexers import lexer_class
from fingerprint.lextables.deadline import TooSlow
from fingerprint.lextables.dispatch import DispatchingLexer, dispatching_lexer, raw_tokens
from fingerprint.lextables.expressions import Untranslatable
from fingerprint.lextables.lexer import LazyTables, lexer_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.lextables.raw_tokens import TokenColumns

HEADER = (
    "language",
    "files",
    "characters",
    "other tokens",
    "too slow",
    "Pygments",
    "by first character",
    "compiled",
)


class NoTables(LazyTables):
    """Never has tables, so that Python's loop reads every text."""

    def of(self, lexer: Any, length: int) -> None:  # noqa: ARG002 - as the base
        return None


class ReadyTables(LazyTables):
    """Always has tables."""

    def of(self, lexer: Any, length: int) -> Any:  # noqa: ARG002 - as the base
        self._tables = self._tables or lexer_tables(lexer)
        return self._tables


@dataclass
class Measured:
    files: int = 0
    characters: int = 0
    different: int = 0
    too_slow: int = 0
    pygments: float = 0.0
    dispatching: float = 0.0
    compiled: float = 0.0

    def row(self, name: str) -> list[str]:
        speeds = [self.characters / 1e6 / max(one, 1e-9) for one in (self.pygments, self.dispatching, self.compiled)]
        counts = (self.files, self.characters, self.different, self.too_slow)
        return [name, *(f"{one:,}" for one in counts), *(f"{one:.2f}" for one in speeds)]


def texts(folder: Path, least: int) -> Iterator[tuple[Path, str, str]]:
    """Yield the path, the alias of the lexer and the text of each file of code of at least so many bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size >= least:
            try:
                text = decode(path.read_bytes()).text
                chosen = front_end(detect(path.name, text))
            except ValueError:
                continue
            if isinstance(chosen, CodeFrontEnd):
                yield path, chosen.language.lexer, text.replace("\r\n", "\n")


def timed(function: Callable[[], TokenColumns]) -> tuple[TokenColumns, float]:
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


class Readers:
    """The three ways to read a language."""

    def __init__(self, alias: str) -> None:
        lexer = lexer_class(alias)
        self.plain: Any = lexer()
        self.python, self.compiled = dispatching_lexer(lexer), dispatching_lexer(lexer)
        self.is_compiled = False
        if isinstance(self.python, DispatchingLexer) and isinstance(self.compiled, DispatchingLexer):
            type(self.python).tables, type(self.compiled).tables = NoTables(), ReadyTables()
            with suppress(Untranslatable):  # Python reads such a language
                raw_tokens(self.compiled, "\n")
                self.is_compiled = True

    def compare(self, text: str, measured: Measured) -> bool:
        """Read a text in all ways; return whether the tokens are equal."""
        expected, seconds = timed(lambda: raw_tokens(self.plain, text))
        measured.pygments += seconds
        _, seconds = timed(lambda: raw_tokens(self.python, text))
        measured.dispatching += seconds
        try:
            tokens, seconds = timed(lambda: raw_tokens(self.compiled, text))
        except TooSlow:
            measured.too_slow += 1
            return True
        measured.compiled += seconds
        return [list(column) for column in tokens] == [list(column) for column in expected]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--least", type=int, default=0, help="leave out files of fewer bytes")
    options = parser.parse_args()
    measured = compare_folder(options.folder, options.least)
    print(markdown(HEADER, [row.row(name) for name, row in sorted(measured.items())]))
    sys.exit(any(row.different for row in measured.values()))


def compare_folder(folder: Path, least: int = 0) -> dict[str, Measured]:
    """Return what was measured, by the alias of the lexer."""
    readers: dict[str, Readers] = {}
    measured: dict[str, Measured] = defaultdict(Measured)
    for path, alias, text in texts(folder, least):
        reader = readers[alias] = readers.get(alias) or Readers(alias)
        if not reader.is_compiled:
            continue
        row = measured[alias]
        row.files += 1
        row.characters += len(text)
        if not reader.compare(text, row):
            row.different += 1
            print(f"other tokens: {path}", file=sys.stderr)
    return measured


if __name__ == "__main__":
    main()
