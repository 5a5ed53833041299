"""Kind and marks of every lexeme, determined once for each (token type, lexeme)."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexeme_ids import lexeme_family, literal_ids
from fingerprint.languages.lexeme_rules import NormalisationRules
from fingerprint.languages.token_rows import Lexemes, Mark
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from fingerprint.languages.spec import Language
    from fingerprint.types import Ids, Marks, PairRows

# Most lexemes and characters of a vocabulary.
LEXEMES_LIMIT = 1 << 17
CHARACTERS_LIMIT = 1 << 24

# The columns of a vocabulary: marks, blanks before the lexeme, its characters, its number as a piece of an
# operator, ids of kind and name, number of its CSS class, and characters as written.
COLUMN_TYPES = (np.uint32, np.int32, np.int32, np.int32, np.uint64, np.uint64, np.int32, np.int32)

Key = tuple[object, str]

# Operators that lexers may split. `>>` stays split: it also closes two lists of type arguments.
_OPERATOR_WORDS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = _OPERATOR_WORDS.split()
_SPLITS = [(word[:at], word[at:]) for word in OPERATORS for at in range(1, len(word))]
# Numbers of what two pieces that form an operator may be.
PIECES = {piece: number for number, piece in enumerate(dict.fromkeys(chain.from_iterable(_SPLITS)))}


class GrowingColumns:
    """Growing parallel columns that are read often: a read copies new rows only; old results stay valid."""

    def __init__(self, types: Sequence[type[np.unsignedinteger | np.signedinteger]]) -> None:
        self._buffers, self._count = [np.zeros(1024, dtype) for dtype in types], 0
        self._new: list[tuple[int, ...]] = []
        self.append = self._new.append

    def values(self) -> list[npt.NDArray[Any]]:
        """Return the columns."""
        if self._new:
            before, self._count = self._count, self._count + len(self._new)
            while self._count > len(self._buffers[0]):
                self._buffers = [np.concatenate((one, np.zeros_like(one))) for one in self._buffers]
            for buffer, column in zip(self._buffers, zip(*self._new, strict=True), strict=True):
                buffer[before : self._count] = column
            self._new.clear()
        return [buffer[: self._count] for buffer in self._buffers]


class Highlighting(NamedTuple):
    """Columns by code of a vocabulary: index of the CSS class, -1 for none, and length as written.

    `classes` are Pygments' short CSS classes.
    """

    css_codes: Ids
    lengths: Ids
    classes: list[str]


class Vocabulary(dict[Key, int]):
    """Maps (token type, lexeme) to a code, assigned at first use, with the kind and marks of each code.

    A code indexes `kind_names` and the columns of `lexemes()`; `literal_ids` has the ids of strings and
    numbers by their `LexicalClass`. `css_class` returns the class that colours a token type, "" for none.
    """

    def __init__(self, language: Language, css_class: Callable[[object], str]) -> None:
        super().__init__()
        self._css_class = css_class
        self._rules = NormalisationRules(language)
        self._salt = language.salt
        self._lock = Lock()
        self._name_family = lexeme_family(self._salt, LexicalClass.IDENTIFIER)
        self._columns = GrowingColumns(COLUMN_TYPES)
        self._css_code = cache(self._code_of_class)
        self._css_code_by_class: dict[str, int] = {}
        self._stripped: list[str] = []
        self.kind_names: list[str] = []
        self._characters = 0
        self.literal_ids = literal_ids(self._salt)

    def __missing__(self, key: Key) -> int:
        ttype, value = key
        plain = self._rules.plain_word(ttype, value)
        name, mark = plain or self._rules.kind_and_marks(ttype, value)
        with self._lock:
            if key not in self:
                self[key] = self._add(key, name, mark, value if plain else value.strip())
            return self[key]

    def _add(self, key: Key, name: str, mark: int, lexeme: str) -> int:
        """Add a lexeme that is `lexeme` without blanks around it; return its code."""
        code, leading, (ttype, value) = len(self.kind_names), 0, key
        if mark & Mark.SPACE or len(lexeme) < len(value):
            leading = len(value) - len(value.lstrip())
            if "\n" in (value if mark & Mark.SPACE else value[len(value.rstrip()) :]):
                mark |= Mark.NEWLINE
        self.kind_names.append(name)
        self._characters += len(value)
        self._stripped.append(lexeme)
        self._columns.append(
            (
                mark,
                leading,
                len(lexeme),
                PIECES.get(lexeme, -1),
                kind_id(self._salt, name),
                kind_id(self._name_family, lexeme) if mark & Mark.IDENTIFIER else 0,
                self._css_code(ttype) if lexeme else -1,
                len(value),
            )
        )
        return code

    def lexemes(self) -> Lexemes:
        """Return the columns by code, for the codes assigned so far."""
        joins = self._joins
        with self._lock:
            marks, leading, lengths, pieces, kinds, names, *_ = self._columns.values()
        return Lexemes(marks, leading, lengths, pieces, kinds, names, joins)

    def marks(self, codes: Ids) -> Marks:
        """Return the marks of codes."""
        with self._lock:
            values: Marks = self._columns.values()[0]
        return values[codes]

    @property
    def is_full(self) -> bool:
        """True if it is to be replaced by an empty one, because workers are long-lived."""
        literals = self.literal_ids.values()
        lexemes = len(self) + sum(map(len, literals))
        characters = self._characters + sum(ids.characters for ids in literals)
        return lexemes > LEXEMES_LIMIT or characters > CHARACTERS_LIMIT

    def _code_of_class(self, ttype: object) -> int:
        css = self._css_class(ttype)
        return self._css_code_by_class.setdefault(css, len(self._css_code_by_class)) if css else -1

    def highlighting(self) -> Highlighting:
        """Return what to colour, by code."""
        with self._lock:
            *_, css_codes, written = self._columns.values()
            return Highlighting(css_codes, written, [*self._css_code_by_class])

    def punctuation_codes(self, code: int) -> list[int]:
        """Return the codes of the single characters of a run of punctuation such as `);`."""
        return [self["Punctuation", character] for character in self._stripped[code]]

    @cached_property
    def _joins(self) -> PairRows:
        """The code of the operator that two pieces form, -1 where they form none: int32 [pieces, pieces]."""
        codes = np.full((len(PIECES), len(PIECES)), -1, np.int32)
        for first, second in _SPLITS:
            codes[PIECES[first], PIECES[second]] = self["Operator", first + second]
        return codes
