"""Java tokens and the structure that the disguises need: brackets, methods, classes, blocks, statements."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers.jvm import JavaLexer
from pygments.token import Comment, String, Text, is_token_subtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


WORD = re.compile(r"[^\W\d][\w$]*")
_words = re.compile(r"\S+").findall
PRIMITIVES = frozenset(_words("boolean byte char double float int long short void"))
MODIFIERS = frozenset(_words("public protected private static final abstract synchronized native strictfp default"))
OTHER_KEYWORDS = """
    assert break case catch class const continue do else enum extends false finally for goto if implements
    import instanceof interface new null package return super switch this throw throws transient true try
    volatile while
"""
KEYWORDS = PRIMITIVES | MODIFIERS | frozenset(_words(OTHER_KEYWORDS))
OPERATORS = frozenset(_words(".. ... -> :: ++ -- && || == != <= >= += -= *= /= %= |= &= ^="))
PAIRS = {"(": ")", "{": "}", "[": "]"}
JUMPS = frozenset({"return", "break", "continue", "throw", "yield"})


class JavaToken(NamedTuple):
    """A lexeme and its offsets [start, end) in the text; comments and white space are not tokens."""

    text: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        return WORD.fullmatch(self.text) is not None and self.text not in KEYWORDS


class Edit(NamedTuple):
    """Replacement of the characters [start, end) by `text`."""

    start: int
    end: int
    text: str


class Statement(NamedTuple):
    """The tokens [first, end) of a statement, of a member of a class, or of a part of a statement."""

    first: int
    end: int


class Method(NamedTuple):
    """A method with a body: the indexes of its first token, of its name and of both pairs of brackets."""

    first: int
    name: int
    parameters: tuple[int, int]
    body: tuple[int, int]


class JavaError(ValueError):
    """The brackets of a text do not match, or two edits overlap; the message has the position."""


def lex(source: str) -> list[JavaToken]:
    """Return the tokens of a Java text; a string or an operator of several characters is one token."""
    tokens: list[JavaToken] = []
    inside_string = False
    for start, kind, text in JavaLexer(ensurenl=False, stripnl=False).get_tokens_unprocessed(source):
        if is_token_subtype(kind, Comment) or (is_token_subtype(kind, Text) and not text.strip()):
            inside_string = False
            continue
        before = tokens[-1] if tokens else JavaToken("", -1, -1)
        joined = (inside_string and is_token_subtype(kind, String)) or before.text + text in OPERATORS
        if joined and before.end == start:
            tokens[-1] = JavaToken(before.text + text, before.start, start + len(text))
        else:
            tokens.append(JavaToken(text, start, start + len(text)))
        inside_string = is_token_subtype(kind, String)
    return tokens


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied; edits at the same position keep their order.

    Raises
    ------
    JavaError
        When two edits overlap.
    """
    parts, end = [], 0
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        if edit.start < end:
            raise JavaError(f"two edits overlap at character {edit.start}")
        parts += [source[end : edit.start], edit.text]
        end = edit.end
    return "".join([*parts, source[end:]])


class Java:
    """A Java text with its tokens; `match` has the index of the other bracket of each bracket.

    Raises
    ------
    JavaError
        When the brackets do not match.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = lex(source)
        self.match = self._matching_brackets()

    def _matching_brackets(self) -> dict[int, int]:
        match: dict[int, int] = {}
        opened: list[int] = []
        for i, token in enumerate(self.tokens):
            if token.text in PAIRS:
                opened.append(i)
            elif token.text in PAIRS.values():
                if not opened or PAIRS[self.tokens[opened[-1]].text] != token.text:
                    raise JavaError(f"{token.text!r} at character {token.start} has no opening bracket")
                match[i] = opened.pop()
                match[match[i]] = i
        if opened:
            raise JavaError(f"bracket at character {self.tokens[opened[-1]].start} is never closed")
        return match

    def at(self, i: int) -> str:
        """Return the text of token `i`, empty before the first and after the last token."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def text(self, first: int, end: int) -> str:
        """Return the source text from the start of token `first` to the end of token `end - 1`."""
        return self.source[self.tokens[first].start : self.tokens[end - 1].end] if first < end else ""

    def names(self, first: int, end: int) -> set[str]:
        """Return the names among the tokens, without those after a dot."""
        return {t.text for i, t in enumerate(self.tokens[first:end], first) if t.is_name and self.at(i - 1) != "."}

    @cached_property
    def methods(self) -> list[Method]:
        methods = (self._method(i) for i, token in enumerate(self.tokens) if token.is_name)
        return [method for method in methods if method]

    def _method(self, name: int) -> Method | None:
        if self.at(name + 1) != "(" or not self.ends_type(name - 1) or self.at(name - 1) == "record":
            return None
        closing = self.match[name + 1]
        brace = closing + 1
        if self.at(brace) == "throws":
            brace = next(i for i in range(brace, len(self.tokens)) if self.at(i) in {"{", ";"})
        if self.at(brace) != "{":
            return None
        first = name
        while first > 0 and self.at(first - 1) not in {";", "{", "}"}:
            first -= 1
        return Method(first, name, (name + 1, closing), (brace, self.match[brace]))

    def ends_type(self, i: int) -> bool:
        """Return whether token `i` can be the last token of a type, before a declared name."""
        if i < 0:
            return False
        token = self.tokens[i]
        if token.text in {"]", "..."}:
            return self.at(self.match.get(i, i)) != "[" or self.match[i] == i - 1
        return token.is_name or token.text in PRIMITIVES or (token.text == ">" and self._closes_generic(i))

    def _closes_generic(self, i: int) -> bool:
        depth = 0
        while i >= 0:
            text = self.at(i)
            depth += {">": 1, "<": -1}.get(text, 0)
            if depth == 0:
                return self.tokens[i - 1].is_name or self.at(i - 1) in MODIFIERS
            if not (self.tokens[i].is_name or text in PRIMITIVES or text in "<>,.?[]&" or text in {"extends", "super"}):
                return False
            i -= 1
        return False

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Brace pairs of blocks: the bodies of methods and of compound statements except `switch`."""
        bodies = [method.body for method in self.methods]
        inside = [i for opening, closing in bodies for i in range(opening + 1, closing) if self.at(i) == "{"]
        return sorted(set(bodies) | {(i, self.match[i]) for i in inside if self._is_compound(i)})

    def _is_compound(self, brace: int) -> bool:
        if self.at(brace - 1) in {"else", "try", "do", "finally"}:
            return True
        heads = {"if", "for", "while", "catch", "try", "synchronized"}
        return self.at(brace - 1) == ")" and self.at(self.match[brace - 1] - 1) in heads

    @cached_property
    def classes(self) -> list[tuple[int, int]]:
        """Brace pairs of the bodies of classes, interfaces and records.

        Enums are left out, because their constants must come first.
        """
        bodies = []
        for i, token in enumerate(self.tokens):
            named = i + 1 < len(self.tokens) and self.tokens[i + 1].is_name
            if token.text in {"class", "interface", "record"} and named and self.at(i - 1) != ".":
                brace = next((j for j in range(i, len(self.tokens)) if self.at(j) in {"{", ";"}), i)
                bodies += [(brace, self.match[brace])] if self.at(brace) == "{" else []
        return bodies

    def statements(self, opening: int, closing: int) -> list[Statement]:
        """Return the statements of a block, or the members of a class, between two braces."""
        return list(self._statements(opening + 1, closing))

    def _statements(self, first: int, end: int) -> Iterator[Statement]:
        begin = i = first
        while i < end:
            closed = self.at(i) == ";" or (self.at(i) == "{" and self._ends_statement(begin, i))
            i = self.match[i] + 1 if self.at(i) in PAIRS else i + 1
            if closed and self.at(i) not in {"else", "catch", "finally"}:
                yield Statement(begin, i)
                begin = i
        if begin < end:
            yield Statement(begin, end)

    def _ends_statement(self, begin: int, brace: int) -> bool:
        """Return whether the brace pair ends its statement; that of an initialiser or a lambda does not."""
        after = self.at(self.match[brace] + 1)
        if after in {";", ",", ")", "."} or self.at(brace - 1) in {"=", "]", "->", ","}:
            return False
        return not (after == "while" and self.at(begin) == "do")
