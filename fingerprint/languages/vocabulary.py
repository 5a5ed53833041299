"""What a lexeme means to the comparison, decided once for each (token type, lexeme)."""

from __future__ import annotations

import re
from array import array
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.base import Class
from fingerprint.languages.evidence import lexeme_id
from fingerprint.languages.folding import OPERATORS, Lexemes, Mark
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.tables import Language

TYPE = "Token."
_INVISIBLE = re.compile(r"[\s\\\u00ad\u200b-\u200f\u2060\ufeff\x00-\x1f]*\Z")
_BLANK = re.compile(r"\s*\Z")
_SYMBOLS = re.compile(r"[^\w\s()\[\]{};,\"'`]+\Z")
_LITERALS = {
    "Literal.String.Char": "<char>",
    "Literal.String.Regex": "<regex>",
    "Literal.String.Symbol": "<symbol>",
    "Literal.Number": "<number>",
    "Literal.Date": "<number>",
}

Key = tuple[object, str]


def _within(sort: str, parent: str) -> bool:
    return sort == parent or sort.startswith(parent + ".")


class Vocabulary(dict[Key, int]):
    """Codes of (token type, lexeme), given out on first sight, with what folding knows of each.

    A code indexes `names` (of kinds), `kinds` and the columns of `lexemes()`.
    """

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language = language
        self._lock = Lock()
        self._marks, self._leads, self._lengths = array("H"), array("i"), array("i")
        self._kinds, self._written = array("Q"), array("Q")
        self._joined: dict[tuple[int, int], int] = {}
        self.names: list[str] = []
        self.spelled: list[str] = []

    def __missing__(self, key: Key) -> int:
        ttype, value = key
        sort = str(ttype).removeprefix(TYPE)
        name, mark = self._meaning(sort, value)
        with self._lock:
            return self[key] if key in self else self._add(key, value, name, mark)

    def _add(self, key: Key, value: str, name: str, mark: Mark) -> int:
        code = len(self.names)
        lexeme = value.strip()
        self.names.append(name)
        self.spelled.append(lexeme)
        self._kinds.append(kind_id(self._language.salt, name))
        identifier = mark & Mark.IDENTIFIER
        self._written.append(lexeme_id(self._language.salt, Class.IDENTIFIER, lexeme) if identifier else 0)
        self._marks.append(mark | (Mark.NEWLINE if mark & Mark.SPACE and "\n" in value else 0))
        self._leads.append(len(value) - len(value.lstrip()))
        self._lengths.append(len(lexeme))
        self[key] = code
        return code

    def lexemes(self) -> Lexemes:
        """Columns by code, as they are now."""
        return Lexemes(
            np.frombuffer(self._marks.tobytes(), dtype=np.uint16),
            np.frombuffer(self._leads.tobytes(), dtype=np.int32),
            np.frombuffer(self._lengths.tobytes(), dtype=np.int32),
        )

    def kinds(self) -> npt.NDArray[np.uint64]:
        return np.frombuffer(self._kinds.tobytes(), dtype=np.uint64)

    def written(self) -> npt.NDArray[np.uint64]:
        """Ids of identifiers as they are written, 0 for all else."""
        return np.frombuffer(self._written.tobytes(), dtype=np.uint64)

    def join(self, left: int, right: int) -> int:
        """Code of the operator that two pieces make, or -1."""
        pair = (left, right)
        if pair not in self._joined:
            spelled = self.spelled[left] + self.spelled[right]
            self._joined[pair] = self["Token.Operator", spelled] if spelled in OPERATORS else -1
        return self._joined[pair]

    def _meaning(self, sort: str, value: str) -> tuple[str, Mark]:
        """Name of the kind, and marks; the first rule that fits decides."""
        if _BLANK.match(value) or (not sort.startswith("Literal") and _INVISIBLE.match(value)):
            return "", Mark.SPACE
        if _within(sort, "Comment") or _within(sort, "Literal.String.Doc"):
            return "", Mark.SPACE | Mark.COMMENT
        if _within(sort, "Literal") and sort not in self._language.kept:
            return self._literal(sort)
        lexeme = " ".join(value.split())
        lexeme = lexeme.lower() if self._language.fold_case else lexeme
        lexeme = self._language.same.get(lexeme, lexeme)
        if _within(sort, "Name") and any(map(str.isalnum, lexeme)):
            return self._word_as_name(sort, lexeme)
        if _within(sort, "Keyword"):
            return self._keyword(sort, lexeme)
        if _within(sort, "Text") or sort in ("Other", "Generic", ""):
            return "<text>", Mark.PART
        return lexeme, self._mark_of_symbol(lexeme)

    def _literal(self, sort: str) -> tuple[str, Mark]:
        kind = next((kind for parent, kind in _LITERALS.items() if _within(sort, parent)), "<string>")
        if kind == "<number>":
            return kind, Mark.NUMBER
        return kind, Mark.PART | Mark.STRING

    def _word_as_name(self, sort: str, lexeme: str) -> tuple[str, Mark]:
        mark = Mark.WORD | Mark.IDENTIFIER
        if _within(sort, "Name.Decorator"):
            return "<decorator>", mark | (
                Mark.STATEMENT if "@" in self._language.statements else Mark.DECORATOR
            )
        if any(_within(sort, kept) for kept in self._language.kept):
            return lexeme, self._mark_of_word(lexeme)
        return "<name>", mark | (self._mark_of_word(lexeme) & Mark.STATEMENT)

    def _keyword(self, sort: str, lexeme: str) -> tuple[str, Mark]:
        language = self._language
        mark = self._mark_of_word(lexeme)
        if _within(sort, "Keyword.Constant"):
            return "<constant>", mark
        kept = not language.keywords or lexeme in language.keywords
        if _within(sort, "Keyword.Type") or lexeme in language.names or not (kept or mark & Mark.GONE):
            return "<name>", mark
        return lexeme, mark

    def _mark_of_word(self, lexeme: str) -> Mark:
        mark = Mark.WORD
        if lexeme in self._language.noise:
            mark |= Mark.GONE
        if lexeme in self._language.statements:
            mark |= Mark.STATEMENT
        return mark

    def _mark_of_symbol(self, lexeme: str) -> Mark:
        mark = Mark(0)
        if lexeme in self._language.punctuation or lexeme in self._language.noise:
            mark |= Mark.GONE
        if lexeme[-1] in "([{":
            mark |= Mark.OPEN | (Mark.ROUND if lexeme == "(" else 0)
        elif lexeme[0] in ")]}":
            mark |= Mark.CLOSE
        elif lexeme == ";":
            mark |= Mark.END
        elif _SYMBOLS.match(lexeme):
            mark |= Mark.OPERATOR
        return mark | self._mark_of_word(lexeme) & ~Mark.WORD
