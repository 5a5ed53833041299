"""What a lexeme means to the comparison, decided once for each (token type, lexeme)."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from fingerprint.languages.base import Class
from fingerprint.languages.folding import OPERATORS, Lexemes, Mark
from fingerprint.languages.lexeme_ids import lexeme_id
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.spec import Language

Key = tuple[object, str]
Meaning = tuple[str, int]

_SPACE = re.compile(r"(?:\\?[\s\u00ad\u200b-\u200f\u2060\ufeff\x00-\x1f])*\Z")
_RUN = re.compile(r"(?=.*[()\[\]{};,])[^\w\s]{2,}\Z")
_SYMBOL = re.compile(r"[^\w\s()\[\]{};,\"'`]+\Z")
_CONSTANTS = frozenset({"true", "false", "nil", "null", "none", "nullptr", "nothing", "#t", "#f"})
_LITERALS = {
    "Literal.String.Char": "<char>",
    "Literal.String.Regex": "<regex>",
    "Literal.String.Symbol": "<symbol>",
    "Literal.Number": "<number>",
    "Literal.Date": "<number>",
}


@cache
def _within(sort: str, *parents: str) -> bool:
    return any(sort == parent or sort.startswith(parent + ".") for parent in parents)


class Meanings:
    """The rules of one language: the kind that a lexeme folds to, and what marks it."""

    def __init__(self, language: Language) -> None:
        self.language = language
        line_ends = ";" if language.by_line else ""
        self._gone = frozenset(f"{language.punctuation} {line_ends} {language.noise}".split())
        self._statements = frozenset(language.statements.split())
        self._decorators = frozenset(language.decorators.split())
        self._names = frozenset(language.names.split())
        self._keywords = frozenset(language.keywords.split())
        self._kept = tuple(language.kept.split())

    def of(self, sort: str, value: str) -> Meaning:
        """Name of the kind, and marks; the first rule that fits decides."""
        if not value.strip() or (not _within(sort, "Literal", "Name") and _SPACE.match(value)):
            return "", Mark.SPACE
        if _within(sort, "Comment", "Literal.String.Doc"):
            return "", Mark.SPACE
        if _within(sort, "Literal") and sort != "Literal.String.Atom":
            return self._literal(sort)
        if sort == "Other" or (self.language.markup and _within(sort, "Text", "Name.Entity")):
            return "<text>", Mark.PART
        return self._lexeme(sort, self._spelling(value))

    def vanishes(self, lexeme: str) -> bool:
        return lexeme in self._gone or lexeme in self._decorators

    def _literal(self, sort: str) -> Meaning:
        kind = next((kind for parent, kind in _LITERALS.items() if _within(sort, parent)), "<string>")
        return (kind, Mark.NUMBER) if kind == "<number>" else (kind, Mark.PART | Mark.STRING)

    def _spelling(self, value: str) -> str:
        lexeme = " ".join(value.split())
        lexeme = lexeme.lower() if self.language.fold_case else lexeme
        return self.language.same.get(lexeme, lexeme)

    def _lexeme(self, sort: str, lexeme: str) -> Meaning:
        if self._is_decorator(sort, lexeme):
            brackets = self._symbol_marks(lexeme) & Mark.OPEN
            word = Mark.WORD | Mark.IDENTIFIER if any(map(str.isalnum, lexeme)) else 0
            return lexeme, Mark.DECORATOR | word | brackets
        if not any(map(str.isalnum, lexeme)):
            return lexeme, self._symbol_marks(lexeme)
        return self._word(sort, lexeme)

    def _is_decorator(self, sort: str, lexeme: str) -> bool:
        if lexeme[0] == "@" and "@" in self._statements:
            return False
        at = lexeme[0] == "@" and "@" in self._decorators
        return at or lexeme in self._decorators or _within(sort, *self._decorators)

    def _word(self, sort: str, lexeme: str) -> Meaning:
        language = self.language
        mark: int = Mark.WORD
        if lexeme.split(" ", 1)[0] in self._statements or (lexeme[0] == "@" and "@" in self._statements):
            mark |= Mark.STATEMENT
        if lexeme in self._keywords or _within(sort, *self._kept):
            return lexeme, mark | self._gone_mark(lexeme)
        if _within(sort, "Keyword.Constant") and lexeme.lstrip("+-").isdigit():
            return "<number>", Mark.NUMBER
        if _within(sort, "Keyword.Constant") or (
            lexeme.lower() in _CONSTANTS and _within(sort, "Keyword", "Name")
        ):
            return "<constant>", mark
        if _within(sort, "Name.Namespace"):
            return "<name>", mark
        if _within(sort, "Name", "Text", "Literal", "Generic") or language.only_keywords or sort == "":
            return "<name>", mark | Mark.IDENTIFIER
        mark |= self._gone_mark(lexeme)
        typelike = _within(sort, "Keyword.Type") or lexeme in self._names
        return "<type>" if typelike else lexeme, mark

    def _gone_mark(self, lexeme: str) -> int:
        return Mark.GONE if lexeme in self._gone else 0

    def _symbol_marks(self, lexeme: str) -> int:
        mark = self._gone_mark(lexeme)
        if lexeme in self._statements:
            mark |= Mark.STATEMENT
        if lexeme[-1] in "([{":
            return mark | Mark.OPEN | (Mark.ROUND if lexeme == "(" else 0)
        if lexeme[0] in ")]}":
            return mark | Mark.CLOSE
        if lexeme == ";":
            return mark | Mark.END
        mark |= Mark.POINT if lexeme == "." else 0
        return mark | Mark.OPERATOR if _SYMBOL.match(lexeme) else mark


class Column:
    """A growing array that is read often: only what is new is copied, and what was read stays as it was."""

    def __init__(self, dtype: type[np.unsignedinteger | np.signedinteger]) -> None:
        self._room, self._count = np.zeros(1024, dtype), 0
        self._new: list[int] = []
        self.append = self._new.append

    @property
    def values(self) -> npt.NDArray[Any]:
        if self._new:
            before, self._count = self._count, self._count + len(self._new)
            while self._count > len(self._room):
                self._room = np.concatenate((self._room, np.zeros_like(self._room)))
            self._room[before : self._count] = self._new
            self._new.clear()
        return self._room[: self._count]


class Vocabulary(dict[Key, int]):
    """Codes of (token type, lexeme), given out on first sight, with what folding knows of each.

    A code indexes `names` (of kinds), `kinds()`, `written()` and the columns of `lexemes()`.
    """

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._meanings = Meanings(language)
        self._salt = language.salt
        self._lock = Lock()
        self._marks, self._leads, self._lengths = Column(np.uint32), Column(np.int32), Column(np.int32)
        self._kinds, self._written = Column(np.uint64), Column(np.uint64)
        self._spelled: list[str] = []
        self._joined: dict[tuple[int, int], int] = {}
        self.names: list[str] = []
        self.characters = 0

    def __missing__(self, key: Key) -> int:
        ttype, value = key
        sort = str(ttype).removeprefix("Token").removeprefix(".")
        name, mark = self._meanings.of(sort, value)
        if _within(sort, "Punctuation", "Operator", "Name", "Keyword") and not mark & Mark.SPACE:
            lexeme = value.strip()
            mark |= Mark.RUN if _RUN.match(lexeme) and not self._meanings.vanishes(lexeme) else 0
        with self._lock:
            return self[key] if key in self else self._add(key, name, mark)

    def _add(self, key: Key, name: str, mark: int) -> int:
        code, value = len(self.names), key[1]
        lexeme = value.strip()
        if "\n" in (value if mark & Mark.SPACE else value[len(value.rstrip()) :]):
            mark |= Mark.NEWLINE
        self.names.append(name)
        self.characters += len(value)
        self._spelled.append(lexeme)
        self._kinds.append(kind_id(self._salt, name))
        self._written.append(lexeme_id(self._salt, Class.IDENTIFIER, lexeme) if mark & Mark.IDENTIFIER else 0)
        self._marks.append(mark)
        self._leads.append(len(value) - len(value.lstrip()))
        self._lengths.append(len(lexeme))
        self[key] = code
        return code

    def lexemes(self) -> Lexemes:
        """Columns by code, as they are now."""
        with self._lock:
            return Lexemes(self._marks.values, self._leads.values, self._lengths.values)

    def kinds(self) -> npt.NDArray[np.uint64]:
        with self._lock:
            return self._kinds.values

    def written(self) -> npt.NDArray[np.uint64]:
        """Ids of identifiers as they are written, 0 for all else."""
        with self._lock:
            return self._written.values

    def pieces(self, code: int) -> list[int]:
        """Codes of the single characters of a run of marks such as `);`."""
        return [self["Punctuation", mark] for mark in self._spelled[code]]

    def join(self, left: int, right: int) -> tuple[int, int]:
        """Code and marks of the operator that two pieces make; code -1 when they make none."""
        pair = (left, right)
        if pair not in self._joined:
            spelled = self._spelled[left] + self._spelled[right]
            self._joined[pair] = self["Operator", spelled] if spelled in OPERATORS else -1
        code = self._joined[pair]
        with self._lock:
            return code, int(self._marks.values[code])
