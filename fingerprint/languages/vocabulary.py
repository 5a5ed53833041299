"""Kind, marks and id of every lexeme by the rules of normalisation, determined once.

Names and strings have ids as written, numbers by value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache, cached_property, lru_cache, partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Classes, Ids, Kinds, Marks, Offsets, PairRows
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.token_rows import Lexemes, Mark
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from fingerprint.languages.language_table import Language

# Longer numbers, and numbers of more digits before or after the point, keep their spelling.
MAX_CHARACTERS, MAX_DIGITS = 64, 40
# Fewer digits after `_` may be a kind of Fortran, and after `'` a base of Verilog.
_SEPARATOR = re.compile(r"(?<=[\da-f])(?:_(?=[\da-f]{3})|'(?=\d{3}))")
_HEXADECIMAL = re.compile(r"(?:0x|&h|#x|\$|16[#r]|\d*'s?h)([\da-f]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
_HEXADECIMAL_H = re.compile(r"(\d[\da-f]*)h\Z")
_OCTAL = re.compile(r"(?:0o|&o|#o|8[#r]|\d*'s?o)([0-7]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
_BINARY = re.compile(r"(?:0b|#b|2[#r]|\d*'s?b)([01]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
# Of `1f32` the end is a type; `1d3` and `1f3` have an exponent.
_DECIMAL = re.compile(
    r"(?:\d*'s?d)?(\d+(?:\.\d*)?|\.\d+)(?:(?:[edq]|f(?!(?:16|32|64|128)\Z))([-+]?\d+))?"
    r"(?:[ulfdmnysq]{0,3}|[iuf](?:8|16|32|64|128|size))\Z"
)
# In some languages such a number is octal.
_LEADING_ZERO = re.compile(r"0\d+\Z")

# Lexemes of several classes as parallel arrays: (classes, ids, starts, ends).
LexicalColumns = tuple["Classes", "Kinds", "Offsets", "Offsets"]

# The low bits of a term hold its number of characters, so that scoring needs no text.
LENGTH_BITS = 5
MAX_LENGTH = (1 << LENGTH_BITS) - 1

KindAndMarks = tuple[str, int]

# A word that no rule of any language names.
PLAIN_WORD = "plainword"
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


@lru_cache(maxsize=65536)
def number_value(lexeme: str) -> str:
    """Return a number by its value in decimal digits; the lexeme if it has none that is known.

    Its type and its sign do not count: some lexers return a sign as an operator.
    """
    if len(lexeme) > MAX_CHARACTERS:
        return lexeme
    number = _SEPARATOR.sub("", lexeme.lower().lstrip("+-"))
    if match := _HEXADECIMAL.match(number) or _HEXADECIMAL_H.match(number):
        return str(int(match[1], 16))
    if match := _OCTAL.match(number):
        return str(int(match[1], 8))
    if match := _BINARY.match(number):
        return str(int(match[1], 2))
    match = _DECIMAL.match(number)
    if not match or _LEADING_ZERO.match(match[1]):
        return lexeme
    return _decimal(f"{match[1]}e{match[2] or 0}") or lexeme


def _decimal(digits: str) -> str:
    """Return decimal digits without an exponent; empty where they would be too many."""
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return ""
    if abs(value.adjusted()) > MAX_DIGITS:
        return ""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@cache
def lexeme_family(salt: str, lexical_class: LexicalClass) -> str:
    """Return the family of lexeme ids, so that no lexeme id equals the id of a kind (see `kind_id`)."""
    return f"{salt} as written, {lexical_class.name}"


def lexeme_id(salt: str, lexical_class: LexicalClass, lexeme: str) -> int:
    """Return the 64-bit id of a lexeme."""
    family = lexeme_family(salt, lexical_class)
    return number_id(family, lexeme) if lexical_class == LexicalClass.NUMBER else kind_id(family, lexeme)


def with_length(identity: int, characters: int) -> int:
    """Return an id with a number of characters, at most 31, in its low bits."""
    return identity >> LENGTH_BITS << LENGTH_BITS | min(characters, MAX_LENGTH)


def number_id(family: str, lexeme: str) -> int:
    """Return the id of a number by its value, with the number of characters of that: `0x10` is `16`."""
    value = number_value(lexeme)
    return with_length(kind_id(family, value), len(value))


class LiteralIds(dict[str, int]):
    """Maps a literal to its id, computed at first use; `characters` is the total length of the literals."""

    def __init__(self, identify: Callable[[str], int]) -> None:
        super().__init__()
        self._identify, self.characters = identify, 0

    def __missing__(self, lexeme: str) -> int:
        self[lexeme] = identity = self._identify(lexeme)
        self.characters += len(lexeme)
        return identity


def literal_ids(salt: str) -> dict[int, LiteralIds]:
    """Return the ids of strings and of numbers, by their `LexicalClass`."""
    string, number = LexicalClass.STRING, LexicalClass.NUMBER
    return {
        int(string): LiteralIds(partial(kind_id, lexeme_family(salt, string))),
        int(number): LiteralIds(partial(number_id, lexeme_family(salt, number))),
    }


@cache
def _is_within(type_name: str, *parents: str) -> bool:
    return any(type_name == parent or type_name.startswith(parent + ".") for parent in parents)


@cache
def _type_name(ttype: object) -> str:
    return str(ttype).removeprefix("Token").removeprefix(".")


class NormalisationRules:
    """The rules of one language that give each lexeme its kind and marks."""

    def __init__(self, language: Language) -> None:
        self.language = language
        line_ends = ";" if language.by_line else ""
        self._dropped = frozenset(f"{language.punctuation} {line_ends} {language.noise}".split())
        self._statements = frozenset(language.statements.split())
        self._ends = frozenset(language.ends.split())
        self._decorators = frozenset(language.decorators.split())
        self._type_words = frozenset(language.type_words.split())
        self._keywords = frozenset(language.keywords.split())
        self._soft_words = frozenset(language.soft_words.split())
        self._kept_types = tuple(language.kept_types.split())
        named = self._dropped | self._statements | self._decorators | self._type_words | self._keywords
        self._named_words = named | self._soft_words | _CONSTANTS | language.synonyms.keys()
        self._plain_by_type: dict[object, KindAndMarks | None] = {}

    def kind_and_marks(self, ttype: object, value: str) -> KindAndMarks:
        """Return the name of the kind, and the marks but for `NEWLINE`."""
        type_name = _type_name(ttype)
        name, mark = self._by_first_rule(type_name, value)
        if _is_within(type_name, "Punctuation", "Operator", "Name", "Keyword") and not mark & Mark.SPACE:
            lexeme = value.strip()
            mark |= Mark.RUN if _RUN.match(lexeme) and not self.drops(lexeme) else 0
        elif "\n" in value and _is_within(type_name, "Literal.String"):
            mark |= Mark.LINES
        elif type_name == "Error":
            mark |= Mark.ERROR
        elif name in ("<string>", "<char>") and value[-1] not in "\"'`\n":
            mark |= Mark.UNQUOTED
        return name, mark

    def _by_first_rule(self, type_name: str, value: str) -> KindAndMarks:
        if not value.strip() or (not _is_within(type_name, "Literal", "Name") and _SPACE.match(value)):
            return "", Mark.SPACE
        if _is_within(type_name, "Comment", "Literal.String.Doc"):
            return "", Mark.SPACE
        if _is_within(type_name, "Literal") and type_name != "Literal.String.Atom":
            return self._literal(type_name, value)
        if type_name == "Other":
            return "<text>", Mark.PART
        return self._lexeme(type_name, self._spelling(value))

    def plain_word(self, ttype: object, value: str) -> KindAndMarks | None:
        """Return kind and marks of a word that no rule names; all such words of a type have the same.

        None for other lexemes, and for types whose words are kinds themselves.
        """
        if not value.isidentifier() or not value.lstrip("_")[:1].isalnum():
            return None
        if value in self._named_words or value.lower() in self._named_words:
            return None
        if ttype not in self._plain_by_type:
            name, mark = self.kind_and_marks(ttype, PLAIN_WORD)
            self._plain_by_type[ttype] = None if name == PLAIN_WORD else (name, mark)
        return self._plain_by_type[ttype]

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
            mark |= Mark.STATEMENT | (Mark.DECORATOR if lexeme[0] == "@" else 0)
        if lexeme in self._keywords or _is_within(type_name, *self._kept_types):
            return lexeme, mark | self._dropped_mark(lexeme)
        if lexeme.lstrip("+-").isdigit() and _is_within(type_name, "Keyword.Constant", "Name", "Text"):
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
            mark |= Mark.STATEMENT | (Mark.DECORATOR if lexeme == "@" else 0)
        if lexeme[-1] in "([{":
            return mark | Mark.OPEN | {"(": Mark.PARENTHESIS, "{": Mark.BRACE}.get(lexeme, 0)
        if lexeme[0] in ")]}":
            return mark | Mark.CLOSE
        if lexeme in self._ends:
            return mark | Mark.STATEMENT_END
        mark |= Mark.DOT if lexeme == "." else 0
        return mark | Mark.OPERATOR if _SYMBOL.match(lexeme) else mark


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
        self._keys: list[Key] = []
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
        self._keys.append(key)
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

    def key(self, code: int) -> Key:
        """Return the token type and the lexeme as written of a code."""
        return self._keys[code]

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
