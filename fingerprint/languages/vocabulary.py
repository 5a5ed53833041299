"""Kind and marks of every lexeme, determined once for each (token type, lexeme)."""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexeme_ids import lexeme_id, literal_ids
from fingerprint.languages.token_rows import Lexemes, Mark
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from fingerprint.languages.spec import Language
    from fingerprint.types import Ids, Marks, PairRows

# Most lexemes and characters of a vocabulary.
LEXEMES_LIMIT = 1 << 17
CHARACTERS_LIMIT = 1 << 24

Key = tuple[object, str]
KindAndMarks = tuple[str, int]

_SPACE = re.compile(r"(?:\\?[\s\u00ad\u200b-\u200f\u2060\ufeff\x00-\x1f])*\Z")
_RUN = re.compile(r"(?=.*[()\[\]{};,])[^\w\s]{2,}\Z")
_SYMBOL = re.compile(r"[^\w\s()\[\]{};,\"'`]+\Z")
_CONSTANTS = frozenset({"true", "false", "nil", "null", "none", "nullptr", "nothing", "#t", "#f"})
# Operators that lexers may split. `>>` stays split: it also closes two lists of type arguments.
_OPERATOR_WORDS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = _OPERATOR_WORDS.split()
_SPLITS = [(word[:at], word[at:]) for word in OPERATORS for at in range(1, len(word))]
# Numbers of what two pieces that form an operator may be.
PIECES = {piece: number for number, piece in enumerate(dict.fromkeys(chain.from_iterable(_SPLITS)))}
_LITERALS = {
    "Literal.String.Char": "<char>",
    "Literal.String.Regex": "<regex>",
    "Literal.String.Symbol": "<symbol>",
    "Literal.Number": "<number>",
    "Literal.Date": "<number>",
}


@cache
def _is_within(type_name: str, *parents: str) -> bool:
    """Return whether a token type is one of `parents` or a subtype of one."""
    return any(type_name == parent or type_name.startswith(parent + ".") for parent in parents)


class NormalisationRules:
    """The rules of one language that give each lexeme its kind and marks."""

    def __init__(self, language: Language) -> None:
        self.language = language
        line_ends = ";" if language.by_line else ""
        self._dropped = frozenset(f"{language.punctuation} {line_ends} {language.noise}".split())
        self._statements = frozenset(language.statements.split())
        self._decorators = frozenset(language.decorators.split())
        self._type_words = frozenset(language.type_words.split())
        self._keywords = frozenset(language.keywords.split())
        self._soft_words = frozenset(language.soft_words.split())
        self._kept_types = tuple(language.kept_types.split())

    def kind_and_marks(self, type_name: str, value: str) -> KindAndMarks:
        """Return the name of the kind, and the marks; the first rule that applies decides."""
        if not value.strip() or (not _is_within(type_name, "Literal", "Name") and _SPACE.match(value)):
            return "", Mark.SPACE
        if _is_within(type_name, "Comment", "Literal.String.Doc"):
            return "", Mark.SPACE
        if _is_within(type_name, "Literal") and type_name != "Literal.String.Atom":
            return self._literal(type_name, value)
        if type_name == "Other":
            return "<text>", Mark.PART
        return self._lexeme(type_name, self._spelling(value))

    def drops(self, lexeme: str) -> bool:
        return lexeme in self._dropped or lexeme in self._decorators

    def _literal(self, type_name: str, value: str) -> KindAndMarks:
        kind = next((kind for parent, kind in _LITERALS.items() if _is_within(type_name, parent)), "<string>")
        if kind != "<number>":
            return kind, Mark.PART | Mark.STRING
        return value.strip().lower() if self.language.kept_numbers else kind, Mark.NUMBER

    def _spelling(self, value: str) -> str:
        lexeme = " ".join(value.split())
        lexeme = lexeme.lower() if self.language.ignore_case else lexeme
        return self.language.synonyms.get(lexeme, lexeme)

    def _lexeme(self, type_name: str, lexeme: str) -> KindAndMarks:
        if self._is_decorator(type_name, lexeme):
            brackets = self._symbol_marks(lexeme) & Mark.OPEN
            word = Mark.WORD | Mark.IDENTIFIER if any(map(str.isalnum, lexeme)) else 0
            return lexeme, Mark.DECORATOR | word | brackets
        if not any(map(str.isalnum, lexeme)):
            return lexeme, self._symbol_marks(lexeme)
        return self._word(type_name, lexeme)

    def _is_decorator(self, type_name: str, lexeme: str) -> bool:
        if lexeme[0] == "@" and "@" in self._statements:
            return False
        at = lexeme[0] == "@" and "@" in self._decorators
        return at or lexeme in self._decorators or _is_within(type_name, *self._decorators)

    def _word(self, type_name: str, lexeme: str) -> KindAndMarks:
        language = self.language
        mark: int = Mark.WORD
        if lexeme.split(" ", 1)[0] in self._statements or (lexeme[0] == "@" and "@" in self._statements):
            mark |= Mark.STATEMENT
        if lexeme in self._keywords or _is_within(type_name, *self._kept_types):
            return lexeme, mark | self._dropped_mark(lexeme)
        if _is_within(type_name, "Keyword.Constant") and lexeme.lstrip("+-").isdigit():
            return "<number>", Mark.NUMBER
        if _is_within(type_name, "Keyword.Constant") or (
            lexeme.lower() in _CONSTANTS and _is_within(type_name, "Keyword", "Name")
        ):
            return "<constant>", mark
        if _is_within(type_name, "Name.Namespace"):
            return "<name>", mark
        is_name = _is_within(type_name, "Name", "Text", "Literal", "Generic")
        if is_name or lexeme in self._soft_words or language.only_keywords or type_name == "":
            return "<name>", mark | Mark.IDENTIFIER
        mark |= self._dropped_mark(lexeme)
        is_type = _is_within(type_name, "Keyword.Type") or lexeme in self._type_words
        return "<type>" if is_type else lexeme, mark

    def _dropped_mark(self, lexeme: str) -> int:
        return Mark.DROPPED if lexeme in self._dropped else 0

    def _symbol_marks(self, lexeme: str) -> int:
        mark = self._dropped_mark(lexeme)
        if lexeme in self._statements:
            mark |= Mark.STATEMENT
        if lexeme[-1] in "([{":
            return mark | Mark.OPEN | (Mark.PARENTHESIS if lexeme == "(" else 0)
        if lexeme[0] in ")]}":
            return mark | Mark.CLOSE
        if lexeme == ";":
            return mark | Mark.STATEMENT_END
        mark |= Mark.DOT if lexeme == "." else 0
        return mark | Mark.OPERATOR if _SYMBOL.match(lexeme) else mark


class GrowingArray:
    """A growing array that is read often: a read copies only new values, and earlier results stay valid."""

    def __init__(self, dtype: type[np.unsignedinteger | np.signedinteger]) -> None:
        self._buffer, self._count = np.zeros(1024, dtype), 0
        self._new: list[int] = []
        self.append = self._new.append

    @property
    def values(self) -> npt.NDArray[Any]:
        if self._new:
            before, self._count = self._count, self._count + len(self._new)
            while self._count > len(self._buffer):
                self._buffer = np.concatenate((self._buffer, np.zeros_like(self._buffer)))
            self._buffer[before : self._count] = self._new
            self._new.clear()
        return self._buffer[: self._count]


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
        self._marks = GrowingArray(np.uint32)
        self._leading, self._lengths = GrowingArray(np.int32), GrowingArray(np.int32)
        self._pieces = GrowingArray(np.int32)
        self._kinds, self._names = GrowingArray(np.uint64), GrowingArray(np.uint64)
        self._css_codes, self._written = GrowingArray(np.int32), GrowingArray(np.int32)
        self._css_code_by_class: dict[str, int] = {}
        self._stripped: list[str] = []
        self.kind_names: list[str] = []
        self._characters = 0
        self.literal_ids = literal_ids(self._salt)

    def __missing__(self, key: Key) -> int:
        ttype, value = key
        type_name = str(ttype).removeprefix("Token").removeprefix(".")
        name, mark = self._rules.kind_and_marks(type_name, value)
        if _is_within(type_name, "Punctuation", "Operator", "Name", "Keyword") and not mark & Mark.SPACE:
            lexeme = value.strip()
            mark |= Mark.RUN if _RUN.match(lexeme) and not self._rules.drops(lexeme) else 0
        elif "\n" in value and _is_within(type_name, "Literal.String"):
            mark |= Mark.LINES
        elif type_name == "Error":
            mark |= Mark.ERROR
        elif name in ("<string>", "<char>") and value[-1] not in "\"'`\n":
            mark |= Mark.UNQUOTED
        with self._lock:
            return self[key] if key in self else self._add(key, name, mark)

    def _add(self, key: Key, name: str, mark: int) -> int:
        code, value = len(self.kind_names), key[1]
        lexeme = value.strip()
        if "\n" in (value if mark & Mark.SPACE else value[len(value.rstrip()) :]):
            mark |= Mark.NEWLINE
        is_identifier = mark & Mark.IDENTIFIER
        self.kind_names.append(name)
        self._characters += len(value)
        self._stripped.append(lexeme)
        self._kinds.append(kind_id(self._salt, name))
        self._names.append(lexeme_id(self._salt, LexicalClass.IDENTIFIER, lexeme) if is_identifier else 0)
        self._marks.append(mark)
        self._leading.append(len(value) - len(value.lstrip()))
        self._lengths.append(len(lexeme))
        self._pieces.append(PIECES.get(lexeme, -1))
        self._written.append(len(value))
        self._css_codes.append(self._css_code(key[0]) if lexeme else -1)
        self[key] = code
        return code

    def lexemes(self) -> Lexemes:
        """Return the columns by code, for the codes assigned so far."""
        joins = self._joins
        with self._lock:
            return Lexemes(
                self._marks.values,
                self._leading.values,
                self._lengths.values,
                self._pieces.values,
                self._kinds.values,
                self._names.values,
                joins,
            )

    def marks(self, codes: Ids) -> Marks:
        """Return the marks of codes."""
        with self._lock:
            values: Marks = self._marks.values
        return values[codes]

    @property
    def is_full(self) -> bool:
        """True if it is to be replaced by an empty one, because workers are long-lived."""
        literals = self.literal_ids.values()
        lexemes = len(self) + sum(map(len, literals))
        characters = self._characters + sum(ids.characters for ids in literals)
        return lexemes > LEXEMES_LIMIT or characters > CHARACTERS_LIMIT

    def _css_code(self, ttype: object) -> int:
        css = self._css_class(ttype)
        return self._css_code_by_class.setdefault(css, len(self._css_code_by_class)) if css else -1

    def highlighting(self) -> Highlighting:
        """Return what to colour, by code."""
        with self._lock:
            return Highlighting(self._css_codes.values, self._written.values, [*self._css_code_by_class])

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
