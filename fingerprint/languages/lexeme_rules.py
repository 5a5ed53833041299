"""The rules of normalisation: the kind and the marks of a lexeme, by its token type."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from fingerprint.languages.token_rows import Mark

if TYPE_CHECKING:
    from fingerprint.languages.spec import Language

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


@cache
def _is_within(type_name: str, *parents: str) -> bool:
    """Return whether a token type is one of `parents` or a subtype of one."""
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
        """Return the kind and the marks by the first rule that applies."""
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
        """Return kind and marks of a word if no rule names it: those that any such word of its type has.

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
