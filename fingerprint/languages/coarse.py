"""The coarse stream of a program, which looks the same in every language, with the literals that it keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.kernels.types import Terms
from fingerprint.languages.language_table import (
    AFTER_PARAMETERS,
    BEFORE_CALLS,
    CALLS,
    COLON_BLOCKS,
    DEFINERS,
    FOR,
    LENGTHS,
    NULLS,
    POINTERS,
    PRINTED,
    PRINTERS,
    SELF,
    STOP_NUMBERS,
    SYMBOLS,
    TYPE_ARGUMENTS,
)
from fingerprint.languages.vocabulary import LENGTH_BITS, MAX_LENGTH
from fingerprint.tokens import TokenStream, kind_id

_PAIRS = {")": "(", "]": "[", "}": "{"}
_OPENING = frozenset(_PAIRS.values())

FAMILY = "across languages"
SHORTEST_WORD = 3
_TEXT_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_NUMBER_TAIL = re.compile(r"(?<![xX])(?<=\d)[uUlLfFdDmMnN]+\Z|_")

# Most arguments or parameters that are told apart.
MOST_ARGUMENTS = 4
# Type arguments end after so many tokens, or else `<` is a comparison.
LONGEST_TYPE_ARGUMENTS = 24
# The header of a `for` without brackets ends after so many: longer ones are broken code.
LONGEST_HEADER = 60
_TYPE_TOKENS = frozenset(["<name>", "<type>", ",", ".", "::", "?", "[", "]", "*", "&", "extends", "super", "const"])
_BEFORE_CONSTRUCTORS = frozenset({"", ";", "{", "}", ":", "explicit"})
_BEFORE_METHODS = frozenset({"<name>", "<type>", ">", "]", "*", "&"})
_STRINGS = frozenset({"<string>", "<char>", "<regex>"})
_OPERANDS = frozenset({"<name>", "<number>", "<constant>", ")", "]"})


class Brackets(NamedTuple):
    """By position of a lexeme: where the bracket that opens there is closed, and how many items it encloses.

    `closes` is -1 and `counts` 0 for all other lexemes and for brackets that are never closed.
    """

    closes: list[int]
    counts: list[int]


def match_brackets(texts: Sequence[str]) -> Brackets:
    """Return the brackets of a program, in one pass; items are separated by commas.

    A bracket of the wrong sort closes nothing.
    """
    closes, counts = [-1] * len(texts), [0] * len(texts)
    opened: list[int] = []
    commas: list[int] = []
    for at, text in enumerate(texts):
        if text in _OPENING:
            opened.append(at)
            commas.append(0)
        elif text == "," and commas:
            commas[-1] += 1
        elif text in _PAIRS and opened and texts[opened[-1]] == _PAIRS[text]:
            start, separators = opened.pop(), commas.pop()
            closes[start] = at
            last = separators > 0 and texts[at - 1] == ","
            counts[start] = separators + 1 - last if at > start + 1 else 0
    return Brackets(closes, counts)


@lru_cache(maxsize=65536)
def text_terms(text: str) -> tuple[str, ...]:
    """Return the words of a string and its pairs of words with one space between; its symbols if it has none.

    Words are terms since every language puts a message together in its own way.
    """
    terms: list[str] = []
    for run in _TEXT_WORDS.findall(text):
        words = run.lower().split(" ")
        terms += [word for word in words if len(word) >= SHORTEST_WORD]
        terms += map(" ".join, pairwise(words))
    symbols = text.strip("\"'` ")
    return tuple(terms) if terms or len(symbols) < SHORTEST_WORD else (symbols,)


@lru_cache(maxsize=65536)
def number_value(lexeme: str) -> str:
    """Return a number by its value, the same for `10`, `10.0`, `10L` and `0xA`; the lexeme if it has none.

    The sign does not count: some lexers return it as an operator.
    """
    digits = _NUMBER_TAIL.sub("", lexeme).lstrip("+-")
    try:
        return repr(float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits))
    except (ValueError, OverflowError):
        return lexeme


def number_terms(value: str) -> tuple[str, ...]:
    return () if value in STOP_NUMBERS else (value.removesuffix(".0"),)


def pack_terms(terms: Iterable[str]) -> Terms:
    """Return distinct terms, ascending, with their lengths in the low bits as in `LexicalTerms`."""
    ids = [_term(term) for term in set(terms)]
    return distinct_values(np.array(ids, dtype=np.uint64))


def _term(term: str) -> int:
    identity = kind_id(FAMILY, term) >> LENGTH_BITS << LENGTH_BITS
    return identity | min(len(term), MAX_LENGTH)


class Lexeme(NamedTuple):
    """A token before normalisation drops any: name of its kind, text, and where it is in the lexed text."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Converter:
    """Turns lexemes of one file into symbols, from left to right."""

    language: str
    lexemes: Sequence[Lexeme]
    brackets: Brackets
    symbols: list[tuple[str, int, int]] = field(default_factory=list)

    def convert(self) -> list[tuple[str, int, int]]:
        """Return (symbol, start, end) in text order."""
        at = 0
        while at < len(self.lexemes):
            at = max(at + 1, self._step(at))
        return self.symbols

    def _step(self, at: int) -> int:
        """Add the symbols of the lexeme at `at`; return where to go on, at most `at` for the next lexeme."""
        kind, text = self.lexemes[at].kind, self.lexemes[at].text
        if kind == "<name>":
            return self._name(at)
        if kind == "<number>":
            return self._number(at)
        if kind == "<constant>":
            return self._add("null" if text.lower() in NULLS else text.lower(), at)
        if kind in _STRINGS:
            return self._add_once("string", at)
        return self._keyword_or_sign(at)

    def _keyword_or_sign(self, at: int) -> int:
        text = self.lexemes[at].text
        if text in FOR:
            return self._for(at)
        if text in DEFINERS:
            return self._keyword_definition(at)
        return self._index(at) if text == "[" else self._symbol(at)

    def _symbol(self, at: int) -> int:
        text = self.lexemes[at].text
        symbol = SYMBOLS.get(text, "")
        if text == "if" and self._text(at + 1) == "__name__":
            return self._line_end(at)
        if text == "<" and (end := self._type_arguments_end(at)):
            return end
        if symbol == "arithmetic" and not self._is_binary(at):
            return at
        return self._add(symbol, at) if symbol else at

    def _add(self, symbol: str, at: int) -> int:
        lexeme = self.lexemes[at]
        self.symbols.append((symbol, lexeme.start, lexeme.end))
        return at

    def _add_once(self, symbol: str, at: int) -> int:
        return at if self.symbols and self.symbols[-1][0] == symbol else self._add(symbol, at)

    def _text(self, at: int) -> str:
        return self.lexemes[at].text if 0 <= at < len(self.lexemes) else ""

    def _kind(self, at: int) -> str:
        return self.lexemes[at].kind if 0 <= at < len(self.lexemes) else ""

    def _number(self, at: int) -> int:
        value = number_value(self.lexemes[at].text)
        if value == "1.0" and self.symbols and self.symbols[-1][0] == "update":
            return at  # `i += 1` is `i++`
        return self._add(f"number {value}", at)

    def _is_binary(self, at: int) -> bool:
        """Return whether an operator has an operand on either side, neither of them a string.

        Strings are put together in too many ways. `*` and `&` may belong to a type or a pointer.
        """
        before, after = self._kind(at - 1), self._kind(at + 1)
        if before in _STRINGS or after in _STRINGS or before not in _OPERANDS:
            return False
        if self.language in POINTERS and self._text(at) in {"*", "&"} and before == "<name>":
            return not self._is_declared(at)
        return True

    def _is_declared(self, at: int) -> bool:
        """Return whether `Type * name` begins a statement or a parameter and ends or gets a value there."""
        starts = self._text(at - 2) in {"", ";", "{", "}", "(", ",", "const", "static", ":"}
        return starts and self._text(at + 2) in {"=", ";", ")", ",", "("}

    def _type_arguments_end(self, at: int) -> int:
        """Return the position after the type arguments that begin at `<`; 0 if it is a comparison."""
        if self.language not in TYPE_ARGUMENTS or self._kind(at - 1) != "<name>":
            return 0
        depth = 0
        for end in range(at, min(at + LONGEST_TYPE_ARGUMENTS, len(self.lexemes))):
            kind, text = self._kind(end), self._text(end)
            depth += (text == "<") - (set(text) == {">"}) * len(text)
            if depth <= 0:
                return end + 1
            if kind not in _TYPE_TOKENS and text != "<" and set(text) != {">"}:
                return 0
        return 0

    def _index(self, at: int) -> int:
        """Add an index, but not the brackets of a type or of a list of values."""
        close = self.brackets.closes[at]
        if close <= at + 1 or self._kind(at - 1) not in {"<name>", ")", "]", "<string>"}:
            return close + 1 if self.language == "go" and close > at else at
        return self._add("index", at)

    def _for(self, at: int) -> int:
        """Add a loop; of its header only numbers that are neither 0 nor 1."""
        self._add("loop", at)
        end, counts = self._header(at + 1)
        if self.language == "go" and not counts:
            return at  # `for` with a condition is the `while` of Go
        for place in range(at + 1, end):
            if self._kind(place) == "<number>" and number_value(self._text(place)) not in {"0.0", "1.0"}:
                self._number(place)
        return end

    def _header(self, start: int) -> tuple[int, bool]:
        """Return where the header of a `for` ends, and whether it counts or goes through a list."""
        start += self._text(start) == "await"
        if self._text(start) == "(" and self.language not in COLON_BLOCKS:
            return max(self.brackets.closes[start], start), True
        stops = {":", ")", "]", "}", "if"} if self.language in COLON_BLOCKS else {"{"}
        end, counts = start, False
        for _ in range(LONGEST_HEADER):
            if end >= len(self.lexemes) or self._text(end) in stops:
                break
            counts |= self._text(end) in {";", "range", ":="}
            end = max(self.brackets.closes[end], end) + 1
        return end, counts

    def _line_end(self, at: int) -> int:
        """Return the position after the `:` of the statement that tells whether a file is the program."""
        end = at
        while end < len(self.lexemes) and self._text(end) != ":":
            end += 1
        return end + 1

    def _keyword_definition(self, at: int) -> int:
        """Add a definition that begins with a word such as `def`; a function without a name is none."""
        name = at + 1
        if self._text(name) == "(":  # the receiver of a method in Go, or parameters of a nameless function
            name = self.brackets.closes[name] + 1
        if self._kind(name) == "<name>" and self._text(name + 1) == "(":
            return self._definition(name)
        return at

    def _definition(self, name: int) -> int:
        opened = name + 1
        if self._text(name).lower() != "main":
            first = self._text(opened + 1)
            count = self.brackets.counts[opened] - (first in SELF)
            count = 0 if first == "void" and self._text(opened + 2) == ")" else count
            self._add(f"define {min(count, MOST_ARGUMENTS)}", name)
        return self._initialisers(self.brackets.closes[opened] + 1)

    def _initialisers(self, at: int) -> int:
        """Add an assignment for each `member(value)` between a constructor of C++ and its body."""
        if self.language != "cpp" or self._text(at) != ":":
            return at
        while at < len(self.lexemes) and self._text(at) not in {"{", ";"}:
            if self._text(at) == "(":
                self._add("assign", at)
                at = max(at, self.brackets.closes[at])
            at += 1
        return at

    def _name(self, at: int) -> int:
        word = self._text(at).replace("_", "").lower()
        if word in PRINTED:
            return self._printed(at)
        if self._text(at + 1) != "(" or self.brackets.closes[at + 1] < 0:
            return self._add("length", at) if word in LENGTHS and self._text(at - 1) == "." else at
        if self._is_definition(at):
            return self._definition(at)
        return self._call(at, word)

    def _printed(self, at: int) -> int:
        """Add what C++ prints with `<<`, up to the end of the statement."""
        self._add("print", at)
        while at < len(self.lexemes) and self._text(at) not in {";", "}"}:
            at += 1
        return at

    def _is_definition(self, at: int) -> bool:
        """Return whether a name with parentheses is defined there: a body follows, and it is no call."""
        if self.language in COLON_BLOCKS or self.language == "go":
            return False
        after = self._text(self.brackets.closes[at + 1] + 1)
        if after not in AFTER_PARAMETERS or self._text(at - 1) in BEFORE_CALLS:
            return False
        if after in {":", "=>"}:
            # A constructor of C++ with a list of members, or a method of C# that is one expression.
            language, before = ("cpp", _BEFORE_CONSTRUCTORS) if after == ":" else ("csharp", _BEFORE_METHODS)
            return self.language == language and (self._text(at - 1) in before or self._kind(at - 1) in before)
        return after == "{" or self._kind(at - 1) in _BEFORE_METHODS

    def _call(self, at: int, word: str) -> int:
        close = self.brackets.closes[at + 1]
        qualified = self._text(at - 2).lower(), word
        symbols = "print" if self._text(at - 1) == "." and qualified in PRINTERS else CALLS.get(word)
        if symbols == "print":
            self._add("print", at)
            return close + 1
        if symbols in {"index", "index assign"} and self._text(at - 1) not in {".", "->"}:
            symbols = None
        if symbols is None:
            symbols = f"call {min(self.brackets.counts[at + 1], MOST_ARGUMENTS)}"
            return self._add(symbols, at)
        for symbol in symbols.split():
            self._add(symbol, at)
        return at


def coarse_scan(language: str, lexemes: Sequence[Lexeme]) -> tuple[TokenStream, Terms]:
    """Return the coarse stream and the terms of a program in one of `COARSE_LANGUAGES`."""
    symbols = _Converter(language, lexemes, match_brackets([lexeme.text for lexeme in lexemes])).convert()
    triples = [(kind_id(FAMILY, symbol), start, end) for symbol, start, end in symbols]
    return TokenStream.from_triples(triples), _terms(lexemes)


def _terms(lexemes: Sequence[Lexeme]) -> Terms:
    terms: set[str] = set()
    for kind, text, _, _ in lexemes:
        if kind in _STRINGS:
            terms.update(text_terms(text))
        elif kind == "<number>":
            terms.update(number_terms(number_value(text)))
    return pack_terms(terms)
